"""Sets of cells that can be joined, and those that permutations join."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Partition:
    """Sets of cells that can be joined."""

    def __init__(self, cells: int) -> None:
        self._parent = list(range(cells))

    def find(self, cell: int) -> int:
        """The least cell of a cell's set."""
        while self._parent[cell] != cell:
            self._parent[cell] = self._parent[self._parent[cell]]
            cell = self._parent[cell]
        return cell

    def join(self, one: int, other: int) -> bool:
        """Whether they were apart before."""
        one, other = self.find(one), self.find(other)
        self._parent[max(one, other)] = min(one, other)
        return one != other

    def join_all(self, pairs: Iterable[Sequence[int]]) -> None:
        """Joins both cells of every pair."""
        for one, other in pairs:
            self.join(one, other)

    def labels(self) -> NDArray[np.int64]:
        """`[cells]`: the least cell of each cell's set."""
        return np.array([self.find(cell) for cell in range(len(self._parent))], dtype=np.int64)

    def groups(self) -> list[list[int]]:
        """Every set, its cells in order."""
        found: dict[int, list[int]] = {}
        for cell, least in enumerate(self.labels().tolist()):
            found.setdefault(least, []).append(cell)
        return list(found.values())


def orbits_of(permutations: Sequence[NDArray[Any]] | NDArray[Any]) -> list[NDArray[np.int64]]:
    """The sets of cells that permutations carry into one another, but for cells that stay.

    >>> orbits_of(np.array([[1, 2, 0, 3, 4], [0, 1, 2, 3, 4]]))
    [array([0, 1, 2])]
    """
    degree = len(permutations[0])
    sets = Partition(degree)
    for row in permutations:
        moved = np.flatnonzero(row != np.arange(degree))
        sets.join_all(zip(moved.tolist(), row[moved].tolist(), strict=True))
    return [np.array(cells) for cells in sets.groups() if len(cells) > 1]
