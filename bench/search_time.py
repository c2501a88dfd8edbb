"""Where the time of a search with a net goes: net, moves, duplicates, queue, and the rest.

    PYTHONPATH=src python3 bench/search_time.py [--puzzle cube3] [--device cuda] [--limit N]
                                                [--widths N ...] [--batch N] [--out FILE.json]

Each search runs three times on the same random states: as it is, which gives its seconds and nodes;
with every operation started by itself, where a GPU would replay recorded levels; and so again with
a clock around its parts, which waits for the device at every reading and so shows shares and not
seconds. Beside them stands what the net alone takes for batches of the same sizes.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from homeward.bench.machine import machine
from homeward.puzzles import puzzle as puzzle_named
from homeward.search import ball, openlist, ops, zobrist
from homeward.search.base import Budget, Meter
from homeward.search.seen import seen_states
from homeward.solvers import Net, Prepared, prepare

Clock = dict[str, float]
PARTS = ("net", "moves", "duplicates", "queue", "ball")


def waiting(device: str) -> Callable[[], None]:
    """What waits until a device has done all that was asked of it."""
    if device == "cpu":
        return lambda: None
    import torch

    return torch.cuda.synchronize


@contextlib.contextmanager
def parts_timed(prepared: Prepared, clock: Clock, wait: Callable[[], None]) -> Iterator[None]:
    """Adds the seconds spent in each part of a search to a clock; a part in a part counts once."""
    puzzle, heuristic = prepared.puzzle, prepared.heuristic
    assert heuristic is not None
    places = heuristic.place(puzzle.start_states(1, np.random.default_rng(0)))
    parts: list[tuple[str, Any, str]] = [
        ("net", type(heuristic), "children"),
        ("moves", type(puzzle), "step"),
        ("queue", ops, "smallest"),
        ("queue", openlist.OpenList, "pop"),
        ("queue", openlist.OpenList, "push"),
        ("duplicates", zobrist.Hasher, "__call__"),
        ("duplicates", type(seen_states(puzzle, places)), "add"),
        ("duplicates", ops, "first_of_each"),
        ("duplicates", ops, "contains"),
        ("duplicates", ops, "lower"),
        ("ball", ball.Ball, "distances"),
    ]
    inside = False

    def timed(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            nonlocal inside
            if inside:
                return original(*args, **options)
            wait()
            began, inside = time.perf_counter(), True
            try:
                found = original(*args, **options)
                wait()
            finally:
                inside = False
            clock[name] += time.perf_counter() - began
            return found

        return call

    with contextlib.ExitStack() as undo:
        for name, owner, attribute in parts:
            call = timed(name, getattr(owner, attribute))
            undo.enter_context(patch.object(owner, attribute, call))
        yield


def net_alone(prepared: Prepared, sizes: list[int], wait: Callable[[], None]) -> float:
    """Seconds that the net takes for batches of these sizes, and for nothing else."""
    assert prepared.heuristic is not None
    rows = prepared.puzzle.random_states(max(sizes), np.random.default_rng(1))
    states = prepared.heuristic.place(rows)
    prepared.heuristic.children(states[: sizes[-1]])
    wait()
    began = time.perf_counter()
    for size in sizes:
        prepared.heuristic.children(states[:size])
    wait()
    return time.perf_counter() - began


@contextlib.contextmanager
def sizes_kept(prepared: Prepared, sizes: list[int]) -> Iterator[None]:
    """Keeps the sizes of the batches that the net is asked for."""
    kind = type(prepared.heuristic)
    original = kind.children

    def call(self: Any, states: Any) -> Any:
        sizes.append(len(states))
        return original(self, states)

    with patch.object(kind, "children", call):
        yield


def measured(prepared: Prepared, starts: Any, budget: Budget, device: str) -> dict[str, Any]:
    """The seconds and shares of one search on the rows of `starts` `[n, cells]`."""
    wait = waiting(device)
    prepared.solve(starts[0], Meter(budget))  # compiles, fills caches
    plain = [prepared.solve(start, Meter(budget)) for start in starts]
    seconds = sum(each.seconds for each in plain)
    sizes: list[int] = []
    clock: Clock = collections.defaultdict(float)
    with patch.object(prepared.heuristic, "recordable", False, create=True):
        with sizes_kept(prepared, sizes):
            unrecorded = sum(prepared.solve(start, Meter(budget)).seconds for start in starts)
        alone = net_alone(prepared, sizes, wait)
        began = time.perf_counter()
        with parts_timed(prepared, clock, wait):
            for start in starts:
                prepared.solve(start, Meter(budget))
        whole = time.perf_counter() - began
    shares = {name: clock[name] / whole for name in PARTS}
    return {
        "seconds": seconds / len(starts),
        "unrecorded_seconds": unrecorded / len(starts),
        "generated_per_second": sum(each.generated for each in plain) / seconds,
        "net_alone": alone / seconds,
        "shares": shares | {"rest": 1 - sum(shares.values())},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--puzzle", default="cube3")
    parser.add_argument("--model")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--limit", type=int, default=5, help="random states")
    parser.add_argument("--widths", type=int, nargs="*", default=[1024, 4096])
    parser.add_argument("--batch", type=int, default=1000, help="of batch weighted A*")
    parser.add_argument("--nodes", type=int, default=2_000_000, help="of batch weighted A*")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    puzzle = puzzle_named(args.puzzle)
    starts = puzzle.random_states(args.limit, np.random.default_rng(0))
    runs: list[tuple[str, dict[str, Any], Budget]] = [
        ("beam", {"width": width}, Budget(600)) for width in args.widths
    ]
    if args.batch:
        runs.append(("bwas", {"batch": args.batch}, Budget(600, nodes=args.nodes)))
    rows = []
    head = "search            seconds  unrecorded  M nodes/s  net alone |"
    print(head + "".join(f"{p:>11}" for p in PARTS))
    for solver, settings, budget in runs:
        prepared = prepare(puzzle, solver, settings, False, 2, Net(args.model, args.device))
        row = measured(prepared, starts, budget, args.device)
        rows.append({"solver": solver, "settings": settings, **row})
        name = f"{solver} {next(iter(settings.values())):,}"
        shares = "".join(f"{row['shares'][part]:>11.0%}" for part in PARTS)
        speed = row["generated_per_second"] / 1e6
        print(
            f"{name:<16} {row['seconds']:>8.3f} {row['unrecorded_seconds']:>11.3f} {speed:>10.2f}"
            f" {row['net_alone']:>10.0%} |{shares}"
        )
    if args.out:
        record = {"machine": machine(args.device), "puzzle": args.puzzle, "rows": rows}
        args.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
