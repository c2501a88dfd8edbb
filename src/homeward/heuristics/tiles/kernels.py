"""Compiled loops over sliding boards. Imported only where they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.puzzles.threads import on_all_cores


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


# --- pattern databases


def _count_bits(typing_context: Any, bits: Any) -> Any:  # pragma: no cover - compiled
    """How many bits of a uint64 are set, by the machine's own instruction."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


count_bits: Any = intrinsic(_count_bits)


@njit(cache=True, nogil=True, inline="always")
def set_number(bits: np.uint64, numbers: NDArray[np.int32]) -> np.int64:  # pragma: no cover
    """The row of a set of cells; `numbers` as in `Layout`."""
    size = np.uint64(numbers.shape[2])
    width = count_bits(np.uint64(size - np.uint64(1)))
    total, before = np.int64(0), np.uint64(0)
    for part in range(numbers.shape[0]):
        here = bits & (size - np.uint64(1))
        total += numbers[part, before, here]
        before += count_bits(here)
        bits >>= width
    return total


@njit(cache=True, nogil=True)
def list_sets(tiles: int, sets: NDArray[np.uint64]) -> None:  # pragma: no cover
    """Writes the bits of every set of `tiles` cells in the order of their numbers."""
    here = np.uint64((1 << tiles) - 1)
    for number in range(len(sets)):
        sets[number] = here
        lowest = here & (~here + np.uint64(1))
        ripple = here + lowest
        ones = (here ^ ripple) >> np.uint64(2)
        here = ripple | (ones // lowest)


@njit(cache=True, nogil=True)
def label_parts(
    sets: NDArray[np.uint64],
    slides: NDArray[Any],
    labels: NDArray[np.uint8],
    parts: NDArray[np.int32],
) -> None:  # pragma: no cover - compiled
    """Writes the part of the free cells that each cell belongs to, and how many there are.

    `labels` `[sets, cells]` counts from 0 by each part's lowest cell; cells in the set get 255.
    """
    cells = len(slides)
    stack = np.empty(cells, np.int64)
    for s in range(len(sets)):
        label = labels[s]
        for c in range(cells):
            label[c] = 255 if sets[s] >> np.uint64(c) & np.uint64(1) else 254
        count = 0
        for c in range(cells):
            if label[c] != 254:
                continue
            stack[0], top = c, 1
            label[c] = count
            while top:
                top -= 1
                here = stack[top]
                for m in range(slides.shape[1]):
                    there = slides[here, m]
                    if there >= 0 and label[there] == 254:
                        label[there] = count
                        stack[top] = there
                        top += 1
            count += 1
        parts[s] = count


@on_all_cores
def join_rows(
    sets: NDArray[np.uint64],
    slides: NDArray[Any],
    labels: NDArray[np.uint8],
    starts: NDArray[np.int32],
    numbers: NDArray[np.int32],
    edges: NDArray[np.int32],
) -> None:  # pragma: no cover - compiled
    """Writes where every slide of a pattern's tile leads.

    A row here is a set with a part of its free cells: row `starts[s] + p` is part p of set s. Of
    `edges` `[rows, tiles * moves]`, entry `slot * moves + m` is for the tile in that slot and move
    m: eight times the row that it leads to plus the new slot, -1 where the tile cannot go.
    """
    one = np.uint64(1)
    for s in prange(len(sets)):
        for c in range(len(slides)):
            bit = one << np.uint64(c)
            if not sets[s] & bit:
                continue
            slot = count_bits(sets[s] & (bit - one))
            for m in range(slides.shape[1]):
                to = slides[c, m]
                if to < 0 or labels[s, to] == 255:
                    continue
                other = one << np.uint64(to)
                changed = sets[s] ^ bit ^ other
                there = set_number(changed, numbers)
                row = starts[there] + labels[there, c]
                edge = slot * np.uint64(slides.shape[1]) + np.uint64(m)
                entry = row * 8 + np.int64(count_bits(changed & (other - one)))
                edges[starts[s] + labels[s, to], edge] = entry


@on_all_cores
def pattern_level(
    table: NDArray[np.uint8],
    rows: NDArray[np.intp],
    edges: NDArray[np.int32],
    shifts: NDArray[np.uint16],
    reached: NDArray[np.bool_],
    counts: NDArray[np.int64],
    depth: int,
) -> None:  # pragma: no cover - compiled
    """Writes `depth + 1` for every unknown neighbour of an entry at `depth`.

    Only these `rows` `[n]` of `table` `[rows, columns]` are looked at; those written to are marked
    in `reached`. `counts` `[n]` receives the entries at `depth`. Threads may write the same byte
    at once, but only the same value.
    """
    here, there, unknown = np.uint8(depth), np.uint8(depth + 1), np.uint8(255)
    moves = edges.shape[1] // len(shifts)
    for number in prange(len(rows)):
        row = rows[number]
        found = np.empty(table.shape[1] + 1, np.uint16)
        count = 0
        for column in range(table.shape[1]):
            found[count] = column
            count += table[row, column] == here
        counts[number] = count
        for e in range(edges.shape[1]):
            if edges[row, e] < 0:
                continue
            target = table[edges[row, e] >> 3]
            shift = shifts[e // moves, edges[row, e] & 7]
            fresh = False
            for i in range(count):
                column = shift[found[i]]
                if target[column] == unknown:
                    target[column] = there
                    fresh = True
            if fresh:
                reached[edges[row, e] >> 3] = True


@on_all_cores
def fold(
    table: NDArray[np.uint8], starts: NDArray[np.int32], folded: NDArray[np.uint8]
) -> None:  # pragma: no cover - compiled
    """Writes the least over the parts of each set into `folded` `[sets, columns]`."""
    for s in prange(len(folded)):
        least = folded[s]
        least[:] = table[starts[s]]
        for row in range(starts[s] + 1, starts[s + 1]):
            for column in range(table.shape[1]):
                least[column] = min(least[column], table[row, column])


@njit(cache=True, nogil=True)
def order_number(cells: NDArray[np.uint8], tiles: int) -> int:  # pragma: no cover - compiled
    """The column of the first `tiles` tiles on these cells."""
    number = 0
    for i in range(tiles):
        later = 0
        for j in range(i + 1, tiles):
            later += cells[j] < cells[i]
        number = number * (tiles - i) + later
    return number


@njit(cache=True, nogil=True)
def look_up_sums(
    boards: NDArray[Any],
    maps: NDArray[np.uint8],
    owners: NDArray[np.uint8],
    places: NDArray[np.uint8],
    sizes: NDArray[np.int64],
    numbers: NDArray[np.int32],
    tables: NDArray[np.uint8],
    starts: NDArray[np.int64],
    found: NDArray[np.int32],
) -> None:  # pragma: no cover - compiled
    """Writes the largest sum over the views of each board into `found` `[B]`.

    The arrays are those of `AdditiveDatabase`.
    """
    sets = np.empty(len(sizes), np.uint64)
    cells = np.empty((len(sizes), sizes.max()), np.uint8)
    for b in range(len(boards)):
        found[b] = 0
        for view in range(len(maps)):
            sets[:] = 0
            for c in range(boards.shape[1]):
                tile = boards[b, c]
                if tile:
                    owner, there = owners[view, tile], maps[view, c]
                    sets[owner] |= np.uint64(1) << np.uint64(there)
                    cells[owner, places[view, tile]] = there
            total = np.int32(0)
            for p in range(len(sizes)):
                row = set_number(sets[p], numbers)
                for k in range(2, sizes[p] + 1):
                    row *= k
                total += np.int32(tables[starts[p] + row + order_number(cells[p], sizes[p])])
            found[b] = max(found[b], total)
