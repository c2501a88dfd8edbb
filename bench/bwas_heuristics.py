"""Batch weighted A* with Korf's databases and with the net, and what a heuristic costs.

    PYTHONPATH=src python3 bench/bwas_heuristics.py --data cube3.npz --out FILE.json [--rows N]
        [--weights 0 0.1 0.2] [--batch 10000] [--time S] [--memory GB] [--device auto|cpu|cuda]
        [--heuristics korf net] [--puzzle cube3] [--model PATH]
    PYTHONPATH=src python3 bench/bwas_heuristics.py --costs cube3 puzzle15 puzzle24 --out FILE.json
        [--sizes-only] [--device …]

The first is Fig. 2 of DeepCubeA: lengths, nodes and seconds for λ = 0, 0.1 and 0.2 with batches of
10,000. The paper gives the figure as dots and in words: with the net solutions are shorter, fewer
nodes are made and it is much faster; at λ = 0.3 the databases run out of memory. Other puzzles work
as well (`--puzzle puzzle35 --heuristics databases net --data puzzle35.npz`).

The second is its Tables 2 and 3: bytes of tables and of nets, and seconds for a state, asked for
one at a time and 1,000 together, on one thread. Tables that are not there are made first, which for
`puzzle48` takes 2 GB; with `--sizes-only` nothing is made or timed.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from homeward import solvers
from homeward.bench.machine import machine
from homeward.heuristics.base import Heuristic
from homeward.heuristics.cube import bigtable
from homeward.heuristics.cube.korf import PATTERN_SETS, pattern_cells
from homeward.heuristics.loading import load
from homeward.heuristics.models import shipped_models
from homeward.heuristics.patterns import Placements
from homeward.heuristics.tiles.layout import entries
from homeward.heuristics.tiles.partitions import partition
from homeward.notation.archives import load_set
from homeward.puzzles import Puzzle, puzzle
from homeward.puzzles.cube import Cube
from homeward.puzzles.sliding import Sliding
from homeward.search.base import Budget, Meter
from homeward.solvers.estimates import NET, estimate

ALONE, TOGETHER = 200, 1000
"""States asked about one at a time, and in one call."""

PAPER_GB = {
    "databases": {
        "cube3": 4.67, "puzzle15": 8.51, "puzzle24": 1.86, "puzzle35": 0.64, "puzzle48": 4.86,
    },
    "net": {
        "cube3": 0.06, "puzzle15": 0.06, "puzzle24": 0.08, "puzzle35": 0.08, "puzzle48": 0.10,
        "lightsout7": 0.05, "sokoban": 0.06,
    },
}  # fmt: skip
PAPER_SECONDS = {
    "databases": {
        "cube3": 2e-6, "puzzle15": 1e-6, "puzzle24": 2e-6, "puzzle35": 3e-6, "puzzle48": 4e-6,
    },
    "net, GPU, together": {
        "cube3": 6e-6, "puzzle15": 6e-6, "puzzle24": 7e-6, "puzzle35": 8e-6, "puzzle48": 9e-6,
        "lightsout7": 7e-6, "sokoban": 6e-6,
    },
    "net, GPU, alone": {
        "cube3": 3e-3, "puzzle15": 3e-3, "puzzle24": 3e-3, "puzzle35": 2e-3, "puzzle48": 3e-3,
        "lightsout7": 4e-3, "sokoban": 3e-3,
    },
    "net, CPU, together": {
        "cube3": 7e-4, "puzzle15": 6e-4, "puzzle24": 9e-4, "puzzle35": 9e-4, "puzzle48": 1e-3,
        "lightsout7": 1e-3, "sokoban": 7e-4,
    },
    "net, CPU, alone": {
        "cube3": 6e-3, "puzzle15": 6e-3, "puzzle24": 8e-3, "puzzle35": 8e-3, "puzzle48": 1e-2,
        "lightsout7": 2e-1, "sokoban": 6e-3,
    },
}  # fmt: skip
"""DeepCubeA's Tables 2 and 3."""

Row = dict[str, Any]


# --- Fig. 2


def searches(args: argparse.Namespace) -> list[Row]:
    """Every row with every heuristic and weight."""
    made = puzzle(args.puzzle)
    known = load_set(args.data, made)
    net = solvers.Net(args.model, args.device)
    rows = []
    for name in args.heuristics:
        for weight in args.weights:
            settings = {"heuristic": name, "weight": weight, "batch": args.batch}
            ready = solvers.prepare(made, "bwas", settings, net=net)
            ready.load(Meter(Budget()))
            near = made.walks(1, 3, np.random.default_rng(0)).states[-1, 0]
            ready.solve(near, Meter(Budget()))  # compiles
            for index in range(min(args.rows, len(known))):
                limits = Budget(args.time, bytes=int(args.memory * 2**30))
                found = ready.solve(known.states[index], Meter(limits))
                best = None if known.optimal_length is None else int(known.optimal_length[index])
                rows.append(
                    {
                        "heuristic": name,
                        "device": ready.device,
                        "weight": weight,
                        "index": index,
                        "status": found.status.value,
                        "length": found.length,
                        "optimal_length": best,
                        "generated": found.generated,
                        "seconds": round(found.seconds, 4),
                    }
                )
                print(json.dumps(rows[-1]), flush=True)
    return rows


