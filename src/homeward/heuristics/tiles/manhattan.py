"""Manhattan distance: every tile on its own, as if the others were not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.tiles.board import BoardHeuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sliding import Sliding

if TYPE_CHECKING:
    from homeward.heuristics.tiles.tree import BoardTree


class Manhattan(BoardHeuristic):
    """The sum over the tiles of the steps from their cell to their home.

    A move takes one tile one step, so no board needs fewer. On a coiled board a step may go from
    the first cell to the last.

    >>> from homeward.puzzles import puzzle
    >>> Manhattan(puzzle("puzzle8")).values(np.array([[8, 6, 7, 2, 5, 4, 3, 0, 1]]))
    array([21.], dtype=float32)
    """

    name = "manhattan"

    def __init__(self, puzzle: Puzzle) -> None:
        super().__init__(puzzle)
        self.apart = steps_between(self.puzzle)[:, self.homes].astype(np.uint16)
        """`[cells, symbols]`: how far each tile is from home in each cell; 0 for the blank."""
        self.apart[:, 0] = 0

    def estimate(self, boards: NDArray[Any]) -> NDArray[np.int32]:
        from homeward.heuristics.tiles.kernels import sum_over_cells

        found = np.empty(len(boards), np.int32)
        sum_over_cells(boards, self.apart, found)
        return found

    def tree(self, start: NDArray[Any]) -> BoardTree:
        """The tree below `start` `[cells]`, for IDA*."""
        from homeward.heuristics.tiles.tree import BoardTree
        from homeward.heuristics.tiles.tree.dives import ManhattanDive

        return BoardTree(self.puzzle, start, self.estimate, ManhattanDive(self))


def steps_home(puzzle: Sliding, board: NDArray[Any]) -> int:
    """The Manhattan distance of one board `[cells]`, at once: no tables, nothing compiled.

    >>> from homeward.puzzles import puzzle
    >>> steps_home(puzzle("puzzle8"), np.array([8, 6, 7, 2, 5, 4, 3, 0, 1]))
    21
    """
    tiles = np.flatnonzero(board)
    return int(_steps(puzzle, tiles, np.argsort(puzzle.goal)[board[tiles]]).sum())


def steps_between(puzzle: Sliding) -> NDArray[np.int64]:
    """`[cells, cells]`: the steps from each cell to each other on an empty board."""
    cells = np.arange(puzzle.cells)
    return _steps(puzzle, cells[:, None], cells)


def _steps(puzzle: Sliding, here: NDArray[Any], there: NDArray[Any]) -> NDArray[np.int64]:
    """The steps from cells to others, of shapes that go together."""
    apart = _apart(puzzle, here, there)
    if puzzle.coiled:
        first, last = np.int64(0), np.int64(puzzle.cells - 1)
        for one, other in ((first, last), (last, first)):
            way = _apart(puzzle, here, one) + 1 + _apart(puzzle, other, there)
            apart = np.minimum(apart, way)
    return apart


def _apart(puzzle: Sliding, here: Any, there: Any) -> NDArray[np.int64]:
    """The rows and columns between cells."""
    (row, column), (other_row, other_column) = (divmod(c, puzzle.columns) for c in (here, there))
    apart: NDArray[np.int64] = abs(row - other_row) + abs(column - other_column)
    return apart
