"""What runs in a worker process: solves one job after the other, as lines of JSON say.

On standard input come `{"job": …, "puzzle": …, "state": …, …}` and `{"cancel": job}`. On standard
output go `{"ready": pid}`, then for each job `{"job": …, "progress": {…}}` a few times a second and
at last `{"job": …, "result": {…}, "replay": {…}}` or `{"job": …, "error": "…"}`. When standard
input ends, because the server has gone, so does the process.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable
from typing import IO, Any

from homeward import solvers
from homeward.notation import State
from homeward.puzzles import PuzzleError
from homeward.record import record
from homeward.search.base import Budget, Meter, Progress
from homeward.web import catalogue
from homeward.web.replay import replay_notes

_KEPT = 4
"""Solvers that stay ready, with their tables and nets."""

_WARMING = ""
"""The number of the job that no client asked for."""

Tell = Callable[[dict[str, Any]], None]


class Solving:
    """Solves jobs, and keeps the solvers that it used last."""

    def __init__(self, device: str = "auto") -> None:
        self.net = solvers.Net(device=device)
        self._ready: OrderedDict[tuple[str, str, bool], solvers.Prepared] = OrderedDict()

    def solve(self, job: dict[str, Any], meter: Meter) -> dict[str, Any]:
        """The answer to a job: what `homeward solve --json` prints, and notes for its replay."""
        start = catalogue.read_state(catalogue.puzzle(job["puzzle"]), job["state"])
        prepared = self._prepared(start, job["solver"], job["optimal"])
        solution = prepared.solve(start.cells, meter)
        told = record(start, solution, prepared.solver.name, prepared.model, prepared.device)
        return {"result": told, "replay": replay_notes(start, solution)}

    def _prepared(self, start: State, solver: str, optimal: bool) -> solvers.Prepared:
        key = (start.puzzle.name, solver, optimal)
        if key not in self._ready:
            self._ready[key] = solvers.prepare(start.puzzle, solver, optimal=optimal, net=self.net)
            while len(self._ready) > _KEPT:
                self._ready.popitem(last=False)
        self._ready.move_to_end(key)
        return self._ready[key]


def run(solving: Solving, job: dict[str, Any], meter: Meter, tell: Tell) -> None:
    """Solves one job and tells how it goes; whatever happens, the last line is an answer."""
    number = job["job"]

    def progress(p: Progress) -> None:
        facts = {key: getattr(p, key) for key in ("seconds", "generated", "lower_bound", "best")}
        tell({"job": number, "progress": {**facts, "doing": p.doing}})

    meter.callback = progress
    try:
        tell({"job": number, **solving.solve(job, meter)})
    except PuzzleError as error:
        tell({"job": number, "error": str(error)})
    except MemoryError:
        tell({"job": number, "error": "the solver ran out of memory"})
    except Exception:
        traceback.print_exc(file=sys.stderr)
        tell({"job": number, "error": "the solver failed: this is a fault of homeward, not yours"})


class _Inbox:
    """Reads standard input in a thread of its own, so that a running search can be cancelled."""

    def __init__(self, lines: IO[str]) -> None:
        self.jobs: queue.Queue[dict[str, Any]] = queue.Queue()
        self.current: tuple[str, Meter] | None = None
        self.cancelled: set[str] = set()
        self.lock = threading.Lock()
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()

    def _listen(self, lines: IO[str]) -> None:
        for line in lines:
            message = json.loads(line)
            if "cancel" not in message:
                self.jobs.put(message)
                message = {"cancel": _WARMING}  # nobody waits for that
            with self.lock:
                if message["cancel"] != _WARMING:
                    self.cancelled.add(message["cancel"])
                if self.current is not None and self.current[0] == message["cancel"]:
                    self.current[1].cancel()
        os._exit(0)  # the server has gone: nobody wants an answer any more

    def begin(self, number: str, meter: Meter) -> None:
        with self.lock:
            self.current = (number, meter)
            if number in self.cancelled:
                meter.cancel()
            self.cancelled.clear()

    def end(self) -> None:
        with self.lock:
            self.current = None


def warm_up(solving: Solving, inbox: _Inbox, name: str) -> None:
    """Solves a scramble of a puzzle, so that tables and code are ready for the first client."""
    meter = Meter(Budget(seconds=3.0))
    inbox.begin(_WARMING, meter)
    _, state = catalogue.scrambled(catalogue.puzzle(name), None, 0)
    with contextlib.suppress(PuzzleError):
        wish = {"puzzle": name, "state": state.text, "solver": "auto", "optimal": False}
        solving.solve(wish, meter)
    inbox.end()


def main(device: str = "auto", warm: str = "") -> None:
    """Answers jobs until standard input ends, after solving a scramble of the puzzle `warm`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which tells us
    if hasattr(os, "nice"):
        os.nice(10)  # the server answers first
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # what a library prints must not come between the answers
    telling = threading.Lock()

    def tell(message: dict[str, Any]) -> None:
        line = json.dumps(message)
        with telling:
            answers.write(line + "\n")

    inbox, solving = _Inbox(sys.stdin), Solving(device)
    tell({"ready": os.getpid()})
    if warm and inbox.jobs.empty():
        warm_up(solving, inbox, warm)
    while True:
        job = inbox.jobs.get()
        meter = Meter(Budget(seconds=job["seconds"], bytes=job["memory"]))
        inbox.begin(job["job"], meter)
        run(solving, job, meter, tell)
        inbox.end()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except BrokenPipeError:  # the server has gone
        os._exit(0)
