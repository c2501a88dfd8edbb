"""Other projects' solvers on the same states and cores, each in an environment of its own.

A peer is installed from the registry when its run comes up, into a virtual environment under the
work folder. A small script of ours (in `scripts/`) runs there: it reads the states as JSON, solves
them with the peer and writes one line for each. Solutions are replayed here before they count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from homeward.bench.machine import machine
from homeward.bench.summary import summarise
from homeward.notation import State, format_of
from homeward.puzzles import Puzzle, PuzzleError, puzzle
from suites import store
from suites.instances import Instances, instances, scrambles
from suites.measures import Stored, Surroundings
from suites.plan import Run

SCRIPTS = Path(__file__).parent / "scripts"
_TAIL = 300


def measure(run: Run, around: Surroundings) -> Stored:
    """What a peer does with the run's instances; `PuzzleError` with the reason if it cannot."""
    python = installed(run.package, around.work / "environments" / run.package)
    folder = around.work / f"peer-{run.peer}"
    folder.mkdir(parents=True, exist_ok=True)
    made = puzzle(run.puzzle)
    given = instances(run, made, around.data, around.limit)
    lines = _answers(run, around, python, folder, _question(run, made, given, around))
    version = _version(python, run.package)
    task = {"solver": f"{run.package} {version}", "settings": dict(run.set), "device": "cpu"}
    told: dict[str, Any] = {"machine": {**machine("cpu"), "cores_used": run.cores or None}}
    told["task"] = task
    facts = {"load_seconds": next((x["load"] for x in lines if "load" in x), None)}
    graph = next((x for x in lines if "counts" in x), None)
    if graph is not None:
        summary = {"states": sum(graph["counts"]), "seconds": graph["seconds"]}
        summary["diameter"] = len(graph["counts"]) - 1
        return {**told, "summary": summary, "columns": {"counts": graph["counts"]}}
    rows = [_row(made, given, line) for line in lines if "index" in line]
    if not rows:
        raise PuzzleError(f"{run.package} solved nothing within {run.patience:g} s")
    return {
        **told,
        "summary": {**summarise(rows), **facts, "asked": len(given.jobs)},
        "columns": store.columns(rows, ("moves",)),
    }


def installed(package: str, folder: Path) -> Path:
    """The Python of an environment that has the package; it is made if there is none."""
    python = folder / "bin" / "python"
    if python.exists() and _version(python, package):
        return python
    steps = [
        [sys.executable, "-m", "venv", "--without-pip", str(folder)],
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", package],
    ]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "WARNING" not in line]
            reason = " ".join(lines)[-_TAIL:].strip()
            raise PuzzleError(f"{package} could not be installed: {reason}")
    return python


def _version(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _question(run: Run, made: Puzzle, given: Instances, around: Surroundings) -> dict[str, Any]:
    """What the script reads: each state in the usual notation, and the moves that led to it."""
    led = scrambles(run, made, around.limit)
    jobs = [
        {"index": job.index, "state": State(made, job.state).text, "scramble": led.get(job.index)}
        for job in given.jobs
    ]
    return {"jobs": jobs, "seconds": around.seconds(run), **run.set}


def _answers(
    run: Run, around: Surroundings, python: Path, folder: Path, question: dict[str, Any]
) -> list[dict[str, Any]]:
    """The lines that the script wrote, as many as it could in its time."""
    asked, answered = ((folder / name).absolute() for name in ("in.json", "out.jsonl"))
    asked.write_text(json.dumps(question), encoding="utf-8")
    answered.write_text("", encoding="utf-8")
    cores = str(run.cores or os.cpu_count())
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), cores)
    # By its text, not its path: Python looks for modules beside a script first.
    command = [str(python.absolute()), "-u", "-c", (SCRIPTS / f"{run.peer}.py").read_text("utf-8")]
    allowed = sorted(os.sched_getaffinity(0))[: run.cores or None]
    reason = ""
    try:
        done = subprocess.run(
            [*command, str(asked), str(answered)],
            cwd=folder,
            env={**os.environ, **threads, "PYTHONPATH": ""},
            timeout=run.patience,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: os.sched_setaffinity(0, allowed),
        )
        if done.returncode:
            reason = (done.stderr or done.stdout).strip()[-_TAIL:]
    except subprocess.TimeoutExpired as error:
        said = _last_words(error.stdout or b"")
        reason = f"no state was solved after {run.patience:g} s; the last it said: {said}"
    lines = [json.loads(line) for line in answered.read_text(encoding="utf-8").splitlines()]
    if not any("index" in line or "counts" in line for line in lines):
        raise PuzzleError(f"{run.package} did not run: {reason or 'it answered nothing'}")
    return lines


def _last_words(output: bytes | str) -> str:
    """The last line of an output that has words in it, not only dots."""
    text = output.decode(errors="replace") if isinstance(output, bytes) else output
    lines = [line.strip() for line in text.splitlines() if any(c.isalpha() for c in line)]
    return lines[-1][-_TAIL:] if lines else "nothing"


def _row(made: Puzzle, given: Instances, line: dict[str, Any]) -> dict[str, Any]:
    """A peer's answer as a row, replayed; `PuzzleError` if its moves do not solve the state."""
    job = next(job for job in given.jobs if job.index == line["index"])
    row = {
        "index": job.index,
        "key": store.key(State(made, job.state).text),
        "walk": given.walks.get(job.index),
        "proof": "none",
    }
    row |= {"optimal_length": job.known.get("optimal_length"), "seconds": line["seconds"]}
    row |= {"generated": 0, "evaluated": 0, "length": None, "moves": None, "status": "out_of_time"}
    if line["moves"] is not None:
        numbers = format_of(made).read_moves(made, " ".join(line["moves"]))
        if not State(made, job.state).moved(numbers).is_solved:
            raise PuzzleError(f"the moves for instance {job.index} do not solve it")
        names = [made.move_names[number] for number in numbers]
        row |= {"length": len(names), "moves": names, "status": "solved"}
    return row
