"""One solver on one set of instances, row by row; a run that was stopped goes on where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from homeward import solvers
from homeward.bench.machine import machine, peak_memory_bytes
from homeward.bench.summary import Row, summarise
from homeward.cache import write_atomically
from homeward.notation.archives import InstanceSet
from homeward.notation.state import State
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.record import record
from homeward.search.base import Budget, Meter

Tell = Callable[[list[Row]], None]


@dataclass(frozen=True)
class Task:
    """What is measured: a solver with its settings and budget on the instances of one puzzle."""

    puzzle: Puzzle
    solver: str = solvers.AUTO
    settings: dict[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    optimal: bool = False
    net: solvers.Net = field(default_factory=solvers.Net)

    def facts(self) -> dict[str, Any]:
        """The same as JSON: two runs can be joined only if these agree."""
        return {
            "puzzle": self.puzzle.name,
            "solver": self.solver,
            "settings": {key: str(value) for key, value in sorted(self.settings.items())},
            "seconds": self.seconds,
            "optimal": self.optimal,
            "model": None if self.net.model is None else str(self.net.model),
            "device": self.net.device,
        }


def run(
    task: Task,
    instances: InstanceSet,
    limit: int | None = None,
    out: Path | None = None,
    tell: Tell | None = None,
) -> dict[str, Any]:
    """Solves the first `limit` instances and returns `{"task", "summary", "rows"}`.

    With `out`, the result so far is written every second, and rows that a run of the same task left
    there are not solved again. `tell` is called with all rows after each one.
    """
    rows = _left(out, task)
    prepared = solvers.prepare(
        task.puzzle, task.solver, task.settings, task.optimal, len(instances), task.net
    )
    done = {row["index"] for row in rows}
    written = time.monotonic()
    for i in range(len(instances))[:limit]:
        index = int(instances.instance_index[i])
        if index in done:
            continue
        start = State(task.puzzle, instances.states[i])
        limits = Budget(task.seconds, bytes=solvers.free_bytes() // 2)
        solution = prepared.solve(start.cells, Meter(limits))
        row = record(start, solution, prepared.solver.name, prepared.model, prepared.device)
        rows.append({**row, "index": index, **_references(instances, i)})
        if time.monotonic() - written > 1:
            _write(out, _result(task, rows, prepared.device))
            written = time.monotonic()
        if tell is not None:
            tell(rows)
    result = _result(task, rows, prepared.device)
    _write(out, result)
    return result


def _write(out: Path | None, result: dict[str, Any]) -> None:
    if out is not None:
        text = json.dumps(result, indent=1).encode()
        try:
            write_atomically(out, lambda file: file.write(text))
        except OSError as error:
            raise PuzzleError(f"cannot write {out}: {error.strerror}") from None


def _references(instances: InstanceSet, i: int) -> dict[str, int | None]:
    """What the set knows of an instance; -1 there is None here."""
    known: dict[str, int | None] = {}
    for name in ("optimal_length", "reference_length"):
        lengths = getattr(instances, name)
        known[name] = int(lengths[i]) if lengths is not None and lengths[i] >= 0 else None
    return known


def _result(task: Task, rows: list[Row], device: str) -> dict[str, Any]:
    summary = summarise(rows)
    summary["peak_memory_bytes"] = peak_memory_bytes()
    summary["machine"] = machine(device)
    return {"task": task.facts(), "summary": summary, "rows": rows}


def _left(out: Path | None, task: Task) -> list[Row]:
    """The rows that an earlier run of the same task wrote."""
    if out is None or not out.exists():
        return []
    try:
        earlier = json.loads(out.read_text(encoding="utf-8"))
        same, rows = earlier["task"] == task.facts(), list(earlier["rows"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PuzzleError(f"{out} is in the way and no result of a benchmark: {error}") from None
    if not same:
        raise PuzzleError(f"{out} holds the result of another benchmark; name another file")
    return rows
