"""A server in a process of its own, and streams of events read from it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx


class RunningServer:
    """`homeward serve` at a free port; `client` speaks to it."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "homeward", "serve", "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.url = line.split()[1].rstrip("/")
        self.client = httpx.Client(base_url=self.url, timeout=30)
        self.wait_until_up()

    def wait_until_up(self) -> None:
        for _ in range(200):
            try:
                self.client.get("/api/health")
                return
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def workers(self) -> list[int]:
        """The process numbers of the workers."""
        folder = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(folder, encoding="ascii") as file:
            return [int(number) for number in file.read().split()]

    def start(self, **wish: Any) -> str:
        """Starts a job and returns its number."""
        answer = self.client.post("/api/solve", json=wish)
        assert answer.status_code == 202, answer.text
        number: str = answer.json()["id"]
        return number

    def events(self, number: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The names and data of a job's events, until the stream ends."""
        with self.client.stream("GET", f"/api/jobs/{number}/events") as answer:
            yield from read_events(answer)

    def answer(self, **wish: Any) -> dict[str, Any]:
        """The job of a wish as it is at the end."""
        *_, (name, job) = self.events(self.start(**wish))
        assert name == "end"
        return job

    def stop(self, sig: int = signal.SIGTERM) -> int:
        """Ends the server and returns its exit status."""
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(sig)
        try:
            status = self.process.wait(timeout=20)
        finally:
            self.process.kill()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


def read_events(answer: httpx.Response) -> Iterator[tuple[str, dict[str, Any]]]:
    """Server-sent events as names and data."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not yet waited for does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pids: list[int], seconds: float = 5.0) -> bool:
    """Whether all of these processes end in that time."""
    end = time.monotonic() + seconds
    while any(is_alive(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def kill(pid: int) -> None:
    """As `kill -9` does."""
    os.kill(pid, signal.SIGKILL)
