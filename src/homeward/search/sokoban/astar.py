"""A* on Sokoban levels: a node for each push, the agent's walks between them counted in moves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.heuristics.sokoban.level import level
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sokoban import Sokoban, is_box
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Interrupted, Meter, Outcome, Solution
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
    REOPENED,
    SOLVED,
    Nodes,
    Queue,
    Room,
)

_SLICE = 5_000
"""The most nodes expanded between two looks at the budget."""
_LOOK = 0.02
"""Seconds that this should take; with many boxes a node takes longer."""
_FIRST = 1 << 14
"""Nodes that there is room for at first."""


@dataclass(frozen=True)
class PushAStar:
    """The board with the least moves made plus pushes needed comes first, so the first is shortest.

    The pushes needed are those of the cheapest matching of boxes and targets, each box by itself.
    Boards that can never be solved are left out: a box where no target can be reached, boxes that
    keep each other from moving. Proves its answer, and proves a level unsolvable.
    """

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a shortest path from `start` `[cells]`; its bound is its own."""
        if not isinstance(puzzle, Sokoban):
            raise PuzzleError(f"search by pushes is for Sokoban, not {puzzle.name}")
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        run = _Run(puzzle, start, meter)
        try:
            status = run.to_the_end()
        except Interrupted as stop:
            status = stop.status
        except MemoryError:
            status = Outcome.OUT_OF_MEMORY
        moves = run.moves() if status is Outcome.SOLVED else None
        bound = run.bound if moves is None else len(moves)
        return meter.solution(status, moves, bound)


class _Run:
    """One search: its arrays, which grow, and the way back from a solved node."""

    def __init__(self, puzzle: Sokoban, start: NDArray[Any], meter: Meter) -> None:
        self.meter = meter
        self.level = level(puzzle, start)
        boxes = self.level.numbers(np.flatnonzero(is_box(start)))
        agent = self.level.numbers(puzzle.agents(start[None]))
        self.start = np.concatenate([boxes, agent]).astype(np.uint16)
        count, floor = len(boxes), len(self.level.cells)
        self.room = Room(
            np.empty(floor + 1, np.int32),
            np.empty(floor, np.uint16),
            np.zeros(floor + 1, np.uint8),
            self.start.copy(),
            np.zeros((6, count + 1), np.int32),
            np.zeros(count, np.bool_),
        )
        self.room.occupied[floor] = 1
        self.nodes, self.queue = _nodes(_FIRST, count), _queue(2 * _FIRST)
        self.clock = np.zeros(9, np.int64)
        self.clock[[FREE, FOUND]] = -1
        self.clock[LOWEST] = LONGEST
        self.bound = 0

    def to_the_end(self) -> Outcome:
        """Searches until solved or nothing is left; raises `Interrupted`."""
        from homeward.search.sokoban.kernels import search

        self._begin()
        size = max(1, min(_SLICE, 64 * _SLICE // len(self.start) ** 3))
        while True:
            parts = self.level, self.nodes, self.queue, self.room, self.clock
            began = time.perf_counter()
            ended = search(*parts, size)
            passed = max(time.perf_counter() - began, 1e-6)
            size = max(1, min(_SLICE, 2 * size, int(size * _LOOK / passed)))
            self._tell()
            if ended == SOLVED:
                return Outcome.SOLVED
            if ended == EMPTY:
                return Outcome.UNSOLVABLE
            if ended == FULL:
                self._grow()

    def _begin(self) -> None:
        """The start, unless it is hopeless."""
        from homeward.search.sokoban.kernels import reach

        boxes = self.start[:-1]
        self.room.occupied[boxes] = 1
        reach(self.level, self.nodes, self.queue, self.room, self.clock, -1, 0)
        self.room.occupied[boxes] = 0

    def _tell(self) -> None:
        """Brings the counters up to date, and stops if the budget is spent."""
        progress, clock = self.meter.progress, self.clock.tolist()
        progress.expanded, progress.generated = clock[EXPANDED], clock[GENERATED]
        progress.evaluated, progress.reopened = clock[EVALUATED], clock[REOPENED]
        if clock[LOWEST] < LONGEST:
            self.bound = progress.lower_bound = max(self.bound, clock[LOWEST])
        progress.doing = f"{clock[COUNT]:,} boards"
        self.meter.check(_bytes(self.nodes, self.queue))

    def _grow(self) -> None:
        """Room for twice as many nodes."""
        from homeward.search.sokoban.kernels import fill_slots

        self.meter.check(3 * _bytes(self.nodes, self.queue))
        count = int(self.clock[COUNT])
        nodes = _nodes(2 * len(self.nodes.lengths), len(self.start) - 1)
        _copy(self.nodes[:-1], nodes[:-1], count)
        fill_slots(nodes, count)
        used = int(self.clock[LINKS])
        queue = _queue(2 * len(self.queue.links))
        queue.heads[:] = self.queue.heads
        _copy(self.queue[1:], queue[1:], used)
        self.nodes, self.queue = nodes, queue

    def moves(self) -> list[int]:
        """The moves that lead to the solved node."""
        chain = [int(self.clock[FOUND])]
        while (parent := int(self.nodes.parents[chain[-1]])) >= 0:
            chain.append(parent)
        boards = self.nodes.boards[chain[::-1]].tolist()
        moves: list[int] = []
        for before, after in pairwise(boards):
            moves += self._leg(before, after)
        return moves

    def _leg(self, before: list[int], after: list[int]) -> list[int]:
        """The walk to a box and the push that make one board of another."""
        from homeward.search.sokoban.kernels import flood

        near = self.level.neighbours.tolist()
        old, (new,) = after[-1], set(after[:-1]) - set(before[:-1])
        push = near[old].index(new)
        self.room.occupied[before[:-1]] = 1
        flood(self.level, self.room, before[-1])
        self.room.occupied[before[:-1]] = 0
        steps, here = [push], near[old][push ^ 1]
        while self.room.walks[here]:
            # Back along a neighbour that is one step nearer to where the agent came from.
            nearer = self.room.walks[here] - 1
            back = next(d for d in range(4) if self.room.walks[near[here][d]] == nearer)
            steps.append(back ^ 1)
            here = near[here][back]
        return steps[::-1]


def _nodes(room: int, boxes: int) -> Nodes:
    return Nodes(
        boards=np.empty((room, boxes + 1), np.uint16),
        lengths=np.empty(room, np.int32),
        pushes=np.empty(room, np.int32),
        needs=np.empty(room, np.int32),
        parents=np.empty(room, np.int32),
        siblings=np.empty(room, np.int32),
        keys=np.empty(room, np.uint64),
        done=np.empty(room, np.bool_),
        slots=np.full(4 * room, -1, np.int32),
    )


def _queue(room: int) -> Queue:
    heads = np.full(LONGEST, -1, np.int32)
    return Queue(heads, *(np.empty(room, np.int32) for _ in range(3)))


def _copy(old: Sequence[NDArray[Any]], new: Sequence[NDArray[Any]], count: int) -> None:
    for source, to in zip(old, new, strict=True):
        to[:count] = source[:count]


def _bytes(nodes: Nodes, queue: Queue) -> int:
    return sum(array.nbytes for array in (*nodes, *queue))
