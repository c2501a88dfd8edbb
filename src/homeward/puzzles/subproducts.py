"""Random elements of the group that permutations generate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Permutation = NDArray[np.int64]

_EXTRAS = 12
_ROUNDS = 5
"""How often each extra element is renewed before the first one is drawn."""


class Subproducts:
    """Nearly uniform elements, each a product of about half of everything in random order.

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
