"""The arrays that A* on Sokoban levels works on, by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

COUNT, LINKS, FREE, LOWEST, EXPANDED, GENERATED, EVALUATED, REOPENED, FOUND = range(9)
"""Places in a search's clock `[9]`: nodes and links in use, the first link to use again (-1: none),
the least estimated length still open, the counters, and the solved node (-1: none yet)."""
PAUSED, FULL, SOLVED, EMPTY = range(4)
"""How a slice of work ended: more to do, more room needed, solved, or nothing left."""

LONGEST = 1 << 16
"""Estimated lengths that the queue has room for."""


class Nodes(NamedTuple):
    """Boards just after a push, where the agent stands in the cell that the box has left.

    `boards` `[N, n + 1]` are the boxes in ascending order and then the agent, `lengths` the moves
    from the start, `pushes` what the boxes still need at least, `needs` the same with the walk to
    the next one, `parents` the board before the push. Nodes with the same boxes are linked by
    `siblings`; the first of them is found by its boxes through `slots`, open addressing with -1
    for empty. `keys` are the boxes' hashes, `done` marks the nodes that were expanded.
    """

    boards: NDArray[np.uint16]
    lengths: NDArray[np.int32]
    pushes: NDArray[np.int32]
    needs: NDArray[np.int32]
    parents: NDArray[np.int32]
    siblings: NDArray[np.int32]
    keys: NDArray[np.uint64]
    done: NDArray[np.bool_]
    slots: NDArray[np.int32]


class Queue(NamedTuple):
    """Open nodes by their estimated length, the last one first: linked lists.

    `heads` `[LONGEST]` is the first link of each length, `links`, `nodes` and `lengths` `[L]` the
    next link, the node, and its moves at that time: a node that was reached by a shorter path
    since is there again.
    """

    heads: NDArray[np.int32]
    links: NDArray[np.int32]
    nodes: NDArray[np.int32]
    lengths: NDArray[np.int32]


class Room(NamedTuple):
    """Space to work in: the agent's way, what is occupied, one board, and what the bound needs."""

    walks: NDArray[np.int32]
    cells: NDArray[np.uint16]
    occupied: NDArray[np.uint8]
    board: NDArray[np.uint16]
    matching: NDArray[np.int32]
    moveable: NDArray[np.bool_]
