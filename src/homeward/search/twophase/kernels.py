"""The compiled two-phase search. Imported only where it is used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.search.twophase.tables import Phases

_UNKNOWN = np.uint8(255)
_LOOK = 1023
"""Nodes between two looks at `stop`, less one."""
_FACES = 3
"""Turns of one face: by move number, three of U, of R, of F, of D, of L, of B."""


@njit(cache=True, nogil=True)
def distances_of_pairs(
    outer: NDArray[np.uint16],
    inner: NDArray[np.uint16],
    start: int,
    cost: NDArray[np.uint8],
    moves: NDArray[np.bool_],
    table: NDArray[np.uint8],
) -> None:  # pragma: no cover - compiled
    """Fills `table` `[outer * inner]` with the least cost to reach each pair from `start`.

    Moves cost 1 or 2 and have inverses of the same cost.
    """
    width = len(inner)
    table[start] = 0
    depth, empty = 0, 0
    while empty < 2:  # a level may be empty where only moves of cost 2 go on
        empty += 1
        for number in range(len(table)):
            if table[number] != depth:
                continue
            empty = 0
            a, b = number // width, number % width
            for move in range(len(cost)):
                if moves[move]:
                    to = np.int64(outer[a, move]) * width + inner[b, move]
                    if table[to] > depth + cost[move]:
                        table[to] = depth + cost[move]
        depth += 1


@njit(cache=True, nogil=True, inline="always")
def _allowed(move: int, last: int) -> bool:  # pragma: no cover - compiled
    """Not the same face twice, and opposite faces in one order; `last` is -1 for none."""
    if last < 0:
        return True
    face, before = move // _FACES, last // _FACES
    return face != before and face + 3 != before


@njit(cache=True, nogil=True)
def _outer_order(t: Phases, upper: int, lower: int) -> int:  # pragma: no cover - compiled
    """The order of the edges of U and D, from where each of the two fours is."""
    order = np.empty(8, np.int64)
    for i in range(4):
        order[t.number[t.places[upper, i]]] = t.fours_of[0, i]
        order[t.number[t.places[lower, i]]] = t.fours_of[1, i]
    return _rank(order)


@njit(cache=True, nogil=True)
def _middle_order(t: Phases, middle: int) -> int:  # pragma: no cover - compiled
    """The order of the middle edges, from where they are."""
    order = np.empty(4, np.int64)
    for i in range(4):
        order[t.number[t.places[middle, i]]] = t.fours_of[2, i]
    return _rank(order)


@njit(cache=True, nogil=True)
def _rank(order: NDArray[np.int64]) -> int:  # pragma: no cover - compiled
    rank = 0
    for i in range(len(order)):
        smaller = 0
        for j in range(i):
            smaller += order[j] < order[i]
        rank = rank * (len(order) - i) + order[i] - smaller
    return rank


@njit(cache=True, nogil=True)
def _second(
    t: Phases,
    corner: int,
    outer: int,
    middle: int,
    last: int,
    most: int,
    path: NDArray[np.int64],
    base: int,
    stop: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> int:  # pragma: no cover - compiled
    """Solves the second phase at a cost of `most` or less; how long `path` is then, or -1."""
    nodes = np.empty((len(path) + 1, 3), np.int64)
    left = np.empty(len(path) + 1, np.int64)
    nodes[0, 0], nodes[0, 1], nodes[0, 2] = corner, outer, middle
    least = max(t.corner_middles[corner * 24 + middle], t.outer_middles[outer * 24 + middle])
    for limit in range(least, most + 1):
        level, move = 0, 0
        left[0] = limit
        if limit == 0:
            return base
        while level >= 0:
            if move == 18:
                level -= 1
                if level >= 0:
                    move = path[base + level] + 1
                continue
            rest = left[level] - t.cost[move]
            # The first phase has other turns to end with, so that only its last face matters.
            again = last >= 0 and move // _FACES == last // _FACES
            fits = not again if level == 0 else _allowed(move, path[base + level - 1])
            if not t.second[move] or rest < 0 or not fits:
                move += 1
                continue
            counts[1] += 1
            c, o = t.corners[nodes[level, 0], move], t.outers[nodes[level, 1], move]
            m = t.middles[nodes[level, 2], move]
            if (
                t.corner_middles[np.int64(c) * 24 + m] > rest
                or t.outer_middles[np.int64(o) * 24 + m] > rest
            ):
                move += 1
                continue
            path[base + level] = move
            level += 1
            counts[0] += 1
            if counts[0] & _LOOK == 0 and stop[0]:
                return -1
            if c == 0 and o == 0 and m == 0:
                return base + level
            nodes[level, 0], nodes[level, 1], nodes[level, 2] = c, o, m
            left[level] = rest
            move = 0
    return -1


@njit(cache=True, nogil=True, inline="always")
def _larger(
    one: NDArray[np.uint8], first: int, other: NDArray[np.uint8], second: int, slice_: int
) -> int:  # pragma: no cover - compiled
    """The larger of two distances: of a twist and of a flip, each with a slice."""
    # Takes two arrays because counting references to all of `Phases` costs more than this.
    return int(max(one[np.int64(first) * 495 + slice_], other[np.int64(second) * 495 + slice_]))


@njit(cache=True, nogil=True)
def search_first(
    t: Phases,
    start: NDArray[np.int64],
    depth: int,
    longest: int,
    best: NDArray[np.int64],
    found: NDArray[np.int64],
    stop: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> int:  # pragma: no cover - compiled
    """Tries every first phase that costs just `depth`, each with the best second phase.

    A solution must cost less than `best[0]`, which other threads lower too, and its second phase at
    most `longest`. The best one is written into `found`; returns its length, or -1 for none.
    """
    nodes = np.empty((depth + 2, 7), np.int64)
    left = np.empty(depth + 2, np.int64)
    path = np.empty(len(found), np.int64)
    nodes[0] = start
    left[0] = depth
    level, move, known, length = 0, 0, 0, -1
    if _larger(t.twist_slices, start[0], t.flip_slices, start[1], start[2]) > depth:
        return -1
    while level >= 0:
        if left[level] == 0:
            if depth < best[0]:
                length = _try_second(
                    t, nodes, path, level, known, depth, longest, best, found, length, stop, counts
                )
                known = level
            move = 18
        if move == 18:
            level -= 1
            known = min(known, level)
            if level >= 0:
                move = path[level] + 1
            continue
        rest = left[level] - t.cost[move]
        if rest < 0 or not _allowed(move, path[level - 1] if level else -1):
            move += 1
            continue
        counts[1] += 1
        twist, flip = t.twists[nodes[level, 0], move], t.flips[nodes[level, 1], move]
        slice_ = t.slices[nodes[level, 2], move]
        ends = rest == 0 and t.second[move]  # belongs to the second phase of a shorter first one
        if ends or _larger(t.twist_slices, twist, t.flip_slices, flip, slice_) > rest:
            move += 1
            continue
        path[level] = move
        level += 1
        counts[0] += 1
        if counts[0] & _LOOK == 0 and (stop[0] or depth >= best[0]):
            break
        nodes[level, 0], nodes[level, 1], nodes[level, 2] = twist, flip, slice_
        left[level] = rest
        move = 0
    return length


@njit(cache=True, nogil=True)
def _try_second(
    t: Phases,
    nodes: NDArray[np.int64],
    path: NDArray[np.int64],
    level: int,
    known: int,
    depth: int,
    longest: int,
    best: NDArray[np.int64],
    found: NDArray[np.int64],
    length: int,
    stop: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> int:  # pragma: no cover - compiled
    """The second phase after a first one of `level` turns; `length` or that of a better solution.

    The pieces that the first phase does not look at are known for its first `known` turns.
    """
    for i in range(known, level):
        nodes[i + 1, 3] = t.corners[nodes[i, 3], path[i]]
        for four in range(4, 7):
            nodes[i + 1, four] = t.fours[nodes[i, four], path[i]]
    last = path[level - 1] if level else -1
    most = min(best[0] - 1 - depth, longest)
    corner, middle = nodes[level, 3], _middle_order(t, nodes[level, 6])
    if t.corner_middles[corner * 24 + middle] > most:
        return length
    outer = _outer_order(t, nodes[level, 4], nodes[level, 5])
    end = _second(t, corner, outer, middle, last, most, path, level, stop, counts)
    if end < 0:
        return length
    cost = 0
    for i in range(end):
        cost += t.cost[path[i]]
    if cost < best[0]:
        best[0] = cost
        found[:end] = path[:end]
        return end
    return length
