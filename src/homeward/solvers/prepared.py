"""A solver made ready for many states: its heuristic is made when it is needed, and in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sliding import Sliding
from homeward.search.base import Interrupted, Meter, Outcome, Search, Solution, replayed
from homeward.solvers import fitness
from homeward.solvers.entry import Solver
from homeward.solvers.estimates import estimate
from homeward.solvers.net import Net

_NEAR = 120_000
"""States around the goal that `auto` knows the way from."""
_LOADING = 0.7
"""How much of the time tables may take, or what may fail; the rest is for a first solution."""
_FIRST, _FIRST_SHARE = 1.0, 0.3
"""Seconds for a solution before tables are made, and how much of the time these are at most."""

First: TypeAlias = Callable[[Puzzle, NDArray[Any], Meter, Outcome, float | None], Solution]
"""A solution without proof, within so many seconds; the outcome is how it ends without one."""


@dataclass
class Prepared:
    """A solver with its settings and, once it was needed, its heuristic: for many states."""

    puzzle: Puzzle
    solver: Solver
    search: Search
    net: Net
    look_near: bool = False
    """Whether states near home are looked up, with proof, instead of searched."""
    first: First | None = None
    """Who gives a solution without proof where there is no time for tables or for the search."""
    _heuristic: Heuristic | None = None

    def __post_init__(self) -> None:
        self._own: First | None = getattr(self.search, "without_proof", None)
        self.first = self.first or self._own
        self.model: str | None = None
        self.weights: str | None = None
        """The sha256 of the net that is asked, if one is."""
        self.device = "cpu"
        if self.solver.heuristic is not None:
            self.model = estimate(self.solver.heuristic).model
        asks: Callable[[Puzzle], bool] = getattr(self.search, "asks_net", lambda puzzle: False)
        if self._asks_net or asks(self.puzzle):
            from homeward.heuristics.loading import chosen_device
            from homeward.heuristics.models import read_card

            named = self.net.model or getattr(self.search, "model", None)
            self.model = self.puzzle.name if named is None else str(named)
            self.weights = read_card(self.model).sha256
            self.device = chosen_device(self.net.device)

    def solve(self, start: NDArray[Any], meter: Meter) -> Solution:
        """The replayed solution of one state `[cells]`. The first one waits for the heuristic."""
        try:
            way = self._known_way(start, meter) if self.look_near else None
        except Interrupted as stop:
            return self._answer(start, meter.solution(stop.status))
        if way is not None:
            return self._answer(start, meter.solution(Outcome.SOLVED, way, len(way)))
        begun = self._begun(start, meter)
        if begun is not None and begun.proof == "optimal":
            return self._answer(start, begun)
        found = self._searched(start, meter)
        return self._answer(start, found if begun is None else _better(found, begun))

    def _begun(self, start: NDArray[Any], meter: Meter) -> Solution | None:
        """A solution from before the tables of a proof are made, which may take minutes."""
        if self._own is None or self._heuristic is not None:
            return None
        seconds = meter.budget.seconds
        allowed = _FIRST if seconds is None else min(_FIRST, _FIRST_SHARE * seconds)
        return self._own(self.puzzle, start, meter, Outcome.OUT_OF_TIME, allowed)

    def _searched(self, start: NDArray[Any], meter: Meter) -> Solution:
        """What the search finds, or else whoever needs no tables, in the time that it leaves."""
        whole, partly = meter.budget, self.first is not None
        if partly and whole.seconds is not None:
            meter.budget = replace(whole, seconds=_LOADING * whole.seconds)
            meter.gives_up = True
        try:
            self.load(meter)
            if self._own is not None:  # which goes on without proof by itself
                meter.budget, meter.gives_up = whole, False
            found = self.search(self.puzzle, start, self._heuristic, meter)
        except Interrupted as stop:
            found = meter.solution(stop.status, None, meter.progress.lower_bound)
        finally:
            meter.budget, meter.gives_up = whole, False
        failed = found.moves is None and found.status not in (Outcome.UNSOLVABLE, Outcome.CANCELLED)
        if self.first is None or not failed:
            return found
        return self.first(self.puzzle, start, meter, found.status, None)

    def _answer(self, start: NDArray[Any], found: Solution) -> Solution:
        """A solution, replayed, with a better lower bound where one is at hand."""
        bound = max(found.lower_bound, int(not self.puzzle.is_solved(np.asarray(start)[None])[0]))
        if isinstance(self.puzzle, Sliding):
            from homeward.heuristics.tiles.manhattan import steps_home

            bound = max(bound, steps_home(self.puzzle, start))
        return replayed(self.puzzle, start, replace(found, lower_bound=bound))

    def load(self, meter: Meter) -> None:
        """Makes the heuristic within the meter's budget, unless it is there already."""
        if self._heuristic is None:
            self._heuristic = self._make_heuristic(meter)

    @property
    def heuristic(self) -> Heuristic | None:
        """What the search asks, once it is there."""
        return self._heuristic

    def _known_way(self, start: NDArray[Any], meter: Meter) -> list[int] | None:
        """The shortest way from a state that is near home; None from further away."""
        from homeward.search.ball import ball

        return ball(self.puzzle, start, _NEAR, meter).way_home(start)

    @property
    def _asks_net(self) -> bool:
        if not self.solver.learned or self.solver.heuristic is None:
            return self.solver.learned
        return self.net.model is not None or not fitness.why_no_net(self.puzzle)

    def _make_heuristic(self, meter: Meter) -> Heuristic | None:
        if self._asks_net:
            from homeward.heuristics.loading import load

            return load(self.puzzle, self.net.model, self.device, self.net.threads)
        if self.solver.heuristic is None:
            return None
        return estimate(self.solver.heuristic).make(self.puzzle, meter)


def _better(found: Solution, begun: Solution) -> Solution:
    """What was found, with the shorter of its moves and those of a solution from before."""
    bound = max(found.lower_bound, begun.lower_bound)
    moves = [each.moves for each in (found, begun) if each.moves is not None]
    if not moves:
        return replace(found, lower_bound=bound)
    return replace(found, status=Outcome.SOLVED, moves=min(moves, key=len), lower_bound=bound)
