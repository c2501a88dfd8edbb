"""`homeward bench`."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeward import plotting
from homeward.cli.common import (
    OK,
    PUZZLE_HELP,
    AsJson,
    Device,
    ModelName,
    SettingTexts,
    SolverName,
    setting,
)
from homeward.puzzles.status import PuzzleError

if TYPE_CHECKING:
    from homeward.bench.cluster import Cluster
    from homeward.bench.compare import Compared, Interval


def bench(
    puzzle: Annotated[str, typer.Argument(metavar="PUZZLE", help=PUZZLE_HELP)] = "",
    data: Annotated[
        Path | None, typer.Option(metavar="FILE.npz", help="The instances to solve.")
    ] = None,
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
    cluster: Annotated[
        str | None,
        typer.Option(metavar="local|ray://HOST:PORT", help="Solve on a Ray cluster."),
    ] = None,
    workers: Annotated[
        int, typer.Option(metavar="N", min=0, help="Workers of the cluster; 0: all it has.")
    ] = 0,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A.json B.json", help="Compare two results instead of solving."),
    ] = None,
    plot_lengths: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the distribution of lengths.")
    ] = None,
    plot_anytime: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw length against seconds.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Solve a set of instances and say how well and how fast, or compare two results."""
    plots = _possible({"lengths": plot_lengths, "anytime": plot_anytime})
    if compare is not None:
        if puzzle or data:
            raise PuzzleError("--compare takes two results and neither a puzzle nor --data")
        return _compare(compare, plots, as_json)
    if not puzzle or data is None:
        raise PuzzleError("give a puzzle and --data FILE.npz, or --compare A.json B.json")
    from homeward.bench.runner import Task, run
    from homeward.notation.archives import load_set
    from homeward.puzzles import registry
    from homeward.solvers import Net

    made = registry.puzzle(puzzle)
    wishes = dict(setting(text) for text in settings or [])
    task = Task(made, solver, wishes, time, optimal, Net(model, device))
    instances = load_set(data, made)
    with _joined(cluster, workers) as joined:
        result = run(task, instances, limit, out, _tell if sys.stderr.isatty() else None, joined)
    _show(f"{puzzle}, {data.name}", result["summary"], as_json)
    _draw({f"{puzzle}, {solver}": result["rows"]}, plots)
    return OK


def _possible(plots: dict[str, Path | None]) -> dict[str, Path | None]:
    """The same, or `PuzzleError` where one cannot be drawn: now, and not after the work."""
    for path in plots.values():
        if path is not None:
            plotting.require(path)
    return plots


@contextlib.contextmanager
def _joined(address: str | None, workers: int) -> Iterator[Cluster | None]:
    """The cluster of that address while it is needed, None if there is none."""
    if address is None:
        yield None
        return
    from homeward.bench.cluster import Cluster

    with Cluster(address, workers) as cluster:
        yield cluster


def _tell(rows: list[dict[str, Any]]) -> None:
    """One line that is written over: how far, and how good so far."""
    solved = [row["length"] for row in rows if row["status"] == "solved"]
    mean = f", mean length {sum(solved) / len(solved):.2f}" if solved else ""
    print(f"\r{len(rows)} done, {len(solved)} solved{mean}", end="", file=sys.stderr, flush=True)


def _show(title: str, summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(summary))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, show_header=False)
    for key, value in summary.items():
        if key == "machine":
            value = ", ".join(str(value[k]) for k in ("processor", "cores", "gpu") if k in value)
        elif isinstance(value, float):
            value = _number(value)
        table.add_row(key, "-" if value is None else str(value))
    Console().print(table)


def _compare(paths: tuple[Path, Path], plots: dict[str, Path | None], as_json: bool) -> int:
    from homeward.bench import compare

    a, b = (compare.read_rows(path) for path in paths)
    compared = compare.compare(a, b)
    first, second = _names(paths)
    _draw({first: a, second: b}, plots)
    if as_json:
        print(json.dumps(compare.as_json(compared)))
    else:
        _show_compared(first, second, compared, (len(a), len(b)))
    return OK


def _names(paths: tuple[Path, Path]) -> tuple[str, str]:
    """What the two are called: their files' names, or the paths where these are the same."""
    first, second = paths
    same = first.stem == second.stem
    return (str(first), str(second)) if same else (first.stem, second.stem)


def _show_compared(
    first: str, second: str, compared: list[Compared], rows: tuple[int, int]
) -> None:
    from rich.console import Console
    from rich.table import Table

    pairs = max((one.difference.count for one in compared if one.difference), default=0)
    title = f"means with 95 % bootstrap intervals; {pairs:,} instances in both"
    if rows != (pairs, pairs):
        title += f", of {rows[0]:,} and {rows[1]:,}"
        title += " (over these)" if pairs else " (over each run's own)"
    table = Table("", first, second, "difference", title=title)
    for one in compared:
        parts = (one.a, one.b, one.difference)
        table.add_row(one.measure, *(_shown(part) for part in parts))
    Console().print(table)


def _shown(part: Interval | None) -> str:
    if part is None:
        return "-"
    return f"{_number(part.mean)} [{_number(part.low)}, {_number(part.high)}]"


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _draw(runs: dict[str, list[dict[str, Any]]], plots: dict[str, Path | None]) -> None:
    if not any(plots.values()):
        return
    from homeward.bench import figures

    if plots["lengths"] is not None:
        figures.plot_lengths(runs, plots["lengths"])
    if plots["anytime"] is not None:
        figures.plot_anytime(runs, plots["anytime"])
