"""Named pairs of a search and the heuristic it asks, and `solve()`.

A solver is one entry of `SOLVERS`, which says where its search and its heuristic are found.
Neither is imported before it is used.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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

AUTO = "auto"

StateLike: TypeAlias = str | State | NDArray[Any]
"""A state as text, as a `State`, or as a row `[cells]`."""


@dataclass(frozen=True)
class Net:
    """Which learned net is asked, and where: a model's name or path, a device, threads (0: all)."""

    model: str | Path | None = None
    device: str = AUTO
    threads: int = 0


@dataclass(frozen=True)
class Solver:
    """A search with the heuristic it asks.

    `search` names a frozen dataclass of settings that is a `Search`, as `module:Class`. `heuristic`
    makes what the search asks, within a meter's budget; None for blind searches. `proves` says
    whether every solution is proved shortest. `why_not` gives the reason why a puzzle cannot be
    done, empty if it can. `learned` solvers ask a net; one that has a heuristic too asks that where
    there is no model. `presets` are settings that differ from the search's defaults.
    """

    name: str
    help: str
    search: str
    heuristic: Callable[[Puzzle, Meter], Heuristic] | None = None
    proves: bool = False
    why_not: Callable[[Puzzle], str] = lambda puzzle: ""
    learned: bool = False
    presets: Mapping[str, Any] = field(default_factory=dict)

    @property
    def search_class(self) -> type[Any]:
        """The dataclass of the search's settings."""
        found: type[Any] = _imported(self.search)
        return found

    def settings(self) -> dict[str, Any]:
        """The names of the settings, each with its default."""
        defaults = {f.name: f.default for f in dataclasses.fields(self.search_class)}
        return {**defaults, **self.presets}

    def configured(self, settings: Mapping[str, Any]) -> Search:
        """The search with some of its settings changed; text is read as the setting's type."""
        values = read_settings(self.name, self.search_class, {**self.presets, **settings})
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


def _databases(patterns: str) -> Callable[[Puzzle, Meter], Heuristic]:
    """Additive pattern databases of a sliding board, read from disk or made now."""

    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        from homeward.heuristics.tiles.additive import AdditiveDatabase

        def tell(done: int, total: int) -> None:
            meter.progress.doing = f"making pattern databases, {done / total:.0%}"
            meter.check(3 * total)  # with what is needed on the way

        return AdditiveDatabase(puzzle, patterns, tell)

    return make


def _manhattan(puzzle: Puzzle, meter: Meter) -> Heuristic:
    from homeward.heuristics.tiles.manhattan import Manhattan

    return Manhattan(puzzle)


def _cube_table(puzzle: Puzzle, meter: Meter) -> Heuristic:
    """The cube's big table, read from disk or made now."""
    from homeward.heuristics.cube.bigtable import BYTES, BigTable

    def tell(counts: list[int], part: float) -> None:
        meter.progress.doing = f"making the table of {puzzle.name}, {part:.0%}"
        meter.check(BYTES)

    if not BigTable.is_kept(puzzle):
        meter.check(BYTES)
    fits = meter.budget.bytes is None or meter.budget.bytes >= BYTES
    return BigTable(puzzle, tell, in_memory=fits)


def _cube_patterns(name: str) -> Callable[[Puzzle, Meter], Heuristic]:
    """A named set of the cube's pattern databases, read from disk or made now."""

    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        from homeward.heuristics.cube.korf import pattern_set

        def tell(counts: list[int], placements: int) -> None:
            meter.progress.doing = f"making pattern databases, {sum(counts) / placements:.0%}"
            meter.check(2 * placements)

        return pattern_set(puzzle, name, lambda pattern: tell)

    return make


def _why_no_cube(puzzle: Puzzle) -> str:
    from homeward.puzzles.cube import Cube

    known = isinstance(puzzle, Cube) and puzzle.size == 3
    return "" if known else f"{puzzle.name} is no 3×3×3 cube"


def _why_no_board(puzzle: Puzzle) -> str:
    return "" if puzzle.family == "sliding" else f"{puzzle.name} is no sliding board"


def _why_no_lights(puzzle: Puzzle) -> str:
    return "" if puzzle.family == "lightsout" else f"{puzzle.name} is no Lights Out board"


def _why_no_sokoban(puzzle: Puzzle) -> str:
    return "" if puzzle.family == "sokoban" else f"{puzzle.name} is not Sokoban"


def _why_no_databases(puzzle: Puzzle) -> str:
    from homeward.heuristics.tiles.layout import MOST_CELLS

    if puzzle.cells <= MOST_CELLS:
        return _why_no_board(puzzle)
    return f"pattern databases are for boards of at most {MOST_CELLS} cells, not {puzzle.cells}"


