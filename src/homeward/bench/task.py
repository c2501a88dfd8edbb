"""What is measured, and the hand that does it: one solver on one instance after the other."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from homeward import solvers
from homeward.bench.milestones import Milestones
from homeward.bench.summary import Row
from homeward.notation.archives import InstanceSet
from homeward.notation.state import State
from homeward.puzzles.base import Puzzle
from homeward.record import record
from homeward.search.base import Budget, Interrupted, Meter

_REFERENCES = ("optimal_length", "reference_length")
_WARM_UP = 0.5
"""Seconds of a solve that is thrown away: compiled code is loaded when it is first called."""


@dataclass(frozen=True)
class Task:
    """What is measured: a solver with its settings and budget on the instances of one puzzle."""

    puzzle: Puzzle
    solver: str = solvers.AUTO
    settings: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    optimal: bool = False
    net: solvers.Net = field(default_factory=solvers.Net)

    def facts(self, states: int = 1) -> dict[str, Any]:
        """The same as JSON, as it is for so many states: two runs can be joined if these agree."""
        chosen = self.prepared(states)
        return {
            "puzzle": self.puzzle.name,
            "solver": chosen.solver.name,
            "settings": {key: str(value) for key, value in sorted(self.settings.items())},
            "seconds": self.seconds,
            "optimal": self.optimal,
            "model": None if self.net.model is None else str(self.net.model),
            "weights": chosen.weights,  # a name may be another net's tomorrow
            "device": chosen.device,
        }

    def prepared(self, states: int) -> solvers.Prepared:
        """The solver made ready for so many states; `PuzzleError` if the wish cannot be met."""
        return solvers.prepare(
            self.puzzle, self.solver, self.settings, self.optimal, states, self.net
        )

    def on(self, threads: int) -> Task:
        """The same with so many threads, where the solver or its net has a say in that."""
        chosen = self.prepared(1).solver
        wanted = {"threads": threads} if "threads" in chosen.settings() else {}
        net = replace(self.net, threads=self.net.threads or threads)
        return replace(self, settings={**wanted, **self.settings}, net=net)


@dataclass(frozen=True)
class Job:
    """One instance: its number in the set, its state `[cells]`, and what the set knows of it."""

    index: int
    state: NDArray[Any]
    known: Mapping[str, int | None] = field(default_factory=dict)


def jobs(instances: InstanceSet, limit: int | None = None) -> list[Job]:
    """The first `limit` instances of a set; a length of -1 there is None here."""
    made = []
    for i in range(len(instances))[:limit]:
        known: dict[str, int | None] = {}
        for name in _REFERENCES:
            lengths = getattr(instances, name)
            known[name] = int(lengths[i]) if lengths is not None and lengths[i] >= 0 else None
        made.append(Job(int(instances.instance_index[i]), instances.states[i], known))
    return made


class Hand:
    """Solves one job after the other, here or as a worker of a cluster."""

    def __init__(self, task: Task, states: int = 1) -> None:
        """`states` is how many there will be in all: `auto` chooses by that."""
        self.task = task
        self.prepared = task.prepared(states)
        self.load_seconds = 0.0

    @property
    def device(self) -> str:
        """Where the solver's net runs, `cpu` for a solver without one."""
        return self.prepared.device

    def load(self, job: Job) -> None:
        """Makes the heuristic and has everything compiled, on a job that is not counted."""
        started = time.perf_counter()
        seconds = min(_WARM_UP, self.task.seconds or _WARM_UP)
        with contextlib.suppress(Interrupted):  # what does not fit is told by every row
            self.prepared.load(Meter(Budget(bytes=solvers.free_bytes() // 2)))
            self._solve(job, Meter(Budget(seconds, bytes=solvers.free_bytes() // 2)))
        self.load_seconds = time.perf_counter() - started

    def row(self, job: Job) -> Row:
        """The job solved: what `homeward solve --json` prints, and what the set knows."""
        best = Milestones()
        limits = Budget(self.task.seconds, bytes=solvers.free_bytes() // 2)
        row = self._solve(job, Meter(limits, progress=best))
        found = [*best.steps, (row["seconds"], row["length"])] if row["length"] is not None else []
        known = {name: job.known.get(name) for name in _REFERENCES}
        return {**row, "index": job.index, **known, "anytime": shrinking(found)}

    def _solve(self, job: Job, meter: Meter) -> Row:
        start = State(self.task.puzzle, job.state)
        solution = self.prepared.solve(start.cells, meter)
        return record(start, solution, self.prepared.solver.name, self.prepared.model, self.device)


def shrinking(found: list[tuple[float, int]]) -> list[list[float]]:
    """The lengths that were news, each with its seconds.

    >>> shrinking([(0.5, 24), (1.0, 24), (2.0, 22)])
    [[0.5, 24], [2.0, 22]]
    """
    news: list[list[float]] = []
    for seconds, length in found:
        if not news or length < news[-1][1]:
            news.append([round(seconds, 4), length])
    return news
