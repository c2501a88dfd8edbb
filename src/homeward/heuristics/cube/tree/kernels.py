"""The compiled depth-first search for the cube. Imported only where it is used.

A node is `[3, 4]`: for each axis the set, the twist, the edge coordinate, and the distance that the
table has for them. Indices are unsigned, because signed ones are checked for being negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit

_FLIPS, _FOUR = np.uint32(15), np.uint32(4)
_TWISTS = np.uint32(2187)
_SET, _TWIST, _EDGE, _VALUE = 0, 1, 2, 3
_LOOK = 1023
"""Nodes between two looks at `stop`, less one: less than a thousandth of a second."""


@njit(cache=True, nogil=True, inline="always")
def _distance(
    table: NDArray[np.uint64],
    class_of: NDArray[np.uint32],
    symmetries: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    corner: np.uint32,
    edge: np.uint32,
) -> np.uint32:  # pragma: no cover - compiled
    """The distance of a corner and an edge coordinate."""
    found = class_of[corner]
    symmetry = found & _FLIPS
    there = symmetries[symmetry, edge >> _FOUR]
    flip = np.uint64((flips[symmetry, edge & _FLIPS] ^ there) & _FLIPS)
    word = table[found >> _FOUR, there >> _FOUR]
    return np.uint32((word >> (flip << np.uint64(2))) & np.uint64(15))


@njit(cache=True, nogil=True, inline="always")
def _look_up(
    table: NDArray[np.uint64],
    class_of: NDArray[np.uint32],
    symmetries: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    sets: NDArray[np.uint8],
    twists: NDArray[np.uint16],
    edges: NDArray[np.uint32],
    node: NDArray[np.uint32],
    moves: NDArray[np.uint8],
    picked: NDArray[np.uint32],
    count: np.uint32,
    values: NDArray[np.uint32],
) -> None:  # pragma: no cover - compiled
    """Looks up the children of a node `[4]` along one axis, by its `picked` `moves`.

    Nothing here depends on what was found, so the processor waits for all of them at once.
    """
    set_, twist = node[_SET], node[_TWIST]
    slice_, flip = node[_EDGE] >> _FOUR, node[_EDGE] & _FLIPS
    for i in range(count):
        child = picked[i]
        move = moves[child]
        corner = np.uint32(sets[set_, move]) * _TWISTS + np.uint32(twists[twist, move])
        edge = edges[slice_, move] ^ flip
        values[child] = _distance(table, class_of, symmetries, flips, corner, edge)


@njit(cache=True, nogil=True, inline="always")
def _keep(
    picked: NDArray[np.uint32], count: np.uint32, values: NDArray[np.uint32], most: np.uint32
) -> np.uint32:  # pragma: no cover - compiled
    """Drops the children whose value is above `most`; returns how many are left."""
    kept = np.uint32(0)
    for i in range(count):
        child = picked[i]
        picked[kept] = child
        kept += np.uint32(values[child] <= most)
    return kept


@njit(cache=True, nogil=True, inline="always")
def _step(
    sets: NDArray[np.uint8],
    twists: NDArray[np.uint16],
    edges: NDArray[np.uint32],
    node: NDArray[np.uint32],
    move: np.uint8,
    child: NDArray[np.uint32],
) -> None:  # pragma: no cover - compiled
    """Writes the coordinates `[4]` along one axis after a move; `child` may be `node` itself."""
    child[_SET] = sets[node[_SET], move]
    child[_TWIST] = twists[node[_TWIST], move]
    child[_EDGE] = edges[node[_EDGE] >> _FOUR, move] ^ (node[_EDGE] & _FLIPS)


@njit(cache=True, nogil=True, inline="always")
def _tightest_first(
    node: NDArray[np.uint32],
) -> tuple[np.uint32, np.uint32, np.uint32]:  # pragma: no cover - compiled
    """The three axes by falling distance: the first one cuts off most."""
    one, two, three = np.uint32(0), np.uint32(1), np.uint32(2)
    if node[two, _VALUE] > node[one, _VALUE]:
        one, two = two, one
    if node[three, _VALUE] > node[one, _VALUE]:
        one, two, three = three, one, two
    elif node[three, _VALUE] > node[two, _VALUE]:
        two, three = three, two
    return one, two, three


@njit(cache=True, nogil=True)
def _begin(
    table: NDArray[np.uint64],
    class_of: NDArray[np.uint32],
    symmetries: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    sets: NDArray[np.uint8],
    twists: NDArray[np.uint16],
    edges: NDArray[np.uint32],
    views: NDArray[np.uint8],
    node: NDArray[np.uint32],
    first: NDArray[np.uint8],
) -> None:  # pragma: no cover - compiled
    """Makes the `first` moves on a node, and looks up its distances."""
    for axis in range(3):
        here = node[axis]
        for move in first:
            _step(sets, twists, edges, here, views[axis, move], here)
        corner, edge = here[_SET] * _TWISTS + here[_TWIST], here[_EDGE]
        here[_VALUE] = _distance(table, class_of, symmetries, flips, corner, edge)


@njit(cache=True, nogil=True, inline="always")
def _expand(
    table: NDArray[np.uint64],
    class_of: NDArray[np.uint32],
    symmetries: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    sets: NDArray[np.uint8],
    twists: NDArray[np.uint16],
    edges: NDArray[np.uint32],
    node: NDArray[np.uint32],
    follow: NDArray[np.uint8],
    picked: NDArray[np.uint32],
    count: np.uint32,
    most: np.uint32,
    values: NDArray[np.uint32],
    children: NDArray[np.uint32],
    made: NDArray[np.uint8],
) -> np.uint32:  # pragma: no cover - compiled
    """Writes the children that `most` moves could solve, and their moves; how many they are.

    `follow` `[3, moves]` has `count` moves to try. `picked` `[moves]` and `values` `[3, moves]` are
    room to work in.
    """
    for i in range(count):
        picked[i] = i
    one, two, three = _tightest_first(node)
    for axis in (one, two, three):
        moves, found = follow[axis], values[axis]
        _look_up(
            table, class_of, symmetries, flips, sets, twists, edges,
            node[axis], moves, picked, count, found,
        )  # fmt: skip
        count = _keep(picked, count, found, most)
    kept = np.uint32(0)
    for i in range(count):
        child = picked[i]
        # The last move of a solution turns about some axis, and along it counts for nothing.
        least = min(values[0, child], values[1, child], values[2, child])
        if least == most and most > 0:
            continue
        for view in range(3):
            to = children[kept, view]
            _step(sets, twists, edges, node[view], follow[view, child], to)
            to[_VALUE] = values[view, child]
        made[kept] = follow[0, child]
        kept += np.uint32(1)
    return kept


@njit(cache=True, nogil=True)
def dive(
    table: NDArray[np.uint64],
    class_of: NDArray[np.uint32],
    symmetries: NDArray[np.uint32],
    flips: NDArray[np.uint8],
    sets: NDArray[np.uint8],
    twists: NDArray[np.uint16],
    edges: NDArray[np.uint32],
    views: NDArray[np.uint8],
    follow: NDArray[np.uint8],
    follows: NDArray[np.uint8],
    start: NDArray[np.uint32],
    path: NDArray[np.uint8],
    base: int,
    stop: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> bool:  # pragma: no cover - compiled
    """Looks for a solution of `len(path)` moves whose first `base` moves are those in `path`.

    Returns whether there is one, and leaves it in `path`. The first four arrays are a `Lookup`, the
    next three the move tables along an axis. `views` `[3, moves]` names each move as seen along the
    axes. `follow` `[pairs, 3, moves]` are the moves that may follow a pair, named so, and `follows`
    `[pairs]` is how many they are. `start` is a node; `counts` `[2]` grows by the nodes expanded
    and generated.
    """
    depth, moves = len(path), np.uint32(sets.shape[1])
    node = start.copy()
    _begin(table, class_of, symmetries, flips, sets, twists, edges, views, node, path[:base])
    if max(node[0, _VALUE], node[1, _VALUE], node[2, _VALUE]) > depth - base:
        return False
    children = np.empty((depth + 1, moves, 3, 4), np.uint32)
    made = np.empty((depth + 1, moves), np.uint8)
    left_over = np.zeros(depth + 1, np.uint32)
    values, picked = np.zeros((3, moves), np.uint32), np.empty(moves, np.uint32)
    pairs = np.zeros(depth + 2, np.uint32)
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
        left_over[level] = _expand(
            table, class_of, symmetries, flips, sets, twists, edges, node, follow[pair], picked,
            count, np.uint32(depth - level - 1), values, children[level], made[level],
        )  # fmt: skip
        while left_over[level] == 0:
            if level == base:
                return False
            level -= 1
        left_over[level] -= np.uint32(1)
        chosen = left_over[level]
        path[level] = made[level, chosen]
        node[:] = children[level, chosen]
        pairs[level + 1] = pairs[level] % (moves + 1) * (moves + 1) + path[level] + 1
        level += 1
    return True
