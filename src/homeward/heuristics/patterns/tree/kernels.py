"""The compiled depth-first search with pattern databases. Imported only where it is used.

A node is `[databases, 4]`: for each database the set, the order and the turns of its placement, and
their distance. Indices are unsigned, because signed ones are checked for being negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.heuristics.patterns.tree.patterntree import Placed

_SET, _ORDER, _TURN, _VALUE = 0, 1, 2, 3
_LOOK = 1023
"""Nodes between two looks at `stop`, less one."""


@njit(cache=True, nogil=True, inline="always")
def _look_up(
    entries: NDArray[np.uint8],
    sets: NDArray[np.uint32],
    order_codes: NDArray[np.uint32],
    turn_codes: NDArray[np.uint32],
    orders: NDArray[np.uint32],
    turns: NDArray[np.uint16],
    first: NDArray[np.uint64],
    node: NDArray[np.uint32],
    follow: NDArray[np.uint8],
    picked: NDArray[np.uint32],
    count: np.uint32,
    children: NDArray[np.uint32],
) -> None:  # pragma: no cover - compiled
    """Writes the `picked` children of a node `[4]` in one database into `children` `[moves, 4]`.

    `first` is the database's line of `Placed.firsts`. Nothing here depends on what was found, so
    the processor waits for all of them at once.
    """
    at = first[1] + np.uint64(node[_SET]) * first[8]
    order, turn = first[4] + np.uint64(node[_ORDER]), first[5] + np.uint64(node[_TURN])
    for i in range(count):
        child = picked[i]
        move = np.uint64(follow[child])
        set_ = np.uint64(sets[at + move])
        new_order = np.uint64(orders[order + np.uint64(order_codes[at + move]) * first[6]])
        new_turn = np.uint64(turns[turn + np.uint64(turn_codes[at + move]) * first[7]])
        number = (set_ * first[6] + new_order) * first[7] + new_turn
        byte = np.uint64(entries[first[0] + (number >> np.uint64(1))])
        to = children[child]
        to[_SET], to[_ORDER], to[_TURN] = set_, new_order, new_turn
        to[_VALUE] = (byte >> ((number & np.uint64(1)) << np.uint64(2))) & np.uint64(15)


@njit(cache=True, nogil=True)
def _begin(
    p: Placed, node: NDArray[np.uint32], first: NDArray[np.uint8]
) -> np.uint32:  # pragma: no cover - compiled
    """Makes the `first` moves on a node; the largest distance that it then has."""
    picked, after = np.zeros(1, np.uint32), np.empty((1, 4), np.uint32)
    largest = np.uint32(0)
    for database in range(len(node)):
        for i in range(len(first)):
            _look_up(
                p.entries, p.sets, p.order_codes, p.turn_codes, p.orders, p.turns,
                p.firsts[database], node[database], first[i:], picked, np.uint32(1), after,
            )  # fmt: skip
            node[database] = after[0]
        largest = max(largest, node[database, _VALUE])
    return largest


@njit(cache=True, nogil=True, inline="always")
def _keep(
    picked: NDArray[np.uint32], count: np.uint32, children: NDArray[np.uint32], most: np.uint32
) -> np.uint32:  # pragma: no cover - compiled
    """Drops the children `[moves, 4]` whose distance is above `most`; returns how many are left."""
    kept = np.uint32(0)
    for i in range(count):
        child = picked[i]
        picked[kept] = child
        kept += np.uint32(children[child, _VALUE] <= most)
    return kept


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
    node, databases = start.copy(), len(start)
    if _begin(p, node, path[:base]) > depth - base:
        return False
    # Array by array: counting the references to all of them at every node would cost more.
    entries, sets, orders, turns = p.entries, p.sets, p.orders, p.turns
    order_codes, turn_codes, firsts = p.order_codes, p.turn_codes, p.firsts
    children = np.empty((depth + 1, databases, moves, 4), np.uint32)
    picked = np.empty((depth + 1, moves), np.uint32)
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
        for i in range(count):
            picked[level, i] = i
        for database in range(databases):
            _look_up(
                entries, sets, order_codes, turn_codes, orders, turns, firsts[database],
                node[database], follow[pair], picked[level], count, children[level, database],
            )  # fmt: skip
            most = np.uint32(depth - level - 1)
            count = _keep(picked[level], count, children[level, database], most)
        left_over[level] = count
        while left_over[level] == 0:
            if level == base:
                return False
            level -= 1
        left_over[level] -= np.uint32(1)
        chosen = picked[level, left_over[level]]
        path[level] = follow[pairs[level], chosen]
        node[:] = children[level, :, chosen]
        pairs[level + 1] = pairs[level] % (moves + 1) * (moves + 1) + path[level] + 1
        level += 1
    return True
