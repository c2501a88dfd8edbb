"""64-bit hashes of states: the sum of one random number for each cell and symbol."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from homeward.puzzles.arrays import Array, Table, indices
from homeward.puzzles.base import Puzzle
from homeward.puzzles.facing import Turned, turned

_LARGEST = 1 << 22
"""Pairs of a cell and a symbol that have random numbers of their own."""


class Hasher:
    """`hash(states) -> [B] int64`. Two of n states collide with a chance of about n² / 2^65.

    With `turned` states that it turns into one another have one hash. Where there are too many
    pairs of a cell and a symbol, the number of a pair is a product of one for each.
    """

    def __init__(self, cells: int, symbols: int, turned: Turned | None = None) -> None:
        rng = np.random.default_rng(0x5EED)
        self._factor: Table | None = None
        if cells * symbols > _LARGEST:
            numbers = rng.integers(-(2**63), 2**63 - 1, size=symbols, dtype=np.int64)
            self._numbers = Table(numbers)
            factor = rng.integers(-(2**63), 2**63 - 1, size=cells, dtype=np.int64)
            self._factor = Table(factor | 1)
            return
        numbers = rng.integers(-(2**63), 2**63 - 1, size=cells * symbols, dtype=np.int64)
        self._turned, self._size = turned, cells * symbols
        if turned is not None:  # what a cell shows counts for the cell that it is turned to
            goes_to = np.argsort(turned.tables["cells"].numpy, axis=1)
            numbers = numbers.reshape(cells, symbols)[goes_to].reshape(-1)
        self._numbers = Table(numbers)
        self._offsets = Table(np.arange(cells, dtype=np.int64) * symbols)

    def __call__(self, states: Array) -> Array:
        """`[B]`: the hash of each row of `states` `[B, cells]`."""
        if self._factor is not None:
            return (self._numbers.on(states)[indices(states)] * self._factor.on(states)).sum(1)
        where = indices(states) + self._offsets.on(states)
        if self._turned is not None:
            which = self._turned.which(states, self._turned.beside(states))
            where = where + self._size * which[:, None]
        return self._numbers.on(states)[where].sum(1)


@lru_cache(maxsize=16)
def _hasher(cells: int, symbols: int) -> Hasher:
    return Hasher(cells, symbols)


def hasher(puzzle: Puzzle) -> Hasher:
    """The hasher of a puzzle's states."""
    return _hasher(puzzle.cells, puzzle.symbols)


@lru_cache(maxsize=16)
def held_hasher(puzzle: Puzzle) -> Hasher:
    """The hasher of a puzzle's states, to which it does not matter how the puzzle is held."""
    large = puzzle.cells * puzzle.symbols > _LARGEST
    way = None if large else turned(puzzle)
    return hasher(puzzle) if way is None else Hasher(puzzle.cells, puzzle.symbols, way)
