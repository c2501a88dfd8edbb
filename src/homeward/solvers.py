"""Named pairs of a search and the heuristic it asks, and `solve()`.

A solver is one entry of `SOLVERS`, which says where its search and its heuristic are found.
Neither is imported before it is used.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.notation.state import State
from homeward.options import choices, read_settings
from homeward.puzzles import registry
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Budget, Callback, Interrupted, Meter, Search, Solution, replayed

StateLike: TypeAlias = str | State | NDArray[Any]
"""A state as text, as a `State`, or as a row `[cells]`."""


@dataclass(frozen=True)
class Solver:
    """A search with the heuristic it asks.

    `search` names a frozen dataclass of settings that is a `Search`, as `module:Class`. `heuristic`
    makes what the search asks, within a meter's budget; None for blind searches. `proves` says
    whether every solution is proved shortest. `why_not` gives the reason why a puzzle cannot be
    done, empty if it can.
    """

    name: str
    help: str
    search: str
    heuristic: Callable[[Puzzle, Meter], Heuristic] | None = None
    proves: bool = False
    why_not: Callable[[Puzzle], str] = lambda puzzle: ""

    @property
    def search_class(self) -> type[Any]:
        """The dataclass of the search's settings."""
        found: type[Any] = _imported(self.search)
        return found

    def settings(self) -> dict[str, Any]:
        """The names of the settings, each with its default."""
        return {f.name: f.default for f in dataclasses.fields(self.search_class)}

    def configured(self, settings: Mapping[str, Any]) -> Search:
        """The search with some of its settings changed; text is read as the setting's type."""
        values = read_settings(self.name, self.search_class, settings)
        made: Search = self.search_class(**values)
        return made


def _distance_table(puzzle: Puzzle, meter: Meter) -> Heuristic:
    """The distances of a whole graph, read from disk or worked out now."""
    from homeward.heuristics.graph import distances
    from homeward.heuristics.table import DistanceTable

    def tell(counts: list[int], states: int) -> None:
        meter.progress.doing = f"working out {states:,} distances, {sum(counts) / states:.0%}"
        meter.check(states)

    return DistanceTable(puzzle, distances(puzzle, tell))


def _why_no_table(puzzle: Puzzle) -> str:
    from homeward.puzzles.ranking import why_no_ranking

    return why_no_ranking(puzzle)


SOLVERS = {
    solver.name: solver
    for solver in (
        Solver(
            "bfs",
            "breadth-first from the start: shortest; proves a state unsolvable",
            "homeward.search.blind:BreadthFirst",
            proves=True,
        ),
        Solver(
            "dfs",
            "depth-first with a growing limit: shortest, in hardly any memory",
            "homeward.search.blind:DepthFirst",
        ),
        Solver(
            "bidirectional",
            "breadth-first from both ends: shortest, with far fewer states than bfs",
            "homeward.search.blind:Bidirectional",
            proves=True,
        ),
        Solver(
            "table",
            "walks down the distances of the whole graph, which are worked out once and kept",
            "homeward.search.table:TableDescent",
            _distance_table,
            proves=True,
            why_not=_why_no_table,
        ),
    )
}

_MANY, _SMALL = 10, 5_000_000
"""For so many states of a graph no larger than this, its table is sooner made than searches."""

AUTO = "auto"
AUTO_HELP = "the quickest way to a solution that is at hand (default)"


def solver(name: str) -> Solver:
    """The solver of that name; `PuzzleError` with the nearest one if there is none."""
    if name not in SOLVERS:
        raise PuzzleError(f"there is no solver named {name!r}{choices(name, [AUTO, *SOLVERS])}")
    return SOLVERS[name]


def choose(puzzle: Puzzle, name: str = AUTO, optimal: bool = False, states: int = 1) -> Solver:
    """The solver for a puzzle: the named one if it can, or for `auto` the best one for `states`.

    With `optimal` only solvers that prove their solutions count; others raise `PuzzleError`.
    """
    if name == AUTO:
        return solver("table" if states >= _MANY and _small(puzzle) else "bidirectional")
    chosen = solver(name)
    reason = chosen.why_not(puzzle)
    if reason:
        raise PuzzleError(reason)
    if optimal and not chosen.proves:
        proving = ", ".join(s.name for s in SOLVERS.values() if s.proves)
        raise PuzzleError(f"{name} does not prove every solution shortest; these do: {proving}")
    return chosen


