"""IDA* with the six heuristics of the heuristic-learning paper (Brunetto and Trunda, 2017).

    PYTHONPATH=src python3 bench/heuristic_learning.py --out FILE.json [--time S] [--nodes N]
        [--walks 10 14 …] [--each 40] [--heuristics NAME …] [--jobs N] [--seed N] [--model PATH]
    PYTHONPATH=src python3 bench/heuristic_learning.py --accuracy test.npz --out FILE.json
    PYTHONPATH=src python3 bench/heuristic_learning.py --instances FILE.npz

The instances are the paper's: 40 random walks from the solved cube of each length from 10 to 38 in
steps of 4, 320 in all, in quarter turns. The paper gave each search 300 seconds. All six heuristics
run in the same loop, so that nodes and seconds compare; `eight (compiled)` is the largest of the
eight databases once more, as the solver `ida-eight` runs it, on one thread.

Rows are written as they come; a run that was stopped goes on where it was. `--accuracy` compares
the net with known distances instead (see bench/exact_distances.py).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.bench.machine import machine
from homeward.heuristics.base import Heuristic
from homeward.heuristics.cube.features.learned import MODEL, JudgedFeatures
from homeward.notation.archives import load_set
from homeward.notation.facelets import to_numbering
from homeward.puzzles import puzzle
from homeward.search.base import Budget, Meter, replayed
from homeward.search.idastar import IDAStar
from homeward.solvers.estimates import estimate
from homeward.workers import cores

WALKS = (10, 14, 18, 22, 26, 30, 34, 38)
HEURISTICS = {
    "hmax(simple)": "stickers",
    "hsum(simple)": "stickers-sum",
    "hmax(PDB)": "eight",
    "hsum(PDB)": "eight-sum",
    "hNN": "hnn",
    "hNN+": "hnn+",
}
COMPILED = "hmax(PDB) compiled"
PAPER = {
    "instances": 320,
    "seconds": 300,
    "solved": {"hmax(PDB)": 126, "hNN": 130, "hNN+": 129},
    "longer_percent": {"hNN": 8.75},
    "mean_absolute_error": 1.94,
    "median_absolute_error": 1.22,
    "mean_square_error": 4.8,
    "median_square_error": 1.48,
}
"""What the paper says in numbers; the rest of its results are drawings."""

Row = dict[str, Any]


def instances(walks: tuple[int, ...], each: int, seed: int) -> list[tuple[int, int, NDArray[Any]]]:
    """Walk length, number and state of every instance. Fewer of `each` are the first of more."""
    cube = puzzle("cube3")
    found = []
    for walk in walks:
        for number in range(each):
            rng = np.random.default_rng([seed, walk, number])
            found.append((walk, number, cube.walks(1, walk, rng).states[-1, 0]))
    return found


class Watched:
    """A heuristic that remembers the smallest estimate it gave, and has no compiled tree."""

    def __init__(self, heuristic: Heuristic) -> None:
        self.inner, self.name, self.admissible = heuristic, heuristic.name, heuristic.admissible
        self.least = float("inf")

    def place(self, states: NDArray[Any]) -> Any:
        return self.inner.place(states)

    def values(self, states: Any) -> Any:
        return self._seen(self.inner.values(states))

    def children(self, states: Any) -> Any:
        return self._seen(self.inner.children(states))

    def _seen(self, values: Any) -> Any:
        self.least = min(self.least, float(values.min()))
        return values


# --- one search


@dataclass(frozen=True)
class Task:
    heuristic: str
    walk: int
    number: int
    state: NDArray[Any]
    seconds: float
    nodes: int | None
    batch: int
    model: str


_made: dict[str, Heuristic] = {}


def heuristic_of(task: Task) -> Heuristic:
    """The heuristic of a task, made once in each process."""
    if task.heuristic not in _made:
        cube = puzzle("cube3")
        if task.heuristic in ("hNN", "hNN+"):
            plus = task.heuristic.endswith("+")
            _made[task.heuristic] = JudgedFeatures(cube, plus, task.model)
        else:
            name = HEURISTICS.get(task.heuristic, "eight")
            _made[task.heuristic] = estimate(name).make(cube, Meter(Budget()))
        near = cube.walks(1, 4, np.random.default_rng(0)).states[-1, 0]
        IDAStar(threads=1)(cube, near, _made[task.heuristic], Meter(Budget()))  # compiles
        Watched(_made[task.heuristic]).children(cube.goals)
    return _made[task.heuristic]


def search(task: Task) -> Row:
    """One instance with one heuristic."""
    cube, heuristic = puzzle("cube3"), heuristic_of(task)
    watched = Watched(heuristic)
    asked = heuristic if task.heuristic == COMPILED else watched
    meter = Meter(Budget(seconds=task.seconds, nodes=task.nodes))
    ida = IDAStar(threads=1, batch=task.batch)
    found = replayed(cube, task.state, ida(cube, task.state, asked, meter))
    return {
        "heuristic": task.heuristic,
        "walk": task.walk,
        "number": task.number,
        "status": found.status.value,
        "length": found.length,
        "proof": found.proof,
        "lower_bound": found.lower_bound,
        "expanded": found.expanded,
        "generated": found.generated,
        "seconds": round(found.seconds, 4),
        "least_estimate": None if asked is not watched else round(watched.least, 3),
    }


# --- all of them


def tasks(args: argparse.Namespace, done: set[tuple[str, int, int]]) -> Iterator[Task]:
    """What is still to be done, easy instances first."""
    for walk, number, state in instances(tuple(args.walks), args.each, args.seed):
        for name in args.heuristics:
            if (name, walk, number) not in done:
                yield Task(name, walk, number, state, args.time, args.nodes, args.batch, args.model)


def _machines(before: Row | None, count: int) -> Row:
    """This machine, and the one that an earlier run with so many rows was on if it is another."""
    here = machine("cpu")
    if before is not None and before["machine"]["processor"] != here["processor"]:
        earlier = before["machine"]["processor"]
        here["processor"] = f"{earlier} (the first {count} searches), then {here['processor']}"
    return here


def run(args: argparse.Namespace) -> None:
    """Runs what is missing in the file, and prints the tables."""
    setting = {
        "time": args.time,
        "nodes": args.nodes,
        "batch": args.batch,
        "seed": args.seed,
        "model": args.model,
    }
    rows: list[Row] = []
    before: Row | None = None
    if args.out.exists():
        before = json.loads(args.out.read_text())
        if before["settings"] != setting:
            sys.exit(f"{args.out} was made with other settings: {before['settings']}")
        rows = before["rows"]
    where = _machines(before, len(rows))
    result = {"machine": where, "settings": setting, "paper": PAPER, "rows": rows}
    left = list(tasks(args, {(r["heuristic"], r["walk"], r["number"]) for r in rows}))
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        for count, row in enumerate(pool.imap_unordered(search, left), start=1):
            rows.append(row)
            if count % 20 == 0 or count == len(left):
                args.out.write_text(json.dumps(result, indent=1) + "\n")
                print(f"{count} of {len(left)}", file=sys.stderr, flush=True)
    result["summary"] = summary(rows, args.heuristics)
    args.out.write_text(json.dumps(result, indent=1) + "\n")
    print_tables(rows, args.heuristics)


def summary(rows: list[Row], names: list[str]) -> dict[str, Any]:
    """Solved instances by heuristic and walk, and how much longer than shortest they are."""
    shortest = {(r["walk"], r["number"]): r["length"] for r in rows if r["proof"] == "optimal"}
    told = {}
    for name in names:
        own = [r for r in rows if r["heuristic"] == name]
        solved = [r for r in own if r["length"] is not None]
        both = [
            (r["length"], shortest[r["walk"], r["number"]])
            for r in solved
            if (r["walk"], r["number"]) in shortest
        ]
        longer = sum(a for a, _ in both) / max(1, sum(b for _, b in both))
        seconds = sum(r["seconds"] for r in own)
        told[name] = {
            "instances": len(own),
            "solved": len(solved),
            "compared": len(both),
            "longer_percent": round(100 * (longer - 1), 2) if both else None,
            "expanded_per_second": round(sum(r["expanded"] for r in own) / max(seconds, 1e-9)),
            "paper_solved": PAPER["solved"].get(name),  # type: ignore[attr-defined]
        }
    return told


def print_tables(rows: list[Row], names: list[str]) -> None:
    """Solved instances, nodes and lengths by walk, and the paper's totals."""
    walks = sorted({r["walk"] for r in rows})
    for title, value in (
        ("solved instances", lambda found: f"{len(found)}"),
        ("mean nodes expanded, of those solved", lambda found: _mean(found, "expanded")),
        ("mean length, of those solved", lambda found: _mean(found, "length")),
    ):
        print(f"\n{title}\n{'walk':20}" + "".join(f"{walk:>11}" for walk in walks))
        for name in names:
            cells = []
            for walk in walks:
                own = [r for r in rows if (r["heuristic"], r["walk"]) == (name, walk)]
                cells.append(value([r for r in own if r["length"] is not None]))
            print(f"{name:20}" + "".join(f"{cell:>11}" for cell in cells))
    print(f"\n{'':20}{'solved':>11}{'of':>6}{'paper':>7}{'longer':>9}{'nodes/s':>10}")
    for name, facts in summary(rows, names).items():
        paper = facts["paper_solved"] or "-"
        longer = "-" if facts["longer_percent"] is None else f"{facts['longer_percent']:.2f} %"
        print(
            f"{name:20}{facts['solved']:>11}{facts['instances']:>6}{paper:>7}{longer:>9}"
            f"{facts['expanded_per_second']:>10,}"
        )
    print("paper: of 320 with 300 s each; hNN 8.75 % longer than hmax(PDB)")


