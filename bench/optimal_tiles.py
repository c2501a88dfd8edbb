"""Exact solvers of sliding boards, Lights Out and Sokoban: tables, proofs, nodes a second.

    PYTHONPATH=src python3 bench/optimal_tiles.py [SECTION ...] [--data FOLDER] [--limit N]
        [--time S] [--big] [--out FILE.json]

Sections, all but `gap` if none is named:

databases  makes pattern databases, each in a fresh process, without reading or keeping any
boards     proves the public 15-puzzle sets with the 7-8 databases, and with the 6-6-3 ones
loops      the compiled search beside a C program of the same loops, compiled now if there is a
           compiler; both are run in turns, and their processor time counts
gap        puzzle24: proof or gap within `--time` seconds (60) for the first `--limit` rows (20)
rows       lengths of the row-by-row solver
lights     Lights Out by elimination
sokoban    A* by pushes beside blind search from both ends, public levels and larger rooms

`--data` is the folder of public sets, or the environment variable HOMEWARD_DATA. `cpu_seconds` are
those of all cores, for machines that others use too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from board_dive import Compiled
from homeward.bench.machine import machine, peak_memory_bytes
from homeward.heuristics.tiles.additive import AdditiveDatabase
from homeward.heuristics.tiles.board import BoardHeuristic
from homeward.heuristics.tiles.manhattan import Manhattan
from homeward.heuristics.tiles.tree import kernels
from homeward.puzzles import Puzzle, puzzle
from homeward.puzzles.rooms import generate
from homeward.puzzles.sokoban import Sokoban
from homeward.search.base import Budget, Meter, Search, Solution, replayed
from homeward.search.blind import Bidirectional
from homeward.search.idastar import IDAStar
from homeward.search.lights import Elimination
from homeward.search.rows import RowByRow
from homeward.search.sokoban.astar import PushAStar
from homeward.solvers.optimal import Optimal

DATABASES = [
    ("puzzle8", "8"),
    ("puzzle15", "5-5-5"),
    ("puzzle15", "6-6-3"),
    ("puzzle15", "7-8"),
    ("puzzle24", "5-5-5-5-4"),
    ("puzzle24", "6-6-6-6"),
]
BIG = [("puzzle35", "best"), ("puzzle48", "best")]
Rows = list[dict[str, Any]]


class Bench:
    """What the sections share: the public sets and the limits."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.data: Path | None = args.data
        self.limit, self.seconds, self.big = args.limit, args.time, args.big

    def load(self, name: str, board: Puzzle) -> tuple[np.ndarray, np.ndarray]:
        """States and optimal lengths of a set; none without `--data`."""
        if self.data is None:
            print(f"{name} is left out: the public sets are not given (--data)")
            return np.empty((0, board.cells), board.dtype), np.empty(0, int)
        found = np.load(self.data / f"{name}.npz")
        states = found["states"].reshape(len(found["states"]), -1)
        return states[: self.limit], found["optimal_length"][: self.limit]

    def solve(
        self, board: Puzzle, search: Search, heuristic: Any, start: np.ndarray, budget: Budget
    ) -> tuple[Solution, float]:
        """A replayed solution, and the processor seconds it took."""
        worked = time.process_time()
        found = search(board, start, heuristic, Meter(budget))
        return replayed(board, start, found), time.process_time() - worked

    def summary(
        self,
        name: str,
        board: Puzzle,
        search: Search,
        heuristic: Any,
        states: np.ndarray,
        lengths: np.ndarray,
        budget: Budget | None = None,
    ) -> dict[str, Any]:
        """Solves every state and says what it came to."""
        if len(states):
            self.solve(board, search, heuristic, states[0], Budget(seconds=1))  # compiles
        rows = [self.solve(board, search, heuristic, start, budget or Budget()) for start in states]
        found, cpu = [row[0] for row in rows], [row[1] for row in rows]
        result = {
            "name": name,
            "count": len(rows),
            "solved": sum(s.moves is not None for s in found),
            "proved": sum(s.proof == "optimal" for s in found),
            "as_known": sum(s.length == int(n) for s, n in zip(found, lengths, strict=False)),
            "mean_length": _mean([s.length for s in found if s.length is not None]),
            "mean_seconds": _mean([s.seconds for s in found]),
            "median_seconds": float(np.median([s.seconds for s in found])) if found else None,
            "max_seconds": max((s.seconds for s in found), default=None),
            "mean_cpu_seconds": _mean(cpu),
            "mean_generated": _mean([s.generated for s in found]),
            "generated_per_cpu_second": sum(s.generated for s in found) / max(sum(cpu), 1e-9),
        }
        print(
            "{name:<28} {count:>4} states, {proved:>4} proved, {as_known:>4} as known, "
            "mean {mean_seconds:.4f} s, median {median_seconds:.4f} s, max {max_seconds:.3f} s, "
            "cpu {mean_cpu_seconds:.4f} s, {mean_generated:,.0f} generated".format(**result)
            if rows
            else f"{name}: nothing to do",
            flush=True,
        )
        return result


