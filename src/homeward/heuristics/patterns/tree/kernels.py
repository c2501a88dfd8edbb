"""The compiled depth-first search with pattern databases. Imported only where it is used.

A node is `[databases, 4]`: for each database the set, the order and the turns of its placement, and
their distance. Indices are unsigned, because signed ones are checked for being negative.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from homeward.heuristics.patterns.tree.patterntree import Placed

_SET, _ORDER, _TURN, _VALUE = 0, 1, 2, 3
_LOOK = 1023
"""Nodes between two looks at `stop`, less one."""


@njit(cache=True, nogil=True, inline="always")
def _step(
    p: Placed, kind: np.uint64, node: NDArray[np.uint32], move: np.uint64, moves: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:  # pragma: no cover - compiled
    """Set, order and turns of a placement after a move."""
    first, orders, turns = (
        p.offsets[kind],
        np.uint64(p.shapes[kind, 0]),
        np.uint64(p.shapes[kind, 1]),
    )
    at = np.uint64(node[_SET]) * moves + move
    order_code = np.uint64(p.order_codes[np.uint64(first[1]) + at])
    turn_code = np.uint64(p.turn_codes[np.uint64(first[2]) + at])
    set_ = np.uint64(p.sets[np.uint64(first[0]) + at])
    order = np.uint64(p.orders[np.uint64(first[3]) + order_code * orders + node[_ORDER]])
    turn = np.uint64(p.turns[np.uint64(first[4]) + turn_code * turns + node[_TURN]])
    return set_, order, turn


@njit(cache=True, nogil=True, inline="always")
def _entry(
    p: Placed, start: np.uint64, number: np.uint64
) -> np.uint32:  # pragma: no cover - compiled
    """The distance of a placement in the database that begins at byte `start`."""
    byte = np.uint64(p.entries[start + (number >> np.uint64(1))])
    return np.uint32((byte >> ((number & np.uint64(1)) << np.uint64(2))) & np.uint64(15))


@njit(cache=True, nogil=True, inline="always")
def _look_up(
    p: Placed,
    database: np.uint64,
    node: NDArray[np.uint32],
    follow: NDArray[np.uint8],
    picked: NDArray[np.uint32],
    count: np.uint32,
    children: NDArray[np.uint32],
    moves: np.uint64,
) -> None:  # pragma: no cover - compiled
    """Writes the placements of the `picked` children in one database, and their distances.

    Nothing here depends on what was found, so the processor waits for all of them at once.
    """
    kind = np.uint64(p.kinds[database])
    orders, turns = np.uint64(p.shapes[kind, 0]), np.uint64(p.shapes[kind, 1])
    start = np.uint64(p.starts[database])
    for i in range(count):
        child = picked[i]
        set_, order, turn = _step(p, kind, node[database], np.uint64(follow[child]), moves)
        number = (set_ * orders + order) * turns + turn
        to = children[child, database]
        to[_SET], to[_ORDER], to[_TURN] = set_, order, turn
        to[_VALUE] = _entry(p, start, number)


@njit(cache=True, nogil=True)
def _begin(
    p: Placed, node: NDArray[np.uint32], first: NDArray[np.uint8], moves: np.uint64
) -> np.uint32:  # pragma: no cover - compiled
    """Makes the `first` moves on a node; the largest distance that it then has."""
    largest = np.uint32(0)
    for database in range(len(node)):
        kind, here = np.uint64(p.kinds[database]), node[database]
        for move in first:
            set_, order, turn = _step(p, kind, here, np.uint64(move), moves)
            here[_SET], here[_ORDER], here[_TURN] = set_, order, turn
        number = np.uint64(here[_SET]) * np.uint64(p.shapes[kind, 0]) + np.uint64(here[_ORDER])
        number = number * np.uint64(p.shapes[kind, 1]) + np.uint64(here[_TURN])
        largest = max(largest, _entry(p, np.uint64(p.starts[database]), number))
    return largest


@njit(cache=True, nogil=True, inline="always")
def _expand(
    p: Placed,
    node: NDArray[np.uint32],
    follow: NDArray[np.uint8],
    picked: NDArray[np.uint32],
    count: np.uint32,
    most: np.uint32,
    children: NDArray[np.uint32],
    moves: np.uint64,
) -> np.uint32:  # pragma: no cover - compiled
    """Leaves in `picked` the children that `most` moves could solve; how many they are."""
    for i in range(count):
        picked[i] = i
    for database in range(len(node)):
        _look_up(p, np.uint64(database), node, follow, picked, count, children, moves)
        left = np.uint32(0)
        for i in range(count):
            child = picked[i]
            picked[left] = child
            left += np.uint32(children[child, database, _VALUE] <= most)
        count = left
        if count == 0:
            break
    return count


@njit(cache=True, nogil=True)
def dive(
    p: Placed,
    follow: NDArray[np.uint8],
    follows: NDArray[np.uint8],
    start: NDArray[np.uint32],
    path: NDArray[np.uint8],
    base: int,
    stop: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> bool:  # pragma: no cover - compiled
    """Looks for a solution of `len(path)` moves whose first `base` moves are those in `path`.

    Returns whether there is one, and leaves it in `path`. `follow` and `follows` are a `MoveOrder`,
    `start` is a node, and `counts` `[2]` grows by the nodes expanded and generated.
    """
    depth, moves = len(path), np.uint64(follow.shape[1])
    node = start.copy()
    if _begin(p, node, path[:base], moves) > depth - base:
        return False
    children = np.empty((depth + 1, follow.shape[1], len(start), 4), np.uint32)
    picked = np.empty((depth + 1, follow.shape[1]), np.uint32)
    left_over = np.zeros(depth + 1, np.uint32)
    pairs = np.zeros(depth + 2, np.uint64)
    for level in range(base):
        pairs[level + 1] = pairs[level] % (moves + 1) * (moves + 1) + path[level] + 1
    level = base
    while level < depth:
        pair = pairs[level]
        count = np.uint32(follows[pair])
        counts[0] += 1
        counts[1] += count
        if counts[0] & _LOOK == 0 and stop[0]:
            return False
        most = np.uint32(depth - level - 1)
        left_over[level] = _expand(
            p, node, follow[pair], picked[level], count, most, children[level], moves
        )
        while left_over[level] == 0:
            if level == base:
                return False
            level -= 1
        left_over[level] -= np.uint32(1)
        chosen = picked[level, left_over[level]]
        path[level] = follow[pairs[level], chosen]
        node[:] = children[level, chosen]
        pairs[level + 1] = pairs[level] % (moves + 1) * (moves + 1) + path[level] + 1
        level += 1
    return True
