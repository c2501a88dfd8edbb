"""Compiled loops of heuristics. Imported only where they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit


@njit(cache=True, nogil=True, inline="always")
def _find_rows(
    state: NDArray[Any],
    cells: NDArray[np.int32],
    strides: NDArray[np.int32],
    starts: NDArray[np.int32],
    rows: NDArray[np.int32],
    found: NDArray[np.int32],
) -> None:  # pragma: no cover - compiled
    for p in range(len(cells)):
        at = starts[p]
        for i in range(cells.shape[1]):
            at += strides[p, i] * state[cells[p, i]]
        found[p] = rows[at]


@njit(cache=True, nogil=True)
def sum_rows(
    states: NDArray[Any],
    cells: NDArray[np.int32],
    strides: NDArray[np.int32],
    starts: NDArray[np.int32],
    rows: NDArray[np.int32],
    table: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:  # pragma: no cover - compiled
    """Writes the first layer of each state into `out` `[B, width]` (see `RowSum`)."""
    found = np.empty(len(cells), np.int32)
    for b in range(len(states)):
        _find_rows(states[b], cells, strides, starts, rows, found)
        total = out[b]
        total[:] = 0
        for p in range(0, len(found), 4):
            one, two = table[found[p]], table[found[p + 1]]
            three, four = table[found[p + 2]], table[found[p + 3]]
            for j in range(len(total)):
                total[j] += one[j] + two[j] + three[j] + four[j]


@njit(cache=True, nogil=True)
def sum_rows_uint8(
    states: NDArray[Any],
    cells: NDArray[np.int32],
    strides: NDArray[np.int32],
    starts: NDArray[np.int32],
    rows: NDArray[np.int32],
    table: NDArray[np.int16],
    shift: int,
    out: NDArray[np.uint8],
) -> None:  # pragma: no cover - compiled
    """The same with a table of integers; `out` is the sum over 2^`shift`, cut to 0 … 255.

    Sums may overflow on the way, but not in the end.
    """
    found = np.empty(len(cells), np.int32)
    total = np.empty(table.shape[1], np.int16)
    for b in range(len(states)):
        _find_rows(states[b], cells, strides, starts, rows, found)
        total[:] = 0
        for p in range(0, len(found), 4):
            one, two = table[found[p]], table[found[p + 1]]
            three, four = table[found[p + 2]], table[found[p + 3]]
            for j in range(len(total)):
                total[j] += one[j] + two[j] + three[j] + four[j]
        for j in range(len(total)):
            out[b, j] = min(max(total[j] >> shift, 0), 255)