def _mean(rows: list[Row], key: str) -> str:
    if not rows:
        return "-"
    mean = float(np.mean([row[key] for row in rows]))
    return f"{mean:,.0f}" if key == "expanded" else f"{mean:.2f}"


# --- accuracy


def accuracy(args: argparse.Namespace) -> None:
    """The net against known distances, as in section 5.1 of the paper."""
    cube = puzzle("cube3")
    known = load_set(args.accuracy, cube)
    assert known.optimal_length is not None
    said = JudgedFeatures(cube, model=args.model).values(known.states)
    error = said - known.optimal_length
    by_distance = {
        int(d): {
            "count": int((known.optimal_length == d).sum()),
            "bias": round(float(error[known.optimal_length == d].mean()), 3),
            "square": round(float((error[known.optimal_length == d] ** 2).mean()), 3),
        }
        for d in np.unique(known.optimal_length)
    }
    result = {
        "data": args.accuracy.name,
        "count": len(error),
        "mean_square_error": round(float((error**2).mean()), 3),
        "median_square_error": round(float(np.median(error**2)), 3),
        "mean_absolute_error": round(float(np.abs(error).mean()), 3),
        "median_absolute_error": round(float(np.median(np.abs(error))), 3),
        "too_large_percent": round(100 * float((error > 0).mean()), 1),
        "by_distance": by_distance,
        "paper": {key: value for key, value in PAPER.items() if key.endswith("error")},
    }
    args.out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps({key: value for key, value in result.items() if key != "by_distance"}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--time", type=float, default=300.0, help="seconds for each search")
    parser.add_argument("--nodes", type=int, help="children made by each search, at most")
    parser.add_argument("--walks", type=int, nargs="*", default=list(WALKS))
    parser.add_argument("--each", type=int, default=40, help="instances of each length")
    parser.add_argument("--heuristics", nargs="*", default=[*HEURISTICS, COMPILED])
    parser.add_argument("--jobs", type=int, default=cores(), help="searches at once")
    parser.add_argument("--batch", type=int, default=1000, help="nodes asked about together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", default=MODEL, help="the net, by name or path")
    parser.add_argument("--accuracy", type=Path, metavar="FILE.npz", help="known distances")
    parser.add_argument("--instances", type=Path, metavar="FILE.npz", help="write them and end")
    args = parser.parse_args()
    if args.instances:
        made = instances(tuple(args.walks), args.each, args.seed)
        states = to_numbering(np.array([state for _, _, state in made]))
        np.savez_compressed(args.instances, states=states, walk=[walk for walk, _, _ in made])
        return
    if args.out is None:
        parser.error("--out FILE.json is needed")
    accuracy(args) if args.accuracy else run(args)


if __name__ == "__main__":
    main()
