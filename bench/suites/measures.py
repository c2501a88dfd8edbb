"""The kinds of run: each takes a run and its surroundings and returns what is stored of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from homeward.bench.machine import machine
from homeward.bench.runner import run_jobs
from homeward.bench.task import Task
from homeward.heuristics.base import Heuristic
from homeward.heuristics.graph import distances
from homeward.heuristics.loading import chosen_device, load
from homeward.heuristics.models import read_card
from homeward.notation import format_of
from homeward.puzzles import Puzzle, PuzzleError, puzzle
from homeward.search.base import Budget, Meter
from homeward.solvers import Net
from homeward.solvers.estimates import NET, estimate
from suites import store
from suites.instances import along_solutions, instances
from suites.plan import Run

Stored = dict[str, Any]

_SMALL = 5_000_000


@dataclass(frozen=True)
class Surroundings:
    """What a whole call of a suite shares."""

    data: Path
    work: Path
    """Where rows lie until a run is done."""
    limit: int | None = None
    time: float | None = None
    device: str = "auto"
    models: dict[str, str] = field(default_factory=dict)
    """Models by puzzle, where not the shipped ones are asked."""
    tell: Callable[[str], None] = print

    def net(self, name: str, wanted: str = "") -> Net:
        """The net of a puzzle, or the one that is `wanted`, and where it runs."""
        return Net(wanted or self.models.get(name), self.device)

    def seconds(self, run: Run) -> float | None:
        """The smaller of the run's own time and the whole call's."""
        return min((s for s in (run.time, self.time) if s is not None), default=None)


def solving(run: Run, around: Surroundings) -> Stored:
    """A solver on the run's instances."""
    made = puzzle(run.puzzle)
    seconds = around.seconds(run)
    task = Task(made, run.solver, run.set, seconds, run.optimal, around.net(run.puzzle, run.model))
    task.prepared(1)  # before anything is worked out: whether it can be done at all
    given = instances(run, made, around.data, around.limit)
    mark = run.digest(limit=around.limit, **task.facts())
    path = around.work / f"{run.name}-{mark}.json"
    result = run_jobs(task, given.jobs, path, lambda rows: around.tell(_so_far(rows)))
    rows = [
        {**row, "walk": given.walks.get(row["index"]), "key": store.key(row["state"])}
        for row in result["rows"]
    ]
    summary = result["summary"]
    first = rows[0] if rows else {}
    facts = {**task.facts(), "solver": first.get("solver"), "model": first.get("model")}
    facts["device"] = first.get("device")
    if run.model or around.models.get(run.puzzle):
        path = Path(str(facts["model"]))
        facts["model"] = path.parent.name if path.stem == "model" else path.stem
    told = {**summary.pop("machine"), **({"cores_used": run.cores} if run.cores else {})}
    return {
        "machine": told,
        "task": facts,
        "summary": summary,
        "columns": store.columns(rows, run.keep),
    }


def asked(run: Run, around: Surroundings) -> dict[str, str]:
    """The net that a run asks, by its `weights` (sha256), and the `device`; empty if none."""
    wanted = around.net(run.puzzle, run.model)
    if run.kind == "solve":
        ready = Task(puzzle(run.puzzle), run.solver, run.set, net=wanted).prepared(1)
        return {"weights": ready.weights, "device": ready.device} if ready.weights else {}
    if NET not in run.heuristics:
        return {}
    card = read_card(run.puzzle if wanted.model is None else wanted.model)
    return {"weights": card.sha256, "device": chosen_device(wanted.device)}


def asks_net(run: Run, around: Surroundings) -> bool:
    """Whether a run depends on a learned net."""
    try:
        return bool(asked(run, around))
    except PuzzleError:
        return bool(run.model)  # which is not here: the run says so


def _so_far(rows: list[dict[str, Any]]) -> str:
    solved = [row["length"] for row in rows if row["status"] == "solved"]
    return f"{len(rows)} done, {len(solved)} solved"


def graph(run: Run, around: Surroundings) -> Stored:
    """Every state of a small puzzle by its distance; made anew, never read."""
    made = puzzle(run.puzzle)
    found = distances(made, use_cache=False)
    if found.states <= _SMALL:  # the first time was spent on compiling
        found = distances(made, use_cache=False)
    hardest = [format_of(made).write_state(made, row) for row in found.hardest[:4]]
    summary = {
        "states": found.states,
        "diameter": found.diameter,
        "hardest": found.counts[-1],
        "mean": sum(d * n for d, n in enumerate(found.counts)) / found.states,
        "seconds": round(found.seconds, 4),
    }
    columns = {"counts": list(found.counts), "hardest": hardest}
    return {"machine": machine("cpu"), "summary": summary, "columns": columns}


