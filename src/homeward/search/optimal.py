"""A short solution first, then the proof that it is shortest, or the shorter one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Budget, Interrupted, Meter, Outcome, Solution, replayed
from homeward.search.idastar import Planted, deepen

if TYPE_CHECKING:
    from homeward.solvers import Prepared

NO_START = "none"


@dataclass(frozen=True)
class Optimal:
    """Proves a solution of another solver shortest by IDA*, or finds a shorter one.

    A solution of L moves is shortest once all lengths below have been searched in vain. So the
    better the first solution, the less there is to search: the last length, which takes longer than
    all before, is spared. When the budget is spent, the solution and the lower bound are what is
    known.
    """

    start: str = "twophase"
    """The solver that finds the first solution, or `none`."""
    start_seconds: float = 5.0
    """The most time for that; two phases take one second of it."""
    threads: int = 0
    """How many threads search, 0 for one on each core."""

    def __post_init__(self) -> None:
        if self.threads < 0 or self.start_seconds < 0:
            raise PuzzleError("threads and start_seconds must be at least 0")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a shortest path from `start` `[cells]` to a goal."""
        if not isinstance(heuristic, Planted) or not heuristic.admissible:
            raise PuzzleError("proofs need an admissible heuristic that has a tree")
        best: tuple[int, ...] | None = None
        status = Outcome.SOLVED
        try:
            tree = heuristic.tree(np.asarray(start))
            meter.progress.lower_bound = tree.bound
            best = self._first_solution(puzzle, start, meter)
            length = None if best is None else len(best)
            found = deepen(tree, meter, self.threads, shorter_than=length)
            best = best if found is None else tuple(found)
        except Interrupted as stop:
            status = stop.status
        if best is not None:
            status = Outcome.SOLVED
        return meter.solution(status, best, meter.progress.lower_bound)

    def _first_solution(
        self, puzzle: Puzzle, start: NDArray[Any], meter: Meter
    ) -> tuple[int, ...] | None:
        if self.start == NO_START:
            return None
        bound = meter.progress.lower_bound
        meter.progress.doing = f"looking for a short solution with {self.start}"
        with _at_most(meter, self.start_seconds):
            found = prepared(puzzle, self.start).solve(start, meter)
        meter.progress.lower_bound = max(bound, found.lower_bound)
        meter.check()
        if found.moves is None:
            return None
        meter.progress.best = len(found.moves)
        return replayed(puzzle, start, found).moves


@lru_cache(maxsize=8)
def prepared(puzzle: Puzzle, name: str) -> Prepared:
    """A solver made ready once for all states of a puzzle."""
    from homeward import solvers

    return solvers.prepare(puzzle, name)


@contextmanager
def _at_most(meter: Meter, seconds: float) -> Iterator[None]:
    """Gives a meter less time than it has, for a while."""
    whole: Budget = meter.budget
    end = time.perf_counter() - meter.started + seconds
    meter.budget = replace(whole, seconds=end if whole.seconds is None else min(end, whole.seconds))
    try:
        yield
    finally:
        meter.budget = whole