def _mean(numbers: list[Any]) -> float | None:
    return float(np.mean(numbers)) if numbers else None


def databases(bench: Bench) -> Rows:
    """Each database made in a process of its own."""
    rows = []
    for name, patterns in DATABASES + BIG * bench.big:
        command = [sys.executable, __file__, "--here", name, patterns]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append(json.loads(done.stdout))
        print(
            "{puzzle} {patterns:<20} {bytes:>13,} bytes, {seconds:.1f} s, cpu {cpu_seconds:.1f} s, "
            "peak {peak_bytes:>13,} bytes, read in {read_seconds:.2f} s, largest {largest}, "
            "{call_seconds:.2e} s a call".format(**rows[-1]),
            flush=True,
        )
    return rows


def make_here(name: str, patterns: str) -> dict[str, Any]:
    """One database, made and kept in a folder that is thrown away."""
    board = puzzle(name)
    AdditiveDatabase(puzzle("sliding-2x3"), use_cache=False).estimate(
        puzzle("sliding-2x3").goals
    )  # compiles
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOMEWARD_CACHE"] = folder
        started, worked = time.perf_counter(), time.process_time()
        database = AdditiveDatabase(board, patterns, use_cache=False)
        seconds, cpu = time.perf_counter() - started, time.process_time() - worked
        peak = peak_memory_bytes()
        tables = np.split(database.tables, database.starts[1:-1])
        largest = [int(table[table < 255].max()) for table in tables]
        del database, tables
        AdditiveDatabase(board, patterns)
        started = time.perf_counter()
        database = AdditiveDatabase(board, patterns)
        read = time.perf_counter() - started
    states = board.random_states(100_000, np.random.default_rng(0))
    started = time.perf_counter()
    database.estimate(states)
    return {
        "puzzle": name,
        "patterns": "-".join(str(len(pattern)) for pattern in database.patterns),
        "bytes": database.tables.nbytes,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "peak_bytes": peak,
        "read_seconds": read,
        "largest": largest,
        "call_seconds": (time.perf_counter() - started) / len(states),
    }


def boards(bench: Bench) -> Rows:
    """The public sets of the 15-puzzle."""
    board = puzzle("puzzle15")
    rows = []
    for patterns, names in (
        ("7-8", ["puzzle15", "puzzle15_korf100", "puzzle15_hard17"]),
        ("6-6-3", ["puzzle15", "puzzle15_korf100"]),
    ):
        database = AdditiveDatabase(board, patterns)
        for name in names:
            states, lengths = bench.load(name, board)
            title = f"{name} {patterns}"
            rows.append(bench.summary(title, board, IDAStar(), database, states, lengths))
    return rows


def gap(bench: Bench) -> Rows:
    """puzzle24: proof or gap."""
    bench.limit = bench.limit or 20
    board = puzzle("puzzle24")
    database = AdditiveDatabase(board)
    rows = []
    for number, (start, length) in enumerate(zip(*bench.load("puzzle24", board), strict=True)):
        budget = Budget(seconds=bench.seconds)
        found, cpu = bench.solve(board, Optimal(device="cpu"), database, start, budget)
        rows.append(
            {
                "index": number,
                "optimal_length": int(length),
                "length": found.length,
                "lower_bound": found.lower_bound,
                "proved": found.proof == "optimal",
                "seconds": found.seconds,
                "cpu_seconds": cpu,
                "generated": found.generated,
            }
        )
        print(
            "row {index}: {length} (known {optimal_length}), at least {lower_bound}, "
            "{seconds:.1f} s, cpu {cpu_seconds:.1f} s, {generated:,} generated".format(**rows[-1]),
            flush=True,
        )
    print(f"{sum(row['proved'] for row in rows)} of {len(rows)} proved")
    return rows


