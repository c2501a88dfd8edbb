"""The queue and its worker processes, without HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from homeward import solvers
from homeward.notation import State
from homeward.puzzles import PuzzleError
from homeward.search.base import Budget, Meter, Outcome, Solution
from homeward.web import catalogue
from homeward.web.jobs import Job, Jobs, QueueFullError
from homeward.web.limits import Limits
from homeward.web.replay import replay_notes
from homeward.web.server import listening, make_server
from homeward.web.worker import Solving, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and signals")

HARD = {
    "puzzle": "cube3",
    "state": "BUDBULRDDRFFFRDBFLFBBBFRDRLBDURDDRFFRLULLUFBLLRULBUUUD",
    "solver": "dfs",
    "optimal": False,
    "seconds": 30.0,
}
EASY = {**HARD, "puzzle": "puzzle8", "state": "1 2 3 4 5 6 7 0 8", "solver": "bfs"}


def within(limits: Limits, story: Callable[[Jobs], Awaitable[None]]) -> None:
    """Runs a story with jobs that are started before and closed after it."""

    async def whole() -> None:
        jobs = Jobs(limits)
        await jobs.start()
        try:
            await asyncio.wait_for(story(jobs), 60)
        finally:
            await jobs.close()

    asyncio.run(whole())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.02)


async def ended(job: Job) -> Job:
    await until(lambda: job.ended is not None)
    return job


def test_jobs_run_in_their_order_and_the_queue_is_bounded() -> None:
    async def story(jobs: Jobs) -> None:
        first, second, third = (jobs.submit(EASY) for _ in range(3))
        with pytest.raises(QueueFullError, match="all solvers are busy and the queue is full"):
            jobs.submit(EASY)
        assert jobs.snapshot(third)["ahead"] == 2
        for job in (first, second, third):
            await ended(job)
        assert first.ended <= second.ended <= third.ended  # type: ignore[operator]
        assert [job.result["moves"] for job in (first, second) if job.result] == [["L"], ["L"]]
        assert jobs.busy == jobs.queued == 0

    within(Limits(workers=1, queue=2), story)


def test_a_job_that_nobody_asks_about_is_cancelled() -> None:
    async def story(jobs: Jobs) -> None:
        forgotten, waiting = jobs.submit(HARD), jobs.submit(HARD)
        began = time.monotonic()
        await ended(forgotten)
        await ended(waiting)
        assert 0.5 <= time.monotonic() - began < 25
        assert forgotten.result is not None
        assert forgotten.result["status"] == "cancelled"
        assert waiting.error == "stopped before it began"

    within(Limits(workers=1, patience=0.5), story)


def test_a_job_goes_on_while_somebody_listens() -> None:
    async def story(jobs: Jobs) -> None:
        job = jobs.submit({**HARD, "seconds": 1.5})
        last: dict[str, Any] | None = None
        async for news in jobs.events(job):
            last = news
        assert last is not None
        assert last["result"]["status"] == "out_of_time"
        assert last["progress"]["generated"] == last["result"]["generated"] > 0
        assert (job.listeners, jobs.streams) == (0, 0)

    within(Limits(workers=1, patience=0.5), story)


@pytest.mark.parametrize(
    ("cancel", "seconds", "error"),
    [
        (True, 30.0, "stopped, and the solver had to be ended without an answer"),
        (False, 0.2, "the time is over, and the solver had to be ended without an answer"),
    ],
)
def test_a_worker_that_does_not_stop_is_ended(cancel: bool, seconds: float, error: str) -> None:
    async def story(jobs: Jobs) -> None:
        await until(lambda: bool(jobs.pids))
        job = jobs.submit({**HARD, "seconds": seconds})
        await until(lambda: job.status == "running")
        [worker] = jobs.pids
        os.kill(worker, signal.SIGSTOP)  # it hears nothing and says nothing
        if cancel:
            jobs.cancel(job)
        assert (await ended(job)).error == error
        assert (await ended(jobs.submit(EASY))).status == "done"
        assert jobs.pids != [worker]

    within(Limits(workers=1, grace=0.5, compiling=0.0), story)


def test_a_worker_that_takes_too_much_is_ended() -> None:
    async def story(jobs: Jobs) -> None:
        job = await ended(jobs.submit(HARD))
        assert job.error == "the solver used more memory than it may, and was ended"

    within(Limits(workers=1, memory=1 << 20, overhead=1 << 20), story)


def test_a_search_keeps_its_memory_budget() -> None:
    async def story(jobs: Jobs) -> None:
        job = await ended(jobs.submit({**HARD, "solver": "bfs"}))
        assert job.result is not None
        assert job.result["status"] == "out_of_memory"

    within(Limits(workers=1, memory=1 << 20), story)


def test_old_jobs_are_forgotten() -> None:
    async def story(jobs: Jobs) -> None:
        many = [await ended(jobs.submit(EASY)) for _ in range(4)]
        await until(lambda: jobs.get(many[1].id) is None)
        assert [jobs.get(job.id) is not None for job in many] == [False, False, True, True]
        await until(lambda: jobs.get(many[3].id) is None)

    within(Limits(workers=1, kept=2, keep_seconds=1.0), story)


def test_progress_keeps_every_best_length() -> None:
    job = Job(dict(HARD))
    for seconds, generated, best in ((0.5, 100, None), (1.0, 300, 26), (1.5, 500, 24)):
        news = {"seconds": seconds, "generated": generated, "lower_bound": 9, "best": best}
        job.advance({**news, "doing": "searching"})
    assert job.progress["bests"] == [26, 24]
    assert job.progress["per_second"] == 400
    result = {"length": 22, "seconds": 2.0, "generated": 900, "lower_bound": 0}
    job.finish({"result": result})
    assert job.progress["bests"] == [26, 24, 22]
    assert (job.progress["lower_bound"], job.progress["best"]) == (9, 22)
    job.finish({"error": "too late"})
    assert (job.status, job.error) == ("done", None)


def test_a_client_that_goes_away_ends_its_job() -> None:
    listener = listening("127.0.0.1", 0)
    server = make_server("127.0.0.1", 0, Limits(workers=1, patience=3.0))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
            number = client.post("/api/solve", json=HARD).json()["id"]
            with client.stream("GET", f"/api/jobs/{number}/events") as stream:
                lines = stream.iter_lines()
                while '"running"' not in next(lines):
                    pass
                time.sleep(4.0)  # longer than the patience: it is listened to
                assert client.get("/api/health").json()["busy"] == 1
            began = time.monotonic()
            while client.get("/api/health").json()["busy"]:
                time.sleep(0.05)
            assert time.monotonic() - began < 25
            assert client.get(f"/api/jobs/{number}").json()["result"]["status"] == "cancelled"
    finally:
        server.should_exit = True
        thread.join(20)
    assert not thread.is_alive()


# --- in the worker


def told(job: dict[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    run(Solving(), {"job": "7", **job}, Meter(Budget(seconds=job["seconds"])), messages.append)
    return messages


def test_a_worker_answers_whatever_happens() -> None:
    *_, answer = told(EASY)
    assert answer["job"] == "7"
    assert answer["result"]["length"] == 1
    [refusal] = told({**EASY, "state": "1 2 3 4 5 6 8 7 0"})
    assert refusal["error"].startswith("only an even number of exchanged tiles")
    [failure] = told({**EASY, "state": 5})
    assert failure["error"] == "the solver failed: this is a fault of homeward, not yours"


def test_a_worker_keeps_the_solvers_it_used_last() -> None:
    solving = Solving()
    wish = {"solver": "bfs", "optimal": False}
    for name in ("sliding-2x2", "sliding-2x3", "sliding-3x2", "lightsout2", "lightsout3"):
        state = State.solved(name).text
        solving.solve({**wish, "puzzle": name, "state": state}, Meter(Budget()))
    ready = [puzzle for puzzle, _, _ in solving._ready]
    assert ready == ["sliding-2x3", "sliding-3x2", "lightsout2", "lightsout3"]


def test_estimates_that_are_no_proof_come_from_the_board() -> None:
    start = State.read("puzzle15", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15")
    names = start.puzzle.move_names
    unproved = Solution(Outcome.SOLVED, tuple(names.index(m) for m in "RLL"), 1)
    notes = replay_notes(start, unproved)
    assert notes is not None
    assert notes["text"] == "R L L"
    if notes["estimated_by"] == "manhattan":  # without a model of the board
        assert notes["estimates"] == [1.0, 2.0, 1.0, 0.0]
    assert len(notes["estimates"]) == 4
    assert replay_notes(start, Solution(Outcome.OUT_OF_TIME)) is None


# --- what requests may name


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("cube11", "cube11 is too large for this server: 10 at most"),
        ("sokoban-10x51", "sokoban-10x51 is too large for this server: 50 at most"),
        ("cube03", "there is no puzzle named 'cube03'"),
        ("cube٣", "there is no puzzle named 'cube٣'"),
        ("definitions/pancake.toml", "there is no puzzle named 'definitions/pancake.toml'"),
        ("", "there is no puzzle named ''"),
    ],
)
def test_names_that_are_none(name: str, error: str) -> None:
    with pytest.raises(catalogue.UnknownNameError) as raised:
        catalogue.puzzle(name)
    assert str(raised.value) == error


def test_a_board_beyond_the_limit_is_refused() -> None:
    wide = "\n".join(["#" * 60, "#@$." + " " * 55 + "#", "#" * 60])
    with pytest.raises(PuzzleError, match=r"the board is 3x60, this server takes 50 at most"):
        catalogue.read_state(catalogue.puzzle("sokoban"), wide)


def test_codes_of_a_board_are_read() -> None:
    board = catalogue.puzzle("sokoban-3x5")
    state = catalogue.read_state(board, "11111 15321 11111")
    assert state.text == "#####\n#@$.#\n#####"
    assert solvers.solve(board, state).length == 1
