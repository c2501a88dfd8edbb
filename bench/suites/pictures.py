"""Figures of the report, all by matplotlib, all from stored rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from homeward.bench.figures import COLOURS, new_axes
from homeward.plotting import save
from suites.instances import UNIFORM
from suites.results import Found

NEAR = "offset points"


def scatter(runs: Sequence[Found], path: Path) -> None:
    """Each instance a dot: length against seconds and against nodes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6), layout="constrained")
    for axes, key, name in zip(
        figure.subplots(1, 2), ("seconds", "generated"), ("seconds", "nodes generated"), strict=True
    ):
        for i, found in enumerate(runs):
            rows = [row for row in found.rows() if row["length"] is not None]
            if not rows:
                continue
            axes.set_xscale("log")
            x, y = [row[key] for row in rows], [row["length"] for row in rows]
            axes.scatter(x, y, s=14, alpha=0.7, color=COLOURS[i % len(COLOURS)], label=found.label)
        axes.set_xlabel(name)
        axes.set_ylabel("moves")
        axes.spines[["top", "right"]].set_visible(False)
    if axes.collections:
        axes.legend(frameon=False, fontsize=7)
    save(figure, path)


def trade(runs: Sequence[Found], down: str, across: str, path: Path) -> None:
    """Mean length against mean seconds, a line for each value of `across`, hollow where some of
    the instances were not solved."""
    figure, axes = new_axes("mean seconds (numbers: λ)", "mean moves of those solved")
    for i, column in enumerate(sorted({found.setting(across) for found in runs})):
        line = sorted(
            (found.setting(down), found.run["summary"])
            for found in runs
            if found.setting(across) == column and found.run["summary"]["mean_length"] is not None
        )
        if not line:
            continue
        colour = COLOURS[i % len(COLOURS)]
        x, y = [told["mean_seconds"] for _, told in line], [told["mean_length"] for _, told in line]
        axes.plot(x, y, color=colour, lw=1, label=f"N = {column:,.0f}")
        for (value, told), at, moves in zip(line, x, y, strict=True):
            whole = told["solved_percent"] == 100
            axes.plot([at], [moves], "o", ms=5, color=colour, mfc=colour if whole else "white")
            axes.annotate(f" {value:g}", (at, moves), fontsize=6, xytext=(0, 4), textcoords=NEAR)
    axes.set_xscale("log")
    axes.set_yscale("log")  # a greedy search that goes astray is long
    ticks = [20, 22, 25, 30, 40, 60, 100]
    axes.set_yticks(ticks, labels=map(str, ticks))
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)


def by_walk(runs: Sequence[Found], path: Path) -> None:
    """Length, share of shortest solutions, nodes and seconds by the walk's length."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.4), layout="constrained")
    panels = (
        ("length", "mean length", "linear"),
        ("optimal", "shortest (%)", "linear"),
        ("expanded", "mean nodes expanded", "log"),
        ("seconds", "mean seconds", "log"),
    )
    every = sorted({row["walk"] for found in runs for row in found.rows() if "walk" in row})
    shown = [walk for walk in every if walk != UNIFORM]
    last = (shown[-1] if shown else 0) * 1.12 + 1
    for axes, (key, name, scale) in zip(figure.subplots(2, 2).flat, panels, strict=True):
        for i, found in enumerate(runs):
            colour = COLOURS[i % len(COLOURS)]
            style = ("-", "--", ":")[i // len(COLOURS) % 3]
            points = {walk: _value(found.rows(walk), key) for walk in every}
            line = [(walk, points[walk]) for walk in shown if points[walk] is not None]
            axes.plot(*zip(*line, strict=True), style, color=colour, label=found.label, lw=1.3)
            if points.get(UNIFORM) is not None:
                axes.plot([last], [points[UNIFORM]], "o", color=colour, ms=4)
        axes.set_yscale("symlog" if key == "expanded" else scale)
        axes.set_ylabel(name)
        axes.set_xlabel("moves of the scramble (dots: random states)")
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(
        *axes.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=4,
        frameon=False,
        fontsize=8,
    )
    save(figure, path)


def _value(rows: Sequence[dict[str, Any]], key: str) -> float | None:
    if not rows:
        return None
    if key == "optimal":
        known = [row for row in rows if row.get("optimal_length") is not None]
        right = sum(row["length"] == row["optimal_length"] for row in known)
        return 100 * right / len(known) if known else None
    values = [row[key] for row in rows if row.get(key) is not None]
    return fmean(values) if values else None


def tuning(runs: Sequence[Found], key: str, path: Path) -> None:
    """Mean length and nodes against one setting, a line for each group of runs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, column in zip(figure.subplots(1, 2), ("length", "expanded"), strict=True):
        for i, (name, group) in enumerate(grouped(runs, key).items()):
            points = [(found.setting(key), _value(found.rows(), column)) for found in group]
            line = sorted((x, y) for x, y in points if y is not None)
            if line:
                axes.plot(*zip(*line, strict=True), "o-", ms=3, color=COLOURS[i], label=name)
        axes.set_xscale("symlog", linthresh=0.5)
        axes.set_xlabel(key)
        axes.set_ylabel("mean length" if column == "length" else "mean nodes expanded")
        axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)


def grouped(runs: Sequence[Found], key: str) -> dict[str, list[Found]]:
    """Runs by all of their settings but one."""
    groups: dict[str, list[Found]] = {}
    for found in runs:
        task = found.run["task"]
        others = [f"{k} {v}" for k, v in task["settings"].items() if k != key]
        groups.setdefault(", ".join(others), []).append(found)
    return groups


def estimates(runs: Sequence[Found], path: Path) -> None:
    """Mean estimates against exact distances."""
    figure, axes = new_axes("exact distance", "mean estimate")
    most = 0
    for i, found in enumerate(runs):
        columns = found.run["columns"]
        axes.plot(columns["distance"], columns["mean"], color=COLOURS[i], label=found.label)
        most = max(most, *columns["distance"])
    axes.plot([0, most], [0, most], "--", color="0.6", lw=1)
    axes.legend(frameon=False, fontsize=9)
    save(figure, path)


def training(logs: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Share of scrambles that greedy play solves, by minutes of training, for each depth."""
    from matplotlib.figure import Figure

    figure = Figure(
        figsize=(4.2 * min(3, len(logs)), 3.2 * -(-len(logs) // 3)), layout="constrained"
    )
    panels = list(figure.subplots(-(-len(logs) // 3), min(3, len(logs)), squeeze=False).flat)
    for axes in panels[len(logs) :]:
        axes.set_visible(False)
    for axes, (name, rows) in zip(panels, logs.items(), strict=False):
        played = [row for row in rows if row.get("greedy")]
        depths = sorted({int(depth) for row in played for depth in row["greedy"]})
        for i, depth in enumerate(depths):
            points = [
                (row["seconds"] / 60, 100 * row["greedy"][str(depth)])
                for row in played
                if str(depth) in row["greedy"]
            ]
            axes.plot(*zip(*points, strict=True), color=COLOURS[i % 8], label=str(depth), lw=1.2)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("minutes of training")
        axes.set_ylabel("solved greedily (%)")
        axes.legend(title="scramble", frameon=False, fontsize=7, title_fontsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)


def solved_by_walk(counts: dict[str, dict[int, int]], path: Path) -> None:
    """Solved instances by walk length, a line for each heuristic."""
    figure, axes = new_axes("moves of the walk", "solved")
    for i, (name, line) in enumerate(counts.items()):
        axes.plot(list(line), list(line.values()), "o-", ms=3, color=COLOURS[i], label=name)
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)
