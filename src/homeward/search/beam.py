"""Beam search: level by level, keep the children that look nearest to home."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search import ops
from homeward.search.asking import Asking
from homeward.search.ball import Ball, ball
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.descent import NARROWEST, Descent
from homeward.search.pace import Pace
from homeward.search.rows import RowByRow
from homeward.search.views import View, views

_MOST_LEVELS = 1000
_WIDER = 8
"""How many times wider the next beam is at most."""


@dataclass(frozen=True)
class Beam:
    """Beam search over several views of the start; the shortest solution is kept.

    Each view looks only for something shorter than the best so far. With `improve`, a beam of
    `width` makes a first solution, and then all views are searched with beams as wide as the time
    allows. A beam that is empty, or has gone 1,000 levels, ends without a solution: as if the time
    were over, since a wider one may have one.
    """

    width: int = 1024
    """States kept on each level."""
    views: int = 1
    """Views of the start that are tried one after the other; 0 for all there are."""
    ball: int = 120_000
    """States around the goal whose distances are known beforehand."""
    improve: bool = False
    """Whether to go on with wider beams until the time is over."""
    seconds: float = 2.0
    """Time for improving, where the budget sets none; a first solution takes what it takes."""
    rows: bool = False
    """Whether a sliding board's first solution is made row by row."""

    def __post_init__(self) -> None:
        for name, least in (("width", 1), ("views", 0), ("ball", 1)):
            if getattr(self, name) < least:
                raise PuzzleError(f"{name} must be at least {least}, not {getattr(self, name)}")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a short path from `start` `[cells]`."""
        if heuristic is None:
            raise PuzzleError("beam search needs a heuristic")
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        try:
            known = ball(puzzle, start, self.ball, meter)
        except Interrupted as stop:
            return meter.solution(stop.status, None, 1)
        way = known.way_home(start)
        if way is not None:
            meter.progress.best = len(way)
            return meter.solution(Outcome.SOLVED, way, len(way))
        patience = self.seconds if self.improve else math.inf
        state = Anytime(puzzle, start, heuristic, meter, known, patience, self.improve)
        if self.improve:
            state.expected = _expected(start, heuristic)
        status = Outcome.OUT_OF_TIME
        try:
            if self.rows:
                found = RowByRow()(puzzle, start, None, meter)
                state.take(None if found.moves is None else list(found.moves))
            facing = getattr(heuristic, "facing", False)
            every = list(islice(views(puzzle, start, facing), self.views or None))
            state.search(every[:1] if self.improve else every, self.width)
            width, fresh = self.width, cycle(views(puzzle, start, facing))
            more = any(True for _ in islice(views(puzzle, start, facing), len(every), None))
            while self.improve and not state.done:
                # The same view would be searched in vain again, at least at the same width. So the
                # time that a beam leaves is for other views, or else it leaves none.
                together = list(islice(fresh, 1 if state.best is None else len(every)))
                width, last = state.width_in_time(len(together), width, more)
                state.search(together, width, paced=last and not more)
            if state.complete:
                status = Outcome.UNSOLVABLE
        except Interrupted as stop:
            status = stop.status
        except (MemoryError, RuntimeError) as error:
            if not ops.is_out_of_memory(error):
                raise
            status = Outcome.OUT_OF_MEMORY
        # The start is outside the ball, so a solution is longer than its radius.
        bound = state.known.radius + 1
        if state.best is None:
            return meter.solution(status, None, bound)
        return meter.solution(Outcome.SOLVED, state.best, min(bound, len(state.best)))


@dataclass
class Anytime:
    """The best solution so far, and one beam after the other to shorten it."""

    puzzle: Puzzle
    start: NDArray[Any]
    heuristic: Heuristic
    meter: Meter
    known: Ball
    patience: float
    improve: bool = False
    """Whether there are wider beams to come."""
    expected: int = _MOST_LEVELS
    """The longest solution that is looked for before there is one."""
    best: list[int] | None = None
    started: float = field(default_factory=time.perf_counter)
    rate: float = 0.0
    """States expanded a second by the last beam."""
    complete: bool = False
    """Whether a beam was wide enough for every state, so that no wider one finds more."""

    def __post_init__(self) -> None:
        self.ask = Asking(self.heuristic, self.meter)

    @property
    def limit(self) -> int:
        """The longest solution that would be news, or is to be expected."""
        if self.best is None:
            return self.expected
        return len(self.best) - (2 if self.puzzle.fixed_parity else 1)

    @property
    def hasty(self) -> bool:
        """Whether a beam that has lost its way is given up for a wider one."""
        return self.improve and self.best is None

    @property
    def proved(self) -> bool:
        """Whether nothing shorter can exist: it would lie in the ball, and the start does not.

        Or it is known from elsewhere, which the meter tells.
        """
        beneath = max(self.known.radius, self.meter.progress.lower_bound - 1)
        return self.best is not None and self.limit <= beneath

    @property
    def done(self) -> bool:
        """Whether another beam would be in vain."""
        return self.complete or self.proved

    def search(self, views: Sequence[View], width: int, paced: bool = False) -> None:
        """One beam from each view; `paced` ones share all the time that is left."""
        descent = Descent(self, width)
        for i, view in enumerate(views):
            if self.done:
                return
            self.check(0)  # a beam that may not take a step does not
            self.meter.progress.doing = f"beam of {width:,}"
            began, expanded = time.perf_counter(), self.meter.progress.expanded
            if paced:
                share = self.seconds_left() / (len(views) - i)
                descent.pace = Pace(began + share, width, width / max(self.rate, 1.0))
            found = descent.run(view.start, self.limit)
            if found is not None:
                self.take(view.restore(found))
            self.complete = not descent.cut and (self.best is not None or descent.ended)
            passed = time.perf_counter() - began
            self.rate = (self.meter.progress.expanded - expanded) / max(passed, 1e-6)

    def take(self, moves: list[int] | None) -> None:
        """Keeps a solution, which is shorter than the best so far."""
        if moves is not None:
            self.best = moves
            self.meter.progress.best = len(moves)

    def seconds_left(self) -> float:
        """Until the budget ends, or the patience where the budget sets no time."""
        left = self.meter.seconds_left
        return self.started + self.patience - time.perf_counter() if left is None else left

    def check(self, used_bytes: int) -> None:
        """Raises `Interrupted` when the budget is spent, or the patience with a solution."""
        self.meter.check(used_bytes)
        if self.best is not None and self.seconds_left() <= 0:
            raise Interrupted(Outcome.OUT_OF_TIME)

    def width_in_time(self, views: int, width: int, more: bool) -> tuple[int, bool]:
        """The width after `width`, and whether so many views should take all the time with it.

        Where there is no solution yet, `more` views are other chances, so the next beam need not be
        that much wider.
        Not too much wider at once: narrow beams say little about the speed of wide ones, and a
        shorter solution means fewer levels. But a beam in between is left out where it would take
        more than a quarter of the time.
        """
        if self.best is None:  # too narrow even for a first solution, or too soon given up
            self.expected = min(2 * self.expected, _MOST_LEVELS)
            return (2 if more else 4) * width, False
        levels = max(1, self.limit - self.known.radius)
        fitting = self.seconds_left() * self.rate / (views * levels)
        between = _WIDER * width
        last = fitting < 4 * between
        return max(NARROWEST, int(fitting) if last else between), last


def _expected(start: NDArray[Any], heuristic: Heuristic) -> int:
    """More moves than a solution by a good beam should have."""
    estimate = float(heuristic.values(heuristic.place(start[None]))[0])
    wanted = 2 * estimate + 20
    return int(min(max(wanted, 1), _MOST_LEVELS)) if math.isfinite(wanted) else _MOST_LEVELS
