"""Pictures of runs. They need matplotlib, which comes with the extra `plot`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.bench.summary import Row
from homeward.plotting import new_figure, save

COLOURS = ("#3b6fb6", "#d9822b", "#4c9a52", "#b23b5e", "#7a5ba6", "#5f6b76", "#b5a13a", "#2b9aa8")


def plot_lengths(runs: Mapping[str, Sequence[Row]], path: Path | str) -> None:
    """Draws how often each length was found, a line of bars for each named run."""
    figure, axes = new_axes("moves", "instances (%)")
    for number, (name, rows) in enumerate(runs.items()):
        lengths = [row["length"] for row in rows if row["length"] is not None]
        if not lengths:
            continue
        counts = Counter(lengths)
        x = np.arange(min(counts), max(counts) + 1)
        y = [100 * counts[int(length)] / len(lengths) for length in x]
        colour = COLOURS[number % len(COLOURS)]
        label = f"{name}, mean {np.mean(lengths):.2f}"
        axes.bar(x, y, width=0.9, alpha=0.35, color=colour, label=label)
        axes.step(np.append(x, x[-1] + 1) - 0.5, [*y, y[-1]], where="post", color=colour, lw=1)
    if axes.patches:
        axes.legend(frameon=False, fontsize=9)
    save(figure, path)


def plot_anytime(runs: Mapping[str, Sequence[Row]], path: Path | str) -> None:
    """Draws the mean length of the best solutions so far against seconds, for each named run.

    A curve begins when all of the run's solved instances have a solution.
    """
    figure, axes = new_axes("seconds for an instance", "mean length so far")
    for number, (name, rows) in enumerate(runs.items()):
        seconds, means = anytime_curve(rows)
        if len(seconds):
            colour = COLOURS[number % len(COLOURS)]
            axes.step(seconds, means, where="post", color=colour, label=name)
    if axes.lines:  # an empty picture has no logarithms
        axes.set_xscale("log")
        axes.legend(frameon=False, fontsize=9)
    save(figure, path)


def anytime_curve(rows: Sequence[Row]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`[n]`, `[n]`: when the mean of the best lengths so far changed, and to what.

    >>> rows = [{"anytime": [[1.0, 24], [3.0, 22]]}, {"anytime": [[2.0, 20]]}]
    >>> [part.tolist() for part in anytime_curve(rows)]
    [[2.0, 3.0], [22.0, 21.0]]
    """
    curves = [row["anytime"] for row in rows if row.get("anytime")]
    if not curves:
        return np.empty(0), np.empty(0)
    begin = max(curve[0][0] for curve in curves)
    changes = {seconds for curve in curves for seconds, _ in curve if seconds >= begin}
    times = np.array(sorted(changes))
    total = np.zeros(len(times))
    for curve in curves:
        at, lengths = np.array(curve, np.float64).T
        total += lengths[np.searchsorted(at, times, side="right") - 1]
    return times, total / len(curves)


def new_axes(across: str, up: str) -> tuple[Any, Any]:
    """An empty figure and its axes; `PuzzleError` if matplotlib is missing."""
    figure = new_figure(figsize=(7, 4))
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
