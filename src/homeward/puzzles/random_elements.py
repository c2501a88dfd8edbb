"""Random elements of the group that permutations generate: quick ones, and thorough ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Permutation = NDArray[np.int64]

_EXTRAS = 12
_ROUNDS = 5
"""How often each extra element is renewed before the first one is drawn."""


class Replacements:
    """Elements by product replacement with an accumulator: each costs two products.

    One element differs from the last by one of the pool. So where generators move many parts one
    at a time, it is long the same on most of them.
    """

    def __init__(self, generators: Sequence[Permutation], rng: np.random.Generator) -> None:
        self._rng = rng
        repeats = -(-10 // len(generators))
        self._pool = list(generators) * max(1, repeats)
        self._gathered = self._pool[0]
        for _ in range(60):
            self.draw()

    def draw(self) -> Permutation:
        """`[degree]`: the next element."""
        i, j = self._rng.choice(len(self._pool), size=2, replace=False)
        other = self._pool[j] if self._rng.integers(2) else np.argsort(self._pool[j])
        if self._rng.integers(2):
            self._pool[i] = self._pool[i][other]
        else:
            self._pool[i] = other[self._pool[i]]
        self._gathered = self._gathered[self._pool[i]]
        return self._gathered


class Subproducts:
    """Elements that are products of about half of everything, in random order.

    Besides the generators there are some extra elements, which are renewed by what is drawn, so
    that products become long soon. The generators stay: whatever subgroup they do not all belong
    to, half of the draws at least lie outside of it, even where each generator moves a part of
    its own among many.
    """

    def __init__(self, generators: Sequence[Permutation], rng: np.random.Generator) -> None:
        self._rng = rng
        self._generators = list(generators)
        self._extras: list[Permutation] = []
        for _ in range(_EXTRAS):
            self._extras.append(self._product())
        for _ in range(_EXTRAS * _ROUNDS):
            self.draw()

    def draw(self) -> Permutation:
        """`[degree]`: one element."""
        drawn = self._product()
        self._extras[int(self._rng.integers(_EXTRAS))] = drawn
        return drawn

    def _product(self) -> Permutation:
        factors = [*self._generators, *self._extras]
        chosen = np.flatnonzero(self._rng.integers(2, size=len(factors)))
        product = np.arange(len(factors[0]))
        for number in self._rng.permutation(chosen):
            product = product[factors[number]]
        return product
