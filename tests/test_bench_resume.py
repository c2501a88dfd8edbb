"""Runs that are killed go on where they were: rows on disk, one at a time."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward.bench.journal import Journal
from homeward.bench.runner import Task, run_jobs
from homeward.bench.task import Job
from homeward.puzzles import PuzzleError, puzzle

TASK = {"task": "t"}


def jobs(n: int) -> list[Job]:
    """Boards of the 8-puzzle that breadth-first search takes a moment for."""
    states = puzzle("puzzle8").random_states(n, np.random.default_rng(3))
    return [Job(100 + i, state) for i, state in enumerate(states)]


def test_a_torn_line_is_dropped_and_the_rest_kept(tmp_path: Path) -> None:
    out = tmp_path / "x.json"
    with Journal(out, TASK) as journal:
        journal.add({"index": 3, "length": 1})
        journal.add({"index": 5, "length": 2})
        journal.add({"index": 3, "length": 9})  # the first one counts
    beside = tmp_path / "x.json.rows"
    whole = beside.read_text()
    beside.write_text(whole + '{"index": 9, "length": 3}')  # whole, but for the end of its line
    with Journal(out, TASK) as journal:
        assert list(journal.rows) == [3, 5]
        assert beside.read_text() == whole  # and what was known was there all the time
    beside.write_text(whole + '{"index": 7, "len')
    with Journal(out, TASK) as journal:
        assert journal.rows == {3: {"index": 3, "length": 1}, 5: {"index": 5, "length": 2}}
        journal.add({"index": 7, "length": 4})
        lines = [json.loads(line) for line in beside.read_text().splitlines()]
        assert [line.get("index") for line in lines] == [None, 3, 5, 7]
        journal.finish({"task": TASK, "rows": list(journal.rows.values())})
    assert not beside.exists()
    assert [row["index"] for row in json.loads(out.read_text())["rows"]] == [3, 5, 7]


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    out = tmp_path / "x.json"
    with (
        Journal(out, TASK),
        pytest.raises(PuzzleError, match=r"x\.json\.rows is being written by another run"),
    ):
        Journal(out, TASK)
    with pytest.raises(PuzzleError, match="holds the result of another benchmark"):
        Journal(out, {"task": "another"})


FULL = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_bench_resume import TASK
from homeward.bench.journal import Journal
from homeward.puzzles import PuzzleError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
try:
    with Journal(Path(sys.argv[1]), TASK) as journal:
        for index in range(100):
            journal.add({"index": index})
except PuzzleError as error:
    print(error)
"""


def test_a_full_disk_is_told_in_a_sentence(tmp_path: Path) -> None:
    out, here = tmp_path / "x.json", str(Path(__file__).parent)
    command = [sys.executable, "-c", FULL, str(out), here]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"cannot write {out}.rows: File too large\n"
    with Journal(out, TASK) as journal:
        assert len(journal.rows) > 3
        assert list(journal.rows) == list(range(len(journal.rows)))


CHILD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_bench_resume import jobs
from homeward.bench.runner import Task, run_jobs
from homeward.puzzles import puzzle
run_jobs(Task(puzzle("puzzle8"), "bfs"), jobs(200), Path(sys.argv[1]))
"""


def test_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    beside = tmp_path / "run.json.rows"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(out), str(Path(__file__).parent)])
    deadline = time.monotonic() + 60
    while not beside.exists() or beside.read_text().count("\n") < 4:
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert not out.exists()
    before: list[dict[str, Any]] = []
    for line in beside.read_text().splitlines()[1:]:
        with contextlib.suppress(ValueError):
            before.append(json.loads(line))
    told: list[int] = []
    wanted = jobs(len(before) + 3)
    task = Task(puzzle("puzzle8"), "bfs")
    result = run_jobs(task, wanted, out, lambda rows: told.append(len(rows)))
    assert result["rows"][: len(before)] == before  # their seconds too: not solved again
    assert told == [len(before) + 1, len(before) + 2, len(before) + 3]
    assert [row["index"] for row in result["rows"]] == [job.index for job in wanted]
    assert json.loads(out.read_text()) == result
    assert not beside.exists()


def test_rows_tell_when_solutions_were_found() -> None:
    cube = puzzle("cube3")
    states = cube.random_states(4, np.random.default_rng(0))
    task = Task(cube, "beam", {"width": 64, "views": 6})  # no clock: a busy machine finds the same
    rows = run_jobs(task, [Job(i, state) for i, state in enumerate(states)])["rows"]
    for row in rows:
        seconds, lengths = zip(*row["anytime"], strict=True)
        assert list(seconds) == sorted(seconds)
        assert list(lengths) == sorted(lengths, reverse=True)
        assert lengths[-1] == row["length"]
    assert max(len(row["anytime"]) for row in rows) > 1  # first solutions are not the best
