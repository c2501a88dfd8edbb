"""The first layer of a net as a sum of table rows, as few of them as the puzzle allows.

A one-hot input switches on one row of the first matrix for each cell, and the layer is their sum.
Cells whose contents depend on each other share one row, the sum of theirs worked out beforehand: a
corner of the cube has three stickers but only 24 ways to be, so 54 stickers need 20 rows of 480.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.base import Puzzle
from homeward.puzzles.permutation import PermutationPuzzle

_MOST_CONTENTS = 64
"""Places are joined while they have no more contents: tables should stay in the cache."""
_LARGEST_INDEX = 1 << 16
_UNROLLED = 4
"""Rows are added four at a time."""


@dataclass(frozen=True)
class Place:
    """Cells that are read together: `contents` `[n, k]` are all that the k `cells` can hold."""

    cells: tuple[int, ...]
    contents: NDArray[np.int64]


@dataclass(frozen=True)
class RowSum:
    """A first layer as row sums: each place has a row of `table`, and their sum is the layer.

    A state's row for place p is `rows[starts[p] + sum of strides[p] * state[cells[p]]]`. `cells`
    and `strides` are `[P, k]`, filled up with stride 0; P is a multiple of four. The bias is part
    of the first place's rows.
    """

    cells: NDArray[np.int32]
    strides: NDArray[np.int32]
    starts: NDArray[np.int32]
    rows: NDArray[np.int32]
    table: NDArray[np.float32]

    def bound(self) -> float:
        """What no sum of rows can exceed, in size."""
        top = low = np.zeros(self.table.shape[1], np.float32)
        for rows in np.split(self.rows, np.unique(self.starts)[1:]):
            mine = self.table[np.unique(rows)]
            top, low = top + mine.max(0), low + mine.min(0)
        return float(max(top.max(), -low.min()))


def row_sum(places: Sequence[Place], symbols: int, weight: Any, bias: Any) -> RowSum:
    """The first layer `weight` `[positions * symbols, out]`, `bias` `[out]` over `places`."""
    weight, bias = np.asarray(weight, np.float32), np.asarray(bias, np.float32)
    keys = [_key(place.contents) for place in places]
    padding = -len(places) % _UNROLLED
    count, width = len(places) + padding, max(len(key) for key in keys)
    cells, strides = np.zeros((2, count, width), np.int32)
    table: list[NDArray[np.float32]] = []
    rows: list[NDArray[np.int32]] = []
    starts: list[int] = []
    seen = length = 0
    for p, (place, key) in enumerate(zip(places, keys, strict=True)):
        cells[p, : len(key)] = [place.cells[i] for i in key]
        strides[p, : len(key)] = symbols ** np.arange(len(key))
        index = np.zeros(symbols ** len(key), np.int32)
        index[place.contents[:, key] @ strides[p, : len(key)]] = np.arange(len(place.contents))
        starts.append(length)
        rows.append(index + seen)
        seen, length = seen + len(place.contents), length + len(index)
        inputs = np.array(place.cells) * symbols + place.contents
        table.append(weight[inputs].sum(1))
    table[0] = table[0] + bias
    starts += [length] * padding
    rows.append(np.array([seen], np.int32))  # a row of zeros for the padding
    table.append(np.zeros((1, weight.shape[1]), np.float32))
    return RowSum(
        cells, strides, np.array(starts, np.int32), np.concatenate(rows), np.concatenate(table)
    )


def _key(contents: NDArray[np.int64]) -> list[int]:
    """Columns that tell all rows of `contents` apart: the one that tells most, then the next."""
    chosen: list[int] = []
    found = 1
    while found < len(contents):
        counts = [
            len(np.unique(contents[:, [*chosen, i]], axis=0)) for i in range(contents.shape[1])
        ]
        chosen.append(int(np.argmax(counts)))
        found = max(counts)
    return chosen


def places_of(puzzle: Puzzle) -> list[Place]:
    """The places of a puzzle's cells."""
    if not isinstance(puzzle, PermutationPuzzle):
        return places_of_positions(puzzle.cells, puzzle.symbols)
    found: list[Place] = []
    seen: set[int] = set()
    for orbit in puzzle.pieces.orbits:
        for block in orbit.blocks:
            columns = [i for i, c in enumerate(orbit.together[block].tolist()) if c not in seen]
            if not columns:  # stickers of one piece may lie in two orbits
                continue
            together = orbit.together[:, columns]
            cells = tuple(together[block].tolist())
            contents = np.unique(puzzle.goals[:, together].reshape(-1, len(cells)), axis=0)
            found += _indexed(Place(cells, contents.astype(np.int64)), puzzle.symbols)
            seen.update(cells)
    for cell in sorted(set(range(puzzle.cells)) - seen):  # those that never move
        found.append(Place((cell,), np.unique(puzzle.goals[:, [cell]]).astype(np.int64)[:, None]))
    return _joined(found)


def places_of_positions(positions: int, symbols: int) -> list[Place]:
    """The places where each position may hold any symbol."""
    anything = np.arange(symbols)[:, None]
    return _joined([Place((position,), anything) for position in range(positions)])


def _indexed(place: Place, symbols: int) -> list[Place]:
    """The place, or one for each of its cells where an index of its contents would be too long."""
    if symbols ** len(_key(place.contents)) <= _LARGEST_INDEX:
        return [place]
    columns = zip(place.cells, place.contents.T, strict=True)
    return [Place((cell,), np.unique(content)[:, None]) for cell, content in columns]


def _joined(places: list[Place]) -> list[Place]:
    """Neighbouring places as one where they have few contents together."""
    found: list[Place] = []
    for place in places:
        last = found[-1] if found else None
        if last and len(last.contents) * len(place.contents) <= _MOST_CONTENTS:
            both = [np.concatenate(pair) for pair in product(last.contents, place.contents)]
            found[-1] = Place(last.cells + place.cells, np.array(both))
        else:
            found.append(place)
    return found