def print_searches(rows: list[Row]) -> list[Row]:
    """The means by heuristic and weight, as a table and as data."""
    print(f"\n{'heuristic':18}{'λ':>5}{'solved':>9}{'length':>9}{'shortest':>10}"
          f"{'nodes':>14}{'seconds':>10}")  # fmt: skip
    means = []
    for name, weight in dict.fromkeys((r["heuristic"], r["weight"]) for r in rows):
        own = [r for r in rows if (r["heuristic"], r["weight"]) == (name, weight)]
        solved = [r for r in own if r["length"] is not None]
        known = [r for r in solved if r["optimal_length"] is not None]
        mean: Row = {"heuristic": name, "weight": weight, "count": len(own), "solved": len(solved)}
        for key in ("length", "generated", "seconds"):
            mean[key] = float(np.mean([r[key] for r in solved])) if solved else None
        shortest = [r["length"] == r["optimal_length"] for r in known]
        mean["percent_optimal"] = 100 * float(np.mean(shortest)) if known else None
        means.append(mean)
        cells = [_number(mean["length"], ".2f"), _number(mean["percent_optimal"], ".1f")]
        cells += [_number(mean["generated"], ",.0f"), _number(mean["seconds"], ".2f")]
        print(f"{name:18}{weight:5g}{len(solved):5}/{len(own):<3}{cells[0]:>9}{cells[1]:>9}%"
              f"{cells[2]:>14}{cells[3]:>10}")  # fmt: skip
    return means


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


# --- Tables 2 and 3


def tables_of(made: Puzzle) -> dict[str, int]:
    """The bytes of each heuristic's tables, known without making them."""
    if isinstance(made, Cube) and made.size == 3:
        sizes = {
            name: sum(-(-Placements(made, pattern_cells(p)).size // 2) for p in patterns)
            for name, patterns in PATTERN_SETS.items()
        }
        return {**sizes, "cube-table": bigtable.BYTES}
    if isinstance(made, Sliding):
        home = made.cells - 1
        return {
            name: sum(
                entries(made.cells, len(pattern))
                for pattern in partition(made.rows, made.columns, home, which)
            )
            for name, which in (("databases", "best"), ("databases-light", "light"))
        }
    return {}


def net_bytes(name: str) -> int | None:
    """The size of a shipped model's weights."""
    from homeward import models

    path = Path(models.__file__).parent / f"{name}.safetensors"
    return path.stat().st_size if path.exists() else None


def seconds_of(heuristic: Heuristic, made: Puzzle) -> tuple[float, float]:
    """Seconds for a state: asked for one at a time, and a thousand together."""
    states = made.start_states(TOGETHER, np.random.default_rng(0))
    placed = heuristic.place(states)

    def ask(part: Any) -> None:
        float(heuristic.values(part)[0])  # waits for a GPU

    for part in (placed[:1], placed):
        ask(part)
    alone = _timed(lambda: [ask(placed[i : i + 1]) for i in range(ALONE)]) / ALONE
    return alone, min(_timed(lambda: ask(placed)) for _ in range(5)) / TOGETHER


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def costs(args: argparse.Namespace) -> list[Row]:
    """Bytes and seconds of every heuristic of the named puzzles."""
    rows = []
    for name in args.costs:
        made = puzzle(name)
        for heuristic, size in tables_of(made).items():
            row: Row = {"puzzle": name, "heuristic": heuristic, "bytes": size, "device": "cpu"}
            if not args.sizes_only:
                row |= _seconds(estimate(heuristic).make(made, Meter(Budget())), made)
            rows.append(row)
        if name in shipped_models() or args.model:
            row = {"puzzle": name, "heuristic": NET, "bytes": net_bytes(name)}
            if not args.sizes_only:
                asked = load(made, args.model, args.device, threads=1)
                row |= {"device": args.device, **_seconds(asked, made)}
            rows.append(row)
    return rows


def _seconds(heuristic: Heuristic, made: Puzzle) -> Row:
    alone, together = seconds_of(heuristic, made)
    return {"seconds_alone": alone, "seconds_together": together}


def print_costs(rows: list[Row]) -> None:
    """The two tables with the paper's numbers beside."""
    head = f"\n{'puzzle':12}{'heuristic':18}{'GB':>9}{'paper':>8}{'alone':>11}{'together':>11}"
    print(head + "  paper")
    for row in rows:
        kind = NET if row["heuristic"] == NET else "databases"
        size = math.nan if row["bytes"] is None else row["bytes"] / 1e9
        seconds = [
            f"{row[k]:.1e}" if k in row else "-" for k in ("seconds_alone", "seconds_together")
        ]
        paper = [
            f"{where.removeprefix('net, ')} {values[row['puzzle']]:.0e}"
            for where, values in PAPER_SECONDS.items()
            if where.startswith(kind) and row["puzzle"] in values
        ]
        print(
            f"{row['puzzle']:12}{row['heuristic']:18}{size:9.4f}"
            f"{PAPER_GB[kind].get(row['puzzle'], math.nan):8.2f}"
            f"{seconds[0]:>11}{seconds[1]:>11}  {'; '.join(paper)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the instances to solve")
    parser.add_argument("--puzzle", default="cube3")
    parser.add_argument("--heuristics", nargs="*", default=["korf", NET])
    parser.add_argument("--weights", type=float, nargs="*", default=[0.0, 0.1, 0.2])
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=100, help="how many instances")
    parser.add_argument("--time", type=float, default=60.0, help="seconds for each")
    parser.add_argument("--memory", type=float, default=8.0, help="GB for each")
    parser.add_argument("--costs", nargs="*", default=[], metavar="PUZZLE")
    parser.add_argument("--sizes-only", action="store_true")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--model")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    result: dict[str, Any] = {"machine": machine(args.device)}
    if args.data:
        given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(args).items()}
        result |= {"settings": given, "rows": searches(args)}
        result["summary"] = print_searches(result["rows"])
    if args.costs:
        paper = {"gigabytes": PAPER_GB, "seconds": PAPER_SECONDS}
        result |= {"costs": costs(args), "paper": paper}
        print_costs(result["costs"])
    args.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
