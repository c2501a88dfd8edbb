"""A Sokoban room with numbered floor cells, and how many pushes take a box from cell to target."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.sokoban import LEFT, TARGET, Sokoban

FAR = 1_000_000
"""The pushes to a target that a box cannot reach."""
HOPELESS, NEARER, AWAY = range(3)
"""Kinds of pushes: to where no target can be reached, or past a wall; nearer to some target; away
from all, which means two pushes more than are needed otherwise."""

_LARGE = 2000
"""Floor cells up to which the agent's ways are kept, 2 bytes for each pair."""


class Level(NamedTuple):
    """What does not change in a room of F floor cells with n targets.

    `cells` `[F]` are the board's cells that the agent can reach if nothing is in its way. Number F
    stands for every wall. `neighbours` `[F + 1, 4]` is the cell in each direction, `pushes`
    `[F + 1, n]` the pushes that take a lone box to each target, at least, and `dead` `[F + 1]`
    where there is no target that it can reach. `home` `[F + 1]` marks the targets.

    `kinds` `[F + 1, 4]` says what a push does to a box on a cell: `HOPELESS`, `NEARER` to some
    target, or `AWAY` from all. `steps` `[F, F]` is the agent's way from cell to cell in the empty
    room; it is empty for very large rooms.
    """

    cells: NDArray[np.int64]
    neighbours: NDArray[np.uint16]
    pushes: NDArray[np.int32]
    dead: NDArray[np.bool_]
    home: NDArray[np.bool_]
    kinds: NDArray[np.uint8]
    steps: NDArray[np.uint16]

    def numbers(self, where: NDArray[Any]) -> NDArray[np.int64]:
        """The numbers of those board cells that are floor; boxes walled in at home are not."""
        return np.searchsorted(self.cells, where[np.isin(where, self.cells)])


def level(puzzle: Sokoban, board: NDArray[Any]) -> Level:
    """The level that a board `[cells]` is part of."""
    from homeward.heuristics.sokoban.kernels import count_pushes, count_steps

    cells = np.flatnonzero(puzzle.reachable(board[None])[0])
    numbers = np.full(puzzle.cells, len(cells), np.uint16)
    numbers[cells] = np.arange(len(cells))
    near = np.full((len(cells) + 1, 4), len(cells), np.uint16)
    # At the border of the board a cell is its own neighbour, but no floor is there.
    near[:-1] = numbers[puzzle.neighbours.numpy[cells]]
    places = LEFT.numpy[board] == TARGET
    if puzzle.box_places is not None:
        places = puzzle.box_places.numpy
    targets = numbers[np.flatnonzero(places)]
    targets = targets[targets < len(cells)]
    pushes = np.full((len(cells) + 1, len(targets)), FAR, np.int32)
    count_pushes(near, targets, pushes)
    home = np.zeros(len(cells) + 1, np.bool_)
    home[targets] = True
    dead: NDArray[np.bool_] = np.asarray((pushes >= FAR).all(1))
    steps = np.zeros((len(cells),) * 2 if len(cells) <= _LARGE else (0, 0), np.uint16)
    count_steps(near, steps)
    return Level(cells, near, pushes, dead, home, _kinds(near, pushes, dead), steps)


def _kinds(
    near: NDArray[np.uint16], pushes: NDArray[np.int32], dead: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """What a push in each direction does to a box on each cell."""
    wall = len(near) - 1
    there, behind = near, near[:, [1, 0, 3, 2]]
    nearer = (pushes[there] < pushes[:, None]).any(2)
    kinds = np.where(nearer, NEARER, AWAY)
    return np.where(dead[there] | (behind == wall), HOPELESS, kinds).astype(np.uint8)
