"""Compiled loops over numbered states: one level of a breadth-first search for each ranking.

Every `…_level` visits the states that `Ranking.spread` speaks of, in blocks: most blocks hold none
on most levels, and that is seen 32 bytes at a time. Several threads may write the same byte of
`distances` at once, but only ever the same value, `depth + 1`. Indices are unsigned, because
signed ones are checked for being negative. Distances may be bytes or wider.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.puzzles.ranking.base import Distances
from homeward.puzzles.threads import on_all_cores

_BLOCK = 64


@njit(cache=True, nogil=True)
def count(distances: Distances, depth: int) -> int:  # pragma: no cover
    """How many entries are `depth`; one core is as fast as the memory."""
    wanted = distances.dtype.type(depth)
    found = 0
    for value in distances:
        found += value == wanted
    return found


@njit(cache=True, nogil=True)
def _holds(block: Distances, wanted: Any) -> bool:  # pragma: no cover
    """Whether a value is among a block of distances."""
    found = False
    for value in block:
        found |= value == wanted
    return found


@njit(cache=True, nogil=True)
def levels_of(distances: Distances, depth: int) -> tuple[Any, Any, Any]:  # pragma: no cover
    """`depth`, `depth + 1` and the largest number, which means unknown, as `distances` has them."""
    narrow = distances.dtype.type
    return narrow(depth), narrow(depth + 1), narrow(256**distances.itemsize - 1)


@on_all_cores
def product_level(
    distances: Distances,
    outer: NDArray[np.uint32],
    inner: NDArray[np.uint32],
    depth: int,
    pull: bool,
) -> None:  # pragma: no cover
    """Numbers `a * len(inner) + b`; a move takes a to `outer[a, m]` and b to `inner[b, m]`."""
    width, moves = np.uint64(len(inner)), inner.shape[1]
    here, there, unknown = levels_of(distances, depth)
    wanted = unknown if pull else here
    for block in prange((len(distances) + _BLOCK - 1) // _BLOCK):
        first, last = block * _BLOCK, min((block + 1) * _BLOCK, len(distances))
        if not _holds(distances[first:last], wanted):
            continue
        for number in range(first, last):
            at = np.uint64(number)
            if distances[at] != wanted:
                continue
            a, b = at // width, at % width
            for m in range(moves):
                to = outer[a, m] * width + inner[b, m]
                if pull:
                    if distances[to] == here:
                        distances[at] = there
                        break
                elif distances[to] == unknown:
                    distances[to] = there


@on_all_cores
def board_level(
    distances: Distances,
    targets: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    outer: NDArray[np.uint8],
    inner: NDArray[np.uint8],
    segments: tuple[NDArray[Any], ...],
    depth: int,
    pull: bool,
) -> None:  # pragma: no cover
    """Numbers `order * cells + blank`; the tables are those of `BoardRanking`."""
    cells, width = np.uint64(len(flips)), np.uint64(len(inner))
    here, there, unknown = levels_of(distances, depth)
    wanted = unknown if pull else here
    for block in prange((len(distances) + _BLOCK - 1) // _BLOCK):
        first, last = block * _BLOCK, min((block + 1) * _BLOCK, len(distances))
        if not _holds(distances[first:last], wanted):
            continue
        for number in range(first, last):
            at = np.uint64(number)
            if distances[at] != wanted:
                continue
            order, blank = at // cells, at % cells
            hidden = outer[order // width] ^ inner[order % width] ^ flips[blank]
            for m in range(4):
                target = np.uint64(targets[blank, m])
                if target == cells:
                    continue
                to = order * cells + target
                if m < 2:
                    to += _shift(m, order, min(blank, target), hidden, *segments) * cells
                if pull:
                    if distances[to] == here:
                        distances[at] = there
                        break
                elif distances[to] == unknown:
                    distances[to] = there


@njit(cache=True, nogil=True)
def _shift(
    move: int,
    order: np.uint64,
    first: np.uint64,
    hidden: np.uint8,
    starts: NDArray[np.uint32],
    sizes: NDArray[np.uint32],
    weights: NDArray[np.uint32],
    shifts: NDArray[np.int32],
) -> np.uint64:  # pragma: no cover
    """What U or D (`move` 0 or 1) adds to the number of an order, negative ones modulo 2^64."""
    size = np.uint64(sizes[first])
    segment = order // np.uint64(weights[first]) % size
    entry = np.uint64(starts[first]) + np.uint64(hidden) * size + segment
    return np.uint64(np.int64(shifts[move, entry]))


@on_all_cores
def chain_level(
    distances: Distances,
    points: NDArray[np.uint32],
    sizes: NDArray[np.uint32],
    movers: NDArray[Any],
    inverses: NDArray[Any],
    places: NDArray[np.uint32],
    moves: NDArray[Any],
    depth: int,
    pull: bool,
) -> None:  # pragma: no cover
    """Numbers are digits, one for each level of a stabiliser chain; see `ChainRanking`."""
    here, there, unknown = levels_of(distances, depth)
    wanted = unknown if pull else here
    levels, cells = len(points), moves.shape[1]
    for block in prange((len(distances) + _BLOCK - 1) // _BLOCK):
        first, last = block * _BLOCK, min((block + 1) * _BLOCK, len(distances))
        if not _holds(distances[first:last], wanted):
            continue
        whole = np.empty(cells, np.uint32)
        images = np.empty(levels, np.uint32)
        for number in range(first, last):
            at = np.uint64(number)
            if distances[at] != wanted:
                continue
            for c in range(cells):
                whole[c] = c
            rest = at
            for k in range(levels - 1, -1, -1):
                digit = rest % np.uint64(sizes[k])
                rest //= np.uint64(sizes[k])
                for c in range(cells):
                    whole[c] = movers[k, digit, whole[c]]
            for m in range(len(moves)):
                for k in range(levels):
                    images[k] = whole[moves[m, points[k]]]
                to = np.uint64(0)
                for k in range(levels):
                    digit = np.uint64(places[k, images[k]])
                    to = to * np.uint64(sizes[k]) + digit
                    for later in range(k + 1, levels):
                        images[later] = inverses[k, digit, images[later]]
                if pull:
                    if distances[to] == here:
                        distances[at] = there
                        break
                elif distances[to] == unknown:
                    distances[to] = there


@on_all_cores
def arrangement_table(
    moves: NDArray[np.uint8], out: NDArray[np.uint32]
) -> None:  # pragma: no cover
    """Fills `out` `[n!, moves]`: the rank of each order of n pieces after each move `[n]`.

    n is at most 15, so that an order fits into one word with 4 bits a piece.
    """
    for rank in prange(len(out)):
        order = _order(rank, len(out), moves.shape[1])
        for m in range(len(moves)):
            out[rank, m] = _rank_after(order, moves[m])


@njit(cache=True, nogil=True)
def _order(rank: int, orders: int, pieces: int) -> np.uint64:  # pragma: no cover
    """The order with a rank below `orders` = `pieces`!."""
    order, left, word = np.uint64(0), np.uint64(0xFEDCBA9876543210), np.uint64(4)
    radix = orders
    for i in range(pieces):
        radix //= pieces - i
        at = np.uint64(rank // radix) * word
        rank %= radix
        order |= ((left >> at) & np.uint64(15)) << (np.uint64(i) * word)
        below = (np.uint64(1) << at) - np.uint64(1)
        left = (left & below) | ((left >> word) & ~below)
    return order


@njit(cache=True, nogil=True)
def _rank_after(order: np.uint64, move: NDArray[np.uint8]) -> np.uint64:  # pragma: no cover
    """The rank of an order after a move: the digits of `orders.digits_of` as one number."""
    # 4 bits for each piece: how many smaller ones have come before.
    before, rank, word = np.uint64(0), np.uint64(0), np.uint64(4)
    for i in range(len(move)):
        piece = (order >> (np.uint64(move[i]) * word)) & np.uint64(15)
        smaller = (before >> (piece * word)) & np.uint64(15)
        rank = rank * np.uint64(len(move) - i) + piece - smaller
        before += (np.uint64(0x1111111111111111) << (piece * word)) << word
    return rank
