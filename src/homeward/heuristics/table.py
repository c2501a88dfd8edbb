"""A heuristic that is never wrong: the distances of a whole graph, looked up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.graph import Graph, distances
from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array
from homeward.puzzles.base import Puzzle


class DistanceTable:
    """The exact distance home of every state of a small puzzle.

    The table is read from the cache folder or worked out first (see `distances`), unless a
    `graph` of the same puzzle is given. A state that cannot be reached raises `PuzzleError`.

    >>> from homeward.puzzles import puzzle
    >>> board = puzzle("puzzle8")
    >>> table = DistanceTable(board, distances(board, use_cache=False))
    >>> table.values(np.array([[8, 6, 7, 2, 5, 4, 3, 0, 1]]))
    array([31.], dtype=float32)
    """

    name = "distances"
    admissible = True

    def __init__(self, puzzle: Puzzle, graph: Graph | None = None) -> None:
        self.puzzle = puzzle
        self.graph = distances(puzzle) if graph is None else graph

    def place(self, states: NDArray[Any]) -> Array:
        """The states as they are: tables live beside the CPU."""
        return np.asarray(states)

    def values(self, states: Array) -> Array:
        """`[B]` float32: the distance of each state."""
        numbers = self.graph.ranking.rank(_on_cpu(states))
        return _beside(states, self.graph.distances[numbers].astype(np.float32))

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the distance of each child, +inf where a move is illegal."""
        neighbours = self.graph.ranking.neighbours(self.graph.ranking.rank(_on_cpu(states)))
        found = self.graph.distances[np.maximum(neighbours, 0)].astype(np.float32)
        found[neighbours < 0] = np.inf
        return _beside(states, found)


def _on_cpu(states: Array) -> NDArray[Any]:
    return states.cpu().numpy() if arrays.is_torch(states) else np.asarray(states)


def _beside(states: Array, result: NDArray[Any]) -> Array:
    """The result as the kind of array that `states` is, on the same device."""
    if not arrays.is_torch(states):
        return result
    return arrays.namespace(states).as_tensor(result, device=states.device)
