"""One solver on one set of instances, row by row; a run that was stopped goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from homeward.bench.journal import Journal
from homeward.bench.machine import machine, peak_memory_bytes
from homeward.bench.summary import Row, summarise
from homeward.bench.task import Hand, Job, Task, jobs
from homeward.notation.archives import InstanceSet
from homeward.notation.state import State
from homeward.puzzles.status import PuzzleError

if TYPE_CHECKING:
    from homeward.bench.cluster import Cluster

__all__ = ["Task", "run", "run_jobs"]

Tell = Callable[[list[Row]], None]


def run(
    task: Task,
    instances: InstanceSet,
    limit: int | None = None,
    out: Path | None = None,
    tell: Tell | None = None,
    cluster: Cluster | None = None,
) -> dict[str, Any]:
    """Solves the first `limit` instances and returns `{"task", "summary", "rows"}`.

    With `out`, rows are written as they come, and rows that a run of the same task left there are
    not solved again. `tell` is called with all rows after each one. On a `cluster` the instances
    are solved by its workers; the rows come out in the order of the set all the same.
    """
    return run_jobs(task, jobs(instances, limit), out, tell, cluster)


def run_jobs(
    task: Task,
    wanted: list[Job],
    out: Path | None = None,
    tell: Tell | None = None,
    cluster: Cluster | None = None,
) -> dict[str, Any]:
    """The same for instances that come from no archive; their indices must differ."""
    known = task.facts(len(wanted))  # what is wrong with the wish is said before a file is touched
    for job in wanted:
        _require_solvable(task, job)
    with Journal(out, known) as journal:
        for job in wanted:
            _require_same(task, job, journal)
        left = [job for job in wanted if job.index not in journal.rows]
        facts = {name: journal.summary[name] for name in _HELD if name in journal.summary}
        if left or not facts:
            facts = _solved(task, left, len(wanted), journal, tell, cluster, facts)
        places = {job.index: place for place, job in enumerate(wanted)}
        rows = sorted(journal.rows.values(), key=lambda r: places.get(r["index"], len(places)))
        asked = [row for row in rows if row["index"] in places]
        result = {"task": known, "summary": {**summarise(asked), **facts}, "rows": rows}
        if left or not journal.summary:
            journal.finish({**result, "summary": {**summarise(rows), **facts}})
        else:
            journal.forget()
    return result


_HELD = ("load_seconds", "peak_memory_bytes", "machine")
"""What a summary tells of the processes that solved."""


def _solved(
    task: Task,
    left: list[Job],
    states: int,
    journal: Journal,
    tell: Tell | None,
    cluster: Cluster | None,
    before: dict[str, Any],
) -> dict[str, Any]:
    """Solves what is left into the journal; what was held, `before` included."""
    facts: dict[str, Any] = {}
    stream = _here(task, left, states, facts)
    if cluster is not None:
        stream = _there(task, left, states, facts, cluster)
    for row in stream:
        journal.add(row)
        if tell is not None:
            tell(list(journal.rows.values()))
    peaks = [known["peak_memory_bytes"] for known in (before, facts) if known]
    return {**facts, "peak_memory_bytes": max(peaks)}


def _require_solvable(task: Task, job: Job) -> None:
    """Raises `PuzzleError` if no moves lead from an instance home."""
    try:
        task.puzzle.require_valid(job.state)
    except PuzzleError as error:
        told = [replace(p, sentence=f"instance {job.index}: {p.sentence}") for p in error.problems]
        raise PuzzleError(f"instance {job.index}: {error}", told) from None


def _require_same(task: Task, job: Job, journal: Journal) -> None:
    """Raises `PuzzleError` if the row of an earlier run is that of another state."""
    row = journal.rows.get(job.index)
    if row is not None and row["state"] != State(task.puzzle, job.state).text:
        raise PuzzleError(
            f"{journal.out} holds another instance {job.index}, of another set; name another file"
        )


def _here(task: Task, left: list[Job], states: int, facts: dict[str, Any]) -> Iterator[Row]:
    """The rows of this process; what it held and the machine are told in `facts`."""
    hand = Hand(task, states)
    if left:
        hand.load(left[-1])  # sets often begin with easy ones, which would not compile everything
    yield from (hand.row(job) for job in left)
    facts["load_seconds"] = round(hand.load_seconds, 3)
    facts["peak_memory_bytes"] = peak_memory_bytes()
    facts["machine"] = machine(hand.device)


def _there(
    task: Task, left: Iterable[Job], states: int, facts: dict[str, Any], cluster: Cluster
) -> Iterator[Row]:
    """The rows of a cluster's workers; the most that one of them held is told in `facts`."""
    with cluster.crew(task, states) as crew:
        yield from crew.solve(left)
        facts["load_seconds"] = round(crew.load_seconds, 3)
        facts["peak_memory_bytes"] = crew.peak_memory_bytes
        facts["machine"] = {**machine("cpu"), "workers": crew.most_workers, "lost": crew.lost}
