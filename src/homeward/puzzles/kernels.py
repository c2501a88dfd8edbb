"""Compiled loops over states. Imported only where they are used: numba takes 0.3 s to load."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray


@njit(cache=True, parallel=True, nogil=True)
def _permute_all(
    states: NDArray[Any], table: NDArray[np.int32], out: NDArray[Any]
) -> None:  # pragma: no cover
    moves, cells = table.shape
    for b in prange(len(states)):
        for m in range(moves):
            for c in range(cells):
                out[b, m, c] = states[b, table[m, c]]


def permute_all(states: NDArray[Any], table: NDArray[np.int32]) -> NDArray[Any]:
    """`[B, moves, cells]`: every row of `states` `[B, cells]` under every row of `table`."""
    out = np.empty((len(states), *table.shape), states.dtype)
    _permute_all(np.ascontiguousarray(states), table, out)
    return out
