"""64-bit hashes of states: the sum of one random number for each cell and symbol."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from homeward.puzzles.arrays import Array, Table, indices
from homeward.puzzles.base import Puzzle


class Hasher:
    """`hash(states) -> [B] int64`. Two of n states collide with a chance of about n² / 2^65."""

    def __init__(self, cells: int, symbols: int) -> None:
        rng = np.random.default_rng(0x5EED)
        numbers = rng.integers(-(2**63), 2**63 - 1, size=cells * symbols, dtype=np.int64)
        self._numbers = Table(numbers)
        self._offsets = Table(np.arange(cells, dtype=np.int64) * symbols)

    def __call__(self, states: Array) -> Array:
        """`[B]`: the hash of each row of `states` `[B, cells]`."""
        where = indices(states) + self._offsets.on(states)
        return self._numbers.on(states)[where].sum(1)


@lru_cache(maxsize=16)
def _hasher(cells: int, symbols: int) -> Hasher:
    return Hasher(cells, symbols)


def hasher(puzzle: Puzzle) -> Hasher:
    """The hasher of a puzzle's states."""
    return _hasher(puzzle.cells, puzzle.symbols)
