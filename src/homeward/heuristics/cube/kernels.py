"""Compiled loops over the big table of the cube. Imported only where they are used.

The table is `[classes, 11880]` words of 64 bits. A word holds the distances of one corner class
and one slice for all 16 flips, four bits each; 15 is a distance not known yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit

_ONES = np.uint64(0x1111111111111111)
_TOPS = np.uint64(0x8888888888888888)
_LOW = np.uint64(15)
_FOUR = np.uint64(4)
_ONE = np.uint64(1)
_SPREAD = np.uint64(0x03F79D71B4CB0A89)
"""A de Bruijn sequence: its product with a power of two has different top six bits for each."""
_POWERS = np.zeros(64, np.uint8)
for _bit in range(64):
    _POWERS[(int(_SPREAD) << _bit) % 2**64 >> 58] = _bit


@njit(cache=True, nogil=True, inline="always")
def _has(word: np.uint64, pattern: np.uint64) -> bool:  # pragma: no cover - compiled
    """Whether one of the 16 digits of a word is that of `pattern`, which repeats it."""
    differs = word ^ pattern
    return bool((differs - _ONES) & ~differs & _TOPS)


@njit(cache=True, nogil=True, inline="always")
def _matches(word: np.uint64, pattern: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """A bit at the foot of each digit of a word that is that of `pattern`."""
    differs = word ^ pattern
    differs |= differs >> np.uint64(1)
    differs |= differs >> np.uint64(2)
    return ~differs & _ONES


@njit(cache=True, nogil=True, inline="always")
def _lowest(bits: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """The number of the lowest bit that is set."""
    return np.uint64(_POWERS[((bits & (~bits + _ONE)) * _SPREAD) >> np.uint64(58)])


@njit(cache=True, nogil=True)
def push_level(
    table: NDArray[np.uint64],
    rows: NDArray[np.int64],
    neighbours: NDArray[np.uint32],
    moves: NDArray[np.uint32],
    symmetries: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    inverse_moves: NDArray[np.uint8],
    inverse_symmetries: NDArray[np.uint8],
    in_row: NDArray[np.int64],
    depth: int,
    found: NDArray[np.int64],
) -> None:  # pragma: no cover - compiled
    """Writes `depth + 1` into `rows` wherever a move leads to a distance of `depth`.

    Goes through the neighbouring rows for their entries at `depth`. A row is written by nobody
    else meanwhile; what others read in it, digits equal to `depth`, does not change.
    `neighbours` `[classes, moves]` is `class * 16 + symmetry` after each move from a class's first
    coordinate. `moves` `[moves, 11880]` and `symmetries` `[16, 11880]` are the edge tables, `flips`
    `[16, 16]` the new flips. `in_row` `[classes]` is how many entries a row has at `depth`, and
    `found` receives how many entries were written.
    """
    wanted = np.uint64(depth) * _ONES
    for row in rows:
        written = 0
        own = table[row]
        for m in range(neighbours.shape[1]):
            source = neighbours[row, m] >> np.uint32(4)
            if in_row[source] == 0:
                continue
            back = inverse_symmetries[neighbours[row, m] & np.uint32(15)]
            there, turn = table[source], flips[back]
            to, onward = symmetries[back], moves[inverse_moves[m]]
            for slice_ in range(there.shape[0]):
                word = there[slice_]
                if not _has(word, wanted):
                    continue
                first = to[slice_]
                second = onward[first >> np.uint32(4)]
                change = (first ^ second) & np.uint32(15)
                at = second >> np.uint32(4)
                target = own[at]
                hits = _matches(word, wanted)
                while hits:
                    flip = _lowest(hits) >> np.uint64(2)
                    hits &= hits - _ONE
                    shift = np.uint64(turn[flip] ^ change) * _FOUR
                    if (target >> shift) & _LOW == _LOW:
                        target ^= np.uint64(15 ^ (depth + 1)) << shift
                        written += 1
                own[at] = target
        found[row] = written


@njit(cache=True, nogil=True)
def pull_level(
    table: NDArray[np.uint64],
    rows: NDArray[np.int64],
    neighbours: NDArray[np.uint32],
    moves: NDArray[np.uint32],
    symmetries: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    depth: int,
    found: NDArray[np.int64],
) -> None:  # pragma: no cover - compiled
    """The same as `push_level`, by going through the unknown entries of `rows` themselves."""
    count = neighbours.shape[1]
    unknown = ~np.uint64(0)
    unknown_flips = np.empty(16, np.uint8)
    for row in rows:
        written = 0
        own = table[row]
        for slice_ in range(own.shape[0]):
            word = own[slice_]
            if not _has(word, unknown):
                continue
            left = 0
            for flip in range(16):
                unknown_flips[left] = flip
                left += (word >> np.uint64(4 * flip)) & _LOW == _LOW
            before = left
            for m in range(count):
                symmetry = neighbours[row, m] & np.uint32(15)
                first = moves[m, slice_]
                second = symmetries[symmetry, first >> np.uint32(4)]
                there = table[neighbours[row, m] >> np.uint32(4), second >> np.uint32(4)]
                turn, change = flips[symmetry], second & np.uint32(15)
                kept = 0
                for i in range(left):
                    flip = unknown_flips[i]
                    to = turn[flip ^ (first & np.uint32(15))] ^ change
                    if (there >> (np.uint64(to) * _FOUR)) & _LOW == np.uint64(depth):
                        word ^= np.uint64(15 ^ (depth + 1)) << (np.uint64(flip) * _FOUR)
                    else:
                        unknown_flips[kept] = flip
                        kept += 1
                left = kept
                if left == 0:
                    break
            if left < before:
                own[slice_] = word
                written += before - left
        found[row] = written


@njit(cache=True, nogil=True)
def fill_unknown(
    table: NDArray[np.uint64], rows: NDArray[np.int64], value: int
) -> None:  # pragma: no cover - compiled
    """Writes `value` for everything unknown in `rows`."""
    unknown = ~np.uint64(0)
    for row in rows:
        own = table[row]
        for slice_ in range(own.shape[0]):
            word = own[slice_]
            if _has(word, unknown):
                for flip in range(16):
                    shift = np.uint64(4 * flip)
                    if (word >> shift) & _LOW == _LOW:
                        word ^= np.uint64(15 ^ value) << shift
                own[slice_] = word


@njit(cache=True, nogil=True)
def look_up(
    table: NDArray[np.uint64],
    class_of: NDArray[np.uint32],
    symmetries: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    corners: NDArray[np.int64],
    edges: NDArray[np.int64],
    values: NDArray[Any],
) -> None:  # pragma: no cover - compiled
    """Raises `values` `[B]` to the distances of corner and edge coordinates `[B]`."""
    for i in range(len(corners)):
        found = class_of[corners[i]]
        symmetry = found & np.uint32(15)
        edge = symmetries[symmetry, edges[i] >> 4]
        flip = flips[symmetry, edges[i] & 15] ^ (edge & np.uint32(15))
        word = table[found >> np.uint32(4), edge >> np.uint32(4)]
        value = (word >> (np.uint64(flip) * _FOUR)) & _LOW
        values[i] = max(values[i], value)