def _why_no_net(puzzle: Puzzle) -> str:
    from homeward.heuristics.models import shipped_models

    if puzzle.name in shipped_models():
        return ""
    return f"there is no model for {puzzle.name}; train one and name it with --model"


def _why_no_table(puzzle: Puzzle) -> str:
    from homeward.puzzles.ranking import why_no_ranking

    return why_no_ranking(puzzle)


def _why_no_estimate(puzzle: Puzzle) -> str:
    return _why_no_net(puzzle) if _why_no_table(puzzle) else ""


def _best_first(name: str, help: str, **presets: Any) -> Solver:
    """A setting of best-first search that asks a net, or a table where there is no model."""
    return Solver(
        name,
        help,
        "homeward.search.bestfirst:BestFirst",
        _distance_table,
        why_not=_why_no_estimate,
        learned=True,
        presets=presets,
    )


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
        Solver(
            "beam",
            "beam search with a learned net, from several views, ever wider: short, and soon",
            "homeward.search.beam:Beam",
            learned=True,
            why_not=_why_no_net,
        ),
        Solver(
            "astar",
            "A* with an estimate that is never too large: shortest",
            "homeward.search.bestfirst:BestFirst",
            _distance_table,
            proves=True,
            why_not=_why_no_table,
        ),
        Solver(
            "optimal",
            "the cube: a short solution first, then a shorter one or the proof that there is none",
            "homeward.search.optimal:Optimal",
            _cube_table,
            proves=True,
            why_not=_why_no_cube,
        ),
        Solver(
            "twophase",
            "the cube in two phases, by Kociemba: good at once, better with time",
            "homeward.search.twophase:TwoPhase",
            why_not=_why_no_cube,
        ),
        Solver(
            "ida-korf",
            "IDA* with Korf's pattern databases of the cube: shortest, with little to make or keep",
            "homeward.search.idastar:IDAStar",
            _cube_patterns("korf"),
            proves=True,
            why_not=_why_no_cube,
        ),
        Solver(
            "ida-eight",
            "the same with the eight databases of the heuristic-learning paper",
            "homeward.search.idastar:IDAStar",
            _cube_patterns("eight"),
            proves=True,
            why_not=_why_no_cube,
        ),
        Solver(
            "ida",
            "IDA* with additive pattern databases, for sliding boards: shortest",
            "homeward.search.tiles.ida:BoardIda",
            _databases("best"),
            proves=True,
            why_not=_why_no_databases,
        ),
        Solver(
            "ida-light",
            "the same with small databases, which are made in seconds",
            "homeward.search.tiles.ida:BoardIda",
            _databases("light"),
            proves=True,
            why_not=_why_no_databases,
        ),
        Solver(
            "ida-manhattan",
            "the same with Manhattan distances: nothing to make or keep",
            "homeward.search.tiles.ida:BoardIda",
            _manhattan,
            proves=True,
            why_not=_why_no_board,
        ),
        Solver(
            "rows",
            "sliding boards row by row, then column by column: at once, of any size, and long",
            "homeward.search.rows:RowByRow",
            why_not=_why_no_board,
        ),
        Solver(
            "lights",
            "Lights Out of any size by elimination: at once, and the shortest of all solutions",
            "homeward.search.lights:Elimination",
            proves=True,
            why_not=_why_no_lights,
        ),
        Solver(
            "sokoban",
            "A* by pushes with a matching of boxes and targets: shortest; proves levels unsolvable",
            "homeward.search.sokoban.astar:PushAStar",
            proves=True,
            why_not=_why_no_sokoban,
        ),
        _best_first("wastar", "weighted A*, one state at a time", weight=0.6),
        _best_first("bwas", "batch weighted A*, as in DeepCubeA", weight=0.6, batch=1000),
        _best_first(
            "qstar", "Q*: bwas for a net that scores all children at once", weight=0.6, batch=1000
        ),
        _best_first("greedy", "greedy best-first: soon, not short", weight=0.0, reopen=False),
        Solver(
            "mcts",
            "Monte Carlo tree search, as in DeepCube",
            "homeward.search.mcts:MCTS",
            _distance_table,
            why_not=_why_no_estimate,
            learned=True,
        ),
    )
}

_MANY, _SMALL = 10, 5_000_000
"""For so many states of a graph no larger than this, its table is sooner made than searches."""

AUTO_HELP = "the quickest way to a solution that is at hand (default)"


def solver(name: str) -> Solver:
    """The solver of that name; `PuzzleError` with the nearest one if there is none."""
    if name not in SOLVERS:
        raise PuzzleError(f"there is no solver named {name!r}{choices(name, [AUTO, *SOLVERS])}")
    return SOLVERS[name]


