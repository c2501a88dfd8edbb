"""Named pairs of a search and the heuristic it asks, and `solve()`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from homeward.notation.state import State
from homeward.options import choices
from homeward.puzzles import registry
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Budget, Callback, Meter, Solution
from homeward.solvers import fitness
from homeward.solvers.entry import HEURISTIC, Solver
from homeward.solvers.estimates import ESTIMATES, Estimate
from homeward.solvers.names import SOLVERS
from homeward.solvers.net import Net
from homeward.solvers.prepared import Prepared

__all__ = [
    "AUTO",
    "AUTO_HELP",
    "ESTIMATES",
    "SOLVERS",
    "Estimate",
    "Net",
    "Prepared",
    "Solver",
    "choose",
    "free_bytes",
    "prepare",
    "read",
    "solve",
    "solver",
]

AUTO = "auto"

StateLike: TypeAlias = str | State | NDArray[Any]
"""A state as text, as a `State`, or as a row `[cells]`."""


_MANY, _SMALL = 10, 5_000_000
"""For so many states of a graph no larger than this, its table is sooner made than searches."""

_FIRST_WIDTH = {"cpu": 128, "cuda": 8192}
"""The first beam of `auto`; on a GPU a narrower one takes as long."""

_MAKES_TABLES = ("ida-light",)
"""Solvers that `auto` takes though their tables may take longer than there is time."""

AUTO_HELP = "the quickest way to a solution that is at hand (default)"


def solver(name: str) -> Solver:
    """The solver of that name; `PuzzleError` with the nearest one if there is none."""
    if name not in SOLVERS:
        raise PuzzleError(f"there is no solver named {name!r}{choices(name, [AUTO, *SOLVERS])}")
    return SOLVERS[name]


def choose(
    puzzle: Puzzle,
    name: str = AUTO,
    optimal: bool = False,
    states: int = 1,
    net: Net | None = None,
    heuristic: str | None = None,
) -> Solver:
    """The solver for a puzzle: the named one if it can, or for `auto` the best one for `states`.

    With `optimal` only solvers that prove their solutions count; others raise `PuzzleError`. A
    `heuristic` takes the place of the solver's own.
    """
    named_model = net is not None and net.model is not None
    if name == AUTO:
        name = _best(puzzle, optimal, states, named_model)
    chosen = solver(name) if heuristic is None else _asking(solver(name), heuristic)
    reason = "" if chosen.learned and named_model else chosen.why_not(puzzle)
    if reason:
        raise PuzzleError(reason)
    if optimal and not chosen.proves:
        proving = ", ".join(s.name for s in SOLVERS.values() if s.proves)
        asked = "" if heuristic is None else f" with {HEURISTIC}={heuristic}"
        raise PuzzleError(
            f"{name}{asked} does not prove every solution shortest; these do: {proving}"
        )
    return chosen


def _asking(chosen: Solver, heuristic: str) -> Solver:
    if not chosen.chooses:
        raise PuzzleError(
            f"{chosen.name} has no setting '{HEURISTIC}': it asks what it was made for"
        )
    return chosen.asking(heuristic)


def _best(puzzle: Puzzle, optimal: bool, states: int, named_model: bool) -> str:
    """The name of the solver that `auto` stands for.

    Where a proof costs next to nothing, everybody gets it: small graphs, Lights Out, rooms of
    boxes, boards of up to 16 cells. Who names a model wants to see it search.
    """
    if named_model and not optimal:
        return "beam"
    learned = named_model or not fitness.why_no_net(puzzle)
    if _small(puzzle):
        return "table" if states >= _MANY else "bidirectional"
    if puzzle.family in ("lightsout", "sokoban"):
        return "lights" if puzzle.family == "lightsout" else "sokoban"
    if puzzle.family == "sliding":
        if puzzle.cells <= 16 and not fitness.why_no_databases(puzzle):
            return "ida-light"
        return "optimal" if optimal else "beam" if learned else "rows"
    if not fitness.why_no_cube(puzzle):
        return "optimal" if optimal else "beam" if learned else "twophase"
    return "beam" if learned and not optimal else "bidirectional"


def _small(puzzle: Puzzle) -> bool:
    """Whether the whole graph can be worked out in seconds."""
    from homeward.puzzles.ranking import count_states

    return not fitness.why_no_table(puzzle) and count_states(puzzle) <= _SMALL


@overload
def solve(
    puzzle: Puzzle | str | Path,
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
    puzzle: Puzzle | str | Path,
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
    puzzle: Puzzle | str | Path,
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
    made = registry.puzzle(puzzle)
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
    from homeward.heuristics.loading import require_device

    given, net = dict(settings or {}), net or Net()
    require_device(net.device)
    wanted = given.pop(HEURISTIC, None)
    chosen = choose(puzzle, name, optimal, states, net, None if wanted is None else str(wanted))
    if name == AUTO and chosen.name == "beam":
        given = improving(puzzle, net) | given
    asked = {"model": None if net.model is None else str(net.model), "device": net.device}
    known = chosen.settings()  # some searches ask a net of their own
    given = {key: value for key, value in asked.items() if key in known} | given
    search = chosen.configured(given)
    if optimal and not getattr(search, "proves", True):
        raise PuzzleError(
            f"{chosen.name} with these settings does not prove its solutions shortest"
        )
    near = name == AUTO and not chosen.proves
    made = Prepared(puzzle, chosen, search, net, near)
    if name == AUTO and chosen.name in _MAKES_TABLES:
        from homeward.solvers.optimal import Optimal

        made.first = Optimal(device=net.device).without_proof
    if name == AUTO and net.model is not None and made.model != str(net.model):
        raise PuzzleError(f"{chosen.name} asks no net, so a model says nothing to it")
    return made


def improving(puzzle: Puzzle, net: Net) -> dict[str, Any]:
    """The settings of a beam that soon has a solution and then makes it shorter."""
    from homeward.heuristics.loading import chosen_device

    width = _FIRST_WIDTH[chosen_device(net.device)]
    rows = not SOLVERS["rows"].why_not(puzzle)
    return {"width": width, "improve": True, "views": 2, "rows": rows}


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
        used = int((group / "memory.current").read_text(encoding="ascii"))
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
        # Files that were read count as used, but are let go when something else needs the room.
        cached = next(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
        return min(free, most - used + cached)
    except (OSError, ValueError, StopIteration):
        return free
