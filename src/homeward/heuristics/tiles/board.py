"""What the estimates of sliding boards share: they look at one board at a time, on the CPU."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.status import PuzzleError


class BoardHeuristic(ABC):
    """An admissible estimate for boards `[B, cells]`; `estimate` is all that a subclass adds.

    Tensors are answered with tensors, by way of the CPU.
    """

    name: str
    admissible = True

    def __init__(self, puzzle: Puzzle) -> None:
        if not isinstance(puzzle, Sliding):
            raise PuzzleError(f"{self.name} is for sliding boards, not {puzzle.name}")
        self.puzzle = puzzle
        self.homes = np.argsort(puzzle.goal)
        """`[symbols]`: the cell where each tile, and the blank, belongs."""

    @abstractmethod
    def estimate(self, boards: NDArray[Any]) -> NDArray[np.int32]:
        """`[B]`: moves that each board needs at least."""

    def place(self, states: NDArray[Any]) -> Array:
        """The states as they are: estimates are made on the CPU."""
        return np.asarray(states)

    def values(self, states: Array) -> Array:
        """`[B]` float32: the estimate of each state."""
        return _beside(states, self.estimate(_on_cpu(states)).astype(np.float32))

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the estimate of each child, +inf where a move is illegal."""
        from homeward.heuristics.tiles.kernels import slide

        boards, slides = _on_cpu(states), self.puzzle.slides.numpy
        made = np.empty((len(boards), self.puzzle.moves, self.puzzle.cells), boards.dtype)
        blanks = self.puzzle.blanks(boards)
        slide(boards, blanks, slides, made)
        found = self.estimate(made.reshape(-1, self.puzzle.cells)).astype(np.float32)
        found = found.reshape(len(boards), self.puzzle.moves)
        found[slides[blanks] < 0] = np.inf
        return _beside(states, found)


def _on_cpu(states: Array) -> NDArray[Any]:
    return np.ascontiguousarray(states.cpu().numpy() if arrays.is_torch(states) else states)


def _beside(states: Array, result: NDArray[Any]) -> Array:
    """The result as the kind of array that `states` is, on the same device."""
    if not arrays.is_torch(states):
        return result
    return arrays.namespace(states).as_tensor(result, device=states.device)
