"""The server under load: many clients, no lost job, memory that does not grow, prompt answers.

    python3 bench/web_load.py [--clients 50] [--seconds 30] [--solves 500]
                              [--out FILE.json]

Starts `homeward serve` on loopback and lets clients solve scrambles of several puzzles for some
seconds. A client that finds the queue full waits as long as it is told and tries again. Meanwhile
`/api/health` is asked 20 times a second. Then solves go on, one after the other, while the memory
of the server and its workers is watched, and at last a worker is killed in the middle of a solve.
Needs Linux (/proc) and httpx.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

# Each with its share: mostly quick ones, and some that keep a worker busy for a second or more.
MIX = {"puzzle8": 4, "lightsout5": 3, "cube2": 2, "puzzle15": 2, "sokoban": 1, "cube3": 2}
HARD = "BUDBULRDDRFFFRDBFLFBBBFRDRLBDURDDRFFRLULLUFBLLRULBUUUD"
SEED = 7
WORKERS = 2


@dataclass
class Load:
    """What was seen."""

    accepted: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    errors: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    health_busy: list[float] = field(default_factory=list)


def resident(pids: list[int]) -> int:
    """Bytes of memory that these processes hold."""
    total = 0
    for pid in pids:
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        except FileNotFoundError:
            continue
    return total * os.sysconf("SC_PAGE_SIZE")


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(number) for number in text.split()]


async def scrambles(client: httpx.AsyncClient, count: int) -> list[dict[str, Any]]:
    """Wishes for the clients, made beforehand so that only solving is measured."""
    names = random.Random(SEED).choices(list(MIX), list(MIX.values()), k=count)
    wishes = []
    for seed, name in enumerate(names):
        query: dict[str, Any] = {"puzzle": name, "seed": seed}
        if name == "sokoban":
            query["depth"] = 12  # rooms of their own may take minutes
        state = (await client.get("/api/scramble", params=query)).json()["state"]
        wishes.append({"puzzle": name, "state": state, "seconds": 2})
    return wishes


async def follow(client: httpx.AsyncClient, number: str) -> dict[str, Any] | None:
    """The job as it is at the end of its stream; None if the stream ends without one."""
    job = None
    async with client.stream("GET", f"/api/jobs/{number}/events") as stream:
        name = ""
        async for line in stream.aiter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: ") and name == "end":
                job = json.loads(line[6:])
    return job


async def solve(client: httpx.AsyncClient, wish: dict[str, Any], load: Load) -> None:
    """One solve, with as many tries as it takes to be let in."""
    while True:
        answer = await client.post("/api/solve", json=wish)
        if answer.status_code != 503:
            break
        load.refused += 1
        await asyncio.sleep(min(2.0, float(answer.headers["retry-after"])) * random.random())
    if answer.status_code != 202:
        load.errors.append(answer.text)
        return
    load.accepted += 1
    began = time.perf_counter()
    job = await follow(client, answer.json()["id"])
    load.seconds.append(time.perf_counter() - began)
    if job is None:
        load.outcomes["lost"] += 1
    elif job["status"] == "failed":
        load.outcomes["failed"] += 1
        load.errors.append(job["error"])
    else:
        load.outcomes[job["result"]["status"]] += 1


def probe(url: str, seconds: float) -> None:
    """Asks for the health 20 times a second and prints `[took, busy]` of each answer.

    In a process of its own, so that what the clients take does not count as the server's.
    """
    rows, end = [], time.monotonic() + seconds
    with httpx.Client(base_url=url, timeout=60) as client:
        while time.monotonic() < end:
            began = time.perf_counter()
            told = client.get("/api/health").json()
            took = time.perf_counter() - began
            rows.append([took, told["busy"]])
            time.sleep(max(0.0, 0.05 - took))
    print(json.dumps(rows))


async def many(url: str, wishes: list[dict[str, Any]], clients: int, seconds: float) -> Load:
    """Clients that solve for some seconds, and what they saw."""
    load, end = Load(), time.monotonic() + seconds
    limits = httpx.Limits(max_connections=None)
    asking = await asyncio.create_subprocess_exec(
        *(sys.executable, __file__, "--probe", url, "--seconds", str(seconds)),
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as client:

        async def one(first: int) -> None:
            for wish in wishes[first:] + wishes[:first]:
                if time.monotonic() > end:
                    return
                await solve(client, wish, load)

        step = max(1, len(wishes) // clients)
        await asyncio.gather(*(one(i * step % len(wishes)) for i in range(clients)))
    text, _ = await asking.communicate()
    rows = json.loads(text)
    load.health = [took for took, _ in rows]
    load.health_busy = [took for took, busy in rows if busy == WORKERS]
    return load


async def growth(url: str, pid: int, wishes: list[dict[str, Any]], count: int) -> dict[str, Any]:
    """Memory before and after solves that go on two at a time, once everything has been used."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        load, marks = Load(), []
        turn = iter(range(10**9))

        async def some(number: int) -> None:
            async def hand() -> None:
                while next(turn) < goal:
                    await solve(client, wishes[len(load.seconds) % len(wishes)], load)

            goal = len(load.seconds) + number
            await asyncio.gather(hand(), hand())

        for _ in range(2):
            await some(count // 2)
            marks.append(resident([pid, *children(pid)]))
        before = marks[0]
        await some(count)
        after = resident([pid, *children(pid)])
    outcomes = dict(load.outcomes)
    return {"solves": count, "before": before, "halfway": marks[1], "after": after, **outcomes}


async def killed(url: str, pid: int) -> dict[str, Any]:
    """A worker killed in the middle of a solve: what its client and another one get."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        wish = {"puzzle": "cube3", "state": HARD, "solver": "dfs", "seconds": 4}
        numbers = [(await client.post("/api/solve", json=wish)).json()["id"] for _ in range(2)]
        following = [asyncio.create_task(follow(client, number)) for number in numbers]
        while (await client.get("/api/health")).json()["busy"] < 2:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        os.kill(children(pid)[0], signal.SIGKILL)
        began = time.perf_counter()
        done, _ = await asyncio.wait(following, return_when=asyncio.FIRST_COMPLETED)
        told = time.perf_counter() - began
        first = next(iter(done)).result()
        jobs = [await task for task in following]
        statuses = [job["result"]["status"] if job["result"] else job["error"] for job in jobs]
        again = Load()
        easy = {"puzzle": "puzzle8", "state": "1 2 3 4 5 6 7 0 8"}
        await asyncio.gather(*(solve(client, easy, again) for _ in range(4)))
    return {"error": first["error"], "told_after": told, "both": statuses, **again.outcomes}


def quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0.0


def summary(load: Load, seconds: float) -> dict[str, Any]:
    ended = sum(load.outcomes.values())
    return {
        "accepted": load.accepted,
        "ended": ended,
        "lost": load.accepted - ended + load.outcomes["lost"],
        "outcomes": dict(load.outcomes),
        "refused_with_503": load.refused,
        "solves_a_second": round(ended / seconds, 1),
        "job_seconds_median": round(statistics.median(load.seconds), 3),
        "job_seconds_p95": round(quantile(load.seconds, 0.95), 3),
        "health_asked": len(load.health),
        "health_ms_median": round(1000 * statistics.median(load.health), 1),
        "health_ms_p95": round(1000 * quantile(load.health, 0.95), 1),
        "health_busy_asked": len(load.health_busy),
        "health_busy_ms_p95": round(1000 * quantile(load.health_busy, 0.95), 1),
        "health_ms_most": round(1000 * max(load.health), 1),
        "errors": load.errors[:5],
    }


async def measure(wish: argparse.Namespace, url: str, pid: int) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        wishes = await scrambles(client, 200)
    found: dict[str, Any] = {"clients": wish.clients, "seconds": wish.seconds}
    load = await many(url, wishes, wish.clients, wish.seconds)
    found["load"] = summary(load, wish.seconds)
    found["memory"] = await growth(url, pid, wishes, wish.solves)
    found["killed"] = await killed(url, pid)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--solves", type=int, default=500)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--probe", metavar="URL", help=argparse.SUPPRESS)
    wish = parser.parse_args()
    if wish.probe:
        probe(wish.probe, wish.seconds)
        return
    command = [sys.executable, "-m", "homeward", "serve", "--port", "0", "--workers", str(WORKERS)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().split()[1].rstrip("/")
    try:
        time.sleep(5)  # workers get ready
        found = asyncio.run(measure(wish, url, server.pid))
    finally:
        server.send_signal(signal.SIGINT)
        status = server.wait(20)
    found["exit_status"] = status
    found["load_average"] = os.getloadavg()
    text = json.dumps(found, indent=2)
    print(text)
    if wish.out is not None:
        wish.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
