"""The open list of a best-first search: what could be expanded next, the most promising first.

An entry is one integer: its priority (lower is better) in the high bits, and in the low ones its
*slot*, the number of a node times the number of moves plus a move. So an entry takes 8 bytes, its
child is not made before it is popped, entries are ordered without ties, and a list can be put in
order with nothing but integers, on NumPy arrays and torch tensors alike.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from homeward.puzzles.arrays import Array, copy, empty, indices, namespace
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
"""Entries that may be kept in order, whatever the batch."""
_BATCHES = 16
"""Batches that may be kept in order."""
_SHARE = 6
"""A long tier gives one in so many of its entries to be put in order."""


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

    Only the innermost tier is in order, and it is kept small. When it grows too long its end
    becomes a tier of its own; when it runs empty it gets the smallest entries of the next one. So
    an entry is looked at a number of times that grows like the logarithm of the list's length.

    >>> waiting = OpenList(np.zeros(0))
    >>> waiting.push(np.array([40, 10, 30, 20]))
    >>> waiting.pop(2)
    array([10, 20])
    >>> len(waiting)
    2
    """

    def __init__(self, like: Array) -> None:
        self._like = like[:0]
        self._inner = empty((0,), np.int64, like)  # in rising order
        self._held = 0  # entries in the array that `_inner` is a part of
        self._tiers: list[Growing] = []  # the outermost first
        # The largest entry that each tier, and at last the innermost, may hold. Where the entries
        # are, so that a GPU does not wait for it.
        self._bounds = empty((1,), np.int64, like)
        self._bounds[:] = NEVER - 1

    def __len__(self) -> int:
        return len(self._inner) + sum(len(tier) for tier in self._tiers)

    @property
    def nbytes(self) -> int:
        """Bytes allocated."""
        return 8 * self._held + sum(tier.nbytes for tier in self._tiers)

    def nbytes_with(self, more: int) -> int:
        """The most bytes allocated while `more` entries are pushed or some are popped."""
        grown = max((tier.nbytes_with(more) - tier.nbytes for tier in self._tiers), default=0)
        longest = max((len(tier) for tier in self._tiers), default=0)
        taken = 8 * (longest // _SHARE) + ops.ordering_bytes(longest, self._like)
        # A push holds the new entries, all that are to be in order, and what sorts them.
        merged = 32 * (len(self._inner) + more)
        return self.nbytes + max(grown, taken) + 8 * more + merged

    def push(self, new: Array) -> None:
        """Adds entries `[n]`, without those that are `NEVER`."""
        merged = ops.merged(self._inner, new)
        stops = ops.counts_up_to(merged, self._bounds)
        for tier, (stop, start) in zip(self._tiers, pairwise(stops), strict=True):
            if start < stop:
                tier.append(merged[start:stop])
        self._inner, self._held = merged[: stops[-1]], len(merged)

    def pop(self, n: int) -> Array:
        """`[≤ n]`: takes out the `n` smallest entries, in order."""
        most = max(_HOT, _BATCHES * n)
        taken: list[Array] = []
        while n > 0:
            if not len(self._inner) and self._tiers:
                self._refill(most // 2)
            if len(self._inner) > most:
                self._cut(most // 2)
            taken.append(self._inner[:n])
            self._inner = self._inner[n:]
            n -= len(taken[-1])
            if not len(self):
                break
        return taken[0] if len(taken) == 1 else namespace(self._like).concatenate(taken)

    def _cut(self, n: int) -> None:
        """Makes all but the first `n` of the innermost entries a tier of their own."""
        tier = Growing(self._like, np.int64)
        tier.append(self._inner[n:])
        self._tiers.append(tier)
        self._inner = self._inner[:n]
        self._bound_inner()

    def _refill(self, least: int) -> None:
        """Fills the innermost tier with the smallest entries of the next one."""
        tier = self._tiers[-1]
        n = min(len(tier), max(len(tier) // _SHARE, least))
        ops.order_smallest(tier.all, n)
        self._inner, self._held = copy(tier.all[:n]), n
        tier.drop_first(n)
        self._bounds = self._bounds[:-1]
        if len(tier):
            self._bound_inner()
        else:
            self._tiers.pop()

    def _bound_inner(self) -> None:
        xp = namespace(self._like)
        self._bounds = xp.concatenate([self._bounds, self._inner[-1:]])
