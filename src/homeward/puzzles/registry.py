"""Puzzles by name: `puzzle("cube3")`, `puzzle("sliding-3x4")`, `puzzle("my/puzzle.toml")`."""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from pathlib import Path

from homeward.puzzles.base import Puzzle
from homeward.puzzles.cube import Cube
from homeward.puzzles.generators import shown
from homeward.puzzles.lightsout import LightsOut
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.status import PuzzleError

_FILE_SUFFIXES = (".toml", ".gap", ".g")


def _sokoban(rows: str | None, columns: str | None) -> Puzzle:
    from homeward.puzzles.sokoban import Sokoban

    return Sokoban(int(rows or 10), int(columns or 10))


def _square(tiles: str) -> Puzzle:
    side = math.isqrt(int(tiles) + 1)
    if side * side != int(tiles) + 1:
        text = f"puzzle{tiles} is no square board (8, 15, 24, 35, 48, …); use sliding-RxC"
        raise PuzzleError(text)
    return Sliding(side, side, name=f"puzzle{tiles}")


# A size, written as anyone would write it: one puzzle has one name.
_N = r"(0|[1-9][0-9]{0,4})"

# Each pattern with what makes the puzzle from the pattern's groups.
_NAMES: list[tuple[str, Callable[..., Puzzle]]] = [
    (rf"cube{_N}(-free)?(-htm)?", lambda n, free, htm: Cube(int(n), bool(htm), bool(free))),
    (rf"puzzle{_N}", _square),
    (rf"sliding-{_N}x{_N}", lambda r, c: Sliding(int(r), int(c))),
    (r"coiled15", lambda: Sliding(4, 4, coiled=True, name="coiled15")),
    (rf"lightsout{_N}", lambda n: LightsOut(int(n))),
    (rf"sokoban(?:-{_N}x{_N})?", _sokoban),
]

_COMMON = (
    "cube2 cube2-free cube2-htm cube3 cube3-htm cube4 cube5 puzzle8 puzzle15 puzzle24 puzzle35 "
    "puzzle48 sliding-2x5 sliding-3x4 coiled15 lightsout5 lightsout7 sokoban"
).split()


def shipped_files() -> dict[str, Path]:
    """The puzzle files inside the package, by name."""
    folder = Path(str(resources.files("homeward.puzzles") / "definitions"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def names() -> list[str]:
    """Names of common puzzles; `cubeN`, `sliding-RxC` and `lightsoutN` take any size besides."""
    return [*_COMMON, *shipped_files()]


def is_file(name: str) -> bool:
    """Whether a puzzle's name is the path of a puzzle file."""
    return name.endswith(_FILE_SUFFIXES)


def puzzle(name: Puzzle | str | Path) -> Puzzle:
    """The puzzle of that name, or of the TOML or GAP file at that path.

    Raises `PuzzleError` for an unknown name, with the nearest known one. The same name gives the
    same puzzle, and so does the same file until it is written anew. A puzzle is itself.

    >>> puzzle("puzzle15").cells
    16
    """
    if isinstance(name, Puzzle):
        return name
    if isinstance(name, str) and not is_file(name):
        return _named(name)
    from homeward.puzzles.files import load

    try:
        path = os.path.abspath(name)
        facts = os.stat(path)
    except (OSError, ValueError):
        return load(name)  # which says what is wrong with the path
    return _in_file(path, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=64)
def _in_file(path: str, written: int, size: int) -> Puzzle:
    """The puzzle in a file, as long as the file has this size and was last written then."""
    from homeward.puzzles.files import load

    made = load(path)
    made.path = path
    return made


@lru_cache(maxsize=64)
def _named(name: str) -> Puzzle:
    files = shipped_files()
    if name in files:
        from homeward.puzzles.files import load

        return load(files[name])
    for pattern, make in _NAMES:
        match = re.fullmatch(pattern, name)
        if match:
            return make(*match.groups())
    near = difflib.get_close_matches(name, names(), n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise PuzzleError(
        f"there is no puzzle named {shown(name)}{hint} ('homeward list puzzles' has them)"
    )
