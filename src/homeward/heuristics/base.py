"""How far is home? What every heuristic answers."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from homeward.puzzles.arrays import Array


@runtime_checkable
class Heuristic(Protocol):
    """Estimates distances home for batches of states.

    `admissible` promises that no estimate is ever too large: with it, and only with it, a search
    may claim that a solution is shortest.
    """

    name: str
    admissible: bool

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the estimated distance of each child, +inf where illegal."""
        ...

    def values(self, states: Array) -> Array:
        """`[B]` float32: the estimated distance of the states themselves."""
        ...
