"""`homeward solve`."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from homeward.cli.common import (
    BUDGET_SPENT,
    INTERRUPTED,
    OK,
    STATE_HELP,
    UNSOLVABLE,
    AsJson,
    Device,
    ModelName,
    PuzzleName,
    Seed,
    SettingTexts,
    SolverName,
    in_colour,
    setting,
    state_of,
)
from homeward.puzzles.status import PuzzleError

if TYPE_CHECKING:
    from homeward.notation.state import State
    from homeward.search.base import Meter, Progress, Solution


def solve(
    puzzle: PuzzleName,
    scramble: Annotated[
        str | None, typer.Option(metavar="MOVES", help="Solve the goal after these moves.")
    ] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE", help=STATE_HELP)] = None,
    random: Annotated[bool, typer.Option("--random", help="Solve a random state.")] = False,
    seed: Seed = None,
    solver: SolverName = "auto",
    settings: SettingTexts = None,
    time: Annotated[
        float | None, typer.Option(metavar="S", min=0, help="Give up after so many seconds.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="4G", help="Give up beyond this; if not given, half of what is free."),
    ] = None,
    optimal: Annotated[bool, typer.Option("--optimal", help="Prove it shortest.")] = False,
    device: Device = "auto",
    model: ModelName = None,
    as_json: AsJson = False,
) -> int:
    """Solve a state: one of --scramble, --state and --random says which."""
    from homeward import solvers
    from homeward.record import record
    from homeward.search.base import Budget, Meter

    if [scramble is not None, state is not None, random].count(True) != 1:
        raise PuzzleError("give one of --scramble, --state and --random")
    start = _start(puzzle, scramble, state, seed)
    wishes = dict(setting(text) for text in settings or [])
    net = solvers.Net(model, device)
    prepared = solvers.prepare(start.puzzle, solver, wishes, optimal, net=net)
    limit = solvers.free_bytes() // 2 if memory is None else _bytes(memory)
    meter = Meter(Budget(seconds=time, bytes=limit))
    with _stopped_by_ctrl_c(meter) as pressed:
        if not as_json:
            print(start.draw(in_colour()), end="\n\n", flush=True)
        with _told(meter):
            solution = prepared.solve(start.cells, meter)
    if as_json:
        told = record(start, solution, prepared.solver.name, prepared.model, prepared.device)
        print(json.dumps(told))
    else:
        print(_report(start, prepared.solver.name, solution))
    return INTERRUPTED if pressed else _exit_status(solution)


def _start(name: str, scramble: str | None, state: str | None, seed: int | None) -> State:
    """The state to solve; a random one if neither moves nor a state are given."""
    import numpy as np

    from homeward.notation import State, format_of
    from homeward.puzzles import registry

    puzzle = registry.puzzle(name)
    if state is not None:
        return state_of(puzzle, state)
    if scramble is None:
        return State(puzzle, puzzle.start_states(1, np.random.default_rng(seed))[0])
    if not puzzle.reversible:
        raise PuzzleError(f"{puzzle.name} has no goal to scramble from; give a board with --state")
    return State.solved(puzzle).moved(format_of(puzzle).read_moves(puzzle, scramble))


def _bytes(text: str) -> int:
    """`512M` or `4G` as a number of bytes.

    >>> _bytes("1.5k")
    1536
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise PuzzleError(f"--memory takes a size such as 512M or 4G, not {text!r}")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


@contextlib.contextmanager
def _stopped_by_ctrl_c(meter: Meter) -> Iterator[list[int]]:
    """Ctrl-C asks the search to stop, and is noted in the list; a second one ends the program."""
    pressed: list[int] = []

    def stop(number: int, frame: object) -> None:
        pressed.append(number)
        meter.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _told(meter: Meter) -> Iterator[None]:
    """Keeps one line about the search on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:

        def tell(progress: Progress) -> None:
            best = "" if progress.best is None else f", {progress.best} moves found"
            status.update(
                f"{progress.doing}: {progress.generated:,} states in {progress.seconds:.0f} s, "
                f"at least {_count(progress.lower_bound, 'move')}{best}"
            )

        meter.callback = tell
        yield


_REASONS = {
    "unsolvable": "no solution exists: the whole space was searched",
    "out_of_time": "no solution found: the budget is spent",
    "out_of_memory": "no solution found: the memory is used up",
    "cancelled": "no solution found: stopped",
}


def _report(start: State, solver: str, solution: Solution) -> str:
    """A solution for people: the moves, how long, how good, at what cost."""
    from homeward.notation import format_of

    cost = f"{solution.seconds:.2f} s, {solution.generated:,} states made by {solver}"
    if solution.moves is None:
        bound = f"; any solution has at least {_count(solution.lower_bound, 'move')}"
        unsolvable = solution.status.value == "unsolvable"
        return f"{_REASONS[solution.status.value]}{'' if unsolvable else bound}\n{cost}"
    if not solution.moves:
        return "solved already"
    proof = "proved shortest"
    if solution.proof == "none":
        proof = f"not proved shortest (at least {solution.lower_bound})"
    moves = format_of(start.puzzle).write_solution(start.puzzle, start.cells, solution.moves)
    return f"{moves}\n{_lengths(start, solution)}, {proof}\n{cost}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + "s" * (number != 1)


def _lengths(start: State, solution: Solution) -> str:
    from homeward.puzzles.cube import Cube

    assert solution.moves is not None
    total = _count(len(solution.moves), "move")
    if not isinstance(start.puzzle, Cube):
        return total
    from homeward.notation.turns import lengths

    quarters, halves = lengths(start.puzzle, solution.moves)
    return f"{total} ({_count(quarters, 'quarter turn')}, {halves} with half turns)"


def _exit_status(solution: Solution) -> int:
    from homeward.search.base import Outcome

    known = {Outcome.SOLVED: OK, Outcome.UNSOLVABLE: UNSOLVABLE, Outcome.CANCELLED: INTERRUPTED}
    return known.get(solution.status, BUDGET_SPENT)
