"""Optimal solving of the 3×3×3 cube: tables, nodes a second, and proofs on public cubes.

    PYTHONPATH=src python3 bench/optimal_cube.py --data cube3.npz [--rows 0 1 2 …] [--limit N]
        [--longest L] [--start auto|known|none|SOLVER] [--time S] [--out FILE.json]
        [--table] [--patterns]

`--table` and `--patterns` make the tables anew, each in a fresh process, without reading or keeping
any; the first takes minutes. Rows need the table of `cube3`, which is made and kept if it is not
there. A row is solved from scratch with `--start none`, with a first solution of the named solver
(`auto`: the net's beam where there is a model, else two phases), or with `--start known` proved
with the shortest length that the file knows: what the best possible first solution would give.
`cpu_seconds` are those of all cores, for machines that others use too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from homeward.bench.machine import machine, peak_memory_bytes
from homeward.heuristics.cube.bigtable import BigTable
from homeward.heuristics.cube.korf import PATTERN_SETS, label, pattern_cells
from homeward.heuristics.patterns import PatternDatabase
from homeward.notation.archives import InstanceSet, load_set
from homeward.puzzles import puzzle
from homeward.search.base import Budget, Interrupted, Meter, replayed
from homeward.search.idastar import deepen
from homeward.solvers.optimal import Optimal
from homeward.workers import Crew, cores

KNOWN = "known"


def make_table(name: str) -> dict[str, Any]:
    """The big table, made here and forgotten; a first one of depth 7 has compiled everything."""
    cube = puzzle(name)
    BigTable(cube, depth=7)
    started, worked = time.perf_counter(), time.process_time()
    table = BigTable(cube, use_cache=False)
    return {
        "table": name,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - worked,
        "peak_bytes": peak_memory_bytes(),
        "bytes": table.lookup.table.nbytes,
        "counts": table.counts,
        "mean": table.mean,
    }


def make_patterns(name: str) -> dict[str, Any]:
    """Every database of all named sets, made here and forgotten."""
    cube = puzzle(name)
    PatternDatabase(cube, [0], use_cache=False)  # compiles
    rows = []
    for pieces in dict.fromkeys(p for set_ in PATTERN_SETS.values() for p in set_):
        database = PatternDatabase(cube, pattern_cells(pieces), label(pieces), use_cache=False)
        rows.append(
            {
                "pattern": database.name,
                "placements": database.placements.size,
                "bytes": database.table.nbytes,
                "seconds": database.seconds,
                "largest": database.largest,
                "mean": database.mean,
            }
        )
    states = cube.random_states(100_000, np.random.default_rng(0))
    started = time.perf_counter()
    database.values(states)
    call = (time.perf_counter() - started) / len(states)
    return {
        "patterns": name,
        "rows": rows,
        "seconds_per_state": call,
        "peak_bytes": peak_memory_bytes(),
    }


def apart(*arguments: str) -> dict[str, Any]:
    """The same program in a fresh process."""
    command = [sys.executable, __file__, "--here", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def nodes_per_second(table: BigTable, known: InstanceSet, threads: int) -> dict[str, Any]:
    """Exhausting 18 or 19 moves of a cube that needs more, with so many threads."""
    assert known.optimal_length is not None
    row = int(np.flatnonzero(known.optimal_length >= 21)[0])
    depth = int(known.optimal_length[row]) - 2 if known.optimal_length[row] == 21 else 18
    tree, crew = table.tree(known.states[row]), Crew(threads)
    counts = np.zeros((threads, 2), np.int64)
    tree.search(tree.parts(6)[0], 6, crew.stop, np.zeros(2, np.int64))  # compiles
    started, worked = time.perf_counter(), time.process_time()
    crew.run(
        tree.parts(depth),
        lambda part, hand: tree.search(part, depth, crew.stop, counts[hand]),
        lambda: None,
    )
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    generated = int(counts[:, 1].sum())
    return {
        "row": row,
        "depth": depth,
        "threads": threads,
        "generated": generated,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "per_second": generated / seconds,
        "per_core_second": generated / cpu,
    }


def solve_row(
    table: BigTable, known: InstanceSet, row: int, args: argparse.Namespace
) -> dict[str, Any]:
    """One row: length, proof and cost."""
    start: str = args.start
    assert known.optimal_length is not None
    expected, state = int(known.optimal_length[row]), known.states[row]
    meter = Meter(Budget(seconds=args.time))
    worked = time.process_time()
    if start == KNOWN:
        length: int | None = expected
        with contextlib.suppress(Interrupted):
            shorter = deepen(table.tree(state), meter, shorter_than=expected)
            length = expected if shorter is None else len(shorter)
    else:
        search = Optimal(start=start, model=args.model, device=args.device)
        found = search(table.puzzle, state, table, meter)
        length = replayed(table.puzzle, state, found).length
    bound = meter.progress.lower_bound
    return {
        "index": row,
        "start": start,
        "length": length,
        "optimal_length": expected,
        "lower_bound": bound,
        "proof": "optimal" if length is not None and bound >= length else "none",
        "seconds": time.perf_counter() - meter.started,
        "cpu_seconds": time.process_time() - worked,
        "generated": meter.progress.generated,
    }


def run_rows(args: argparse.Namespace) -> dict[str, Any]:
    """The chosen rows of the file, and what they come to."""
    cube = puzzle("cube3")
    table, known = BigTable(cube), load_set(args.data, cube)
    assert known.optimal_length is not None
    print(f"table {'read' if table.kept else 'made'} in {table.seconds:.1f} s", flush=True)
    speed = [nodes_per_second(table, known, threads) for threads in (1, cores())]
    for one in speed:
        print(
            f"{one['threads']} threads: {one['per_second'] / 1e6:.1f} million nodes/s, "
            f"{one['per_core_second'] / 1e6:.1f} million for a second of one core",
            flush=True,
        )
    chosen = args.rows if args.rows else range(len(known))
    chosen = [row for row in chosen if known.optimal_length[row] <= args.longest][: args.limit]
    rows = []
    for row in chosen:
        rows.append(solve_row(table, known, row, args))
        print(
            "row {index}: {length} moves (known {optimal_length}), at least {lower_bound}, "
            "{seconds:.1f} s, {cpu_seconds:.1f} s of cores, {generated:,} nodes".format(**rows[-1]),
            flush=True,
        )
    summary = {
        "count": len(rows),
        "as_known": sum(row["length"] == row["optimal_length"] for row in rows),
        "proved": sum(row["proof"] == "optimal" for row in rows),
        "mean_seconds": float(np.mean([row["seconds"] for row in rows])) if rows else None,
        "mean_cpu_seconds": float(np.mean([row["cpu_seconds"] for row in rows])) if rows else None,
    }
    print(json.dumps(summary))
    return {"speed": speed, "rows": rows, "summary": summary, "peak_bytes": peak_memory_bytes()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="cube3.npz, for rows")
    parser.add_argument("--rows", type=int, nargs="*", help="row numbers; all if not given")
    parser.add_argument("--limit", type=int, help="at most so many rows")
    parser.add_argument("--longest", type=int, default=26, help="only rows of at most this length")
    parser.add_argument("--start", default="auto", help="known, none, auto, or a solver's name")
    parser.add_argument("--model", help="the model of the beam; the cube's own if not given")
    parser.add_argument("--device", default="cpu", help="where the model runs")
    parser.add_argument("--time", type=float, help="seconds for each row")
    parser.add_argument("--table", action="store_true", help="make the big table: minutes")
    parser.add_argument("--patterns", action="store_true", help="make the pattern databases")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--here", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    makers = {"table": make_table, "patterns": make_patterns}
    if args.here:
        print(json.dumps(makers[args.here[0]](args.here[1])))
        return
    result: dict[str, Any] = {"machine": machine(args.device)}
    for kind in makers:
        if getattr(args, kind):
            result[kind] = [apart(kind, name) for name in ("cube3", "cube3-htm")]
            for one in result[kind]:
                print(json.dumps({k: v for k, v in one.items() if k != "counts"}), flush=True)
    if args.data:
        result |= run_rows(args)
    if args.out:
        args.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
