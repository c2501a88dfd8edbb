"""Benchmarks on a Ray cluster: the same rows as here, also when workers die."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward.bench.cluster import Cluster, solve_many
from homeward.bench.runner import run_jobs
from homeward.bench.task import Job, Task
from homeward.puzzles import PuzzleError, puzzle

pytest.importorskip("ray", reason="ray is not installed: pip install 'homeward[cluster]'")

ITSELF = ("seconds", "anytime")
"""What differs from run to run."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster("local", workers=2) as made:
        yield made


def boards(n: int) -> list[Job]:
    """Boards of the 15-puzzle, some moves from home."""
    walks = puzzle("puzzle15").walks(n, 50, np.random.default_rng(5))
    return [Job(1000 + i, state) for i, state in enumerate(walks.states[-1])]


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key not in ITSELF} for row in rows]


TASK = Task(puzzle("puzzle15"), "ida-manhattan", {"threads": 1})


def test_a_killed_worker_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    wanted = boards(200)
    here = run_jobs(TASK, wanted)
    rows: list[dict[str, Any]] = []
    with cluster.crew(TASK, len(wanted)) as crew:
        for row in crew.solve(wanted):
            rows.append(row)
            if len(rows) == 80:
                os.kill(crew.pids()[0], signal.SIGKILL)
        assert crew.lost == 1
        assert crew.peak_memory_bytes > 1e7
    assert len(rows) == 200  # nothing lost, nothing counted twice
    rows.sort(key=lambda row: row["index"])
    assert plain(rows) == plain(here["rows"])
    assert [row["index"] for row in rows] == list(range(1000, 1200))


def test_a_run_on_a_cluster_goes_on_from_one_here(cluster: Cluster, tmp_path: Path) -> None:
    wanted = boards(12)
    out = tmp_path / "x.json"
    before = run_jobs(TASK, wanted[:5], out)
    after = run_jobs(TASK, wanted, out, cluster=cluster)
    assert after["rows"][:5] == before["rows"]
    assert [row["index"] for row in after["rows"]] == [job.index for job in wanted]
    assert after["summary"]["machine"]["workers"] in (1, 2)
    assert after["summary"]["machine"]["lost"] == 0


def test_workers_that_find_no_room_are_not_waited_for(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "workers", 5)  # and two cores
    wanted = boards(20)
    with cluster.crew(TASK, len(wanted)) as crew:
        rows = list(crew.solve(wanted))
        assert list(crew.solve([])) == []
    assert sorted(row["index"] for row in rows) == [job.index for job in wanted]
    assert 1 <= crew.most_workers <= 2


def test_states_stream(cluster: Cluster) -> None:
    taken: list[int] = []

    def endless() -> Iterator[np.ndarray[Any, Any]]:
        while True:
            taken.append(1)
            yield boards(1)[0].state

    rows = solve_many(TASK, endless(), cluster)
    first = [next(rows) for _ in range(3)]
    rows.close()  # type: ignore[attr-defined]
    assert {row["status"] for row in first} == {"solved"}
    assert len({row["index"] for row in first}) == 3
    assert len(taken) <= 3 + 2 * 2  # no more than two workers can hold


def test_an_instance_that_kills_is_named(cluster: Cluster) -> None:
    class Fatal(np.ndarray[Any, Any]):
        def __reduce__(self) -> Any:
            return os._exit, (1,)

    bad = Job(7, np.zeros(16, np.uint8).view(Fatal))
    with (
        cluster.crew(TASK, 1) as crew,
        pytest.raises(PuzzleError, match="instance 7 was lost with 3 workers"),
    ):
        list(crew.solve([bad]))


def test_a_cluster_that_is_not_there() -> None:
    with pytest.raises(PuzzleError, match=r"cannot join the cluster nonsense://x: "):
        Cluster("nonsense://x")