def loops(bench: Bench) -> Rows:
    """Nodes a second of one thread: numba and C in turns."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            programs: dict[str, Any] = {"numba": kernels, "c": Compiled(Path(folder))}
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            print(f"without C: {error}")
            programs = {"numba": kernels}
        fifteen, twenty_four = puzzle("puzzle15"), puzzle("puzzle24")
        hard = np.array([0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1])
        random = twenty_four.random_states(1, np.random.default_rng(0))[0]
        cases: list[tuple[str, str, BoardHeuristic, np.ndarray, int]] = [
            ("dive_manhattan", "manhattan", Manhattan(fifteen), hard, 70),
            ("dive_patterns", "7-8", AdditiveDatabase(fifteen, "7-8"), hard, 78),
            ("dive_patterns", "6-6-6-6", AdditiveDatabase(twenty_four), random, 0),
        ]
        return [_compare(programs, *case) for case in cases]


def _compare(
    programs: dict[str, Any],
    function: str,
    title: str,
    heuristic: Any,
    start: np.ndarray,
    limit: int,
) -> dict[str, Any]:
    """One loop of all programs, to the same limit; with 0 as far as a second or so takes it."""
    tree = heuristic.tree(start)
    (root,) = tree.parts(0)
    stop, times = np.zeros(1, np.uint8), {name: [] for name in programs}
    original, counts = getattr(kernels, function), np.zeros(2, np.int64)
    if not limit:
        limit = tree.bound
        while counts[1] < 1_000_000:
            limit, counts[:] = limit + 2, 0
            tree.search(root, limit, stop, counts)
    for turn in range(8):
        for name, program in programs.items():
            setattr(kernels, function, original if name == "numba" else getattr(program, function))
            counts[:] = 0
            worked = time.process_time()
            tree.search(root, limit, stop, counts)
            if turn:
                times[name].append(time.process_time() - worked)
    setattr(kernels, function, original)
    speeds = {name: int(counts[1]) / float(np.median(t)) for name, t in times.items()}
    row = {"loop": title, "generated": int(counts[1]), "per_second": speeds}
    if "c" in speeds:
        row["of_c"] = speeds["numba"] / speeds["c"]
    print(json.dumps(row), flush=True)
    return row


def rows(bench: Bench) -> Rows:
    """Lengths of the row-by-row solver."""
    found = []
    for name in ("puzzle15", "puzzle24", "puzzle35", "puzzle48", "sliding-10x10"):
        board = puzzle(name)
        states = board.random_states(100, np.random.default_rng(0))
        found.append(bench.summary(name, board, RowByRow(), None, states, np.empty(0)))
        print(f"    mean length {found[-1]['mean_length']:.1f}")
    return found


def lights(bench: Bench) -> Rows:
    """Lights Out by elimination."""
    board = puzzle("lightsout7")
    states, lengths = bench.load("lightsout7", board)
    found = [bench.summary("lightsout7", board, Elimination(), None, states, lengths)]
    for size in (19, 30, 62):
        board = puzzle(f"lightsout{size}")
        states = board.random_states(3, np.random.default_rng(size))
        found.append(bench.summary(board.name, board, Elimination(), None, states, np.empty(0)))
    return found


def sokoban(bench: Bench) -> Rows:
    """A* by pushes beside blind search from both ends."""
    searches: list[Search] = [PushAStar(), Bidirectional()]
    found = []
    board = puzzle("sokoban")
    for name in ("sokoban", "sokoban_medium", "sokoban_hard"):
        states, lengths = bench.load(name, board)
        for search in searches:
            title = f"{name} {type(search).__name__}"
            found.append(bench.summary(title, board, search, None, states, lengths))
    budget = Budget(seconds=bench.seconds, bytes=4_000_000_000)
    for side, boxes in ((10, 6), (12, 6), (12, 8), (14, 8)):
        board = Sokoban(side, side)
        states = generate(6, np.random.default_rng(5), side, side, boxes, pulls=200)
        for search in searches:
            title = f"{side}x{side}, {boxes} boxes {type(search).__name__}"
            found.append(bench.summary(title, board, search, None, states, np.empty(0), budget))
    return found


SECTIONS: dict[str, Callable[[Bench], Rows]] = {
    section.__name__: section for section in (databases, boards, loops, gap, rows, lights, sokoban)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    data = os.environ.get("HOMEWARD_DATA")
    parser.add_argument("--data", type=Path, default=Path(data) if data else None)
    parser.add_argument("--limit", type=int, help="rows of each public set")
    parser.add_argument("--time", type=float, default=60.0, help="seconds for a board of `gap`")
    parser.add_argument("--big", action="store_true", help="databases: puzzle35 and puzzle48 too")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--here", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        print(json.dumps(make_here(*args.here)))
        return
    wrong = set(args.sections) - set(SECTIONS)
    if wrong:
        parser.error(f"no section {', '.join(sorted(wrong))}; there are {', '.join(SECTIONS)}")
    bench = Bench(args)
    result: dict[str, Any] = {"machine": machine("cpu")}
    for name in args.sections or [name for name in SECTIONS if name != "gap"]:
        print(f"--- {name}", flush=True)
        result[name] = SECTIONS[name](bench)
        if args.out:
            args.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
