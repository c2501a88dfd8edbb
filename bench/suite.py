"""Runs a suite and writes its raw results; `bench/report.py` makes the page of them.

    PYTHONPATH=src python3 bench/suite.py NAME [--data DIR] [--only RUN …] [--limit N] [--time S]
        [--device auto|cpu|cuda] [--model PUZZLE=PATH …] [--tag TAG] [--out docs/results]
        [--work runs/suites] [--nets] [--again] [--list]

Suites are the TOML files in bench/suites. Each run's rows are written as they come (under --work),
so a suite that was killed goes on where it was, and a run that is in the raw results already, with
the same plan, limits, net and device, is not run again unless --again says so. `--nets` leaves out
runs that ask no net. `--tag h200` writes NAME-h200.json, for another machine's results beside those
of this one. What cannot be run here is stored with the reason, where nothing is stored yet.
"""

from __future__ import annotations

import argparse
import datetime
import fnmatch
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from homeward.puzzles import PuzzleError
from suites import plan, store
from suites.instances import data_folder
from suites.measures import KINDS, Surroundings, asked, asks_net

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"


def main(arguments: list[str] | None = None) -> int:
    """Runs what the command line asks for; the exit status."""
    wanted = _parsed(arguments)
    suite = plan.load(wanted.suite)
    runs = [r for r in suite.runs if any(fnmatch.fnmatch(r.name, p) for p in wanted.only)]
    name = f"{suite.name}-{wanted.tag}" if wanted.tag else suite.name
    path, work = wanted.out / f"{name}.json", wanted.work / name
    around = Surroundings(
        data=data_folder(wanted.data),
        work=work,
        limit=wanted.limit,
        time=wanted.time,
        device=wanted.device,
        models=dict(text.split("=", 1) for text in wanted.model),
        tell=_over if sys.stderr.isatty() else lambda text: None,
    )
    if wanted.nets:
        runs = [run for run in runs if asks_net(run, around)]
    if wanted.list or not runs:
        print("\n".join(run.name for run in runs or suite.runs))
        return 0 if runs else 2
    if wanted.again:
        for run in runs:
            for left in work.glob(f"{run.name}-????????.json*"):
                left.unlink()
    for run in runs:
        if run.kind != "peer" and 0 < run.cores < len(os.sched_getaffinity(0)):
            _on_few_cores(wanted, run)
            continue
        known = store.read(path)["runs"].get(run.name, {})
        if "summary" in known and not wanted.again and _is_same(known, run, around):
            print(f"{suite.name} {run.name}: there already, of {known['date']}", flush=True)
            continue
        found = _measured(suite.name, run, around, wanted.tag)
        stored = store.read(path)  # only now: another process may have added its runs
        if "skipped" in found and "summary" in stored["runs"].get(run.name, {}):
            continue  # what was measured elsewhere stays
        stored["suite"] = suite.name
        stored["runs"][run.name] = found
        order = [known.name for known in suite.runs if known.name in stored["runs"]]
        stored["runs"] = {key: stored["runs"][key] for key in order}
        store.write(path, stored)
    return 0


def _on_few_cores(wanted: argparse.Namespace, run: plan.Run) -> None:
    """The same call for one run, in a process that never had more cores than the run may use."""
    allowed = sorted(os.sched_getaffinity(0))[: run.cores]
    command = [sys.executable, __file__, wanted.suite, "--only", run.name]
    for name in ("data", "limit", "time", "device", "tag", "out", "work"):
        value = getattr(wanted, name)
        command += [] if value in (None, "") else [f"--{name}", str(value)]
    for text in wanted.model:
        command += ["--model", text]
    command += ["--again"] * wanted.again
    subprocess.run(command, check=False, preexec_fn=lambda: os.sched_setaffinity(0, allowed))


def _is_same(known: dict[str, Any], run: plan.Run, around: Surroundings) -> bool:
    """Whether a stored run is what would be measured now: its plan, its limits, its net."""
    if known.get("plan") != run.digest(limit=around.limit, time=around.time):
        return False
    try:
        return bool(known.get("asked", {}) == asked(run, around))
    except PuzzleError:  # it cannot be run here
        return True


def _command(suite: str, run: plan.Run, around: Surroundings, tag: str) -> str:
    """What repeats one run."""
    command = f"python3 bench/suite.py {suite} --only {run.name}"
    limits = {"limit": around.limit, "time": around.time}
    command += "".join(f" --{key} {value:g}" for key, value in limits.items() if value)
    command += f" --device {around.device}" * (around.device != "auto")
    if run.puzzle in around.models and not run.model:
        command += f" --model {run.puzzle}={around.models[run.puzzle]}"
    return command + f" --tag {tag}" * bool(tag)


def _measured(suite: str, run: plan.Run, around: Surroundings, tag: str) -> dict[str, Any]:
    """What is stored of a run: when, by which command, and what came out or why it did not."""
    started = time.perf_counter()
    head = {
        "date": datetime.date.today().isoformat(),
        "command": _command(suite, run, around, tag),
        "kind": run.kind,
        "label": run.label or run.name,
        "puzzle": run.puzzle,
        "plan": run.digest(limit=around.limit, time=around.time),
    }
    try:
        head["asked"] = asked(run, around)
        found = KINDS[run.kind](run, around)
    except PuzzleError as error:
        print(f"{suite} {run.name}: skipped: {error}", flush=True)
        reason = str(error).replace(str(around.data), "DATA")
        return {**head, "skipped": reason}
    seconds = time.perf_counter() - started
    print(f"{suite} {run.name}: {_line(found['summary'])} ({seconds:.1f} s)", flush=True)
    return {**head, "wall_seconds": round(seconds, 1), **found}


def _line(summary: dict[str, Any]) -> str:
    wanted = (
        "count states diameter solved_percent mean_length percent_optimal percent_proved "
        "mean_seconds mean_over not_over_percent reason"
    )
    told = [(key, summary.get(key)) for key in wanted.split()]
    shown = [
        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in told
        if value is not None
    ]
    return ", ".join(shown)


def _over(text: str) -> None:
    print(f"\r{text}   ", end="\r", file=sys.stderr, flush=True)


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", choices=plan.names())
    parser.add_argument("--data", metavar="DIR")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="RUN", help="names, * and ?")
    parser.add_argument("--limit", type=int, metavar="N", help="instances of each kind")
    parser.add_argument("--time", type=float, metavar="S", help="seconds for an instance")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--model", action="append", default=[], metavar="PUZZLE=PATH")
    parser.add_argument("--tag", default="")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--work", type=Path, default=Path("runs") / "suites")
    parser.add_argument("--nets", action="store_true", help="only runs that ask a net")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true", help="only name the runs")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
