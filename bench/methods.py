"""Methods of learning compared under one budget: equal minutes, equal device, equal search.

    PYTHONPATH=src python3 bench/methods.py --device cuda --minutes 2 --out FILE.json [--plot FILE]
        [--puzzles cube2 cube3 puzzle15] [--methods diffusion qlearning davi adi] [--at-once 4]

Every method trains its own preset (its paper's net, batch and optimiser where it has a paper) for
the same minutes; `--at-once` trains that many side by side, each with its share of the device. Then
beams of the same widths solve the same random states with each model, to the goal itself: a stored
ball around it would solve half of a small puzzle without any net. A training that is finished
in `--runs` is not repeated, and one that was asked for otherwise is refused. `--out` keeps earlier
runs of other puzzles or methods, which may have had other minutes. `--redraw` draws what it has and
trains nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from homeward.bench.machine import machine
from homeward.puzzles import puzzle as puzzle_named
from homeward.search.base import Budget, Meter, Outcome
from homeward.solvers import Net, prepare

Row = dict[str, Any]
_SAID = 4000
"""How much is kept of what a training that failed has said."""
COLOURS = {"diffusion": "C0", "qlearning": "C2", "davi": "C1", "adi": "C3", "supervised": "C4"}


def asked(puzzle: str, method: str, args: argparse.Namespace) -> list[str]:
    """The arguments of a training; what lies in its folder is kept with them."""
    words = ["train", puzzle, "--method", method, "--minutes", str(args.minutes)]
    words += ["--out", str(folder_of(puzzle, method, args)), "--device", args.device]
    for text in [*args.set, *(OWN.get(method, []) if args.quick else [])]:
        words += ["--set", text]
    return words


def folder_of(puzzle: str, method: str, args: argparse.Namespace) -> Path:
    """Where a training is kept."""
    folder: Path = args.runs / f"{puzzle}-{method}"
    return folder


def require_same(puzzle: str, method: str, args: argparse.Namespace) -> None:
    """Ends the program if the folder holds a training that was asked for in other words."""
    folder, words = folder_of(puzzle, method, args), asked(puzzle, method, args)
    if not any((folder / name).exists() for name in ("end.json", "checkpoint.safetensors")):
        return
    kept = folder / "asked.json"
    known = json.loads(kept.read_text()) if kept.exists() else ["a command that was not kept"]
    if known != words:
        raise SystemExit(
            f"{folder} holds another training, by `{' '.join(known)}`, and not by "
            f"`{' '.join(words)}`: take it away, or name another place with --runs"
        )


def train(puzzle: str, method: str, args: argparse.Namespace) -> Row:
    """One training in a process of its own; what it says at its end."""
    require_same(puzzle, method, args)
    folder, words = folder_of(puzzle, method, args), asked(puzzle, method, args)
    told = folder / "end.json"
    if not told.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "asked.json").write_text(json.dumps(words))
        command = [sys.executable, "-m", "homeward", *words]
        if (folder / "checkpoint.safetensors").exists():
            command.append("--resume")
        done = subprocess.run([*command, "--json"], capture_output=True, text=True)
        if done.returncode:
            return {"error": done.stderr.strip()[-_SAID:]}
        told.write_text(done.stdout)
    found: Row = json.loads(told.read_text())
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    found["curve"] = [[row["seconds"], row["loss"]] for row in rows]
    return found


def solve(puzzle: str, model: Path, args: argparse.Namespace) -> list[Row]:
    """Beams of every width on the same random states, stopped at the seconds that are given."""
    made = puzzle_named(puzzle)
    states = made.random_states(args.states, np.random.default_rng(0))
    rows = []
    for width in args.widths:
        net = Net(model, args.device)
        prepared = prepare(made, "beam", {"width": width, "ball": 1}, False, len(states), net)
        prepared.solve(states[0], Meter(Budget(args.seconds)))  # compiles, fills caches
        began = time.perf_counter()
        found = [prepared.solve(state, Meter(Budget(args.seconds))) for state in states]
        lengths = [each.length for each in found if each.status is Outcome.SOLVED]
        rows.append(
            {
                "width": width,
                "solved_percent": 100 * len(lengths) / len(states),
                "mean_length": float(np.mean(lengths)) if lengths else None,
                "mean_seconds": (time.perf_counter() - began) / len(states),
            }
        )
    return rows


OWN = {"davi": ["check_every=50"]}
"""Settings without which a training of a few minutes cannot begin to learn; see `--quick`."""


def measure(args: argparse.Namespace) -> list[Row]:
    """A row for each puzzle and method, which says by itself how it came about."""
    rows: list[Row] = []
    for puzzle, method in product(args.puzzles, args.methods):
        require_same(puzzle, method, args)  # now, and not when others have been trained
    about = {
        "command": "python3 bench/methods.py " + " ".join(sys.argv[1:]),
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(args.device),
        "minutes": args.minutes,
        "at_once": args.at_once,
        "states": args.states,
    }
    for puzzle in args.puzzles:
        with ThreadPoolExecutor(args.at_once) as pool:
            ended = list(pool.map(lambda m, p=puzzle: train(p, m, args), args.methods))
        for method, training in zip(args.methods, ended, strict=True):
            row: Row = {"puzzle": puzzle, "method": method, **about, "training": training}
            if "error" not in training:
                row["beams"] = solve(puzzle, Path(training["model"]), args)
            rows.append(row)
            print(line(row), flush=True)
    return rows


def merged(old: list[Row], new: list[Row]) -> list[Row]:
    """The rows of both, the new one where both have a puzzle and method, unless it failed."""
    known = {(row["puzzle"], row["method"]): row for row in old}
    for row in new:
        which = row["puzzle"], row["method"]
        if "error" not in row["training"] or which not in known:
            known[which] = row
    return list(known.values())


def line(row: Row) -> str:
    """One row of the table that is printed."""
    name = f"{row['puzzle']:<10}{row['method']:<12}"
    if "error" in row["training"]:
        return name + row["training"]["error"].splitlines()[-1]
    parts = [f"{row['training']['states_seen'] / 1e6:>8,.0f} M states"]
    for beam in row["beams"]:
        length = "-" if beam["mean_length"] is None else f"{beam['mean_length']:.2f}"
        parts.append(f"beam {beam['width']:,}: {beam['solved_percent']:.0f} % solved, {length}")
    return name + "; ".join(parts)


def plot(rows: list[Row], path: Path) -> None:
    """For each puzzle: what is solved, and in how many moves, by the width of the beam."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    puzzles = list(dict.fromkeys(row["puzzle"] for row in rows))
    size = (4 * len(puzzles), 5)
    figure, axes = pyplot.subplots(
        2, len(puzzles), figsize=size, layout="constrained", squeeze=False, sharex="col"
    )
    for column, puzzle in enumerate(puzzles):
        solved, length = axes[:, column]
        for row in rows:
            if row["puzzle"] != puzzle or "beams" not in row:
                continue
            widths = [beam["width"] for beam in row["beams"]]
            style = {"color": COLOURS[row["method"]], "marker": "o", "label": row["method"]}
            solved.semilogx(widths, [beam["solved_percent"] for beam in row["beams"]], **style)
            known = [(b["width"], b["mean_length"]) for b in row["beams"] if b["solved_percent"]]
            if known:
                length.semilogx(*zip(*known, strict=True), **style)
        solved.set(title=puzzle, ylim=(-3, 103))
        length.set(xlabel="width of the beam")
    axes[0, 0].set(ylabel="solved, %")
    axes[1, 0].set(ylabel="mean length of those")
    axes[0, 0].legend()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--puzzles", nargs="+", default=["cube2", "cube3", "puzzle15"])
    parser.add_argument("--methods", nargs="+", default=["diffusion", "qlearning", "davi", "adi"])
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], help="a setting for all trainings")
    parser.add_argument(
        "--quick", action="store_true", help="davi: looks at its loss every 50 steps"
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--states", type=int, default=50)
    parser.add_argument("--widths", type=int, nargs="+", default=[16, 256, 4096])
    parser.add_argument("--seconds", type=float, default=5.0, help="for one state at most")
    parser.add_argument("--runs", type=Path, default=Path("runs/methods"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--redraw", action="store_true", help="only draw what --out has")
    args = parser.parse_args()
    rows: list[Row] = json.loads(args.out.read_text())["rows"] if args.out.exists() else []
    if not args.redraw:
        rows = merged(rows, measure(args))
        args.out.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    if args.plot:
        plot(rows, args.plot)


if __name__ == "__main__":
    main()
