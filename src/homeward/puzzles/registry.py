"""Puzzles by name: `puzzle("cube3")`, `puzzle("sliding-3x4")`, `puzzle("my/puzzle.toml")`."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from pathlib import Path

from homeward.puzzles.base import Puzzle
from homeward.puzzles.cube import Cube
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


# Each pattern with what makes the puzzle from the pattern's groups.
_NAMES: list[tuple[str, Callable[..., Puzzle]]] = [
    (r"cube(\d+)(-free)?(-htm)?", lambda n, free, htm: Cube(int(n), bool(htm), bool(free))),
    (r"puzzle(\d+)", _square),
    (r"sliding-(\d+)x(\d+)", lambda r, c: Sliding(int(r), int(c))),
    (r"coiled15", lambda: Sliding(4, 4, coiled=True, name="coiled15")),
    (r"lightsout(\d+)", lambda n: LightsOut(int(n))),
    (r"sokoban(?:-(\d+)x(\d+))?", _sokoban),
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


@lru_cache(maxsize=64)
def puzzle(name: str) -> Puzzle:
    """The puzzle of that name, or of the TOML or GAP file at that path.

    Raises `PuzzleError` for an unknown name, with the nearest known one.

    >>> puzzle("puzzle15").cells
    16
    """
    if is_file(name):
        from homeward.puzzles.files import load

        return load(Path(name))
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
    raise PuzzleError(f"there is no puzzle named {name!r}{hint} ('homeward list puzzles' has them)")
