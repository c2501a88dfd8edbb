"""Solves that wait, run and end: a bounded queue in front of a fixed number of processes."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from homeward.web.limits import Limits
from homeward.web.process import Process, ProcessLostError

_LOOK = 0.25
"""Seconds between two looks at a running job's time, memory and client."""
_CALM = 10.0
"""Seconds after which a quiet stream sends a comment, so that a lost connection shows."""


_NO_PROGRESS: dict[str, Any] = {
    "seconds": 0.0,
    "generated": 0,
    "per_second": 0.0,
    "lower_bound": 0,
    "best": None,
    "doing": "",
}


class QueueFullError(Exception):
    """No place in the queue; `retry_after` seconds from now there may be one."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(
            f"all solvers are busy and the queue is full: try again in {retry_after} s"
        )
        self.retry_after = retry_after


@dataclass
class Job:
    """One solve, from the request to its answer."""

    request: dict[str, Any]
    """What the worker is told: puzzle, state, solver, optimal, seconds, memory."""
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    status: str = "queued"
    progress: dict[str, Any] = field(default_factory=lambda: dict(_NO_PROGRESS, bests=[]))
    result: dict[str, Any] | None = None
    replay: dict[str, Any] | None = None
    error: str | None = None
    cancelled: bool = False
    listeners: int = 0
    touched: float = field(default_factory=time.monotonic)
    ended: float | None = None
    pulse: asyncio.Event = field(default_factory=asyncio.Event)
    """Set, and replaced by a new one, whenever something has changed."""

    def changed(self) -> None:
        """Wakes everybody who waits for news."""
        self.pulse.set()
        self.pulse = asyncio.Event()

    def advance(self, news: dict[str, Any]) -> None:
        """Takes a worker's progress in."""
        before = self.progress
        spent = news["seconds"] - before["seconds"]
        if spent > 0:
            news["per_second"] = round((news["generated"] - before["generated"]) / spent)
        self._note_best(news.get("best"))
        self.progress = {**before, **news, "bests": before["bests"]}
        self.changed()

    def finish(self, answer: dict[str, Any]) -> None:
        """Takes a worker's answer in: a result or an error."""
        if self.ended is not None:
            return
        self.result, self.replay = answer.get("result"), answer.get("replay")
        self.error = answer.get("error")
        self.status = "failed" if self.result is None else "done"
        if self.result is not None:
            self._note_best(self.result["length"])
            self.progress |= {key: self.result[key] for key in ("seconds", "generated")}
            bound = max(self.progress["lower_bound"], self.result["lower_bound"])
            self.progress |= {"lower_bound": bound, "best": self.result["length"], "doing": ""}
        self.ended = time.monotonic()
        self.changed()

    def _note_best(self, best: int | None) -> None:
        bests = self.progress["bests"]
        if best is not None and (not bests or best < bests[-1]):
            bests.append(best)


