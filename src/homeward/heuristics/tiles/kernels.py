"""Compiled loops over sliding boards. Imported only where they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def slide(
    boards: NDArray[Any], blanks: NDArray[Any], slides: NDArray[Any], made: NDArray[Any]
) -> None:  # pragma: no cover - compiled
    """Writes the child of each board by each move into `made` `[B, moves, cells]`.

    `blanks` `[B]` are the blanks' cells, `slides` `[cells, moves]` where tiles come from, -1 for
    none: there the child is the board itself.
    """
    for b in range(len(boards)):
        for m in range(slides.shape[1]):
            child = made[b, m]
            for c in range(boards.shape[1]):
                child[c] = boards[b, c]
            tile = slides[blanks[b], m]
            if tile >= 0:
                child[blanks[b]] = child[tile]
                child[tile] = 0


@njit(cache=True, nogil=True)
def sum_over_cells(
    boards: NDArray[Any], costs: NDArray[Any], found: NDArray[np.int32]
) -> None:  # pragma: no cover - compiled
    """Writes the sum of `costs[cell, symbol]` over the cells of each board into `found` `[B]`."""
    for b in range(len(boards)):
        total = np.int32(0)
        for c in range(boards.shape[1]):
            total += np.int32(costs[c, boards[b, c]])
        found[b] = total


@njit(cache=True, nogil=True)
def _moves_out(line: NDArray[np.int64], longest: NDArray[np.int64]) -> int:  # pragma: no cover
    """Two for each place that is not on the longest rising sequence of the line; 0 is no place.

    `longest` is room for as many numbers as the line has.
    """
    tiles, best = 0, 0
    for i in range(len(line)):
        if line[i] == 0:
            continue
        tiles += 1
        longest[i] = 1
        for j in range(i):
            if 0 < line[j] < line[i]:
                longest[i] = max(longest[i], longest[j] + 1)
        best = max(best, longest[i])
    return 2 * (tiles - best)


@njit(cache=True, nogil=True)
def fill_line_table(length: int, table: NDArray[np.uint8]) -> None:  # pragma: no cover - compiled
    """Writes `_moves_out` of every line; a line's number has its places as digits."""
    line, longest = np.empty(length, np.int64), np.empty(length, np.int64)
    for number in range(len(table)):
        rest = number
        for i in range(length - 1, -1, -1):
            line[i] = rest % (length + 1)
            rest //= length + 1
        table[number] = _moves_out(line, longest)


@njit(cache=True, nogil=True)
def add_conflicts(
    boards: NDArray[Any],
    cells: NDArray[Any],
    places: NDArray[Any],
    table: NDArray[np.uint8],
    found: NDArray[np.int32],
) -> None:  # pragma: no cover - compiled
    """Adds the conflicts of every line of `boards` `[B, lines, length]` to `found` `[B]`.

    `cells` `[lines, length]` are the cells' numbers, `places` `[cells, symbols]` as in `_places`.
    """
    length, tabled = boards.shape[2], len(table) > 0
    line, longest = np.empty(length, np.int64), np.empty(length, np.int64)
    for b in range(len(boards)):
        total = np.int32(0)
        for i in range(boards.shape[1]):
            number = np.uint32(0)
            for j in range(length):
                place = places[cells[i, j], boards[b, i, j]]
                if tabled:
                    number = np.uint32(number * (length + 1) + place)
                else:
                    line[j] = place
            total += np.int32(table[number] if tabled else _moves_out(line, longest))
        found[b] += total
