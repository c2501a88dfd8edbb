"""Compiled depth-first search of sliding boards. Imported only where it is used.

A dive visits every board within a limit of moves whose estimate stays within it too. It looks at
`stop` `[1]` all the time, and ends when that is not 0. What it works on are arrays of `records`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.heuristics.tiles.kernels import count_bits, order_number, set_number
from homeward.heuristics.tiles.tree.records import (
    EXPANDED,
    FORBIDDEN,
    GENERATED,
    NOT_FOUND,
    NOWHERE,
    Kept,
    Path,
    Patterns,
    Rules,
    Tables,
)

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def dive_manhattan(
    rules: Rules,
    changes: NDArray[np.int8],
    board: NDArray[np.uint16],
    path: Path,
    estimates: NDArray[np.int32],
    limit: int,
    stop: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> int:  # pragma: no cover - compiled
    """Dives with Manhattan distances: the depth of a solution, or NOT_FOUND.

    `changes` `[cells, moves, symbols]` is what a move adds to the estimate, by the blank's cell.
    `path.lefts` are the moves still to try, counted down; `path.order` are those on the path.
    `estimates` `[depth]` are the path's.
    """
    ways = rules.slides.shape[1]
    depth = 0
    path.lefts[0] = ways
    counts[EXPANDED] += 1
    while not stop[0]:
        at = np.uint64(depth)
        if path.lefts[at] == 0:
            if depth == 0:
                return NOT_FOUND
            depth -= 1
            at = np.uint64(depth)
            board[path.blanks[at + _ONE]] = board[path.blanks[at]]
            continue
        path.lefts[at] -= 1
        move, blank = np.uint64(path.lefts[at]), path.blanks[at]
        cell, state = rules.slides[blank, move], rules.automaton[path.states[at], move]
        if cell == NOWHERE or state == FORBIDDEN:
            continue
        tile = board[cell]
        estimate = estimates[at] + changes[blank, move, tile]
        counts[GENERATED] += 1
        if depth + 1 + estimate > limit:
            continue
        path.order[at, 0] = move
        board[blank] = tile
        depth += 1
        if estimate == 0:
            return depth
        counts[EXPANDED] += 1
        at += _ONE
        path.blanks[at], path.states[at], path.lefts[at] = cell, state, ways
        estimates[at] = estimate
    return NOT_FOUND


@njit(cache=True, nogil=True)
def settle(
    board: NDArray[Any], tables: Tables, patterns: Patterns, sums: NDArray[np.int32]
) -> None:  # pragma: no cover - compiled
    """Finds the patterns of one board `[cells]`, and writes its estimates into `sums` `[views]`."""
    cells = np.zeros((len(tables.tiles), tables.tiles.max()), np.uint8)
    for view in range(len(tables.maps)):
        patterns.sets[view] = 0
        for c in range(len(board)):
            tile = board[c]
            if tile:
                owner, there = tables.owners[view, tile], tables.maps[view, c]
                patterns.sets[view, owner] |= _ONE << np.uint64(there)
                cells[owner, tables.places[view, tile]] = there
        sums[view] = 0
        for p in range(len(tables.tiles)):
            column = order_number(cells[p], int(tables.tiles[p]))
            row = np.uint64(set_number(patterns.sets[view, p], tables.numbers))
            cost = tables.entries[tables.starts[p] + row * tables.columns[p] + np.uint64(column)]
            patterns.columns[view, p] = column
            patterns.costs[view, p] = cost
            sums[view] += np.int32(cost)


@njit(cache=True, nogil=True, inline="always")
def _slide(
    tables: Tables,
    patterns: Patterns,
    kept: Kept,
    at: Any,
    child: Any,
    view: Any,
    tile: Any,
    cell: Any,
    blank: Any,
) -> Any:  # pragma: no cover - compiled
    """Keeps where a slide from `cell` to `blank` takes the tile's pattern; where its cost is."""
    p = tables.owners[view, tile]
    one = _ONE << np.uint64(tables.maps[view, cell])
    other = _ONE << np.uint64(tables.maps[view, blank])
    before = patterns.sets[view, p]
    after = before ^ one ^ other
    old, new = count_bits(before & (one - _ONE)), count_bits(after & (other - _ONE))
    column = np.uint64(patterns.columns[view, p])
    if old != new:
        pair = tables.shift_starts[p] + (old * tables.tiles[p] + new) * tables.columns[p]
        column = np.uint64(tables.shifts[pair + column])
    kept.sets[at, child, view] = after
    kept.columns[at, child, view] = column
    row = np.uint64(set_number(after, tables.numbers))
    return tables.starts[p] + row * tables.columns[p] + column


