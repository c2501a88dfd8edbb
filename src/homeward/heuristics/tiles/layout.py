"""Where the tiles of a pattern can be, as rows and columns of a table.

The cells that the k tiles of a pattern take up are a set with a number, the row. Which tile is on
which of them is an order with a number, the column. A tile that slides takes one cell out of the
set and another in; the column changes only if the tile passes others of its pattern, and then in
a way that a small table holds for each pair of slots. So nothing is ever ranked in a search.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.ranking.orders import digits_of, orders_of, pack, unpack

MOST_CELLS = 64
"""Cells of the largest board: a set of them is one 64-bit number."""
MOST_TILES = 8
"""Tiles of the largest pattern: 8! columns are below 2^16."""


def entries(cells: int, tiles: int) -> int:
    """How many rows times columns a pattern's table has."""
    return math.perm(cells, tiles)


@lru_cache(maxsize=16)
def set_numbers(cells: int, tiles: int) -> NDArray[np.int32]:
    """`[parts, tiles + 1, 2^width]`: the number of a set of at most `tiles` cells, by its parts.

    It is the sum, over the parts of `width` cells, of the entry for the bits of the part and the
    count of cells in the parts before it. Sets of one size are numbered in ascending order of
    their bits: the i-th cell c of a set, from 0, adds c over i + 1.
    """
    parts = -(-cells // 10)
    width = -(-cells // parts)
    numbers = np.zeros((parts, tiles + 1, 1 << width), np.int32)
    for part in range(parts):
        first = part * width
        for before in range(tiles + 1):
            here = numbers[part, before]
            for bits in range(1, 1 << width):
                # The highest cell comes last; what the others add is known already.
                top = bits.bit_length() - 1
                place = before + bits.bit_count()
                if place <= tiles and first + top < cells:
                    here[bits] = here[bits ^ 1 << top] + math.comb(first + top, place)
    return numbers


@lru_cache(maxsize=8)
def shifts(tiles: int) -> NDArray[np.uint16]:
    """`[tiles, tiles, columns]`: the column once the tile in slot i has come to slot j.

    A tile's slot is the number of its pattern's tiles on cells before its own.
    """
    radices = np.arange(tiles, 0, -1)
    columns = np.arange(math.factorial(tiles), dtype=np.uint16)
    slots = orders_of(unpack(columns, radices))
    moved = np.empty((tiles, tiles, len(columns)), np.uint16)
    moved[np.arange(tiles), np.arange(tiles)] = columns
    for i in range(tiles - 1):
        exchanged = np.arange(tiles)
        exchanged[[i, i + 1]] = i + 1, i
        swap = pack(digits_of(exchanged[slots]), radices)
        for j in range(i + 1):
            moved[j, i + 1] = swap[moved[j, i]]
    for i in range(tiles):
        for j in range(i):
            moved[i, j, moved[j, i]] = columns
    return moved


def position(cells: list[int]) -> tuple[int, int]:
    """Row and column of a pattern whose tiles stand on these cells.

    >>> position([0, 1]), position([1, 0]), position([2, 3])
    ((0, 0), (0, 1), (5, 0))
    """
    row = sum(math.comb(cell, i + 1) for i, cell in enumerate(sorted(cells)))
    slots = np.argsort(np.argsort(cells))[None]
    return row, int(pack(digits_of(slots), np.arange(len(cells), 0, -1))[0])
