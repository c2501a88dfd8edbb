"""A chain of point stabilisers: what a group of permutations is, level by level."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.random_elements import Permutation, Replacements, Subproducts
from homeward.puzzles.status import PuzzleError

Narrow = NDArray[np.unsignedinteger[Any]]
"""Permutations in as few bytes as will do, since a level of 500 points keeps 500 of them."""

_CERTAINTY = 40
"""Random elements in a row that must already be known.

An incomplete chain knows at most half of its group, so uniform elements would deceive it with a
chance of 2^-40; subproducts come near to being so.
"""
_MOST_BYTES = 2**26


class StabiliserChain:
    """Made by the random Schreier-Sims method from permutations `[generators, degree]`.

    Raises `PuzzleError` for a group that would take too much memory.
    """

    def __init__(self, generators: NDArray[np.int64], rng: np.random.Generator) -> None:
        self.degree = generators.shape[1]
        self._identity = np.arange(self.degree)
        self.levels: list[Level] = []
        for generator in generators:
            self._add(generator)
        # The quick elements find most of the group, the thorough ones what they miss.
        for kind in (Replacements, Subproducts):
            source, known = kind(list(generators), rng), 0
            while known < _CERTAINTY:
                known = 0 if self._add(source.draw()) else known + 1

    @property
    def order(self) -> int:
        """How many permutations there are."""
        return math.prod(len(level.inverses) for level in self.levels)

    def __contains__(self, permutation: Permutation) -> bool:
        depth, rest = self._sift(permutation)
        return depth == len(self.levels) and np.array_equal(rest, self._identity)

    def random_elements(self, n: int, rng: np.random.Generator) -> Permutation:
        """`[n, degree]`: permutations of the group, each with equal probability."""
        elements = np.tile(self._identity, (n, 1))
        for level in self.levels:
            chosen = level.stacked()[rng.integers(len(level.inverses), size=n)]
            elements = np.take_along_axis(elements, chosen.astype(np.int64), axis=1)
        return elements

    def carrying(
        self, goal: NDArray[np.int64], state: NDArray[np.int64], rng: np.random.Generator
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
        self,
        goal: NDArray[np.int64],
        state: NDArray[np.int64],
        rng: np.random.Generator,
        patience: int,
    ) -> tuple[Permutation | None, bool]:
        """One try of `carrying`: what it found, and whether it looked everywhere."""
        levels, settled = self.levels, self._settled()
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
        for level in [*self.levels, None]:
            fixed = np.ones(self.degree, dtype=bool)
            for generator in level.generators if level is not None else []:
                fixed &= generator == self._identity
            settled.append(np.flatnonzero(fixed & ~still))
            still = fixed
        return settled

    def _sift(self, permutation: Permutation) -> tuple[int, Permutation]:
        """Divides by known elements as far as they go: the level that stopped it, and the rest."""
        rest: NDArray[Any] = permutation
        for depth, level in enumerate(self.levels):
            inverse = level.inverses.get(int(rest[level.point]))
            if inverse is None:
                return depth, rest
            rest = inverse[rest]
        return len(self.levels), rest

    def _add(self, permutation: Permutation) -> bool:
        """Extends the chain by a permutation; False if it was in the group already."""
        depth, rest = self._sift(permutation)
        if np.array_equal(rest, self._identity):
            return False
        if depth == len(self.levels):
            self.levels.append(Level(int((rest != self._identity).argmax()), self.degree))
        # `rest` fixes the points of all earlier levels, so it belongs to their subgroups too.
        forth = rest.astype(np.min_scalar_type(self.degree))
        back = np.argsort(forth).astype(forth.dtype)
        for level in self.levels[: depth + 1]:
            level.extend(forth, back)
        kept = sum(level.kept_bytes for level in self.levels)
        if kept > _MOST_BYTES:
            raise PuzzleError(
                f"the moves mix {self.degree} cells in too many ways: "
                "which states they reach is not known"
            )
        return True


class Level:
    """The orbit of one point, with a permutation that takes each place in it back to the point."""

    def __init__(self, point: int, degree: int) -> None:
        self.point = point
        self.generators: list[Narrow] = []
        self._backward: list[Narrow] = []
        identity = np.arange(degree, dtype=np.min_scalar_type(degree))
        self.inverses: dict[int, Narrow] = {point: identity}
        self._stacked: Narrow | None = None

    @property
    def kept_bytes(self) -> int:
        """What the permutations of this level take."""
        return len(self.inverses) * self.inverses[self.point].nbytes

    def extend(self, generator: Narrow, inverse: Narrow) -> None:
        """Adds a generator of the subgroup that this level is about."""
        self.generators.append(generator)
        self._backward.append(inverse)
        # Old places need only the new generator, new places need all of them.
        tries = [(place, len(self.generators) - 1) for place in self.inverses]
        while tries:
            place, number = tries.pop()
            target = int(self.generators[number][place])
            if target not in self.inverses:
                self.inverses[target] = self.inverses[place][self._backward[number]]
                self._stacked = None
                tries += [(target, other) for other in range(len(self.generators))]

    def stacked(self) -> Narrow:
        """`[orbit, degree]`: the permutations that take the point to each place."""
        if self._stacked is None:
            rows = np.array(list(self.inverses.values()))
            self._stacked = np.argsort(rows, axis=1).astype(rows.dtype)
        return self._stacked
