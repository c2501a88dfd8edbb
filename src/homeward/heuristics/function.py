"""Any function as a heuristic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.arrays import Array, is_torch, namespace
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

_FAR = 1e6
"""The most that an estimate says which may be wrong: a true bound alone may say that no way leads
home."""


class FunctionHeuristic:
    """`function(states [B, cells]) -> [B]` distances, asked about every child.

    `admissible` promises that the function never says too much; then +inf says that no way leads
    home. From any other function +inf or NaN is a million moves. States are NumPy arrays, or torch
    tensors on `device` if one is given; the function must then answer with a tensor.

    >>> from homeward.puzzles import puzzle
    >>> from homeward.search.base import Budget, Meter
    >>> from homeward.search.bestfirst import BestFirst
    >>> lamps = puzzle("lightsout3")
    >>> fifth = FunctionHeuristic(lamps, lambda states: states.sum(1) / 5, admissible=True)
    >>> fifth.values(np.ones((1, 9), dtype=np.uint8))
    array([1.8], dtype=float32)
    >>> found = BestFirst()(lamps, np.ones(9, dtype=np.uint8), fifth, Meter(Budget(seconds=10)))
    >>> found.length, found.proof
    (5, 'optimal')
    """

    def __init__(
        self,
        puzzle: Puzzle,
        function: Callable[[Any], Any],
        admissible: bool = False,
        device: str | None = None,
    ) -> None:
        self.puzzle, self.function, self.admissible = puzzle, function, admissible
        self.device = device
        self.name = getattr(function, "__name__", type(function).__name__)

    def place(self, states: NDArray[Any]) -> Array:
        """The states as an array, or as a tensor on the device."""
        if self.device is None:
            return np.asarray(states)
        import torch

        return torch.tensor(states, device=self.device)

    def values(self, states: Array) -> Array:
        """`[B]` float32: what the function says; `PuzzleError` if it gives no `[B]` numbers."""
        found = self.function(states)
        if is_torch(states) != is_torch(found) or tuple(np.shape(found)) != (len(states),):
            raise PuzzleError(
                f"{self.name} gave {type(found).__name__} of shape {tuple(np.shape(found))} "
                f"for {len(states)} states, not one number each"
            )
        xp = namespace(found)
        found = found.float() if is_torch(found) else np.asarray(found, dtype=np.float32)
        if self.admissible:
            return xp.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)
        return xp.nan_to_num(found, nan=_FAR, posinf=_FAR, neginf=-_FAR)

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: what the function says of each child, +inf where illegal."""
        children = self.puzzle.expand(states).reshape(-1, self.puzzle.cells)
        found = self.values(children).reshape(len(states), self.puzzle.moves)
        if self.puzzle.always_legal:
            return found
        return namespace(states).where(self.puzzle.legal(states), found, np.inf)
