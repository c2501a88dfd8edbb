"""XSB, the text in which people share Sokoban levels, and files of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.notation.format import ParseError
from homeward.puzzles.sokoban import AGENT, AGENT_ON_TARGET, FLOOR, WALL, flooded
from homeward.puzzles.status import PuzzleError

SYMBOLS = " #.$*@+"
"""The character of each cell's code."""

_CODES = {symbol: code for code, symbol in enumerate(SYMBOLS)} | {"-": FLOOR, "_": FLOOR}
_DIGITS = "0123456789"
_HINT = "cells are # . $ * @ + and space, - or _"
_LONGEST = 250

_FILE = re.compile(r"(.+\.(?:xsb|sok|txt))(?:#([0-9]{1,9}))?", re.IGNORECASE)


@dataclass(frozen=True)
class Level:
    """The rows of one level, each with its place in the whole text."""

    text: str
    rows: tuple[tuple[int, str], ...]

    def grid(self) -> NDArray[np.uint8]:
        """`[rows, columns]`: the cells; what lies outside, ends of short rows too, is wall."""
        if len(self.rows) > _LONGEST:
            raise PuzzleError(f"a board has at most {_LONGEST} rows, this one has {len(self.rows)}")
        filled = [len(row) - len(row.lstrip(" ")) for _, row in self.rows if row.strip()]
        indent = min(filled, default=0)
        rows = [self._codes(start + indent, row[indent:]) for start, row in self.rows]
        grid = np.full((len(rows), max(len(row) for row in rows)), FLOOR, dtype=np.uint8)
        for number, row in enumerate(rows):
            grid[number, : len(row)] = row
        return walled(grid)

    def _codes(self, start: int, row: str) -> list[int]:
        """The cells of one row; a number before a cell repeats it."""
        codes: list[int] = []
        count = ""
        for position, symbol in enumerate(row, start):
            if symbol in _DIGITS:
                count += symbol
                continue
            if symbol not in _CODES:
                raise ParseError(f"{symbol!r} is no cell of a board", self.text, position, _HINT)
            if count and not int(count[:9]):
                raise ParseError("a cell repeated 0 times", self.text, position)
            codes += [_CODES[symbol]] * min(int(count[:9] or 1), _LONGEST + 1)
            count = ""
            if len(codes) > _LONGEST:
                message = f"a row has at most {_LONGEST} cells"
                raise ParseError(message, self.text, position)
        if count:
            raise ParseError("a number without a cell", self.text, start + len(row), _HINT)
        return codes


def walled(grid: NDArray[Any]) -> NDArray[Any]:
    """The board with its empty surroundings, floor that the agent cannot get to, as wall.

    Only what touches the edge is filled: closed rooms inside stay, and so does a board that is
    open itself, so that it can be told so.
    """
    inside = flooded((grid != WALL)[None], _agents(grid)[None])[0]
    edge = np.ones(grid.shape, dtype=bool)
    edge[1:-1, 1:-1] = False
    outside = flooded((grid != WALL)[None], edge[None])[0] & ~inside
    result: NDArray[Any] = np.where(outside & (grid == FLOOR), WALL, grid).astype(np.uint8)
    return result


def is_open(grid: NDArray[Any]) -> bool:
    """Whether the agent can walk to the edge of the board, boxes aside."""
    inside = flooded((grid != WALL)[None], _agents(grid)[None])[0]
    return bool(inside[[0, -1]].any() or inside[:, [0, -1]].any())


def _agents(grid: NDArray[Any]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (grid == AGENT) | (grid == AGENT_ON_TARGET)
    return found


def find_levels(text: str) -> list[Level]:
    """The levels in a text: runs of rows between titles, comments (`;`) and blank lines."""
    levels: list[Level] = []
    rows: list[tuple[int, str]] = []
    start = 0
    for line in [*text.splitlines(keepends=True), ""]:
        if _is_row(line.strip()):
            rows += _pieces(start, line.rstrip())
        elif rows:
            levels.append(Level(text, tuple(rows)))
            rows = []
        start += len(line)
    with_walls = [level for level in levels if any("#" in row for _, row in level.rows)]
    return with_walls or levels


def _is_row(line: str) -> bool:
    """Whether a line belongs to a board rather than being a title, a number or a comment."""
    if set(line) <= {*_CODES, *_DIGITS, "|"}:
        return bool(line.strip(_DIGITS + " "))
    # Walls at an end, and a character in between that should not be there: a slip, not a title.
    return line.startswith("#") or (line.endswith("#") and not line.startswith(";"))


def _pieces(start: int, line: str) -> list[tuple[int, str]]:
    """A line as rows, of which `|` makes several, each with its place in the text."""
    return [(start + m.start(), m.group()) for m in re.finditer(r"[^|]+", line)]


def read_grid(text: str) -> NDArray[np.uint8]:
    """`[rows, columns]`: the board in a text, or in the file that the text names.

    `levels.xsb#3` is the third level of a file. Raises `PuzzleError` where there is none.
    """
    named = _FILE.fullmatch(text.strip())
    if named is None:
        return _chosen(find_levels(text), text, 1, "this text").grid()
    path, number = named.groups()
    try:
        content = Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except (OSError, ValueError):
        raise PuzzleError(f"there is no readable file {path!r}") from None
    return _chosen(find_levels(content), content, int(number or 1), path).grid()


def _chosen(levels: list[Level], text: str, number: int, where: str) -> Level:
    if not levels:
        raise ParseError(f"there is no Sokoban board in {where}", text, 0, _HINT)
    if not 1 <= number <= len(levels):
        raise PuzzleError(f"{where} has levels 1 to {len(levels)}, no level {number}")
    return levels[number - 1]


def write_grid(grid: NDArray[Any]) -> str:
    """XSB text of a board `[rows, columns]`."""
    return "\n".join("".join(SYMBOLS[code] for code in row) for row in grid)
