"""Compiled loops over states. Imported only where they are used: numba takes 0.3 s to load."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.puzzles.threads import ALL_CORES

_BLOCK = 128
"""States that one thread takes at a time."""
_ALONE = 1 << 22
"""Bytes of children that one thread makes in a millisecond. With fewer a second thread saves
little, and costs ten times as much where another program is using its core."""


@njit(cache=True, nogil=True)
def _permute(
    states: NDArray[Any],
    to: NDArray[Any],
    come_from: NDArray[Any],
    out: NDArray[Any],
) -> None:  # pragma: no cover
    cells = states.shape[1]
    moves, moved = to.shape
    for b in range(len(states)):
        for m in range(moves):
            for c in range(cells):
                out[b, m, c] = states[b, c]
            for i in range(moved):
                out[b, m, to[m, i]] = states[b, come_from[m, i]]


@njit(cache=True, parallel=True, nogil=True)
def _permute_blocks(
    states: NDArray[Any],
    to: NDArray[Any],
    come_from: NDArray[Any],
    out: NDArray[Any],
) -> None:  # pragma: no cover
    for block in prange((len(states) + _BLOCK - 1) // _BLOCK):
        part = slice(block * _BLOCK, (block + 1) * _BLOCK)
        _permute(states[part], to, come_from, out[part])


def permute_all(states: NDArray[Any], to: NDArray[Any], come_from: NDArray[Any]) -> NDArray[Any]:
    """`[B, moves, cells]`: the children of `states` `[B, cells]` by all moves.

    `to` and `come_from` `[moves, moved]` list the cells that each move changes and where they get
    their content (see `moved_cells`): to copy a state whole and then mend those is faster than to
    look up every cell.
    """
    states = np.ascontiguousarray(states)
    out = np.empty((len(states), len(to), states.shape[1]), states.dtype)
    # Where another Python thread has all cores already, this one does not wait for it.
    if out.nbytes >= _ALONE and ALL_CORES.acquire(blocking=False):
        try:
            _permute_blocks(states, to, come_from, out)
        finally:
            ALL_CORES.release()
    else:
        _permute(states, to, come_from, out)
    return out
