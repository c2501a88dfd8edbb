"""Solvable Sokoban rooms: carved out of a block, then played backwards from the solved board.

A set of cells is one integer with a bit for each cell. Since walls go all round, a step in a
direction is the same shift for every cell that matters, and a handful of shifts floods a room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.sokoban import AGENT, BOX, FLOOR, TARGET, WALL
from homeward.puzzles.status import PuzzleError

_TRIES = 1000
"""Rooms carved for one that is wanted before the board is called too small."""

_TURN = 0.35
"""The chance that the carver turns before a step; the lower, the longer the corridors."""

# What the carver cuts out around its place, as steps down and right. Each patch holds its centre
# and hangs together, so that the whole room does.
_PATCHES = (
    ((0, 0), (0, -1), (0, 1)),
    ((0, 0), (-1, 0), (1, 0)),
    ((0, 0), (1, 0), (0, 1)),
    ((0, 0), (0, -1), (-1, 0), (-1, -1)),
    ((0, 0), (0, 1), (1, 0), (1, 1)),
)


def generate(
    n: int,
    rng: np.random.Generator,
    rows: int = 10,
    columns: int = 10,
    boxes: int | None = None,
    pulls: int = 100,
) -> NDArray[np.uint8]:
    """`[n, rows * columns]`: start boards of solvable rooms, no box or agent on a target.

    `boxes` is 4 where the board has space for them. Each room is played `pulls` pulls back from
    its solved board; the board on the way whose boxes were farthest from the targets is the
    start. The same generator gives the same rooms, and the first ones do not depend on `n`.
    Raises `PuzzleError` if the board is too small for so many boxes.

    >>> generate(2, np.random.default_rng(1)).shape
    (2, 100)
    """
    high, wide = rows - 2, columns - 2
    count = max(1, min(4, high, wide, high * wide // 10)) if boxes is None else boxes
    if count < 1 or pulls < 1:
        raise PuzzleError(f"a room has at least 1 box and 1 pull, not {count} and {pulls}")
    grid = _Grid(rows, columns)
    draw = Random(int(rng.integers(2**63)))
    boards = np.empty((n, rows * columns), dtype=np.uint8)
    for number in range(n):
        for _ in range(_TRIES):
            board = _room(grid, draw, count, pulls)
            if board is not None:
                boards[number] = board
                break
        else:
            raise PuzzleError(f"no {rows}x{columns} room with so many boxes was found: {count}")
    return boards


@dataclass(frozen=True)
class _Grid:
    """A board's size, and sets of its cells."""

    rows: int
    columns: int

    @property
    def steps(self) -> tuple[int, int, int, int]:
        """Up, down, left and right as differences of cell numbers."""
        return -self.columns, self.columns, -1, 1

    def flood(self, free: int, start: int) -> Iterator[int]:
        """What can be reached in 0, 1, 2, … steps over free cells, until there is nothing new."""
        reached, c = start, self.columns
        while True:
            yield reached
            wider = reached | reached << 1 | reached >> 1 | reached << c | reached >> c
            wider &= free
            if wider | reached == reached:
                return
            reached |= wider

    def reach(self, free: int, start: int) -> int:
        """All that can be reached over free cells."""
        *_, reached = self.flood(free, start)
        return reached


def _cells(bits: int) -> list[int]:
    """The cells of a set in ascending order."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def _shift(bits: int, by: int) -> int:
    return bits << by if by >= 0 else bits >> -by


def _room(grid: _Grid, draw: Random, boxes: int, pulls: int) -> NDArray[np.uint8] | None:
    """`[cells]`: a start board, or None if this try did not bring every box off its target."""
    floor = carve(grid, draw)
    cells = _cells(floor)
    if len(cells) < 2 * boxes + 1:
        return None
    draw.shuffle(cells)
    targets = sum(1 << cell for cell in cells[:boxes])
    found = _play_backwards(grid, draw, floor, targets, cells[boxes], pulls)
    if found is None:
        return None
    placed, agent = found
    standing = _cells(grid.reach(floor & ~placed, 1 << agent) & ~targets)
    if not standing:
        return None
    board = np.full(grid.rows * grid.columns, WALL, dtype=np.uint8)
    board[cells] = FLOOR
    board[_cells(targets)] = TARGET
    board[_cells(placed)] = BOX
    board[draw.choice(standing)] = AGENT
    return board


def carve(grid: _Grid, draw: Random) -> int:
    """The floor that a random walk with patches cuts out: one piece, walls all round."""
    row, column = draw.randrange(1, grid.rows - 1), draw.randrange(1, grid.columns - 1)
    direction = draw.choice(((-1, 0), (1, 0), (0, -1), (0, 1)))
    floor = 0
    for _ in range(3 * (grid.rows + grid.columns) // 2):
        for down, right in draw.choice(_PATCHES):
            if 0 < row + down < grid.rows - 1 and 0 < column + right < grid.columns - 1:
                floor |= 1 << (row + down) * grid.columns + column + right
        if draw.random() < _TURN:
            direction = draw.choice(((-1, 0), (1, 0), (0, -1), (0, 1)))
        row = min(max(row + direction[0], 1), grid.rows - 2)
        column = min(max(column + direction[1], 1), grid.columns - 2)
    return floor


def _play_backwards(
    grid: _Grid, draw: Random, floor: int, targets: int, agent: int, pulls: int
) -> tuple[int, int] | None:
    """The boxes and the agent's cell of the best board on a walk of pulls, None if there is none.

    The agent walks freely between pulls, so each pull is drawn from all that it can get to; half
    of the time from those that take a box away from the targets, if there are any.
    """
    distance = dict[int, int]()
    for steps, reached in enumerate(grid.flood(floor, targets)):
        for cell in _cells(reached):
            distance.setdefault(cell, steps)
    placed, total, best, best_total = targets, 0, None, 0
    for _ in range(pulls):
        free = floor & ~placed
        reach = grid.reach(free, 1 << agent)
        # By the step of the push that a pull takes back: box ahead of the agent, space behind.
        options = [
            (cell, step)
            for step in grid.steps
            for cell in _cells(reach & _shift(placed, -step) & _shift(free, step))
        ]
        if not options:
            break
        if draw.random() < 0.5:
            away = [(c, s) for c, s in options if distance[c] > distance[c + s]]
            options = away or options
        cell, step = draw.choice(options)
        placed ^= 1 << cell + step | 1 << cell
        agent = cell - step
        total += distance[cell] - distance[cell + step]
        if total > best_total and not placed & targets:
            best, best_total = (placed, agent), total
    return best
