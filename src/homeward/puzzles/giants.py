"""Orbits of cells that moves permute in every way, or in every even way.

A chain of stabilisers has as many levels as such an orbit has cells, each with a permutation for
every cell; but which permutations there are needs no chain: it is told by their signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.partition import orbits_of
from homeward.puzzles.random_elements import Permutation, Subproducts

_SMALLEST = 13
"""Cells of an orbit that is looked at: fewer are as quick with a chain, which can number states."""
_DRAWS = 60


@dataclass(frozen=True)
class Giant:
    """An orbit whose even permutations all belong to the group, whatever happens elsewhere.

    `cells` is `[n]`. Each of `copies` is `[n]` too, another orbit whose cells always go along:
    what takes `cells[i]` to `cells[j]` takes `copy[i]` to `copy[j]`.
    """

    cells: NDArray[np.int64]
    copies: list[NDArray[np.int64]] = field(default_factory=list)

    @property
    def orbits(self) -> list[NDArray[np.int64]]:
        """The cells and then each copy of them."""
        return [self.cells, *self.copies]

    def write(self, permutations: Permutation, inside: Permutation) -> None:
        """Makes `permutations` `[n, degree]` do to these cells what `inside` does `[n, cells]`."""
        for cells in self.orbits:
            permutations[:, cells] = cells[inside]


def find_giants(generators: Sequence[Permutation], rng: np.random.Generator) -> list[Giant]:
    """The giants among the orbits of cells; it may overlook some, but what it finds is certain.

    A cycle of prime length p with n/2 < p < n - 2 on a transitive orbit of n cells proves a giant
    (Jordan). By Goursat's lemma the alternating group of a giant belongs to the whole group, with
    nothing moved elsewhere, unless some other part has the same simple factor. That is an orbit
    with more cells, or another giant that goes along cell by cell: a copy. Giants that are smaller
    than some orbit that is none are therefore left out.
    """
    orbits = orbits_of(generators)
    large = [orbit for orbit in orbits if len(orbit) >= _SMALLEST]
    if not large:
        return []
    source = Subproducts(generators, rng)
    lengths = np.array([_cycle_lengths(source.draw()) for _ in range(_DRAWS)])
    giants = [orbit for orbit in large if _proved(lengths[:, orbit])]
    known = {int(orbit[0]) for orbit in giants}
    others = max((len(orbit) for orbit in orbits if int(orbit[0]) not in known), default=0)
    found: list[Giant] = []
    alike: dict[bytes, list[Giant]] = {}
    for orbit in giants:
        if len(orbit) < others:
            continue
        # What goes along has cycles of the same lengths, so these tell which cell goes with which.
        marks = lengths[:, orbit]
        order = np.lexsort(marks)
        ordered = marks[:, order]
        if not (ordered[:, 1:] != ordered[:, :-1]).any(0).all():
            return []
        cells = orbit[order]
        twins = alike.setdefault(ordered.tobytes(), [])
        leader = next((twin for twin in twins if _together(generators, twin.cells, cells)), None)
        if leader is not None:
            leader.copies.append(cells)
        else:
            found.append(Giant(cells))
            twins.append(found[-1])
    return found


def _cycle_lengths(permutation: Permutation) -> NDArray[np.int64]:
    """`[degree]`: the length of the cycle that each cell lies in."""
    onward = permutation.tolist()
    lengths = [0] * len(onward)
    for start in range(len(onward)):
        if lengths[start]:
            continue
        cycle = [start]
        while onward[cycle[-1]] != start:
            cycle.append(onward[cycle[-1]])
        for cell in cycle:
            lengths[cell] = len(cycle)
    return np.array(lengths)


def _proved(lengths: NDArray[np.int64]) -> bool:
    """Whether an orbit's cycle lengths `[draws, n]` prove that it is a giant."""
    n = lengths.shape[1]
    found = np.unique(lengths)
    found = found[(2 * found > n) & (found < n - 2)]
    return any(all(p % d for d in range(2, int(p**0.5) + 1)) for p in found.tolist())


def _together(
    generators: Sequence[Permutation], one: NDArray[np.int64], other: NDArray[np.int64]
) -> bool:
    """Whether `other[i]` goes wherever `one[i]` goes, by every generator."""
    mate = np.zeros(len(generators[0]), dtype=np.int64)
    mate[one] = other
    return all(np.array_equal(mate[g[one]], g[other]) for g in generators)


def odd(inside: Permutation) -> NDArray[np.bool_]:
    """`[B]`: which permutations `[B, n]` are odd."""
    rows = np.arange(len(inside))
    here, places = inside.copy(), np.argsort(inside, axis=1)
    result = np.zeros(len(inside), dtype=bool)
    for number in range(inside.shape[1]):
        # Whatever lies where `number` belongs goes where `number` was.
        there, other = places[:, number].copy(), here[:, number].copy()
        result ^= there != number
        here[rows, there], places[rows, other] = other, there
    return result