@njit(cache=True, nogil=True, inline="always")
def _exchange(
    tables: Tables, patterns: Patterns, kept: Kept, at: Any, child: Any, tile: Any
) -> None:  # pragma: no cover - compiled
    """Exchanges what is kept with what holds: once goes to a child, once more comes back."""
    for view in range(tables.owners.shape[0]):
        p = tables.owners[view, tile]
        a, b, c = patterns.sets[view, p], patterns.columns[view, p], patterns.costs[view, p]
        patterns.sets[view, p] = kept.sets[at, child, view]
        patterns.columns[view, p] = kept.columns[at, child, view]
        patterns.costs[view, p] = kept.costs[at, child, view]
        kept.sets[at, child, view] = a
        kept.columns[at, child, view] = b
        kept.costs[at, child, view] = c


@njit(cache=True, nogil=True, inline="always")
def _make_children(
    rules: Rules,
    tables: Tables,
    board: NDArray[np.uint16],
    patterns: Patterns,
    path: Path,
    kept: Kept,
    at: Any,
    entries: NDArray[np.uint64],
    room: int,
) -> int:  # pragma: no cover - compiled
    """Makes the children at depth `at`, and lists those that need at most `room` moves.

    How many were made. The places of the first view's entries are found for all children before
    one is looked up, so that the waits for memory overlap; half of the children are over then, and
    need no second view. `entries` is room for them.
    """
    blank, made = path.blanks[at], np.uint64(0)
    for move in range(rules.slides.shape[1]):
        cell = rules.slides[blank, move]
        if cell == NOWHERE or rules.automaton[path.states[at], move] == FORBIDDEN:
            continue
        entries[made] = _slide(tables, patterns, kept, at, made, 0, board[cell], cell, blank)
        path.moves[at, made] = move
        made += _ONE
    path.lefts[at] = 0
    for child in range(made):
        cell = rules.slides[blank, path.moves[at, child]]
        tile = board[cell]
        cost = np.int32(tables.entries[entries[child]])
        need = kept.sums[at, 0] - patterns.costs[0, tables.owners[0, tile]] + cost
        kept.costs[at, child, 0] = cost
        for view in range(1, tables.owners.shape[0]):
            if need <= room:
                entry = _slide(tables, patterns, kept, at, child, view, tile, cell, blank)
                cost = np.int32(tables.entries[entry])
                kept.costs[at, child, view] = cost
                old = patterns.costs[view, tables.owners[view, tile]]
                need = max(need, kept.sums[at, view] - old + cost)
        if need <= room:
            path.order[at, path.lefts[at]] = child
            path.lefts[at] += 1
    return int(made)


@njit(cache=True, nogil=True)
def dive_patterns(
    rules: Rules,
    tables: Tables,
    board: NDArray[np.uint16],
    patterns: Patterns,
    path: Path,
    kept: Kept,
    limit: int,
    stop: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> int:  # pragma: no cover - compiled
    """Dives with pattern databases: the depth of a solution, or NOT_FOUND."""
    entries = np.empty(rules.slides.shape[1], np.uint64)
    depth, new = 0, True
    while not stop[0]:
        at = np.uint64(depth)
        if new:
            room = limit - depth - 1
            counts[EXPANDED] += 1
            counts[GENERATED] += _make_children(
                rules, tables, board, patterns, path, kept, at, entries, room
            )
        if path.lefts[at] == 0:
            if depth == 0:
                return NOT_FOUND
            depth -= 1
            at -= _ONE
            new = False
            tile = board[path.blanks[at]]
            board[path.blanks[at + _ONE]] = tile
            _exchange(tables, patterns, kept, at, path.order[at, path.lefts[at]], tile)
            continue
        path.lefts[at] -= 1
        child, blank = path.order[at, path.lefts[at]], path.blanks[at]
        move = path.moves[at, child]
        cell = rules.slides[blank, move]
        tile = board[cell]
        for view in range(tables.owners.shape[0]):
            old = patterns.costs[view, tables.owners[view, tile]]
            kept.sums[at + _ONE, view] = kept.sums[at, view] - old + kept.costs[at, child, view]
        _exchange(tables, patterns, kept, at, child, tile)
        board[blank] = tile
        path.blanks[at + _ONE] = cell
        path.states[at + _ONE] = rules.automaton[path.states[at], move]
        depth += 1
        new = True
        if kept.sums[at + _ONE, 0] == 0:
            return depth
    return NOT_FOUND
