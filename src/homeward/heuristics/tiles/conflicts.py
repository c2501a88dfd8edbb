"""Manhattan distance with linear conflicts: tiles of one line that are in each other's way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.tiles.board import BoardHeuristic
from homeward.heuristics.tiles.manhattan import Manhattan
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

LONGEST = 7
"""The longest line with a table: 8^7 entries. Longer ones are worked out each time."""


class LinearConflicts(BoardHeuristic):
    """Manhattan distance, and two moves more for each tile that has to leave its line.

    Of the tiles that stand in their own row, those that stay in it keep their order. So all but
    the longest rising sequence must step out of the row and back in, which Manhattan distance does
    not count; and the same for columns, whose tiles step out sideways. A table for each kind of
    line holds the moves to add for everything that can stand in it. On a coiled board a tile can
    get past another by the wrap, so there the estimate is refused.

    >>> from homeward.puzzles import puzzle
    >>> LinearConflicts(puzzle("puzzle8")).values(np.array([[8, 6, 7, 2, 5, 4, 3, 0, 1]]))
    array([23.], dtype=float32)
    """

    name = "conflicts"

    def __init__(self, puzzle: Puzzle) -> None:
        super().__init__(puzzle)
        board = self.puzzle
        if board.coiled:
            raise PuzzleError(f"{board.name}: linear conflicts do not hold on a coiled board")
        self._manhattan = Manhattan(board)
        rows, columns = np.divmod(np.arange(board.cells), board.columns)
        self._in_row = _places(rows, columns, self.homes)
        self._in_column = _places(columns, rows, self.homes)
        self._row_table, self._column_table = _line_table(board.columns), _line_table(board.rows)

    def estimate(self, boards: NDArray[Any]) -> NDArray[np.int32]:
        from homeward.heuristics.tiles.kernels import add_conflicts

        found = self._manhattan.estimate(boards)
        shaped = boards.reshape(len(boards), self.puzzle.rows, self.puzzle.columns)
        across = np.arange(self.puzzle.cells).reshape(self.puzzle.rows, self.puzzle.columns)
        add_conflicts(shaped, across, self._in_row, self._row_table, found)
        down, turned = np.ascontiguousarray(across.T), shaped.transpose(0, 2, 1)
        add_conflicts(turned, down, self._in_column, self._column_table, found)
        return found


def _places(lines: NDArray[Any], along: NDArray[Any], homes: NDArray[Any]) -> NDArray[np.uint16]:
    """`[cells, symbols]`: the place in a cell's line that is each tile's home, from 1.

    0 for tiles of other lines and for the blank.
    """
    places = np.where(lines[:, None] == lines[homes], along[homes] + 1, 0)
    places[:, 0] = 0
    return places.astype(np.uint16)


def _line_table(length: int) -> NDArray[np.uint8]:
    """`[(length + 1)^length]`: the moves to add for all that a line can hold; empty if too long."""
    from homeward.heuristics.tiles.kernels import fill_line_table

    if length > LONGEST:
        return np.empty(0, np.uint8)
    table = np.empty((length + 1) ** length, np.uint8)
    fill_line_table(length, table)
    return table
