"""Where a run's instances come from: an archive, random walks, chance, or a list."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.bench import task as tasks
from homeward.bench.task import Job
from homeward.notation import State
from homeward.notation.archives import load_set
from homeward.puzzles import Puzzle, PuzzleError
from homeward.solvers import solve
from suites.plan import Run

UNIFORM = -1
"""The walk's length that stands for states that are equally likely."""
_BLOCK = 32
_APART = 100_000
"""An instance's index is its walk's length times this, and its number."""


@dataclass(frozen=True)
class Instances:
    """Jobs, and for each the length of the walk that made it (None: from an archive or a list)."""

    jobs: list[Job]
    walks: dict[int, int]


def data_folder(given: str | None) -> Path:
    """The folder of the public sets: the one given, HOMEWARD_DATA, or beside the repository."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return Path(given or os.environ.get("HOMEWARD_DATA") or beside)


def instances(run: Run, puzzle: Puzzle, data: Path, limit: int | None) -> Instances:
    """The run's instances, of each kind the first `limit`."""
    walks: dict[int, int] = {}
    if run.data:
        most = min((n for n in (run.limit, limit) if n is not None), default=None)
        jobs = tasks.jobs(load_set(data / run.data, puzzle), most)
    elif run.states:
        read = [State.read(puzzle, text).cells for text in run.states]
        jobs = [Job(i, row) for i, row in enumerate(read)]
    else:
        jobs, walks = _made(run, puzzle, limit)
    if run.mirror:
        image = mirror(puzzle)
        jobs = [replace(job, state=image.image(job.state[None])[0]) for job in jobs]
    if run.exact:
        jobs = _with_lengths(jobs, puzzle, run.exact)
    return Instances(jobs, walks)


def _made(run: Run, puzzle: Puzzle, limit: int | None) -> tuple[list[Job], dict[int, int]]:
    """States by walks of each length, and random ones."""
    groups = [(length, run.count) for length in run.walks]
    groups += [(UNIFORM, run.random)] if run.random else []
    jobs, walks = [], {}
    for length, count in groups:
        wanted = count if limit is None else min(count, limit)
        for i, (row, _) in enumerate(_drawn(run, puzzle, length, wanted)):
            index = (length + 1) * _APART + i
            jobs.append(Job(index, row))
            walks[index] = length
    return jobs, walks


def _drawn(
    run: Run, puzzle: Puzzle, length: int, count: int
) -> list[tuple[NDArray[Any], NDArray[Any] | None]]:
    """States by chance, each with the moves that lead home where a walk made it.

    Fewer are the first of more: they are drawn in blocks of one size, each with its own seed. So
    runs of different counts share their instances.
    """
    found: list[tuple[NDArray[Any], NDArray[Any] | None]] = []
    for block in range(-(-count // _BLOCK)):
        seed = [run.seed, length + 1, zlib.crc32(run.puzzle.encode()), block]
        rng = np.random.default_rng(seed)
        if length == UNIFORM:
            found += [(row, None) for row in puzzle.start_states(_BLOCK, rng)]
        else:
            walks = puzzle.walks(_BLOCK, length, rng)
            found += list(zip(walks.states[-1], walks.moves.T, strict=True))
    return found[:count]


def scrambles(run: Run, puzzle: Puzzle, limit: int | None) -> dict[int, list[str]]:
    """By index, the moves that lead from the goal to each instance that a walk made."""
    found = {}
    for length in run.walks:
        wanted = run.count if limit is None else min(run.count, limit)
        for i, (_, home) in enumerate(_drawn(run, puzzle, length, wanted)):
            assert home is not None
            led = [puzzle.move_names[puzzle.inverses[move]] for move in home]
            found[(length + 1) * _APART + i] = led
    return found


def _with_lengths(jobs: list[Job], puzzle: Puzzle, solver: str) -> list[Job]:
    """The same with the lengths of shortest solutions, by a solver that proves them."""
    if not jobs:
        return jobs
    found = solve(puzzle, np.stack([job.state for job in jobs]), solver, optimal=True)
    return [
        replace(job, known={"optimal_length": solution.length})
        for job, solution in zip(jobs, found, strict=True)
    ]


def mirror(puzzle: Puzzle) -> Any:
    """The symmetry that swaps left and right: R there is L' here, U there is U' here."""
    names = puzzle.move_names
    pairs = {"R": "L'", "L": "R'", "U": "U'", "F": "F'"}
    for symmetry in puzzle.symmetries():
        renamed = {name: names[number] for name, number in zip(names, symmetry.moves, strict=True)}
        if all(renamed.get(one) == other for one, other in pairs.items()):
            return symmetry
    raise PuzzleError(f"{puzzle.name} has no left and right")


def along_solutions(run: Run, puzzle: Puzzle, data: Path, limit: int | None) -> Any:
    """`[n, cells]`, `[n]`: every state on the archive's shortest solutions, and its distance."""
    found = load_set(data / run.data, puzzle)
    if found.optimal_moves is None:
        raise PuzzleError(f"{run.data} has no shortest solutions")
    rows, distances = [], []
    most = min((n for n in (run.limit, limit) if n is not None), default=len(found))
    for start, moves in list(zip(found.states, found.optimal_moves, strict=True))[:most]:
        here = start[None]
        for left in range(len(moves), 0, -1):
            rows.append(here[0])
            distances.append(left)
            here = np.asarray(puzzle.step(here, moves[len(moves) - left]))
    return np.stack(rows), np.array(distances)