def _small(puzzle: Puzzle) -> bool:
    """Whether the whole graph can be worked out in seconds."""
    from homeward.puzzles.ranking import count_states

    return not _why_no_table(puzzle) and count_states(puzzle) <= _SMALL


@overload
def solve(
    puzzle: Puzzle | str,
    state: str | State,
    solver: str = ...,
    *,
    optimal: bool = ...,
    seconds: float | None = ...,
    nodes: int | None = ...,
    memory: int | None = ...,
    settings: Mapping[str, Any] | None = ...,
    progress: Callback | None = ...,
) -> Solution: ...


@overload
def solve(
    puzzle: Puzzle | str,
    state: NDArray[Any],
    solver: str = ...,
    *,
    optimal: bool = ...,
    seconds: float | None = ...,
    nodes: int | None = ...,
    memory: int | None = ...,
    settings: Mapping[str, Any] | None = ...,
    progress: Callback | None = ...,
) -> Any: ...


def solve(
    puzzle: Puzzle | str,
    state: StateLike,
    solver: str = AUTO,
    *,
    optimal: bool = False,
    seconds: float | None = None,
    nodes: int | None = None,
    memory: int | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Callback | None = None,
) -> Solution | list[Solution]:
    """Solves one state (text, a `State` or a row `[cells]`), or each row of `[n, cells]`.

    The budget (`seconds`, `nodes`, `memory` in bytes) is for each state; without `memory` a search
    may use half of what the machine has free. `settings` are the search's own (see
    `homeward list solvers`). `optimal` admits only solvers that prove their solutions shortest.
    `progress` is called a few times a second. Every solution has been replayed. One state gives a
    `Solution`, `[n, cells]` gives a list.

    >>> solve("puzzle8", "1 2 3 4 5 6 0 7 8").length
    2
    """
    made = registry.puzzle(puzzle) if isinstance(puzzle, str) else puzzle
    many = isinstance(state, np.ndarray) and state.ndim == 2
    given = list(np.asarray(state)) if many else [state]
    starts = [read(made, one) for one in given]
    made = starts[0].puzzle if starts else made  # a Sokoban board fixes its size
    chosen = choose(made, solver, optimal, len(starts))
    limits = Budget(seconds, nodes, free_bytes() // 2 if memory is None else memory)
    search = chosen.configured(settings or {})
    rows = [start.cells for start in starts]
    found = list(run(chosen, search, made, rows, lambda: Meter(limits, progress)))
    return found if many else found[0]


def run(
    solver: Solver,
    search: Search,
    puzzle: Puzzle,
    starts: Iterable[NDArray[Any]],
    new_meter: Callable[[], Meter],
) -> Iterator[Solution]:
    """The replayed solution of each start `[cells]`, one after the other, each with its own meter.

    `search` is the solver's, configured. The heuristic is made once, in the first one's time.
    """
    heuristic: Heuristic | None = None
    for start in starts:
        meter = new_meter()
        try:
            if heuristic is None and solver.heuristic is not None:
                heuristic = solver.heuristic(puzzle, meter)
        except Interrupted as stop:
            yield meter.solution(stop.status)
            continue
        yield replayed(puzzle, start, search(puzzle, start, heuristic, meter))


def read(puzzle: Puzzle, state: StateLike) -> State:
    """A state in any of its forms, checked; raises `PuzzleError` with everything wrong with it."""
    if isinstance(state, str):
        return State.read(puzzle, state)
    if isinstance(state, State):
        if state.puzzle.family != puzzle.family or state.puzzle.moves != puzzle.moves:
            raise PuzzleError(f"a state of {state.puzzle.name} is none of {puzzle.name}")
        puzzle, state = (state.puzzle if puzzle.family == "sokoban" else puzzle), state.cells
    puzzle.require_valid(state)
    return State(puzzle, np.asarray(state, dtype=puzzle.dtype))


def free_bytes() -> int:
    """Memory that can be had without pushing anything else out."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = (
            int(next(line.split()[1] for line in lines if line.startswith("MemAvailable"))) * 1024
        )
    except (OSError, StopIteration):
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    group = Path("/sys/fs/cgroup")  # a container may have less than the machine
    try:
        most = int((group / "memory.max").read_text(encoding="ascii"))
        return min(free, most - int((group / "memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):
        return free


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
