"""Whole graphs: time and memory to find the distance of every state.

    PYTHONPATH=src python3 bench/distances.py [--big] [--repeats N] [--out FILE.json] [PUZZLE ...]

Every run is a fresh process that reads no table from disk. Its time includes loading the compiled
code, numbering the states and listing the hardest; not compiling, which a first run has done.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from homeward.bench.machine import machine, peak_memory_bytes

PUZZLES = ["cube2", "sliding-2x5", "sliding-3x3", "lightsout5", "pyraminx"]
BIG = ["sliding-3x4"]


def run_here(name: str) -> dict[str, object]:
    from homeward.heuristics.graph import distances
    from homeward.puzzles import puzzle

    graph = distances(puzzle(name), use_cache=False)
    return {
        "puzzle": name,
        "states": graph.states,
        "diameter": graph.diameter,
        "counts": graph.counts,
        "seconds": graph.seconds,
        "peak_bytes": peak_memory_bytes(),
    }


def run_apart(name: str) -> dict[str, object]:
    command = [sys.executable, __file__, "--here", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("puzzles", nargs="*", default=PUZZLES, metavar="PUZZLE")
    parser.add_argument("--big", action="store_true", help=f"also {', '.join(BIG)}")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--here", metavar="PUZZLE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        print(json.dumps(run_here(args.here)))
        return
    rows = []
    print(f"{'puzzle':<16} {'states':>13} {'diameter':>9} {'seconds':>9} {'peak MB':>9}")
    for name in args.puzzles + BIG * args.big:
        if name not in BIG:
            run_apart(name)  # compiles
        runs = [run_apart(name) for _ in range(args.repeats)]
        times = [float(str(run["seconds"])) for run in runs]
        row = runs[0] | {"seconds": statistics.median(times), "all_seconds": times}
        row["peak_bytes"] = max(int(str(run["peak_bytes"])) for run in runs)
        rows.append(row)
        print(
            f"{name:<16} {row['states']:>13,} {row['diameter']:>9} {row['seconds']:>9.3f} "
            f"{row['peak_bytes'] / 1e6:>9.0f}",
            flush=True,
        )
    if args.out:
        args.out.write_text(json.dumps({"machine": machine("cpu"), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
