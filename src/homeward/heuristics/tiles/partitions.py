"""Which tiles go together in an additive pattern database."""

from __future__ import annotations

from typing import TypeAlias

from homeward.heuristics.tiles.layout import MOST_CELLS, MOST_TILES, entries
from homeward.options import choices
from homeward.puzzles.status import PuzzleError

Partition: TypeAlias = tuple[tuple[int, ...], ...]
"""The home cells of each pattern's tiles, in ascending order. Every cell but the blank's once."""

BEST, LIGHT = "best", "light"
"""Names for any board: what solves it in the least time, and what is made in a moment."""

# A letter for each pattern, on the home cells of its tiles; the dot is the blank's home. The first
# of each board is its best one.
_PICTURES: dict[tuple[int, int], dict[str, str]] = {
    (3, 3): {
        "8": "AAA AAA AA.",
        "4-4": "AAB ABB AB.",
    },
    (4, 4): {
        "7-8": "AAAA AAAA BBBB BBB.",
        "6-6-3": "ABBB AACC AACC ACC.",
        "5-5-5": "AAAB AABB CCBB CCC.",
    },
    (5, 5): {
        "6-6-6-6": "AAABB AAABB CCDBB CCDDD CCDD.",
        "5-5-5-5-4": "AAABB AABBB CCCDD CCEDD EEED.",
    },
    (6, 6): {
        "5-5-5-5-5-5-5": "AAABBB AACCBB DCCCEE DDFGEE DFFGGE DFFGG.",
        "6-6-6-6-6-5": "AAABBB AAABBB CCCDDD CCCDDD EEEFFF EEEFF.",
    },
    (7, 7): {
        "5-5-5-5-5-5-5-5-5-3": "AAABBCC AABBBCC DDEEFFC DDEEFFF DGEHIII GGHHJII GGHHJJ.",
    },
}
_LIGHT = {(3, 3): "4-4", (4, 4): "6-6-3", (5, 5): "5-5-5-5-4"}

_MOST_ENTRIES = {BEST: 70_000_000, LIGHT: 7_000_000}
"""Entries of a table, for boards that have no picture."""


def partition(rows: int, columns: int, home: int, name: str = BEST) -> Partition:
    """The patterns of a board whose blank belongs on the cell `home`.

    `name` is `best`, `light`, or one of the board's own such as `7-8`, which are for a blank at
    home in the last cell. Raises `PuzzleError` if there is none of that name.

    >>> partition(3, 3, 8, "4-4")
    ((0, 1, 3, 6), (2, 4, 5, 7))
    """
    cells = rows * columns
    if cells > MOST_CELLS:
        raise PuzzleError(
            f"pattern databases are for boards of at most {MOST_CELLS} cells; "
            f"{rows}x{columns} has {cells}"
        )
    pictures = _PICTURES.get((rows, columns), {}) if home == cells - 1 else {}
    known = {BEST: next(iter(pictures), ""), LIGHT: _LIGHT.get((rows, columns), "")}
    picture = pictures.get(known.get(name, name))
    if picture is not None:
        return _read(picture)
    if name not in known:
        names = [*known, *pictures]
        board = f"the {rows}x{columns} board"
        raise PuzzleError(f"there is no partition {name!r} of {board}{choices(name, names)}")
    return _blocks(rows, columns, home, _MOST_ENTRIES[name])


def _read(picture: str) -> Partition:
    cells = picture.replace(" ", "")
    letters = sorted(set(cells) - {"."})
    return tuple(tuple(i for i, c in enumerate(cells) if c == letter) for letter in letters)


def _blocks(rows: int, columns: int, home: int, limit: int) -> Partition:
    """Patterns of neighbours with at most `limit` entries, all but the last as large as can be.

    They are cut from a path that goes through bands of two rows, column by column, one band to
    the right and the next to the left.
    """
    path = []
    bands = [range(first, min(first + 2, rows)) for first in range(0, rows, 2)]
    for number, band in enumerate(bands):
        across = range(columns)
        for column in reversed(across) if number % 2 else across:
            path += [row * columns + column for row in band]
    path.remove(home)
    most = max(k for k in range(1, MOST_TILES + 1) if entries(rows * columns, k) <= limit or k == 1)
    return tuple(tuple(sorted(path[i : i + most])) for i in range(0, len(path), most))
