"""What a search has seen, wherever its states live: a numbered set of states."""

from __future__ import annotations

from typing import Protocol

from homeward.puzzles.arrays import Array, is_torch, namespace
from homeward.puzzles.base import Puzzle
from homeward.search.growing import Growing
from homeward.search.hashing import StateSet
from homeward.search.zobrist import hasher

_MOST = 2**31


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

    States are found by their hashes, which are kept in sorted runs. A new run is merged into the
    one before as long as that is less than twice its size, so there are few runs and each hash is
    merged a number of times that grows like the logarithm of the set. Whole states are compared in
    the end: two different ones are never taken for one.
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
        xp = namespace(states)
        keys = self._hash(states)
        numbers = self._find(keys)
        missing = xp.where(numbers < 0)[0]
        if len(missing):
            numbers[missing] = self._number(keys[missing], states[missing])
        # Another state with the same hash gets a number of its own that no hash leads to.
        alike = (self.states(numbers) == states).all(1)
        if not bool(alike.all()):
            strange = xp.where(~alike)[0]
            numbers[strange] = len(self) + xp.arange(len(strange), device=states.device)
            self._states.append(states[strange])
        return numbers

    def _find(self, keys: Array) -> Array:
        """`[B]`: the numbers of the states with these hashes, -1 where there is none."""
        xp = namespace(keys)
        numbers = xp.full_like(keys, -1)
        for known, those in self._runs:
            at = xp.searchsorted(known, keys).clip(max=len(known) - 1)
            numbers = xp.where(known[at] == keys, those[at], numbers)
        return numbers

    def _number(self, keys: Array, states: Array) -> Array:
        """Adds states whose hashes are not in the set; their numbers `[B]`, equal for equals."""
        xp = namespace(keys)
        ordered, order = keys.sort(stable=True)
        first = xp.ones_like(ordered, dtype=xp.bool)
        first[1:] = ordered[1:] != ordered[:-1]
        at = xp.where(first)[0]
        heads = order[at]  # where each hash appears first
        appearance, by_appearance = heads.sort()
        new = xp.empty_like(heads)
        new[by_appearance] = len(self) + xp.arange(len(heads), device=heads.device)
        numbers = xp.empty_like(keys)
        numbers[order] = new[first.cumsum(0) - 1]
        self._states.append(states[appearance])
        self._merge(ordered[at], new)
        return numbers

    def _merges(self, more: int) -> bool:
        """Whether a run of `more` hashes would be merged into the one before."""
        return bool(self._runs) and len(self._runs[-1][0]) < 2 * more

    def _merge(self, keys: Array, numbers: Array) -> None:
        xp = namespace(keys)
        while self._merges(len(keys)):
            known, those = self._runs.pop()
            keys, order = xp.concatenate([known, keys]).sort()
            numbers = xp.concatenate([those, numbers])[order]
        self._runs.append((keys, numbers))
