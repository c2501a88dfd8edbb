"""Compiled A* on Sokoban levels, push by push. Imported only where it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.heuristics.sokoban.kernels import is_stuck, match, steps_to_push
from homeward.heuristics.sokoban.level import FAR, Level
from homeward.search.sokoban.records import (
    COUNT,
    EMPTY,
    EVALUATED,
    EXPANDED,
    FOUND,
    FREE,
    FULL,
    GENERATED,
    LINKS,
    LONGEST,
    LOWEST,
    PAUSED,
    REOPENED,
    SOLVED,
    Nodes,
    Queue,
    Room,
)

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@njit(cache=True, nogil=True)
def _key(boxes: NDArray[np.uint16]) -> np.uint64:  # pragma: no cover - compiled
    mixed = _MIX
    for box in boxes:
        mixed = (mixed ^ np.uint64(box)) * _MIX
        mixed ^= mixed >> _HALF
    return mixed


@njit(cache=True, nogil=True)
def find(nodes: Nodes, board: NDArray[np.uint16], key: np.uint64) -> int:  # pragma: no cover
    """The slot of the boxes of a board: that of their first node, or an empty one."""
    mask = np.uint64(len(nodes.slots) - 1)
    at = key & mask
    boxes = len(board) - 1
    while nodes.slots[at] >= 0:
        node = nodes.slots[at]
        if nodes.keys[node] == key:
            same = True
            for b in range(boxes):
                same &= nodes.boards[node, b] == board[b]
            if same:
                break
        at = (at + np.uint64(1)) & mask
    return int(at)


@njit(cache=True, nogil=True)
def fill_slots(nodes: Nodes, count: int) -> None:  # pragma: no cover - compiled
    """Puts the first `count` nodes into empty slots, those with the same boxes once."""
    nodes.slots[:] = -1
    for node in range(count):
        at = find(nodes, nodes.boards[node], nodes.keys[node])
        nodes.slots[at] = node  # the last one: links go from later nodes to earlier ones


@njit(cache=True, nogil=True)
def open_node(
    queue: Queue, clock: NDArray[np.int64], node: int, length: int, total: int
) -> None:  # pragma: no cover - compiled
    """Puts a node into the queue."""
    if clock[FREE] >= 0:
        link = clock[FREE]
        clock[FREE] = queue.links[link]
    else:
        link = clock[LINKS]
        clock[LINKS] += 1
    queue.nodes[link], queue.lengths[link] = node, length
    queue.links[link] = queue.heads[total]
    queue.heads[total] = link
    clock[LOWEST] = min(clock[LOWEST], total)


@njit(cache=True, nogil=True)
def flood(level: Level, room: Room, agent: int) -> int:  # pragma: no cover - compiled
    """Writes the agent's steps to every cell it can reach into `room.walks`, -1 elsewhere.

    The cells are listed in `room.cells`; how many they are.
    """
    room.walks[:] = -1
    room.walks[agent] = 0
    room.cells[0], first, last = agent, 0, 1
    while first < last:
        here = room.cells[first]
        first += 1
        for d in range(4):
            there = level.neighbours[here, d]
            if not room.occupied[there] and room.walks[there] < 0:
                room.walks[there] = room.walks[here] + 1
                room.cells[last] = there
                last += 1
    return last


@njit(cache=True, nogil=True)
def reach(
    level: Level,
    nodes: Nodes,
    queue: Queue,
    room: Room,
    clock: NDArray[np.int64],
    parent: int,
    length: int,
) -> None:  # pragma: no cover - compiled
    """Notes that `room.board` was reached in so many moves, unless it is known or hopeless."""
    board = room.board
    n = len(board) - 1
    key = _key(board[:n])
    slot = find(nodes, board, key)
    first = nodes.slots[slot]
    node = first
    while node >= 0 and nodes.boards[node, n] != board[n]:
        node = nodes.siblings[node]
    if node >= 0:
        if nodes.lengths[node] <= length:
            return
        clock[REOPENED] += nodes.done[node]
        nodes.done[node] = False
    else:
        clock[EVALUATED] += 1
        if first >= 0:
            pushes = nodes.pushes[first]
        else:
            pushes = match(level.pushes, board[:n], room.matching)
            if pushes >= FAR or is_stuck(level, board[:n], room.occupied, room.moveable):
                return
        steps = steps_to_push(level, board[:n], board[n], room.occupied) if pushes else 0
        if steps >= FAR:
            return
        node = clock[COUNT]
        clock[COUNT] += 1
        nodes.boards[node] = board
        nodes.keys[node] = key
        nodes.pushes[node] = pushes
        nodes.needs[node] = pushes + steps
        nodes.siblings[node] = first
        nodes.done[node] = False
        nodes.slots[slot] = node
    nodes.lengths[node], nodes.parents[node] = length, parent
    open_node(queue, clock, node, length, min(length + nodes.needs[node], LONGEST - 1))


@njit(cache=True, nogil=True)
def _expand(
    level: Level,
    nodes: Nodes,
    queue: Queue,
    room: Room,
    clock: NDArray[np.int64],
    node: int,
) -> None:  # pragma: no cover - compiled
    """Makes every push that the agent can get to from a node."""
    n = nodes.boards.shape[1] - 1
    wall = len(level.neighbours) - 1
    boxes, length = nodes.boards[node, :n], nodes.lengths[node]
    for b in range(n):
        room.occupied[boxes[b]] = 1
    flood(level, room, nodes.boards[node, n])
    # Another node with the same boxes may get here by walking, no later than this one.
    sibling, needless = nodes.slots[find(nodes, nodes.boards[node], nodes.keys[node])], False
    while sibling >= 0:
        steps = room.walks[nodes.boards[sibling, n]]
        needless |= sibling != node and steps >= 0 and nodes.lengths[sibling] + steps <= length
        sibling = nodes.siblings[sibling]
    if not needless:
        clock[EXPANDED] += 1
        nodes.done[node] = True
        for b in range(n):
            here = boxes[b]
            for d in range(4):
                there, behind = level.neighbours[here, d], level.neighbours[here, d ^ 1]
                if behind == wall or room.walks[behind] < 0 or room.occupied[there]:
                    continue
                clock[GENERATED] += 1
                if level.dead[there]:
                    continue
                _place(room.board, boxes, b, there)
                room.occupied[here], room.occupied[there] = 0, 1
                reach(level, nodes, queue, room, clock, node, length + room.walks[behind] + 1)
                room.occupied[here], room.occupied[there] = 1, 0
    for b in range(n):
        room.occupied[boxes[b]] = 0


@njit(cache=True, nogil=True)
def _place(
    board: NDArray[np.uint16], boxes: NDArray[np.uint16], moved: int, there: Any
) -> None:  # pragma: no cover - compiled
    """Writes the boxes with one moved, in order again, and the agent where that one was."""
    n = len(boxes)
    at = 0
    for b in range(n):
        if b == moved:
            continue
        board[at] = boxes[b]
        at += 1
    while at > 0 and board[at - 1] > there:
        board[at] = board[at - 1]
        at -= 1
    board[at] = there
    board[n] = boxes[moved]


@njit(cache=True, nogil=True)
def search(
    level: Level,
    nodes: Nodes,
    queue: Queue,
    room: Room,
    clock: NDArray[np.int64],
    most: int,
) -> int:  # pragma: no cover - compiled
    """A slice of A*, of so many nodes: PAUSED, FULL, SOLVED or EMPTY."""
    children = 4 * (nodes.boards.shape[1] - 1)
    for _ in range(most):
        if (
            clock[COUNT] + children > len(nodes.lengths)
            or clock[LINKS] + children > len(queue.links)
            or 2 * clock[COUNT] > len(nodes.slots)
        ):
            return FULL
        while clock[LOWEST] < LONGEST and queue.heads[clock[LOWEST]] < 0:
            clock[LOWEST] += 1
        if clock[LOWEST] == LONGEST:
            return EMPTY
        link = queue.heads[clock[LOWEST]]
        queue.heads[clock[LOWEST]] = queue.links[link]
        queue.links[link] = clock[FREE]
        clock[FREE] = link
        node = queue.nodes[link]
        if nodes.lengths[node] < queue.lengths[link]:
            continue
        if nodes.pushes[node] == 0:
            clock[FOUND] = node
            return SOLVED
        _expand(level, nodes, queue, room, clock, node)
    return PAUSED
