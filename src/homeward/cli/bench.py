"""`homeward bench`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from homeward.cli.common import (
    OK,
    AsJson,
    Device,
    ModelName,
    PuzzleName,
    SettingTexts,
    SolverName,
    setting,
)


def bench(
    puzzle: PuzzleName,
    data: Annotated[Path, typer.Option(metavar="FILE.npz", help="The instances to solve.")],
    solver: SolverName = "auto",
    settings: SettingTexts = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the first N instances.")
    ] = None,
    time: Annotated[
        float | None, typer.Option(metavar="S", min=0, help="Seconds for each instance.")
    ] = None,
    optimal: Annotated[bool, typer.Option("--optimal", help="Prove them shortest.")] = False,
    device: Device = "auto",
    model: ModelName = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Write the rows; a stopped run goes on from them."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Solve a set of instances and say how well and how fast."""
    from homeward.bench.runner import Task, run
    from homeward.notation.archives import load_set
    from homeward.puzzles import registry
    from homeward.solvers import Net

    made = registry.puzzle(puzzle)
    wishes: dict[str, Any] = dict(setting(text) for text in settings or [])
    task = Task(made, solver, wishes, time, optimal, Net(model, device))
    result = run(task, load_set(data, made), limit, out, _tell if sys.stderr.isatty() else None)
    summary = result["summary"]
    if as_json:
        print(json.dumps(summary))
    else:
        _show(puzzle, data, summary)
    return OK


def _tell(rows: list[dict[str, Any]]) -> None:
    """One line that is written over: how far, and how good so far."""
    solved = [row["length"] for row in rows if row["status"] == "solved"]
    mean = f", mean length {sum(solved) / len(solved):.2f}" if solved else ""
    print(f"\r{len(rows)} done, {len(solved)} solved{mean}", end="", file=sys.stderr, flush=True)


def _show(puzzle: str, data: Path, summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{puzzle}, {data.name}", show_header=False)
    for key, value in summary.items():
        if key == "machine":
            value = ", ".join(str(value[k]) for k in ("processor", "cores", "gpu") if k in value)
        elif isinstance(value, float):
            value = f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
        table.add_row(key, "-" if value is None else str(value))
    Console().print(table)
