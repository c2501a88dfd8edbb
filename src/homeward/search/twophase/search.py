"""Kociemba's two-phase search: a good solution at once, and better ones as time goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.heuristics.cube.pieces import as_cube, from_goal, turns_and_mirrors
from homeward.puzzles.base import Puzzle
from homeward.puzzles.cube import Cube
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.twophase.tables import Phases, phases, read_start
from homeward.workers import Crew

_METRICS = ("own", "quarter", "half")
_FAR = 10**6
_SECOND = {True: (12, 10), False: (18, 14)}
"""The longest second phase that is tried, where half turns count one and where they count two: for
the first solution, and for better ones, where more first phases are worth more."""
_LONGEST = 64


@dataclass(frozen=True)
class TwoPhase:
    """First a cube that needs no more quarter turns but those of U and D, then home.

    Tries first phases of growing length, each with the best second phase, on the state and its
    inverse along all three axes. The first solution takes a few hundredths of a second. It is
    better the longer it looks, and shortest once first phases are as long as the solution.
    """

    metric: str = "own"
    """What makes a solution short: `quarter` turns, `half` turns, or the puzzle's `own` moves."""
    seconds: float = 1.0
    """How long to look for shorter solutions, within the time there is."""
    threads: int = 0
    """How many threads search, 0 for one on each core."""

    def __post_init__(self) -> None:
        if self.metric not in _METRICS:
            known = ", ".join(_METRICS)
            raise PuzzleError(f"metric must be one of {known}, not {self.metric!r}")
        if self.threads < 0 or self.seconds < 0:
            raise PuzzleError("threads and seconds must be at least 0")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a short path from `start` `[cells]` to the goal; `heuristic` is not asked."""
        cube = as_cube(puzzle)
        half_turns = cube.half_turns if self.metric == "own" else self.metric == "half"
        run = _Run(cube, np.asarray(start), half_turns, meter, Crew(self.threads))
        status = Outcome.SOLVED
        try:
            run.until(time.perf_counter() + self.seconds)
        except Interrupted as stop:
            status = stop.status
        moves = run.moves
        if moves is None:
            return meter.solution(status)
        proved = run.exhausted and half_turns == cube.half_turns
        return meter.solution(Outcome.SOLVED, moves, len(moves) if proved else 0)


class _Enough(Exception):  # noqa: N818 - a signal within a search, not an error
    """The time for better solutions is over."""


@dataclass
class _View:
    """A cube to solve instead: along another axis, or the inverse."""

    start: NDArray[np.int64]
    turns: NDArray[np.intp]
    inverse: bool


class _Run:
    """One search, and the best solution so far, as `moves` of the cube."""

    def __init__(
        self, cube: Cube, start: NDArray[Any], half_turns: bool, meter: Meter, crew: Crew
    ) -> None:
        self._cube, self._meter, self._crew = cube, meter, crew
        self._tables: Phases = phases(half_turns)
        self._longest = _SECOND[half_turns]
        # A cube with symmetries of its own looks the same in several views.
        views = {view.start.tobytes(): view for view in _views(from_goal(cube, start[None]))}
        self._views = list(views.values())
        self._best = np.full(1, _FAR)
        self._turns: list[int] | None = None
        self._cost = _FAR
        self._finding = threading.Lock()
        self._counts = np.zeros((crew.threads, 2), np.int64)
        self.exhausted = False

    @property
    def moves(self) -> list[int] | None:
        """The best solution in moves of the puzzle, None if there is none yet."""
        if self._turns is None:
            return None
        names = self._cube.move_names
        words = [_TURNS[turn] for turn in self._turns]
        if self._cube.half_turns:
            return [names.index(word) for word in words]
        quarters = [[word[0]] * 2 if word.endswith("2") else [word] for word in words]
        return [names.index(name) for pair in quarters for name in pair]

    def until(self, end: float) -> None:
        """Searches until `end`, or until nothing shorter is possible."""
        progress = self._meter.progress
        before = (progress.expanded, progress.generated)
        progress.doing = "looking for short solutions in two phases"

        def check() -> None:
            expanded, generated = (int(n) for n in self._counts.sum(0))
            progress.expanded, progress.generated = before[0] + expanded, before[1] + generated
            if self._turns is not None:
                moves = self.moves
                progress.best = None if moves is None else len(moves)
                if time.perf_counter() > end:
                    raise _Enough
            self._meter.check()

        self._meter.check()
        try:
            self._crew.run(self._jobs(), self._work, check)
            # Every shorter solution has a shorter first phase, and then a second one that was not
            # too long to be tried.
            self.exhausted = self._cost - 1 <= min(self._longest)
        except _Enough:
            pass
        finally:
            expanded, generated = (int(n) for n in self._counts.sum(0))
            progress.expanded, progress.generated = before[0] + expanded, before[1] + generated

    def _jobs(self) -> Iterator[tuple[int, _View]]:
        """Costs of the first phase with what to solve, until no shorter solution can come."""
        for depth in count():
            for view in self._views:
                if depth >= self._best[0]:
                    return
                yield depth, view

    def _work(self, job: tuple[int, _View], hand: int) -> None:
        from homeward.search.twophase.kernels import search_first

        depth, view = job
        found = np.zeros(_LONGEST + depth, np.int64)
        length = search_first(
            self._tables,
            view.start,
            depth,
            self._longest[self._turns is not None],
            self._best,
            found,
            self._crew.stop,
            self._counts[hand],
        )
        if length < 0:
            return
        turns = found[:length]
        cost = int(self._tables.cost[turns].sum())
        if view.inverse:
            turns = _INVERSES[turns[::-1]]
        with self._finding:  # two threads may have found one at the same time
            if cost < self._cost:
                self._cost, self._turns = cost, [int(turn) for turn in view.turns[turns]]


_HALF_TURNS = Cube(3, half_turns=True)
_TURNS = _HALF_TURNS.move_names
_INVERSES = _HALF_TURNS.inverses


def _views(row: NDArray[Any]) -> Iterator[_View]:
    """A cube `[1, 54]` along the three axes, and its inverse."""
    for symmetry in turns_and_mirrors(True)[::16]:
        image = symmetry.image(row)
        yield _View(read_start(image)[0], symmetry.moves, inverse=False)
        yield _View(read_start(_HALF_TURNS.inverted(image))[0], symmetry.moves, inverse=True)
