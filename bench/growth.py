"""Cost growth of best-first search: time and memory against the nodes generated.

    PYTHONPATH=src python3 bench/growth.py [--nodes N ...] [--batch N] [--weight W] [--device cuda]
                                           [--plot FILE] [--out FILE.json]

The search looks for a random 3×3×3 cube with a cheap estimate that never finds it, misplaced
stickers over eight, so that what is measured is the search itself. Every run is a fresh process.
Memory is the peak of what arrays take, measured in a second search that is not timed; beside it
stands how much the resident set of the process has grown at its peak. The exponent is the slope of
a straight line through the logarithms: 1 is linear. While everything fits into the processor's
caches a node takes less time, which shows as an exponent slightly above 1; the arrays of one batch
take the same memory however long the search, which shows as an exponent below 1.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

from homeward.bench.machine import machine, peak_memory_bytes

NODES = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]


def run_here(nodes: int, batch: int, weight: float, device: str) -> dict[str, float]:
    from homeward.heuristics.function import FunctionHeuristic
    from homeward.puzzles import puzzle
    from homeward.puzzles.arrays import Table
    from homeward.search.base import Budget, Meter
    from homeward.search.bestfirst import BestFirst

    cube = puzzle("cube3")
    goal = Table(cube.goal)
    estimate = FunctionHeuristic(
        cube,
        lambda states: (states != goal.on(states)).sum(1) / 8,
        device=None if device == "cpu" else device,
    )
    start = cube.random_states(1, np.random.default_rng(0))[0]
    search = BestFirst(weight, batch)
    search(cube, start, estimate, Meter(Budget(nodes=20 * batch)))  # compiles, fills caches
    before = peak_memory_bytes()
    found = search(cube, start, estimate, Meter(Budget(nodes=nodes)))
    resident = peak_memory_bytes() - before
    meter = Meter(Budget(nodes=nodes))
    allocated = peak_bytes(device, lambda: search(cube, start, estimate, meter))
    return {
        "nodes": found.generated,
        "expanded": found.expanded,
        "reopened": found.reopened,
        "seconds": found.seconds,
        "bytes": allocated,
        "resident_bytes": resident,
    }


def peak_bytes(device: str, run: Callable[[], object]) -> int:
    """The most bytes that arrays, or tensors on a GPU, take during a run."""
    if device != "cpu":
        import torch

        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run()
        return int(torch.cuda.max_memory_allocated()) - int(before)
    tracemalloc.start()
    run()
    return tracemalloc.get_traced_memory()[1]


def run_apart(*arguments: object) -> dict[str, float]:
    command = [sys.executable, __file__, "--here", *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def exponent(rows: list[dict[str, float]], key: str) -> float:
    """The slope of log(key) against log(nodes)."""
    nodes, values = np.log(np.array([(row["nodes"], row[key]) for row in rows])).T
    return float(np.polyfit(nodes, values, 1)[0])


def plot(rows: list[dict[str, float]], exponents: dict[str, float], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    nodes = np.array([row["nodes"] for row in rows])
    for axis, key, unit, scale in zip(
        axes, ("seconds", "bytes"), ("seconds", "megabytes"), (1, 1e6), strict=True
    ):
        values = np.array([row[key] / scale for row in rows])
        axis.loglog(nodes, values, "o-", label=f"exponent {exponents[key]:.2f}")
        axis.loglog(nodes, values[-1] * nodes / nodes[-1], "--", color="grey", label="linear")
        axis.set(xlabel="nodes generated", ylabel=unit)
        axis.legend()
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=NODES)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--weight", type=float, default=0.6)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--here", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        nodes, batch, weight, device = args.here
        print(json.dumps(run_here(int(nodes), int(batch), float(weight), device)))
        return
    settings = (args.batch, args.weight, args.device)
    rows = []
    print("       nodes    expanded   seconds  M nodes/s       MB  resident MB")
    for nodes in args.nodes:
        runs = [run_apart(nodes, *settings) for _ in range(args.repeats)]
        row = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        rows.append(row)
        speed = row["nodes"] / row["seconds"] / 1e6
        megabytes, resident = row["bytes"] / 1e6, row["resident_bytes"] / 1e6
        print(
            f"{row['nodes']:>12,.0f} {row['expanded']:>11,.0f} {row['seconds']:>9.4f} "
            f"{speed:>10.2f} {megabytes:>8.1f} {resident:>12.1f}",
            flush=True,
        )
    exponents = {key: exponent(rows, key) for key in ("seconds", "bytes")}
    print(f"exponents: time {exponents['seconds']:.3f}, memory {exponents['bytes']:.3f}")
    if args.plot:
        plot(rows, exponents, args.plot)
    if args.out:
        record = {"machine": machine(args.device), "batch": args.batch, "weight": args.weight}
        record |= {"device": args.device, "exponents": exponents, "rows": rows}
        args.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