class Jobs:
    """Every job of a server. All methods belong to the event loop's thread."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.closing = False
        self.streams = 0
        self._waiting: deque[Job] = deque()
        self._arrived = asyncio.Semaphore(0)
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._tasks: list[asyncio.Task[None]] = []
        self._processes = [Process(limits.device, limits.warm) for _ in range(limits.workers)]
        self._running: dict[Process, Job] = {}

    # --- what requests ask for

    def submit(self, request: dict[str, Any]) -> Job:
        """Puts a job into the queue; raises `QueueFullError`."""
        if self.closing or len(self._waiting) >= self.limits.queue + self._idle:
            raise QueueFullError(self._retry_after())
        job = Job({**request, "memory": self.limits.memory})
        job.request["job"] = job.id
        self._jobs[job.id] = job
        self._waiting.append(job)
        self._arrived.release()
        return job

    def get(self, number: str) -> Job | None:
        """The job of that number, if it is still known; asking shows that somebody cares."""
        job = self._jobs.get(number)
        if job is not None:
            job.touched = time.monotonic()
        return job

    def cancel(self, job: Job) -> None:
        """Stops a job: one that waits at once, one that runs as soon as its search looks up."""
        job.cancelled = True
        if job in self._waiting:
            self._waiting.remove(job)
            job.finish({"error": "stopped before it began"})
            for other in self._waiting:
                other.changed()

    def snapshot(self, job: Job) -> dict[str, Any]:
        """The job as clients see it."""
        ahead = self._waiting.index(job) if job in self._waiting else 0
        keys = ("id", "status", "progress", "result", "replay", "error")
        return {**{key: getattr(job, key) for key in keys}, "ahead": ahead}

    async def events(self, job: Job) -> AsyncGenerator[dict[str, Any] | None]:
        """Snapshots as they come, the last one when the job has ended; None in long silences."""
        job.listeners += 1
        self.streams += 1
        try:
            while True:
                pulse = job.pulse
                yield self.snapshot(job)
                while job.ended is None and not pulse.is_set():
                    try:
                        await asyncio.wait_for(pulse.wait(), _CALM)
                    except TimeoutError:
                        yield None
                if job.ended is not None and pulse is job.pulse:
                    return
        finally:
            job.listeners -= 1
            self.streams -= 1
            job.touched = time.monotonic()

    @property
    def busy(self) -> int:
        """Processes that are solving."""
        return len(self._running)

    @property
    def queued(self) -> int:
        """Jobs that wait."""
        return len(self._waiting)

    @property
    def pids(self) -> list[int]:
        """The process numbers of the workers."""
        return [process.pid for process in self._processes if process.pid]

    @property
    def _idle(self) -> int:
        return self.limits.workers - len(self._running)

    def _retry_after(self) -> int:
        """Seconds until a place is likely: what the running jobs may still take, at most 30."""
        left = [job.request["seconds"] - job.progress["seconds"] for job in self._running.values()]
        return int(min(30, max(1, min(left, default=1))))

    # --- beginning and end

    async def start(self) -> None:
        """Starts the processes and what watches over them."""
        self._tasks = [asyncio.create_task(self._serve(process)) for process in self._processes]
        self._tasks.append(asyncio.create_task(self._tidy()))

    def close_soon(self) -> None:
        """Ends every job, so that streams end too; nothing new is taken."""
        self.closing = True
        for job in self._jobs.values():
            if job.ended is None:
                job.cancelled = True
                job.finish({"error": "the server is shutting down"})

    async def close(self) -> None:
        """Ends every job and every process."""
        self.close_soon()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(process.end() for process in self._processes))

    # --- the work

    async def _serve(self, process: Process) -> None:
        """Gives one process job after job, and starts it anew when it is lost."""
        while True:
            with contextlib.suppress(ProcessLostError):
                await process.start()
            await self._arrived.acquire()
            if not self._waiting:  # it was cancelled before anybody was free
                continue
            job = self._waiting.popleft()
            self._running[process] = job
            job.status = "running"
            job.changed()
            for other in self._waiting:
                other.changed()
            try:
                job.finish(await self._solve(process, job))
            except ProcessLostError as loss:
                job.finish({"error": str(loss)})
            finally:
                del self._running[process]
            if process.resident() > self.limits.overhead:
                await process.end()

    async def _solve(self, process: Process, job: Job) -> dict[str, Any]:
        """The worker's answer. A worker that will not stop, or takes too much, is ended."""
        await process.start()
        process.send(job.request)
        limits = self.limits
        allowed = job.request["seconds"] + limits.compiling + limits.grace
        deadline = time.monotonic() + allowed
        asked = False
        while True:
            if job.cancelled and not asked:
                asked = True
                process.send({"cancel": job.id})
                deadline = min(deadline, time.monotonic() + limits.grace)
            message = await process.receive(_LOOK)
            if message is not None and message.get("job") == job.id:
                if "progress" not in message:
                    return message
                if job.ended is None:
                    job.advance(message["progress"])
            if time.monotonic() > deadline:
                await process.end()
                stopped = "stopped" if job.cancelled else "the time is over"
                return {"error": f"{stopped}, and the solver had to be ended without an answer"}
            if process.resident() > limits.memory + limits.overhead:
                await process.end()
                return {"error": "the solver used more memory than it may, and was ended"}

    async def _tidy(self) -> None:
        """Cancels jobs whose clients have gone, and forgets old ones."""
        while True:
            await asyncio.sleep(_LOOK)
            now = time.monotonic()
            ended = [job for job in self._jobs.values() if job.ended is not None]
            for job in list(self._jobs.values()):
                silent = now - job.touched > self.limits.patience
                if job.ended is None and not job.listeners and silent and not job.cancelled:
                    self.cancel(job)
            for number, job in enumerate(reversed(ended)):
                assert job.ended is not None
                if number >= self.limits.kept or now - job.ended > self.limits.keep_seconds:
                    del self._jobs[job.id]