def choose(
    puzzle: Puzzle, name: str = AUTO, optimal: bool = False, states: int = 1, net: Net | None = None
) -> Solver:
    """The solver for a puzzle: the named one if it can, or for `auto` the best one for `states`.

    With `optimal` only solvers that prove their solutions count; others raise `PuzzleError`.
    """
    named_model = net is not None and net.model is not None
    if name == AUTO:
        return solver(_best(puzzle, optimal, states, named_model))
    chosen = solver(name)
    reason = "" if chosen.learned and named_model else chosen.why_not(puzzle)
    if reason:
        raise PuzzleError(reason)
    if optimal and not chosen.proves:
        proving = ", ".join(s.name for s in SOLVERS.values() if s.proves)
        raise PuzzleError(f"{name} does not prove every solution shortest; these do: {proving}")
    return chosen


def _best(puzzle: Puzzle, optimal: bool, states: int, named_model: bool) -> str:
    """The name of the solver that `auto` stands for."""
    if _small(puzzle):
        return "table" if states >= _MANY else "bidirectional"
    if optimal and not _why_no_cube(puzzle):
        return "optimal"
    # Both ends of a room of boxes meet within a fraction of a second.
    if optimal or puzzle.family == "sokoban":
        return "bidirectional"
    return "beam" if named_model or not _why_no_net(puzzle) else "bidirectional"


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
    net: Net | None = ...,
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
    net: Net | None = ...,
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
    net: Net | None = None,
) -> Solution | list[Solution]:
    """Solves one state (text, a `State` or a row `[cells]`), or each row of `[n, cells]`.

    The budget (`seconds`, `nodes`, `memory` in bytes) is for each state; without `memory` a search
    may use half of what the machine has free. `settings` are the search's own (see
    `homeward list solvers`). `optimal` admits only solvers that prove their solutions shortest.
    `net` says which model a learned solver asks and on which device. `progress` is called a few
    times a second. Every solution has been replayed. One state gives a
    `Solution`, `[n, cells]` gives a list.

    >>> solve("puzzle8", "1 2 3 4 5 6 0 7 8").length
    2
    """
    made = registry.puzzle(puzzle) if isinstance(puzzle, str) else puzzle
    many = isinstance(state, np.ndarray) and state.ndim == 2
    given = list(np.asarray(state)) if many else [state]
    starts = [read(made, one) for one in given]
    made = starts[0].puzzle if starts else made  # a Sokoban board fixes its size
    prepared = prepare(made, solver, settings, optimal, len(starts), net)
    memory = free_bytes() // 2 if memory is None else memory
    limits = Budget(seconds, nodes, memory)
    found = [prepared.solve(start.cells, Meter(limits, progress)) for start in starts]
    return found if many else found[0]


def prepare(
    puzzle: Puzzle,
    name: str = AUTO,
    settings: Mapping[str, Any] | None = None,
    optimal: bool = False,
    states: int = 1,
    net: Net | None = None,
) -> Prepared:
    """A solver made ready for a puzzle; everything that can be wrong with the wish is said here."""
    chosen = choose(puzzle, name, optimal, states, net)
    given = dict(settings or {})
    if name == AUTO and chosen.name == "beam":
        given = {"improve": True, "views": 2, **given}
    return Prepared(puzzle, chosen, chosen.configured(given), net or Net())


@dataclass
class Prepared:
    """A solver with its settings and, once it was needed, its heuristic: for many states."""

    puzzle: Puzzle
    solver: Solver
    search: Search
    net: Net
    _heuristic: Heuristic | None = None

    def __post_init__(self) -> None:
        self.model: str | None = None
        self.device = "cpu"
        if self._asks_net:
            from homeward.heuristics.loading import chosen_device

            self.model = self.puzzle.name if self.net.model is None else str(self.net.model)
            self.device = chosen_device(self.net.device)

    def solve(self, start: NDArray[Any], meter: Meter) -> Solution:
        """The replayed solution of one state `[cells]`. The first one waits for the heuristic."""
        try:
            if self._heuristic is None:
                self._heuristic = self._make_heuristic(meter)
        except Interrupted as stop:
            return meter.solution(stop.status)
        return replayed(self.puzzle, start, self.search(self.puzzle, start, self._heuristic, meter))

    @property
    def _asks_net(self) -> bool:
        if not self.solver.learned or self.solver.heuristic is None:
            return self.solver.learned
        return self.net.model is not None or not _why_no_net(self.puzzle)

    def _make_heuristic(self, meter: Meter) -> Heuristic | None:
        if self._asks_net:
            from homeward.heuristics.loading import load

            return load(self.puzzle, self.net.model, self.device, self.net.threads)
        return None if self.solver.heuristic is None else self.solver.heuristic(self.puzzle, meter)


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
