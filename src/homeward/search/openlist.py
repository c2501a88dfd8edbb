"""The open list of a best-first search: what could be expanded next, the most promising first.

An entry is one integer: its priority (lower is better) in the high bits, and in the low ones its
*slot*, the number of a node times the number of moves plus a move. So an entry takes 8 bytes, its
child is not made before it is popped, entries are ordered without ties, and a list can be put in
order with nothing but integers, on NumPy arrays and torch tensors alike.
"""

from __future__ import annotations

import numpy as np

from homeward.puzzles.arrays import Array, copy, indices, namespace
from homeward.search import ops
from homeward.search.growing import Growing

_SLOT_BITS = 40
SLOTS = 1 << _SLOT_BITS
"""Slots are below this."""
UNIT = 2048
"""Priorities to a move: the grain to which estimates are told apart."""
NEVER = (1 << 63) - 1
"""An entry that no list takes."""
_HIGHEST = (1 << 63 - _SLOT_BITS) - 2

_HOT = 1024
"""Entries that may be searched for the best, whatever the batch."""
_SHARE = 6
"""A tier that is too large gives one in so many of its entries to a new one."""


def priorities(totals: Array, depths: Array) -> Array:
    """`[...]` int64: the priority of entries with `f = totals` that lie `depths` moves deep.

    Among equal totals the deeper entry comes first: each move of depth takes one from the
    `UNIT`s of a total. A priority over `UNIT` is never more than the total.
    """
    xp = namespace(totals)
    fine = totals * UNIT
    fine = xp.floor(xp.where(fine < _HIGHEST, fine, _HIGHEST))  # what is not a number comes last
    return indices((fine - depths).clip(min=-_HIGHEST))


def entries(priority: Array, slots: Array) -> Array:
    """`[n]` int64: entries of these priorities and slots."""
    return priority * SLOTS + slots


def priority_of(entry: Array) -> Array:
    """The priority of an entry, or of each of many."""
    return entry >> _SLOT_BITS


def slot_of(entry: Array) -> Array:
    """The slot of an entry, or of each of many."""
    return entry & (SLOTS - 1)


class OpenList:
    """Entries in tiers: each entry of an inner tier comes before all entries of an outer one.

    Only the innermost tier is searched, and it is kept small. When it runs empty the next one
    gives its smallest entries to a new one, so that an entry is looked at a number of times that
    grows like the logarithm of the list's length. Nothing is ever sorted that is never popped.

    >>> waiting = OpenList(np.zeros(0))
    >>> waiting.push(np.array([40, 10, 30, 20]))
    >>> waiting.pop(2)
    array([10, 20])
    >>> len(waiting)
    2
    """

    def __init__(self, like: Array) -> None:
        self._like = like[:0]
        self._tiers = [Growing(like, np.int64)]  # the outermost first
        # The largest entry that each tier may hold.
        self._bounds = [NEVER - 1]

    def __len__(self) -> int:
        return sum(len(tier) for tier in self._tiers)

    @property
    def nbytes(self) -> int:
        """Bytes allocated."""
        return sum(tier.nbytes for tier in self._tiers)

    def nbytes_with(self, more: int) -> int:
        """The most bytes allocated while `more` entries are pushed or some are popped."""
        longest = max(self._tiers, key=len)
        grown = longest.nbytes_with(more) - longest.nbytes
        return self.nbytes + max(grown, ops.partition_bytes(longest.all)) + 8 * more

    def push(self, new: Array) -> None:
        """Adds entries `[n]`, without those that are `NEVER`."""
        new = ops.ordered(new)
        stops = ops.counts_up_to(new, self._bounds)
        for tier, start, stop in zip(self._tiers, [*stops[1:], 0], stops, strict=True):
            tier.append(new[start:stop])

    def pop(self, n: int) -> Array:
        """`[≤ n]`: takes out the `n` smallest entries, in order."""
        taken: list[Array] = []
        while n > 0:
            self._sharpen(max(_HOT, 4 * n))
            inner = self._tiers[-1]
            taken.append(self._take(inner, min(n, len(inner))))
            n -= len(taken[-1])
            if len(self._tiers) == 1:
                break
            if not len(inner):
                self._tiers.pop()
                self._bounds.pop()
        found = taken[0] if len(taken) == 1 else namespace(self._like).concatenate(taken)
        return ops.ordered(found)

    def _sharpen(self, most: int) -> None:
        """Splits the innermost tier until it has at most `most` entries."""
        while len(self._tiers[-1]) > most:
            outer, inner = self._tiers[-1], Growing(self._like, np.int64)
            inner.append(self._take(outer, max(len(outer) // _SHARE, most // 2)))
            self._bounds.append(int(inner.all.max()))
            self._tiers.append(inner)

    @staticmethod
    def _take(tier: Growing, n: int) -> Array:
        """`[n]`: takes the smallest entries out of a tier."""
        if n < len(tier):
            ops.partition(tier.all, n)
        taken = copy(tier.all[:n])
        tier.drop_first(n)
        return taken
