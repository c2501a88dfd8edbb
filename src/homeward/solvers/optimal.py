"""A short solution first, then the proof that it is shortest, or the shorter one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles import arrays
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Budget, Interrupted, Meter, Outcome, Progress, Solution, replayed
from homeward.search.idastar import Planted, Tree, Worded, deepen

if TYPE_CHECKING:
    from homeward.solvers import Prepared

AUTO_START, NO_START, BEAM = "auto", "none", "beam"
_HAND_MADE = ("twophase", "rows")
"""Who finds the first solution where there is no model."""

_AT_ONCE = 1.0
"""Seconds below which a depth is searched without a first solution."""
_HASTE = 0.05
"""The same as a share of the time that is left, if that is less."""
_FIRST = 1.0
"""Seconds for the first solution."""
_NEAR = 7
"""Moves from home where a solver is tried out."""
_SHARE = 0.1
"""How much of the time that the next depth will take may go into better solutions."""
_LONGER = 3.0
"""How many times longer than all before a beam looks the next time: wide ones are worth more."""
_UNPROVED = 6.0
"""Seconds for a solution where a proof cannot even begin, if the budget sets no time."""
_LONG = ((120.0, 5), (5.0, 4))
"""A depth of more seconds is searched in the order that a net gives beginnings of 5 or 4 moves."""


@dataclass(frozen=True)
class Optimal:
    """Proves a solution of another solver shortest by IDA*, or finds a shorter one.

    A solution of L moves is shortest once all lengths below have been searched in vain. So the
    better the first solution, the less there is to search: the last length, which takes longer than
    all before, is spared. Depths that are searched in no time come first; the first solution is
    made before one that is not. A net can then make better ones while the time for that is small
    beside what the next depth will take, and says where that depth may have a solution. When the
    budget is spent, the solution and the lower bound are what is known.
    """

    start: str = AUTO_START
    """The solver that finds the first solution, or `none`; `auto` is `beam` where there is a model,
    else `twophase` for cubes and `rows` for boards."""
    start_seconds: float = 600.0
    """The most time for first and better solutions, all together."""
    threads: int = 0
    """How many threads search, 0 for one on each core."""
    model: str | None = None
    """The model that `beam` asks, by name or path; the puzzle's own if none is named."""
    device: str = "auto"
    """Where the model runs: auto, cpu or cuda."""

    def __post_init__(self) -> None:
        if self.threads < 0 or self.start_seconds < 0:
            raise PuzzleError("threads and start_seconds must be at least 0")

    def start_for(self, puzzle: Puzzle) -> str:
        """The solver that finds the first solution of a puzzle."""
        if self.start != AUTO_START:
            return self.start
        from homeward.solvers import SOLVERS
        from homeward.solvers.fitness import why_no_net

        if self.model is not None or not why_no_net(puzzle):
            return BEAM
        fitting = (name for name in _HAND_MADE if not SOLVERS[name].why_not(puzzle))
        return next(fitting, NO_START)

    def asks_net(self, puzzle: Puzzle) -> bool:
        """Whether a learned net has a part in it."""
        return self.start_for(puzzle) == BEAM

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a shortest path from `start` `[cells]` to a goal."""
        if not isinstance(heuristic, Planted) or not heuristic.admissible:
            raise PuzzleError("proofs need an admissible heuristic that has a tree")
        first = _First(self, puzzle, start, meter)
        best: tuple[int, ...] | None = None
        status = Outcome.SOLVED
        try:
            tree = heuristic.tree(np.asarray(start))
            meter.progress.lower_bound = tree.bound
            asked = first if first.can_look else None
            found = deepen(_Guided(tree, first), meter, self.threads, shorten=asked)
            best = first.best if found is None else tuple(found)
        except Interrupted as stop:
            status, best = stop.status, first.best
        if best is not None:
            status = Outcome.SOLVED
        return meter.solution(status, best, meter.progress.lower_bound)

    def without_proof(
        self,
        puzzle: Puzzle,
        start: NDArray[Any],
        meter: Meter,
        status: Outcome,
        seconds: float | None = None,
    ) -> Solution:
        """The first solution alone, for a budget that is too small for the tables of a proof.

        `status` says of what there is too little. It takes so many `seconds`, or all there are.
        """
        first = _First(self, puzzle, start, meter)
        try:
            first.look_once(seconds)
        except Interrupted as stop:
            status = stop.status
        status = status if first.best is None else Outcome.SOLVED
        return meter.solution(status, first.best, meter.progress.lower_bound)


@dataclass
class _First:
    """The best solution that another solver has found, and the time that it may still take."""

    settings: Optimal
    puzzle: Puzzle
    start: NDArray[Any]
    meter: Meter
    best: tuple[int, ...] | None = None
    spent: float = 0.0
    ahead: float = 0.0
    """Seconds that the next depth will take."""
    _solver: Prepared | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        name = self.settings.start_for(self.puzzle)
        if name != NO_START:
            self._solver = prepared(self.puzzle, name, self.settings.model, self.settings.device)

    @property
    def can_look(self) -> bool:
        """Whether there is a solver to ask."""
        return self._solver is not None

    def __call__(self, seconds: float) -> int | None:
        """The length of the best solution, looked for before a depth of so many seconds."""
        self.ahead = seconds
        if self._solver is not None and self._solver.solver.name == BEAM:
            while (allowed := self._worth() - self.spent) > _FIRST / 10 and not self._is_enough:
                look = max(_FIRST, _LONGER * self.spent)
                self._look(self._solver, look if 2 * look < allowed else allowed)
        elif self._solver is not None and self._worth() and not self.spent:
            # Others know themselves when they have said what they can.
            self._look(self._solver, self.settings.start_seconds)
        return None if self.best is None else len(self.best)

    def _worth(self) -> float:
        """Seconds that may go into a short solution before the next depth, spent ones included."""
        left = self.meter.seconds_left
        at_once = _AT_ONCE if left is None else min(_AT_ONCE, _HASTE * left)
        worth = max(_FIRST, _SHARE * self.ahead) if self.ahead > at_once else 0.0
        if left is not None and self.ahead > left:  # nothing more will be proved
            worth = max(worth, self.spent + left)
        return min(worth, self.settings.start_seconds)

    def look_once(self, seconds: float | None) -> None:
        """Looks for a solution for so long, or as long as there is time, or else for a while."""
        left = self.meter.seconds_left
        allowed = _UNPROVED if left is None else left
        if seconds is not None:
            allowed = min(seconds, allowed)
        if self._solver is not None:
            self._look(self._solver, min(allowed, self.settings.start_seconds), warmed=False)

    @property
    def _is_enough(self) -> bool:
        """Whether nothing shorter can exist."""
        return self.best is not None and len(self.best) <= self.meter.progress.lower_bound

    def ordered(self, words: Sequence[tuple[int, ...]]) -> Sequence[tuple[int, ...]]:
        """Beginnings of one length, those first that a net finds nearest to home."""
        if self._solver is None or self._solver.heuristic is None:
            return words
        states = np.repeat(self.start[None], len(words), 0)
        for moves in np.array(words, np.int64).T:
            states = self.puzzle.step(states, moves)
        net = self._solver.heuristic
        return [words[i] for i in np.argsort(arrays.to_numpy(net.values(net.place(states))))]

    def _look(self, solver: Prepared, seconds: float, warmed: bool = True) -> None:
        """Lets the other solver look for a shorter solution than the best so far.

        Where it is not `warmed` up first, what it loads and compiles is part of its time.
        """
        meter, before = self.meter, self.meter.progress
        counted = before.expanded, before.generated, before.evaluated
        meter.progress.doing = f"looking for a short solution with {solver.solver.name}"
        meter.check()
        solver.load(meter)
        if warmed:
            warm(self.puzzle, solver.solver.name, self.settings.model, self.settings.device)

        def tell(progress: Progress) -> None:
            ours = meter.progress
            ours.expanded = counted[0] + progress.expanded
            ours.generated = counted[1] + progress.generated
            ours.evaluated = counted[2] + progress.evaluated
            meter.check()

        left = meter.seconds_left
        allowed = seconds if left is None else min(seconds, left)
        # A meter of its own: beams measure their speed by what is counted there.
        inner = Meter(Budget(seconds=allowed, bytes=meter.budget.bytes), tell)
        inner.progress.lower_bound = before.lower_bound  # nothing shorter need be looked for
        found = replayed(self.puzzle, self.start, solver.solve(self.start, inner))
        self.spent += max(seconds, found.seconds)  # one that ends early has nothing more to say
        if found.moves is not None and (self.best is None or len(found.moves) < len(self.best)):
            self.best = found.moves
            meter.progress.best = len(found.moves)
        bound = max(meter.progress.lower_bound, found.lower_bound)
        meter.progress.lower_bound = bound
        tell(inner.progress)


@dataclass(frozen=True)
class _Guided:
    """A tree whose long depths are searched where a net sees a solution first."""

    tree: Tree
    first: _First

    @property
    def bound(self) -> int:
        return self.tree.bound

    @property
    def step(self) -> int:
        return self.tree.step

    def parts(self, depth: int) -> Sequence[Any]:
        moves = [moves for seconds, moves in _LONG if self.first.ahead > seconds]
        if not moves or not isinstance(self.tree, Worded):
            return self.tree.parts(depth)
        return self.first.ordered(self.tree.words(depth, moves[0]))

    def search(
        self, part: Any, depth: int, stop: NDArray[np.uint8], counts: NDArray[np.int64]
    ) -> list[int] | None:
        return self.tree.search(part, depth, stop, counts)


@lru_cache(maxsize=8)
def warm(puzzle: Puzzle, name: str, model: str | None, device: str) -> None:
    """Loads and compiles what a solver needs, once, so that its time is its own."""
    solver = prepared(puzzle, name, model, device)
    solver.load(Meter(Budget()))
    near = solver.puzzle.walks(1, _NEAR, np.random.default_rng(0)).states[-1, 0]
    solver.solve(near, Meter(Budget(seconds=_FIRST)))


@lru_cache(maxsize=8)
def prepared(puzzle: Puzzle, name: str, model: str | None, device: str) -> Prepared:
    """A solver made ready once for all states of a puzzle."""
    from homeward import solvers

    net = solvers.Net(model, device)
    settings = solvers.improving(puzzle, net) if name == BEAM else {}
    return solvers.prepare(puzzle, name, settings, net=net)
