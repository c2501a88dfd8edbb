"""Arrays that grow at their end: what a search keeps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array

_FIRST = 256
"""Rows that a new array has room for."""


class Growing:
    """Rows that are appended one batch after the other, on the device of `like`.

    The array behind them doubles when it is full, so that n rows cost about 2n copies in all.

    >>> rows = Growing(np.zeros(0), np.int32)
    >>> rows.append(np.array([5, 6]))
    >>> rows.append(np.array([7]))
    >>> rows.all
    array([5, 6, 7], dtype=int32)
    """

    def __init__(self, like: Array, dtype: Any, shape: tuple[int, ...] = ()) -> None:
        self._like, self._dtype, self._shape = like[:0], np.dtype(dtype), shape
        self._row_bytes: int = self._dtype.itemsize * math.prod(shape)
        self._data = self._empty(_FIRST)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def all(self) -> Array:
        """`[n, ...]`: the rows, to be read and written; good until the next `append`."""
        return self._data[: self._count]

    @property
    def nbytes(self) -> int:
        """Bytes allocated."""
        return len(self._data) * self._row_bytes

    def nbytes_with(self, more: int) -> int:
        """The most bytes allocated while `more` rows are appended."""
        capacity = self._capacity(more)
        return self.nbytes + (capacity * self._row_bytes if capacity > len(self._data) else 0)

    def append(self, rows: Array) -> None:
        """Adds `rows` `[m, ...]` at the end."""
        self._added(len(rows))[:] = rows

    def extend(self, n: int, value: int) -> None:
        """Adds `n` rows of nothing but `value` at the end."""
        self._added(n)[:] = value

    def drop_last(self, n: int) -> None:
        """Takes the last `n` rows out."""
        self._count -= n

    def drop_first(self, n: int) -> None:
        """Takes the first `n` rows out; the last ones move into their places."""
        moved = min(n, self._count - n)
        self._data[:moved] = self._data[self._count - moved : self._count]
        self._count -= n

    def _added(self, n: int) -> Array:
        """`[n, ...]`: new rows at the end, to be written."""
        start, stop = self._count, self._count + n
        if stop > len(self._data):
            data = self._empty(self._capacity(n))
            data[:start] = self._data[:start]
            self._data = data
        self._count = stop
        return self._data[start:stop]

    def _capacity(self, more: int) -> int:
        capacity = len(self._data)
        while capacity < self._count + more:
            capacity *= 2
        return capacity

    def _empty(self, rows: int) -> Array:
        return arrays.empty((rows, *self._shape), self._dtype, self._like)
