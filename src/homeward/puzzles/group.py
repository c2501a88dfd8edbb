"""The group that permutations generate: its order, membership, and uniform random elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Permutation = NDArray[np.int64]

_CERTAINTY = 40
"""Random elements in a row that must already be known: the chance of a wrong group is 2^-40."""


class PermutationGroup:
    """A chain of point stabilisers, built by the random Schreier-Sims method.

    Permutations are rows `p` with product `(p q)[c] = p[q[c]]`, so `p[move]` is `p` after a move.

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
        self._identity = np.arange(self.degree)
        self._points = np.array(list(dict.fromkeys([*base, *range(self.degree)])))
        self._levels: list[_Level] = []
        rng = np.random.default_rng(seed)
        for generator in self.generators:
            self._add(generator)
        source = _RandomElements(self.generators, rng)
        known = 0
        while known < _CERTAINTY:
            known = 0 if self._add(source.draw()) else known + 1

    @property
    def order(self) -> int:
        """How many permutations there are."""
        return math.prod(len(level.orbit) for level in self._levels)

    @property
    def chain(self) -> list[tuple[int, Permutation]]:
        """The levels of the chain: a point, and `[orbit, degree]` the permutations that move it.

        Each element is just one product of permutations, one from each level in this order.
        """
        return [(level.point, level.stacked()) for level in self._levels]

    def __contains__(self, permutation: NDArray[Any]) -> bool:
        depth, rest = self._sift(np.asarray(permutation, dtype=np.int64))
        return depth == len(self._levels) and np.array_equal(rest, self._identity)

    def random_elements(self, n: int, rng: np.random.Generator) -> Permutation:
        """`[n, degree]`: permutations of the group, each with equal probability."""
        elements = np.tile(self._identity, (n, 1))
        for level in self._levels:
            chosen = level.stacked()[rng.integers(len(level.orbit), size=n)]
            elements = np.take_along_axis(elements, chosen, axis=1)
        return elements

    def carrying(
        self, goal: NDArray[Any], state: NDArray[Any], rng: np.random.Generator
    ) -> Permutation | None:
        """`[degree]`: a permutation `p` of the group with `goal[p] == state`, or None.

        Where colours repeat there may be many. The search places one point after the other and goes
        back where colours disagree, in random order, and starts anew after ever longer vain
        efforts. It ends with a permutation, with everything tried, or, where colours repeat very
        often and nothing fits, after some 25,000 steps.
        """
        for patience in (100, 200, 400, 800, 1600, 3200, 6400, 12800):
            found, everything = self._descend(goal, state, rng, patience)
            if found is not None or everything:
                return found
        return None

    def _descend(
        self, goal: NDArray[Any], state: NDArray[Any], rng: np.random.Generator, patience: int
    ) -> tuple[Permutation | None, bool]:
        """One try of `carrying`: what it found, and whether it looked everywhere."""
        levels, settled = self._levels, self._settled()
        if (goal[settled[0]] != state[settled[0]]).any():
            return None, True

        def fitting(depth: int, prefix: Permutation) -> NDArray[np.intp]:
            if depth == len(levels):
                return np.empty(0, dtype=np.intp)
            cells = settled[depth + 1]
            images = prefix[levels[depth].stacked()[:, cells]]
            return np.flatnonzero((goal[images] == state[cells]).all(1))

        # Each entry: the product of the choices so far, and the choices left for the next level.
        stack = [(self._identity, fitting(0, self._identity))]
        while stack:
            prefix, options = stack.pop()
            depth = len(stack)
            if depth == len(levels):
                return prefix, True
            if not len(options):
                continue
            if patience == 0:
                return None, False
            patience -= 1
            pick = int(rng.integers(len(options)))
            onward = prefix[levels[depth].stacked()[options[pick]]]
            stack.append((prefix, np.delete(options, pick)))
            stack.append((onward, fitting(depth + 1, onward)))
        return None, True

    def _settled(self) -> list[NDArray[np.intp]]:
        """Cells that no move moves, then for each level those whose image its choice settles."""
        still = np.zeros(self.degree, dtype=bool)
        settled = []
        for level in [*self._levels, None]:
            fixed = np.ones(self.degree, dtype=bool)
            for generator in level.generators if level is not None else []:
                fixed &= generator == self._identity
            settled.append(np.flatnonzero(fixed & ~still))
            still = fixed
        return settled

    def _sift(self, permutation: Permutation) -> tuple[int, Permutation]:
        """Divides by known elements as far as they go: the level that stopped it, and the rest."""
        rest = permutation
        for depth, level in enumerate(self._levels):
            inverse = level.inverses.get(int(rest[level.point]))
            if inverse is None:
                return depth, rest
            rest = inverse[rest]
        return len(self._levels), rest

    def _add(self, permutation: Permutation) -> bool:
        """Extends the chain by a permutation; False if it was in the group already."""
        depth, rest = self._sift(permutation)
        if np.array_equal(rest, self._identity):
            return False
        if depth == len(self._levels):
            moved = rest[self._points] != self._points
            self._levels.append(_Level(int(self._points[moved.argmax()]), self.degree))
        # `rest` fixes the points of all earlier levels, so it belongs to their subgroups too.
        for level in self._levels[: depth + 1]:
            level.extend(rest)
        return True


class _Level:
    """The orbit of one point, with a permutation that takes the point to each place in it."""

    def __init__(self, point: int, degree: int) -> None:
        self.point = point
        self.generators: list[Permutation] = []
        identity = np.arange(degree)
        self.orbit: dict[int, Permutation] = {point: identity}
        self.inverses: dict[int, Permutation] = {point: identity}
        self._stacked: Permutation | None = None

    def extend(self, generator: Permutation) -> None:
        self.generators.append(generator)
        fresh = list(self.orbit)
        # Old places need only the new generator, new places need all of them.
        tries = [(place, generator) for place in fresh]
        while tries:
            place, step = tries.pop()
            target = int(step[place])
            if target not in self.orbit:
                mover = step[self.orbit[place]]
                self.orbit[target] = mover
                self.inverses[target] = np.argsort(mover)
                self._stacked = None
                tries += [(target, g) for g in self.generators]

    def stacked(self) -> Permutation:
        if self._stacked is None:
            self._stacked = np.array(list(self.orbit.values()))
        return self._stacked


class _RandomElements:
    """Nearly uniform elements by product replacement with an accumulator."""

    def __init__(self, generators: list[Permutation], rng: np.random.Generator) -> None:
        self._rng = rng
        repeats = -(-10 // len(generators))
        self._pool = list(generators) * max(1, repeats)
        self._gathered = self._pool[0]
        for _ in range(60):
            self.draw()

    def draw(self) -> Permutation:
        i, j = self._rng.choice(len(self._pool), size=2, replace=False)
        other = self._pool[j] if self._rng.integers(2) else np.argsort(self._pool[j])
        if self._rng.integers(2):
            self._pool[i] = self._pool[i][other]
        else:
            self._pool[i] = other[self._pool[i]]
        self._gathered = self._gathered[self._pool[i]]
        return self._gathered
