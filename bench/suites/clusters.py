"""One task here and on a cluster whose worker is killed half-way: are the rows the same?"""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from homeward.bench.cluster import Cluster
from homeward.bench.machine import machine
from homeward.bench.runner import run_jobs
from homeward.bench.summary import Row
from homeward.bench.task import Task
from homeward.puzzles import puzzle
from suites import store
from suites.instances import instances
from suites.measures import Stored, Surroundings
from suites.plan import Run

_ITS_OWN = ("seconds", "anytime")
"""What differs from run to run."""


def measure(run: Run, around: Surroundings) -> Stored:
    """Both ways, and how many rows came out the same."""
    made = puzzle(run.puzzle)
    jobs = instances(run, made, around.data, around.limit).jobs
    task = Task(made, run.solver, run.set, around.seconds(run), net=around.net(run.puzzle))
    started = time.perf_counter()
    here = run_jobs(task, jobs)["rows"]
    alone = time.perf_counter() - started
    there: list[Row] = []
    with Cluster(workers=2) as cluster, cluster.crew(task, len(jobs)) as crew:
        started = time.perf_counter()
        for row in crew.solve(jobs):
            there.append(row)
            if len(there) == len(jobs) // 2:
                os.kill(crew.pids()[0], signal.SIGKILL)
        together = time.perf_counter() - started
        lost = crew.lost
    by_index = {row["index"]: row for row in there}
    same = sum(_plain(row) == _plain(by_index.get(row["index"], {})) for row in here)
    summary = {
        "count": len(here),
        "rows": len(there),
        "different_indices": len(by_index),
        "same_rows": same,
        "workers": 2,
        "killed": lost,
        "seconds_here": round(alone, 2),
        "seconds_cluster": round(together, 2),
    }
    rows = [{**row, "length_there": by_index[row["index"]]["length"]} for row in here]
    told = {"machine": machine("cpu"), "task": task.facts(), "summary": summary}
    return {**told, "columns": store.columns(rows, ("length_there",))}


def _plain(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in _ITS_OWN}
