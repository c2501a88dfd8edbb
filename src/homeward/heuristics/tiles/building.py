"""Making the tables of additive pattern databases, a level at a time, on all cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.tiles.layout import entries, position, set_numbers, shifts
from homeward.heuristics.tiles.partitions import Partition
from homeward.puzzles.sliding import Sliding

Progress: TypeAlias = Callable[[int, int], None]
"""Called while tables are made, with the entries done so far and their number."""

_AT_ONCE = 20_000_000
"""Entries that are looked at between two calls of the progress: a tenth of a second or so."""


def build(
    board: Sliding, home: int, patterns: Partition, progress: Progress | None = None
) -> NDArray[np.uint8]:
    """`[entries]`: the tables of all patterns, one after the other, for a blank's home.

    An entry is the fewest moves of the pattern's own tiles that take them home with the blank
    starting anywhere, by row and column (see `layout`); 255 where no moves do.
    """
    sizes = [entries(board.cells, len(pattern)) for pattern in patterns]
    tables = np.empty(sum(sizes), np.uint8)
    known: dict[int, _Rows] = {}
    for number, pattern in enumerate(patterns):
        before = sum(sizes[:number])

        def tell(done: float, start: int = before, size: int = sizes[number]) -> None:
            if progress is not None:
                progress(start + int(done * size), len(tables))

        rows = known.get(len(pattern)) or _rows(board, len(pattern))
        known = {len(pattern): rows}  # the next pattern mostly has the same size
        table = _fill(rows, list(pattern), home, tell)
        rows.fold(table, tables[before : before + sizes[number]])
    return tables


@dataclass(frozen=True)
class _Rows:
    """The places of a pattern with the blank: sets of cells, each with a part of the free cells.

    The blank moves freely within a part, at no cost. Part p of set s is row `starts[s] + p`;
    `labels` `[sets, cells]` is the part each free cell belongs to. `edges` is where slides lead.
    """

    tiles: int
    labels: NDArray[np.uint8]
    starts: NDArray[np.int32]
    edges: NDArray[np.int32]

    @property
    def count(self) -> int:
        return len(self.edges)

    def fold(self, table: NDArray[np.uint8], folded: NDArray[np.uint8]) -> None:
        """Takes the least over the parts of each set, so that the blank need not be looked up."""
        from homeward.heuristics.tiles.kernels import fold

        fold(table, self.starts, folded.reshape(-1, table.shape[1]))


def _rows(board: Sliding, tiles: int) -> _Rows:
    from homeward.heuristics.tiles.kernels import join_rows, label_parts, list_sets

    sets = np.empty(math.comb(board.cells, tiles), np.uint64)
    list_sets(tiles, sets)
    slides = board.slides.numpy
    labels, parts = np.empty((len(sets), board.cells), np.uint8), np.empty(len(sets), np.int32)
    label_parts(sets, slides, labels, parts)
    starts = np.concatenate([[0], np.cumsum(parts)]).astype(np.int32)
    edges = np.full((starts[-1], tiles * board.moves), -1, np.int32)
    join_rows(sets, slides, labels, starts, set_numbers(board.cells, tiles), edges)
    return _Rows(tiles, labels, starts, edges)


def _fill(
    rows: _Rows, pattern: list[int], home: int, tell: Callable[[float], None]
) -> NDArray[np.uint8]:
    """`[rows, columns]`: the moves that each place of a pattern needs."""
    from homeward.heuristics.tiles.kernels import pattern_level

    table = np.full((rows.count, math.factorial(rows.tiles)), 255, np.uint8)
    row, column = position(pattern)
    start = rows.starts[row] + rows.labels[row, home]
    table[start, column] = 0
    active, done, depth = np.array([start]), 0, 0
    at_once = max(1, _AT_ONCE // table.shape[1])
    while len(active):
        reached = np.zeros(rows.count, np.bool_)
        for first in range(0, len(active), at_once):
            part = active[first : first + at_once]
            counts = np.empty(len(part), np.int64)
            pattern_level(table, part, rows.edges, shifts(rows.tiles), reached, counts, depth)
            done += int(counts.sum())
            tell(done / table.size)
        active, depth = np.flatnonzero(reached), depth + 1
    # Where all tiles but one belong to the pattern, half of the orders cannot be reached, and no
    # board has them.
    if done * (2 if rows.tiles >= rows.labels.shape[1] - 2 else 1) < table.size:
        raise AssertionError(f"{done:,} of {table.size:,} places of a pattern were reached")
    return table
