"""Passes a second of a model's net on the CPU.

    PYTHONPATH=src python3 bench/net.py [--model NAME|PATH] [--threads N] [--out FILE.json]

Beside the 8-bit net: the same in 32-bit floats, its two parts alone on one thread, and torch where
it is installed. A row is the median of several runs, taken in turns so that a busy moment hits all
of them; `× base` is against the 32-bit floats. Passes by the second of one core's time are what
counts where others use the machine too. The beam's time is split by what it was spent on.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime

from homeward.heuristics.cpu_net import CpuNet
from homeward.heuristics.models import Model, read_model
from homeward.puzzles import puzzle
from homeward.puzzles.base import Puzzle
from homeward.workers import cores

Run = Callable[[], object]
BASE = "CpuNet float32"


def net_runs(which: Puzzle, model: Model, states: np.ndarray, threads: int) -> dict[str, Run]:
    whole = CpuNet(which, model, "float32", threads)
    runs: dict[str, Run] = {BASE: lambda: whole.answers(states)}
    small = CpuNet(which, model, "auto", threads)
    if small.precision == "int8":
        alone = CpuNet(which, model, "int8", 1)
        runs["CpuNet int8"] = lambda: small.answers(states)
        runs["CpuNet int8, 1 thread"] = lambda: alone.answers(states)
        some = states[:1024]
        codes = alone._input.encode(some)
        entered = alone._first(codes)
        runs["  its first layer alone"] = lambda: alone._first(codes)
        runs["  the rest alone"] = lambda: alone._session.run(None, {"x": entered})
    return runs


def torch_runs(which: Puzzle, model: Model, states: np.ndarray, threads: int) -> dict[str, Run]:
    try:
        import torch
    except ImportError:
        print("torch is not installed: no row for it")
        return {}
    from homeward.heuristics.torch_net import TorchNet

    torch.set_num_threads(threads)
    net = TorchNet(which, model, "cpu")
    there = net.place(states)
    return {"torch float32": lambda: net.answers(there)}


def medians(runs: dict[str, Run], repeats: int) -> dict[str, tuple[float, float]]:
    """For each run its seconds by the clock and of all cores together."""
    for run in runs.values():
        run()  # compiles, fills caches
    clock: dict[str, list[float]] = {name: [] for name in runs}
    worked: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            started, before = time.perf_counter(), time.process_time()
            run()
            clock[name].append(time.perf_counter() - started)
            worked[name].append(time.process_time() - before)
    return {n: (statistics.median(clock[n]), statistics.median(worked[n])) for n in runs}


def measure(which: Puzzle, model: Model, batch: int, threads: int, repeats: int) -> list[dict]:
    states = which.start_states(batch, np.random.default_rng(0))
    runs = net_runs(which, model, states, threads) | torch_runs(which, model, states, threads)
    found = medians(runs, repeats)
    base = batch / found[BASE][0]
    rows = []
    for name, (clock, worked) in found.items():
        count = min(batch, 1024) if name.startswith("  ") else batch
        row = {"way": name, "batch": batch, "passes_per_second": count / clock}
        rows.append(row | {"per_core_second": count / worked, "ratio": count / clock / base})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="cube3")
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    parser.add_argument("--batch", type=int, nargs="+", default=[1024, 8192])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    model = read_model(args.model)
    which, threads = puzzle(model.card.puzzle), args.threads or cores()
    weights = sum(values.size for values in model.tensors.values())
    print(f"{model.name}: {which.name}, {weights / 1e6:.1f}M weights, {threads} threads")
    rows: list[dict] = []
    print(f"{'way':<26} {'batch':>7} {'passes/s':>10} {'× base':>7} {'per core-second':>16}")
    for batch in args.batch:
        for row in measure(which, model, batch, threads, args.repeats):
            rows.append(row)
            print(
                f"{row['way']:<26} {batch:>7,} {row['passes_per_second']:>10,.0f} "
                f"{row['ratio']:>7.2f} {row['per_core_second']:>16,.0f}"
            )
    if args.out:
        machine = {"cpu": platform.processor() or platform.machine(), "threads": threads}
        machine |= {"onnxruntime": onnxruntime.__version__, "numpy": np.__version__}
        facts = {"machine": machine, "model": model.name, "weights": weights}
        facts |= {"rows": rows}
        args.out.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