def made_heuristic(name: str, made: Puzzle, around: Surroundings) -> Heuristic:
    """The net of a puzzle, or the estimate of that name."""
    if name == NET:
        wanted = around.net(made.name)
        return load(made, wanted.model, wanted.device, wanted.threads)
    found = estimate(name)
    reason = found.why_not(made)
    if reason:
        raise PuzzleError(reason)
    return found.make(made, Meter(Budget()))


def estimates(run: Run, around: Surroundings) -> Stored:
    """How far estimates are from exact distances, by distance."""
    made = puzzle(run.puzzle)
    name = run.heuristics[0]
    heuristic = made_heuristic(name, made, around)
    states, exact = along_solutions(run, made, around.data, around.limit)
    parts = [_numbers(heuristic, states[i : i + 4096]) for i in range(0, len(states), 4096)]
    over = np.concatenate(parts) - exact
    columns: dict[str, list[Any]] = {"distance": [], "count": [], "mean": [], "over": []}
    for distance in range(1, int(exact.max()) + 1):
        here = over[exact == distance]
        if len(here):
            columns["distance"].append(distance)
            columns["count"].append(len(here))
            columns["mean"].append(round(float(here.mean()) + distance, 3))
            columns["over"].append(round(float(np.maximum(here, 0).mean()), 3))
    summary = {
        "count": len(exact),
        "not_over_percent": 100 * float((over <= 0).mean()),
        "over_at_most_one_percent": 100 * float((over <= 1).mean()),
        "mean_over": float(np.maximum(over, 0).mean()),
        "mean_error": float(over.mean()),
        "rms_error": float((over**2).mean() ** 0.5),
    }
    where = chosen_device(around.device) if name == NET else "cpu"
    return {"machine": machine(where), "summary": summary, "columns": columns}


def _numbers(heuristic: Heuristic, states: Any) -> Any:
    """`[B]`: the estimates as NumPy numbers."""
    found = heuristic.values(heuristic.place(states))
    return found.cpu().numpy() if hasattr(found, "cpu") else np.asarray(found)


def speed(run: Run, around: Surroundings) -> Stored:
    """Bytes of heuristics and seconds for an estimate, one state at a time and in batches."""
    made = puzzle(run.puzzle)
    columns: dict[str, list[Any]] = {}
    states = made.start_states(1000, np.random.default_rng(run.seed))
    for name in run.heuristics:
        line: dict[str, Any] = {"heuristic": name}
        try:
            heuristic = made_heuristic(name, made, around)
            line |= {"bytes": held_bytes(heuristic), "reason": None}
            line["single"] = _seconds_each(heuristic, [states[i : i + 1] for i in range(1000)])
            line["batch"] = _seconds_each(heuristic, [states] * 5)
        except PuzzleError as error:
            line |= {"bytes": None, "reason": str(error), "single": None, "batch": None}
        for key, value in line.items():
            columns.setdefault(key, []).append(value)
    where = chosen_device(around.device) if NET in run.heuristics else "cpu"
    return {"machine": machine(where), "summary": {"states": 1000}, "columns": columns}


def _seconds_each(heuristic: Heuristic, batches: list[Any]) -> float:
    """Seconds for one state's estimate; the first batch is not counted."""
    _numbers(heuristic, batches[0])
    started = time.perf_counter()
    for batch in batches:
        _numbers(heuristic, batch)
    return (time.perf_counter() - started) / sum(len(batch) for batch in batches)


def held_bytes(thing: Any) -> int:
    """Bytes of all arrays and tensors that an object holds, each memory counted once."""
    seen: set[int] = set()
    buffers: dict[int, int] = {}

    def visit(part: Any, depth: int) -> None:
        if id(part) in seen or depth > 6:
            return
        seen.add(id(part))
        if isinstance(part, np.ndarray):
            base = part
            while isinstance(base.base, np.ndarray):
                base = base.base
            buffers[base.ctypes.data] = base.nbytes
        elif type(part).__name__ in ("Tensor", "Parameter"):
            buffers[part.data_ptr()] = part.nbytes
        elif isinstance(part, dict):
            for value in part.values():
                visit(value, depth + 1)
        elif isinstance(part, (list, tuple)):
            for value in part:
                visit(value, depth + 1)
        elif type(part).__module__.startswith(("homeward.heuristics", "torch.nn")):
            for value in [*vars(part).values(), *getattr(part, "_parameters", {}).values()]:
                visit(value, depth + 1)

    visit(thing, 0)
    return sum(buffers.values())


def peer(run: Run, around: Surroundings) -> Stored:
    """Another project's solver, in an environment of its own."""
    from suites import peers

    return peers.measure(run, around)


def cluster(run: Run, around: Surroundings) -> Stored:
    """The same on a Ray cluster, one of whose workers is killed."""
    from suites import clusters

    return clusters.measure(run, around)


KINDS: dict[str, Callable[[Run, Surroundings], Stored]] = {
    "solve": solving,
    "distances": graph,
    "estimates": estimates,
    "speed": speed,
    "peer": peer,
    "cluster": cluster,
}
