"""How far is home? What every heuristic answers."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from homeward.puzzles.arrays import Array


@runtime_checkable
class Heuristic(Protocol):
    """Estimates distances home for batches of states.

    `admissible` promises that no estimate is ever too large: with it, and only with it, a search
    may claim that a solution is shortest.
    """

    name: str
    admissible: bool

    def place(self, states: NDArray[Any]) -> Array:
        """States in the kind of array, and on the device, that this heuristic works on."""
        ...

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the estimated distance of each child, +inf where illegal."""
        ...

    def values(self, states: Array) -> Array:
        """`[B]` float32: the estimated distance of the states themselves."""
        ...
