"""The bound that A* on Sokoban levels goes by, as a heuristic for any search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.sokoban.level import FAR, Level, level
from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sokoban import LEFT, Sokoban, is_box
from homeward.puzzles.status import PuzzleError

_MOST = 1000
"""Levels remembered at once."""


class MatchingBound:
    """The fewest pushes that take every box to a target of its own, and the walk to the first.

    Boxes are pushed as if the others were not there, so that is never too much. Boards that are
    lost for certain are infinitely far: a box from where no target can be reached, boxes that keep
    each other from moving, nothing to push. Boards of a batch may belong to different levels.
    """

    name = "matching"
    admissible = True

    def __init__(self, puzzle: Puzzle) -> None:
        if not isinstance(puzzle, Sokoban):
            raise PuzzleError(f"{self.name} is for Sokoban, not {puzzle.name}")
        self.puzzle = puzzle
        self._levels: dict[bytes, Level] = {}

    def place(self, states: NDArray[Any]) -> Array:
        """The states as they are: estimates are made on the CPU."""
        return np.asarray(states)

    def values(self, states: Array) -> Array:
        """`[B]` float32: the moves that each state needs at least, +inf if it is lost."""
        on_cpu = states.cpu().numpy() if arrays.is_torch(states) else np.asarray(states)
        found = np.array([self._value(board) for board in on_cpu], dtype=np.float32)
        if not arrays.is_torch(states):
            return found
        return arrays.namespace(states).as_tensor(found, device=states.device)

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the same for each child, +inf where a move is illegal."""
        made = self.puzzle.expand(states)
        found = self.values(made.reshape(-1, self.puzzle.cells)).reshape(made.shape[:2])
        found[~self.puzzle.legal(states)] = np.inf
        return found

    def _value(self, board: NDArray[Any]) -> float:
        from homeward.heuristics.sokoban.kernels import is_stuck, match, steps_to_push

        if self.puzzle.is_solved(board[None])[0]:
            return 0.0
        room = self._level(board)
        boxes = room.numbers(np.flatnonzero(is_box(board))).astype(np.uint16)
        pushes = match(room.pushes, boxes, np.zeros((6, len(boxes) + 1), np.int32))
        occupied = np.zeros(len(room.dead), np.uint8)
        occupied[[*boxes, len(room.cells)]] = 1
        if pushes >= FAR or is_stuck(room, boxes, occupied, np.zeros(len(boxes), np.bool_)):
            return np.inf
        agent = room.numbers(self.puzzle.agents(board[None]))[0]
        steps = steps_to_push(room, boxes, agent, occupied)
        return np.inf if steps >= FAR else float(pushes + steps)

    def _level(self, board: NDArray[Any]) -> Level:
        """The level of a board, remembered."""
        key = LEFT.numpy[board].tobytes()
        if key not in self._levels:
            if len(self._levels) >= _MOST:
                self._levels.clear()
            self._levels[key] = level(self.puzzle, board)
        return self._levels[key]
