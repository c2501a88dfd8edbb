"""The group that permutations generate: its order, membership, and uniform random elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.giants import Giant, find_giants, odd
from homeward.puzzles.partition import Partition
from homeward.puzzles.random_elements import Permutation
from homeward.puzzles.stabilisers import StabiliserChain


class PermutationGroup:
    """What permutations generate, in parts that are quickly described.

    Permutations are rows `p` with product `(p q)[c] = p[q[c]]`, so `p[move]` is `p` after a move.

    Of a `Giant` only the sign matters: it is told by two points that odd permutations exchange, in
    place of the giant's cells. These points and all other cells fall into parts that no generator
    moves together, and each part has a chain of stabilisers. Raises `PuzzleError` for a group that
    would take too much memory.

    >>> group = PermutationGroup(np.array([[1, 2, 0, 3], [0, 1, 3, 2]]))
    >>> group.order
    24
    >>> np.array([1, 0, 2, 3]) in group
    True
    """

    def __init__(self, generators: NDArray[Any], base: Sequence[int] = (), seed: int = 0) -> None:
        """`base` are points to be fixed first; `carrying` is quicker if pieces stay together."""
        self.generators = [np.asarray(g, dtype=np.int64) for g in generators]
        self.degree = len(self.generators[0])
        self._giants = find_giants(self.generators, np.random.default_rng(seed))
        # For each cell of a giant which one and which copy of it, and the cell's number there.
        self._owner = np.full((self.degree, 2), -1)
        self._place = np.empty(self.degree, dtype=np.int64)
        for i, giant in enumerate(self._giants):
            for copy, cells in enumerate(giant.orbits):
                self._owner[cells] = i, copy
                self._place[cells] = np.arange(len(cells))
        # The base first, so that cells keep its order when they are numbered anew.
        order = np.array(list(dict.fromkeys([*base, *range(self.degree)])))
        self._cells = order[self._owner[order, 0] < 0]
        self._place[self._cells] = np.arange(len(self._cells))
        reduced = np.array([self._reduced(g) for g in self.generators], dtype=np.int64)
        # Afresh: what random states a seed gives depends on nothing but the chain.
        rng = np.random.default_rng(seed)
        self._parts = [
            (points, StabiliserChain(rows, rng)) for points, rows in _independent(reduced)
        ]

    @property
    def order(self) -> int:
        """How many permutations there are."""
        parts = math.prod(chain.order for _, chain in self._parts)
        return parts * math.prod(math.factorial(len(g.cells)) // 2 for g in self._giants)

    @property
    def chain(self) -> list[tuple[int, Permutation]]:
        """The levels of a chain: a point, and `[orbit, degree]` the permutations that move it.

        Each element is just one product of permutations, one from each level in this order. Only
        for groups without giants, as all with less than a billion elements are.
        """
        if self._giants:
            raise ValueError("a group with giants has no chain")
        found = []
        for points, part in self._parts:
            cells = self._cells[points]
            for level in part.levels:
                movers = np.tile(np.arange(self.degree), (len(level.inverses), 1))
                movers[:, cells] = cells[level.stacked()]
                found.append((int(cells[level.point]), movers))
        return found

    def __contains__(self, permutation: NDArray[Any]) -> bool:
        reduced = self._reduced(np.asarray(permutation, dtype=np.int64))
        if reduced is None:
            return False
        fixed = np.ones(len(reduced), dtype=bool)
        number = np.empty(len(reduced), dtype=np.int64)
        for points, chain in self._parts:
            fixed[points] = False
            if not np.isin(reduced[points], points).all():
                return False
            number[points] = np.arange(len(points))
            if number[reduced[points]] not in chain:
                return False
        return bool((reduced == np.arange(len(reduced)))[fixed].all())

    def random_elements(self, n: int, rng: np.random.Generator) -> Permutation:
        """`[n, degree]`: permutations of the group, each with equal probability."""
        reduced = np.tile(np.arange(self._reduced_degree), (n, 1))
        for points, chain in self._parts:
            reduced[:, points] = points[chain.random_elements(n, rng)]
        inside = []
        for giant in self._giants:
            inside.append(rng.permuted(np.tile(np.arange(len(giant.cells)), (n, 1)), axis=1))
        return self._whole(reduced, inside)

    def carrying(
        self, goal: NDArray[Any], state: NDArray[Any], rng: np.random.Generator
    ) -> Permutation | None:
        """`[degree]`: a permutation `p` of the group with `goal[p] == state`, or None.

        Where colours repeat there may be many; `StabiliserChain.carrying` says how they are looked
        for, and when the search gives up.
        """
        have, want = [np.asarray(goal)[self._cells]], [np.asarray(state)[self._cells]]
        inside = []
        for giant in self._giants:
            matched = _matched(giant, np.asarray(goal), np.asarray(state), rng)
            if matched is None:
                return None
            # Two cells of one colour can be exchanged unseen: then the signs look alike too.
            row, twins = matched
            have.append(np.array([0, 0 if twins else 1]))
            want.append(have[-1][::-1] if not twins and odd(row[None])[0] else have[-1])
            inside.append(row[None])
        goals, states = np.concatenate(have), np.concatenate(want)
        reduced = np.arange(self._reduced_degree)
        for points, chain in self._parts:
            found = chain.carrying(goals[points], states[points], rng)
            if found is None:
                return None
            reduced[points] = points[found]
        if (goals[reduced] != states).any():
            return None  # a cell that never moves
        whole: Permutation = self._whole(reduced[None], inside, goal)[0]
        return whole

    # --- giants as pairs of points

    @property
    def _reduced_degree(self) -> int:
        return len(self._cells) + 2 * len(self._giants)

    def _reduced(self, permutation: Permutation) -> Permutation | None:
        """A permutation of the cells outside giants, then of each giant's pair of points.

        None if it takes a cell where no element of the group could.
        """
        if (self._owner[permutation] != self._owner).any():
            return None
        inside = self._place[permutation]
        reduced = np.arange(self._reduced_degree)
        reduced[: len(self._cells)] = inside[self._cells]
        moved = permutation != np.arange(self.degree)
        for i in np.unique(self._owner[moved, 0]).tolist():
            if i >= 0:
                rows = [inside[cells] for cells in self._giants[i].orbits]
                if any(not np.array_equal(row, rows[0]) for row in rows):
                    return None
                if odd(rows[0][None])[0]:
                    pair = len(self._cells) + 2 * i
                    reduced[[pair, pair + 1]] = pair + 1, pair
        return reduced

    def _whole(
        self, reduced: Permutation, inside: list[Permutation], goal: NDArray[Any] | None = None
    ) -> Permutation:
        """`[n, degree]`: back from reduced permutations, given `[n, cells]` for each giant.

        Those with the wrong sign have two cells exchanged, with a `goal` two that look alike.
        """
        result = np.tile(np.arange(self.degree), (len(reduced), 1))
        result[:, self._cells] = self._cells[reduced[:, : len(self._cells)]]
        for i, (giant, rows) in enumerate(zip(self._giants, inside, strict=True)):
            pair = len(self._cells) + 2 * i
            wrong = odd(rows) != (reduced[:, pair] != pair)
            one, other = (0, 1) if goal is None else _twins(giant, goal, rows[0])
            rows[np.ix_(wrong, [one, other])] = rows[np.ix_(wrong, [other, one])]
            giant.write(result, rows)
        return result


def _independent(
    generators: Permutation,
) -> list[tuple[NDArray[np.int64], Permutation]]:
    """Parts of points that no generator moves together, each with what generators do to it."""
    sets = Partition(generators.shape[1])
    moved = generators != np.arange(generators.shape[1])
    for row in moved:
        first, *others = np.flatnonzero(row).tolist() or [0]
        sets.join_all((first, other) for other in others)
    parts = []
    for points in (np.array(cells) for cells in sets.groups() if len(cells) > 1):
        number = np.zeros(generators.shape[1], dtype=np.int64)
        number[points] = np.arange(len(points))
        rows = generators[moved[:, points].any(1)][:, points]
        _, where = np.unique(number[rows], axis=0, return_index=True)
        parts.append((points, number[rows][np.sort(where)]))
    return parts


def _looks(giant: Giant, state: NDArray[Any]) -> NDArray[Any]:
    """`[n, 1 + copies]`: what is to be seen on each cell of a giant and those that go along."""
    return np.stack([state[cells] for cells in giant.orbits], axis=1)


def _matched(
    giant: Giant, goal: NDArray[Any], state: NDArray[Any], rng: np.random.Generator
) -> tuple[Permutation, bool] | None:
    """A random permutation `[n]` of a giant that makes `state`, and whether some cells look alike.

    None if there is none.
    """
    n = len(giant.cells)
    both = np.concatenate([_looks(giant, goal), _looks(giant, state)])
    _, looks = np.unique(both, axis=0, return_inverse=True)
    have, want = looks.reshape(-1)[:n], looks.reshape(-1)[n:]
    sources = np.lexsort([rng.random(n), have])
    targets = np.argsort(want, kind="stable")
    if (have[sources] != want[targets]).any():
        return None
    row = np.empty(n, dtype=np.int64)
    row[targets] = sources
    return row, bool(len(np.unique(have)) < n)


def _twins(giant: Giant, goal: NDArray[Any], row: Permutation) -> tuple[int, int]:
    """Two places of a giant that show the same in `goal[p]`, or any two if there are none."""
    seen: dict[tuple[Any, ...], int] = {}
    for place, look in enumerate(_looks(giant, goal)[row].tolist()):
        other = seen.setdefault(tuple(look), place)
        if other != place:
            return other, place
    return 0, 1
