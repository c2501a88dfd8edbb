"""IDA* on sliding boards: dives with a growing limit, on all cores once there is enough to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.heuristics.tiles.additive import AdditiveDatabase
from homeward.heuristics.tiles.board import BoardHeuristic
from homeward.heuristics.tiles.manhattan import Manhattan
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.tiles.dives import (
    NEVER,
    Dive,
    ManhattanDive,
    PatternDive,
    Root,
    split,
)
from homeward.search.tiles.records import FOUND, PAUSED
from homeward.workers import Crew

_GROWTH = 8
"""How much larger each limit's tree is than the last, until two are known."""
_FEW = 2_000_000
"""Children up to which one thread is quicker than to share the work."""
_SHARES = 100
"""Parts of the work for each thread: enough that none waits long for the others at the end."""
_ENOUGH = 1000
"""Children that a tree must have for its growth to say something about the next one's."""


@dataclass(frozen=True)
class BoardIda:
    """Every path whose estimated length is within a limit, then within the next, until home.

    The limit starts at the estimate of the start and grows to the least estimate that was over it,
    which on a board that is not coiled means by two. All shorter limits have failed, so the first
    solution is shortest. Needs hardly any memory but the heuristic's.
    """

    threads: int = 0
    """Threads that work at once; 0 is one on each core."""

    def __post_init__(self) -> None:
        if self.threads < 0:
            raise PuzzleError(f"threads must be at least 0, not {self.threads}")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a shortest path from `start` `[cells]`."""
        return self.prove(puzzle, start, heuristic, meter)

    def prove(
        self,
        puzzle: Puzzle,
        start: NDArray[Any],
        heuristic: Heuristic | None,
        meter: Meter,
        known: Sequence[int] | None = None,
    ) -> Solution:
        """The same with a solution that is `known`, which need only be proved or beaten.

        When the budget is spent, the answer is the known solution, and how short another could be.
        """
        if not isinstance(puzzle, Sliding):
            raise PuzzleError(f"this IDA* is for sliding boards, not {puzzle.name}")
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        tree = _Tree(puzzle, start, heuristic, meter, self.threads)
        meter.progress.best = None if known is None else len(known)
        try:
            moves = tree.grow(NEVER if known is None else len(known))
        except Interrupted as stop:
            return meter.solution(stop.status, known, meter.progress.lower_bound)
        found = known if moves is None else moves
        if found is None:
            return meter.solution(Outcome.UNSOLVABLE, None, meter.progress.lower_bound)
        return meter.solution(Outcome.SOLVED, found, len(found))


class _Tree:
    """The paths from one board, looked at with ever larger limits."""

    def __init__(
        self,
        puzzle: Sliding,
        start: NDArray[Any],
        heuristic: Heuristic | None,
        meter: Meter,
        threads: int,
    ) -> None:
        self.puzzle, self.root, self.meter = puzzle, Root(start), meter
        self.crew = Crew(threads)
        if isinstance(heuristic, AdditiveDatabase):
            self.dives: list[Dive] = [PatternDive(heuristic) for _ in range(self.crew.threads)]
        elif type(heuristic) is Manhattan:
            self.dives = [ManhattanDive(heuristic) for _ in range(self.crew.threads)]
        else:
            name = "none" if heuristic is None else heuristic.name
            raise PuzzleError(f"IDA* on boards asks pattern databases or manhattan, not {name}")
        self.heuristic: BoardHeuristic = heuristic
        self.roots: list[tuple[int, Root]] = []

    def grow(self, upper: int) -> list[int] | None:
        """The moves of a shortest solution of less than `upper` moves, None if there is none.

        `lower_bound` of the meter's progress grows with the limit.
        """
        progress = self.meter.progress
        limit = int(self.heuristic.estimate(self.root.board[None])[0])
        before, expected = 0, 0.0
        while limit < upper:
            progress.lower_bound = limit
            progress.doing = f"limit {limit}, about {max(expected, 1):,.0f} boards to look at"
            start = progress.generated
            moves = self._alone(limit) if expected <= _FEW else self._together(limit)
            if moves is not None:
                return moves
            size = progress.generated - start
            expected = size * (size / before if before > _ENOUGH else _GROWTH)
            before = size
            limit = min(dive.take_beyond() for dive in self.dives)
        progress.lower_bound = upper
        return None

    def _alone(self, limit: int) -> list[int] | None:
        """One limit on this thread."""
        dive = self.dives[0]
        dive.begin(self.root, limit)
        while (status := dive.go_on()) == PAUSED:
            self._tell()
        self._tell()
        return dive.path() if status == FOUND else None

    def _together(self, limit: int) -> list[int] | None:
        """One limit on all threads, which take the boards some moves further on as they come."""
        if not self.roots:
            roots = split(self.puzzle, self.root, _SHARES * len(self.dives))
            estimates = self.heuristic.estimate(np.array([root.board for root in roots]))
            # The largest trees first, so that the last ones to end are small.
            order = np.argsort(estimates, kind="stable").tolist()
            self.roots = [(int(estimates[i]), roots[i]) for i in order]
        found: list[list[int]] = []

        def work(part: tuple[int, Root], hand: int) -> None:
            (estimate, root), dive = part, self.dives[hand]
            if len(root.moves) + estimate > limit:
                dive.leave_out(len(root.moves) + estimate)
                return
            dive.begin(root, limit)
            while (status := dive.go_on()) == PAUSED and not self.crew.stop[0]:
                pass
            if status == FOUND:
                found.append([*root.moves, *dive.path()])
                self.crew.stop[0] = 1

        self.crew.run(self.roots, work, self._tell)
        self._tell()
        return found[0] if found else None

    def _tell(self) -> None:
        """Brings the counters up to date, and stops if the budget is spent."""
        progress = self.meter.progress
        progress.expanded = sum(dive.expanded for dive in self.dives)
        progress.generated = progress.evaluated = sum(dive.generated for dive in self.dives)
        self.meter.check()
