"""What a search has seen, wherever its states live: a numbered set of states."""

from __future__ import annotations

from typing import Protocol

from homeward.puzzles.arrays import Array, is_torch, namespace
from homeward.puzzles.base import Puzzle
from homeward.search.growing import Growing
from homeward.search.hashing import StateSet
from homeward.search.zobrist import hasher

_MOST = 2**31
_RATIO = 8
"""A run of hashes is merged with new ones unless it is so many times their size."""


class Seen(Protocol):
    """States numbered in the order in which they were added."""

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        ...

    def nbytes_with(self, more: int) -> int:
        """The most bytes in use while `more` states are added."""
        ...

    def add(self, states: Array) -> Array:
        """`[B]`: the number of each state of `[B, cells]`; new states are numbered on."""
        ...

    def states(self, which: Array) -> Array:
        """`[B, cells]`: the states with these numbers."""
        ...


def seen_states(puzzle: Puzzle, like: Array) -> Seen:
    """An empty set for states of the kind, and on the device, of `like`."""
    return TensorSet(puzzle, like) if is_torch(like) else StateSet(puzzle)


class TensorSet:
    """A `StateSet` for torch tensors, which stays on their device.

    States are found by their hashes, which are kept in sorted runs. A new run is merged with the
    ones before that are not many times its size: so there are few runs, each of which takes time
    to search, and a hash is merged a number of times that grows like the logarithm of the set.
    Whole states are compared in the end: two different ones are never taken for one.
    """

    def __init__(self, puzzle: Puzzle, like: Array) -> None:
        self._hash = hasher(puzzle)
        self._states = Growing(like, puzzle.dtype, (puzzle.cells,))
        self._runs: list[tuple[Array, Array]] = []  # sorted hashes, and the states' numbers

    def __len__(self) -> int:
        return len(self._states)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._states.nbytes + sum(16 * len(keys) for keys, _ in self._runs)

    def nbytes_with(self, more: int) -> int:
        """The most bytes in use while `more` states are added."""
        # A merge holds the runs, both together, and those sorted with their order.
        merged = 48 * (len(self) + more) if self._merges(more) else 0
        return self._states.nbytes_with(more) + 16 * (len(self) + more) + merged

    def states(self, which: Array) -> Array:
        """`[B, cells]`: the states with these numbers."""
        return self._states.all[which]

    def add(self, states: Array) -> Array:
        """`[B]`: the number of each state of `[B, cells]`.

        New states get the numbers from `len(self)` on, in the order in which they first appear.
        Raises `MemoryError` beyond 2³¹ states.
        """
        if len(self) + len(states) > _MOST:
            raise MemoryError("a set of states holds at most 2^31 of them")
        xp, count = namespace(states), len(self)
        keys = self._hash(states)
        ordered, order = keys.sort(stable=True)
        first = order[xp.searchsorted(ordered, keys)]  # where each hash appears first
        rows = xp.arange(count, count + len(states), device=states.device)
        # The batch stands behind the known states until they have been compared.
        self._states.append(states)
        numbers = self._find(keys, first + count)
        # Another state with the same hash gets a number of its own that no hash leads to.
        strange = (self.states(numbers) != states).any(1)
        fresh = strange | (numbers == rows)
        new = xp.where(fresh)[0]  # the one wait for a GPU
        self._states.drop_last(len(states))
        self._states.append(states[new])
        if len(new):
            self._merge(keys[new], rows[: len(new)])
        renumbered = fresh.cumsum(0) + (count - 1)
        known = xp.where(numbers < count, numbers, renumbered[first])
        return xp.where(fresh, renumbered, known)

    def _find(self, keys: Array, otherwise: Array) -> Array:
        """`[B]`: the first numbers with these hashes, those of `otherwise` where there is none."""
        xp, numbers = namespace(keys), otherwise
        for known, those in reversed(self._runs):  # the oldest has the last word
            at = xp.searchsorted(known[:-1], keys)  # without the last: never beyond the end
            numbers = xp.where(known[at] == keys, those[at], numbers)
        return numbers

    def _merges(self, more: int) -> bool:
        """Whether a run of `more` hashes would be merged into the one before."""
        return bool(self._runs) and len(self._runs[-1][0]) < _RATIO * more

    def _merge(self, keys: Array, numbers: Array) -> None:
        """Adds a run of hashes `[n]`, in any order, whose states have the numbers `[n]`."""
        xp, size = namespace(keys), len(keys)
        merged = [(keys, numbers)]
        while self._merges(size):
            merged.append(self._runs.pop())
            size += len(merged[-1][0])
        # The oldest first: a stable sort leaves the state that a hash leads to before others.
        keys, order = xp.concatenate([run[0] for run in merged[::-1]]).sort(stable=True)
        numbers = xp.concatenate([run[1] for run in merged[::-1]])[order]
        self._runs.append((keys, numbers))
