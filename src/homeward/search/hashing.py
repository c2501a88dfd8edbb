"""A set of states, exact and compact: what a search has seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.base import Puzzle

_MOST = 2**31
"""Numbers are 32 bits wide."""


class StateSet:
    """States numbered in the order in which they were added.

    States are packed into 64-bit words, as many bits a cell as the symbols need, and found through
    a hash table that compares whole states: two different states are never taken for one.

    >>> from homeward.puzzles import puzzle
    >>> cube = puzzle("cube2")
    >>> seen = StateSet(cube)
    >>> seen.add(cube.goal[None])
    array([0])
    >>> seen.add(cube.expand(cube.goal[None])[0])
    array([1, 2, 3, 4, 5, 6])
    >>> seen.find(cube.step(cube.goal[None], 2))
    array([3])
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._cells, self._dtype = puzzle.cells, puzzle.dtype
        self._bits = max(1, (puzzle.symbols - 1).bit_length())
        words = -(-self._cells // (64 // self._bits))
        self._count = 0
        self._store = np.empty((256, words), np.uint64)
        self._slots = np.full(512, -1, np.int32)

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._count * self._store.shape[1] * 8 + self._slots.nbytes

    def nbytes_with(self, more: int) -> int:
        """The most bytes in use while `more` states are added, copying to a larger table too."""
        if self._count + more <= len(self._store):
            return self.nbytes
        wanted = self._capacity(more)
        return self.nbytes + wanted * self._store.shape[1] * 8 + 2 * wanted * 4

    def add(self, states: NDArray[Any]) -> NDArray[np.int64]:
        """`[B]`: the number of each state of `[B, cells]`.

        New states get the numbers from `len(self)` on, in the order in which they first appear.
        Raises `MemoryError` beyond 2³¹ states.
        """
        from homeward.search.kernels import insert

        if self._count + len(states) > len(self._store):
            self._grow(self._capacity(len(states)))
        numbers = np.empty(len(states), np.int64)
        words = self._packed(states)
        self._count = int(insert(words, self._store, self._slots, self._count, numbers))
        return numbers

    def find(self, states: NDArray[Any]) -> NDArray[np.int64]:
        """`[B]`: the number of each state of `[B, cells]`, -1 where it is not in the set."""
        from homeward.search.kernels import look_up

        numbers = np.empty(len(states), np.int64)
        look_up(self._packed(states), self._store, self._slots, numbers)
        return numbers

    def states(self, which: NDArray[np.int64] | slice) -> NDArray[Any]:
        """`[B, cells]`: the states with these numbers."""
        from homeward.search.kernels import unpack

        words = self._store[: self._count][which]
        states = np.empty((len(words), self._cells), self._dtype)
        unpack(words, self._bits, states)
        return states

    def _packed(self, states: NDArray[Any]) -> NDArray[np.uint64]:
        from homeward.search.kernels import pack

        words = np.empty((len(states), self._store.shape[1]), np.uint64)
        pack(np.ascontiguousarray(states, self._dtype), self._bits, words)
        return words

    def _capacity(self, more: int) -> int:
        wanted = len(self._store)
        while wanted < self._count + more:
            wanted *= 2
        return wanted

    def _grow(self, capacity: int) -> None:
        """Makes room; a slot table twice as long as the store stays at most half full."""
        from homeward.search.kernels import fill_slots

        if capacity > _MOST:
            raise MemoryError("a set of states holds at most 2^31 of them")
        store = np.empty((capacity, self._store.shape[1]), np.uint64)
        store[: self._count] = self._store[: self._count]
        self._store = store
        self._slots = np.full(2 * capacity, -1, np.int32)
        fill_slots(self._store, self._count, self._slots)
