"""Moves a second: all 12 moves applied to batches of 3×3×3 states.

    PYTHONPATH=src python3 bench/moves.py [--device cuda] [--batch N ...] [--out FILE.json]

The base line is a plain NumPy gather, `states[:, table]`. Beside it: `puzzle.expand` compiled
with numba on one core and on all, and the same method on torch tensors, whichever are installed.
A row is the median of several runs, taken in turns so that a busy moment hits all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from homeward.puzzles import puzzle

try:
    import numba
except ImportError:
    numba = None
try:
    import torch
except ImportError:
    torch = None

CUBE = puzzle("cube3")
Run = Callable[[], object]


def numba_runs(states: np.ndarray) -> dict[str, Run]:
    def on(threads: int) -> Run:
        def run() -> object:
            numba.set_num_threads(threads)
            return CUBE.expand(states)

        return run

    if numba is None:
        return {}
    counts = sorted({1, numba.config.NUMBA_NUM_THREADS})
    return {f"numba, {n} thread{'s' * (n > 1)}": on(n) for n in counts}


def torch_runs(states: np.ndarray, device: str) -> dict[str, Run]:
    there = torch.as_tensor(states, device=device)

    def run() -> object:
        children = CUBE.expand(there)
        if device == "cuda":
            torch.cuda.synchronize()
        return children

    where = (
        torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} threads"
    )
    return {f"torch {device}, {where}": run}


def medians(runs: dict[str, Run], repeats: int, seconds: float) -> dict[str, float]:
    """The median time of each; a run is repeated until it takes `seconds`."""
    loops = {}
    for name, run in runs.items():
        run()  # compiles, fills caches
        started = time.perf_counter()
        run()
        loops[name] = max(1, int(seconds / max(time.perf_counter() - started, 1e-9)))
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            started = time.perf_counter()
            for _ in range(loops[name]):
                run()
            times[name].append((time.perf_counter() - started) / loops[name])
    return {name: statistics.median(found) for name, found in times.items()}


def measure(batch: int, device: str, repeats: int, seconds: float) -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    some = CUBE.random_states(min(batch, 1000), rng)
    states = np.ascontiguousarray(np.resize(some, (batch, CUBE.cells)))
    table = CUBE.table.numpy
    runs: dict[str, Run] = {"plain NumPy gather": lambda: states[:, table]}
    runs |= numba_runs(states)
    if torch is not None:
        for name in dict.fromkeys(("cpu", device)):
            runs |= torch_runs(states, name)
    found = medians(runs, repeats, seconds)
    base = found["plain NumPy gather"]
    return [
        {
            "way": name,
            "batch": batch,
            "seconds": took,
            "children_per_second": batch * CUBE.moves / took,
            "times_base": base / took,
        }
        for name, took in found.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--batch", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.05, help="of one run")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    if args.device == "cuda" and (torch is None or not torch.cuda.is_available()):
        parser.error("torch finds no CUDA device here")
    rows = []
    print(f"{'way':<42} {'batch':>9} {'M children/s':>13} {'× base':>7}")
    for batch in args.batch:
        for row in measure(batch, args.device, args.repeats, args.seconds):
            rows.append(row)
            speed = row["children_per_second"] / 1e6
            print(f"{row['way']:<42} {batch:>9,} {speed:>13.1f} {row['times_base']:>7.2f}")
    if args.out:
        machine = {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count()}
        machine |= {"numpy": np.__version__, "numba": numba and numba.__version__}
        args.out.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
