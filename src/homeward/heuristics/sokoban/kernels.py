"""Compiled loops over Sokoban levels. Imported only where they are used.

Directions are those of the moves, `U D L R`; the opposite of direction d is `d ^ 1`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit
from homeward.heuristics.sokoban.level import AWAY, FAR, HOPELESS, Level


@njit(cache=True, nogil=True)
def count_pushes(
    neighbours: NDArray[np.uint16], targets: NDArray[np.uint16], pushes: NDArray[np.int32]
) -> None:  # pragma: no cover - compiled
    """Writes the pushes from every cell to every target into `pushes` `[F + 1, n]`.

    A box is pulled back from each target as far as it goes: the agent needs two cells in a row.
    """
    wall = len(neighbours) - 1
    queue = np.empty(wall, np.uint16)
    for t in range(len(targets)):
        queue[0], first, last = targets[t], 0, 1
        pushes[targets[t], t] = 0
        while first < last:
            here = queue[first]
            first += 1
            for d in range(4):
                before = neighbours[here, d]
                if before == wall or neighbours[before, d] == wall or pushes[before, t] < FAR:
                    continue
                pushes[before, t] = pushes[here, t] + 1
                queue[last] = before
                last += 1


@njit(cache=True, nogil=True)
def count_steps(
    neighbours: NDArray[np.uint16], steps: NDArray[np.uint16]
) -> None:  # pragma: no cover - compiled
    """Writes the agent's steps between all cells of the empty room into `steps` `[F, F]`."""
    wall = len(neighbours) - 1
    queue = np.empty(wall, np.uint16)
    steps[:] = 65535
    for start in range(len(steps)):
        steps[start, start] = 0
        queue[0], first, last = start, 0, 1
        while first < last:
            here = queue[first]
            first += 1
            for d in range(4):
                there = neighbours[here, d]
                if there != wall and steps[start, there] == 65535:
                    steps[start, there] = steps[start, here] + 1
                    queue[last] = there
                    last += 1


@njit(cache=True, nogil=True)
def match(
    pushes: NDArray[np.int32], boxes: NDArray[np.uint16], room: NDArray[np.int32]
) -> int:  # pragma: no cover - compiled
    """The fewest pushes that take each box to a target of its own; at least FAR if none do.

    The assignment problem by shortest augmenting paths. `room` `[6, n + 1]` is space to work in:
    what a box and a target are worth, each target's box, and for the path being sought the least
    cost, the target before, and which are on it.
    """
    n = len(boxes)
    room[:3] = 0
    worth_box, worth_target, owner = room[0], room[1], room[2]
    least, before, used = room[3], room[4], room[5]
    # Target n is a dummy that the next box starts from; owners count from 1, 0 is nobody.
    for b in range(n):
        owner[n] = b + 1
        least[:] = 2 * FAR
        used[:] = 0
        target = n
        while owner[target]:
            used[target] = 1
            box = owner[target] - 1
            step, nearest = 2 * FAR, n
            for t in range(n):
                if used[t]:
                    continue
                cost = pushes[boxes[box], t] - worth_box[box] - worth_target[t]
                if cost < least[t]:
                    least[t] = cost
                    before[t] = target
                if least[t] < step:
                    step, nearest = least[t], t
            for t in range(n + 1):
                if used[t]:
                    worth_box[owner[t] - 1] += step
                    worth_target[t] -= step
                else:
                    least[t] -= step
            target = nearest
        while target != n:
            owner[target] = owner[before[target]]
            target = before[target]
    total = 0
    for t in range(n):
        total += pushes[boxes[owner[t] - 1], t]
    return total


@njit(cache=True, nogil=True)
def is_stuck(
    level: Level, boxes: NDArray[np.uint16], occupied: NDArray[Any], moveable: NDArray[np.bool_]
) -> bool:  # pragma: no cover - compiled
    """Whether some boxes keep each other, with the walls, from ever moving, one of them off target.

    A box can move along an axis if neither side is a wall or a box that cannot move itself, and if
    not both sides are dead. All boxes that can are taken away, until none can.

    `occupied` `[F + 1]` is not 0 where a box or a wall is; `moveable` `[n]` is room to work in.
    """
    moveable[:] = False
    changed = True
    while changed:
        changed = False
        for b in range(len(boxes)):
            if moveable[b]:
                continue
            here = boxes[b]
            for axis in (0, 2):
                one, other = level.neighbours[here, axis], level.neighbours[here, axis + 1]
                if occupied[one] or occupied[other] or (level.dead[one] and level.dead[other]):
                    continue
                moveable[b] = changed = True
                occupied[here] = 0
                break
    stuck = False
    for b in range(len(boxes)):
        stuck |= not moveable[b] and not level.home[boxes[b]]
        occupied[boxes[b]] = 1
    return stuck


@njit(cache=True, nogil=True)
def steps_to_push(
    level: Level, boxes: NDArray[np.uint16], agent: Any, occupied: NDArray[Any]
) -> int:  # pragma: no cover - compiled
    """The agent's steps to the next push, at least, and what that push adds to those needed.

    A push away from all targets adds one to what the boxes need, so it is made in vain, and so is
    the one that takes it back: two. At least FAR if no push is possible.
    """
    least = FAR
    known = len(level.steps) > 0
    for b in range(len(boxes)):
        for d in range(4):
            kind = level.kinds[boxes[b], d]
            behind = level.neighbours[boxes[b], d ^ 1]
            if kind == HOPELESS or occupied[level.neighbours[boxes[b], d]] or occupied[behind]:
                continue
            steps = int(level.steps[agent, behind]) if known else 0
            least = min(least, steps + (2 if kind == AWAY else 0))
    return least
