"""Compiled loops over placements. Imported only where they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.puzzles.ranking.base import Distances
from homeward.puzzles.ranking.kernels import levels_of
from homeward.puzzles.threads import on_all_cores

_BLOCK = 16
"""Rows of turns that one thread takes at a time."""


@njit(cache=True, nogil=True)
def read_placements(
    states: NDArray[Any],
    cells: NDArray[np.int64],
    weights: NDArray[np.int64],
    keys: NDArray[np.int32],
    binomials: NDArray[np.int64],
    turns: int,
    codes: NDArray[np.int64],
) -> None:  # pragma: no cover - compiled
    """Writes the codes of set, order and turns into `codes` `[3, B]`; -1 for what is no state.

    The arrays are those of a part of `Placements`.
    """
    most = binomials.shape[1]
    order = np.empty(most, np.int64)
    for b in range(len(states)):
        found, which, turned = 0, 0, 0
        good = True
        for place in range(len(cells)):
            key = 0
            for i in range(len(weights)):
                key += weights[i] * np.int64(states[b, cells[place, i]])
            meaning = int(keys[key]) if 0 <= key < len(keys) else -1
            if meaning == -2:
                continue
            if meaning < 0 or found == most:
                good = False
                break
            order[found] = meaning // turns
            turned = turned * turns + meaning % turns
            which += binomials[place, found]
            found += 1
        rank = 0
        for i in range(found):
            smaller = 0
            for j in range(i):
                smaller += order[j] < order[i]
                good &= order[j] != order[i]
            rank = rank * (most - i) + order[i] - smaller
        if not good or found < most:
            which, rank, turned = -1, -1, -1
        codes[0, b], codes[1, b], codes[2, b] = which, rank, turned


@on_all_cores
def placement_level(
    distances: Distances,
    sets: NDArray[np.uint32],
    order_codes: NDArray[np.uint32],
    turn_codes: NDArray[np.uint32],
    orders: NDArray[np.uint32],
    turns: NDArray[np.uint16],
    depth: int,
    pull: bool,
) -> None:  # pragma: no cover - compiled
    """One level of a breadth-first search over `distances` `[sets * orders, turns]`.

    Writes `depth + 1` for every unknown neighbour of a placement at `depth`; with `pull` it visits
    the unknown ones instead. A row has one set and order, so a move takes all of it to one row.
    Several threads may write the same byte at once, but only ever the same value.
    """
    count, moves = orders.shape[1], sets.shape[1]
    here, there, unknown = levels_of(distances, depth)
    wanted = unknown if pull else here
    for block in prange((len(distances) + _BLOCK - 1) // _BLOCK):
        columns = np.empty(distances.shape[1], np.uint16)
        for row in range(block * _BLOCK, min((block + 1) * _BLOCK, len(distances))):
            line = distances[row]
            left = 0
            for column in range(len(line)):
                columns[left] = column
                left += line[column] == wanted
            place, order = row // count, row % count
            for m in range(moves):
                if left == 0:
                    break
                target = sets[place, m] * count + orders[order_codes[place, m], order]
                other, turn = distances[target], turns[turn_codes[place, m]]
                if not pull:
                    for i in range(left):
                        to = turn[columns[i]]
                        if other[to] == unknown:
                            other[to] = there
                    continue
                kept = 0
                for i in range(left):
                    column = columns[i]
                    if other[turn[column]] == here:
                        line[column] = there
                    else:
                        columns[kept] = column
                        kept += 1
                left = kept


@njit(cache=True, nogil=True)
def pack_halves(values: NDArray[np.uint8], packed: NDArray[np.uint8]) -> None:  # pragma: no cover
    """Two values below 16 a byte: value i in byte i // 2, the even ones in the low half."""
    for i in range(len(packed)):
        high = values[2 * i + 1] if 2 * i + 1 < len(values) else np.uint8(0)
        packed[i] = values[2 * i] | (high << np.uint8(4))


@njit(cache=True, nogil=True)
def look_up_halves(
    packed: NDArray[np.uint8], numbers: NDArray[np.int64], values: NDArray[np.float32]
) -> None:  # pragma: no cover - compiled
    """Writes the value of each number `[B]` into `values`, as `pack_halves` packed them."""
    for i in range(len(numbers)):
        number = numbers[i]
        values[i] = (packed[number >> 1] >> np.uint8((number & 1) * 4)) & np.uint8(15)
