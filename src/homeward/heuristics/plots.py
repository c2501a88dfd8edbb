"""Pictures of whole graphs. Needs matplotlib, which comes with the extra `plot`."""

from __future__ import annotations

from pathlib import Path

from homeward.heuristics.graph import Graph
from homeward.plotting import new_figure, save


def plot_counts(graph: Graph, path: Path | str) -> None:
    """Draws the number of states by distance into a file; its suffix says which kind of file.

    Raises `PuzzleError` if matplotlib is missing or the file cannot be written.
    """
    figure = new_figure(figsize=(7, 4))
    from matplotlib.ticker import EngFormatter, MaxNLocator

    axes = figure.add_subplot()
    levels = range(len(graph.counts))
    axes.bar(levels, graph.counts, width=0.85, color="#3b6fb6")
    axes.set_title(
        f"{graph.puzzle}: {graph.states:,} states, at most {graph.diameter} moves from home",
        fontsize=11,
    )
    axes.set_xlabel("moves to the goal")
    axes.set_ylabel("states")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.01)
    few = graph.counts[-1]
    axes.annotate(
        f"{few:,} at {graph.diameter}",
        (graph.diameter, few),
        xytext=(0, 40),
        textcoords="offset points",
        ha="right",
        arrowprops={"arrowstyle": "-", "color": "0.5"},
        fontsize=9,
    )
    save(figure, path)
