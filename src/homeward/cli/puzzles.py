"""`homeward scramble`, `show`, `distances`, `check` and `list`."""

from __future__ import annotations

import contextlib
import enum
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeward.cli.common import (
    BAD_INPUT,
    OK,
    AsJson,
    PuzzleName,
    Seed,
    StateText,
    in_colour,
    state_of,
    write_file,
)
from homeward.puzzles.status import PuzzleError

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from homeward.heuristics.graph import Graph
    from homeward.puzzles.base import Puzzle

_FEW = 5
"""Hardest states that are printed for people."""
_DEEPEST = 100_000
"""Moves of one scramble: `--scramble` reads no more."""
_MOST = 10_000_000
"""Moves of all scrambles of one command, which take minutes."""
_AT_ONCE = 1000
"""Scrambles that are walked together."""


def scramble(
    puzzle: PuzzleName,
    depth: Annotated[int | None, typer.Option(metavar="K", min=0, help="How many moves.")] = None,
    seed: Seed = None,
    count: Annotated[int, typer.Option(metavar="N", min=1, help="How many scrambles.")] = 1,
) -> None:
    """Print scrambles, one a line, for solve --scramble; boards for Sokoban."""
    import numpy as np

    from homeward.notation import format_of
    from homeward.puzzles import registry

    made, rng = registry.puzzle(puzzle), np.random.default_rng(seed)
    written = format_of(made)
    moves = min(made.mixing, _DEEPEST) if depth is None else depth
    if moves > _DEEPEST:
        raise PuzzleError(f"a scramble has at most {_DEEPEST:,} moves, not {moves:,}")
    if count * max(moves, 1) > _MOST:
        raise PuzzleError(
            f"{count:,} scrambles of {moves:,} moves are more than {_MOST:,} moves in all: "
            "make them in parts, with a --seed for each"
        )
    parts = [min(_AT_ONCE, count - first) for first in range(0, count, _AT_ONCE)]
    if made.reversible:
        for part in parts:
            for way_home in _ways_home(made, part, moves, rng).T:
                print(written.write_moves(made, made.inverses[way_home].tolist()))
        return
    blank = ""  # between boards
    for part in parts:
        for board in _boards(made, part, depth, rng):
            print(blank + written.write_state(made, board).rstrip("\n"))
            blank = "\n"


def _ways_home(puzzle: Puzzle, n: int, depth: int, rng: Generator) -> NDArray[np.int16]:
    """`[depth, n]`: the moves of walks from the goal; their states, far larger, are not kept."""
    import numpy as np

    moves = np.empty((depth, n), np.int16)
    for row, step in zip(moves, itertools.islice(puzzle.walk_on(n, rng), 1, None), strict=False):
        assert step.moves is not None
        row[:] = step.moves
    return moves


def _boards(puzzle: Puzzle, n: int, depth: int | None, rng: Generator) -> NDArray[Any]:
    """`[n, cells]`: boards to be solved, at most `depth` moves from home if that is given."""
    if depth is None:
        return puzzle.start_states(n, rng)
    last = next(itertools.islice(puzzle.walk_on(n, rng), depth, None))
    boards: NDArray[Any] = last.states
    return boards


def show(
    puzzle: PuzzleName,
    state: StateText,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an SVG picture instead.")
    ] = None,
) -> None:
    """Draw a state."""
    from homeward.notation import format_of

    read = state_of(puzzle, state)
    if svg is None:
        print(read.draw(in_colour()))
    else:
        write_file(svg, format_of(read.puzzle).svg(read.puzzle, read.cells))


# --- whole graphs and the contract


def distances(
    puzzle: PuzzleName,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the counts (PNG, SVG, PDF).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Work out the distance of every state: counts, God's number, the hardest states."""
    from homeward.heuristics import graph
    from homeward.notation import format_of
    from homeward.puzzles import registry

    made = registry.puzzle(puzzle)
    with _level_by_level() as tell:
        found = graph.distances(made, tell)
    if plot is not None:
        from homeward.heuristics.plots import plot_counts

        plot_counts(found, plot)
    hardest = [format_of(made).write_state(made, row) for row in found.hardest]
    if not as_json:
        _print_graph(found, hardest)
        return
    record = {"puzzle": found.puzzle, "states": found.states, "counts": found.counts}
    record |= {"diameter": found.diameter, "hardest": hardest, "seconds": round(found.seconds, 6)}
    print(json.dumps(record))


@contextlib.contextmanager
def _level_by_level() -> Iterator[Callable[[list[int], int], None] | None]:
    """A callback that keeps a progress bar on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("numbering", total=None)

        def tell(counts: list[int], states: int) -> None:
            bar.update(
                task,
                description=f"distance {len(counts) - 1}",
                completed=sum(counts),
                total=states,
            )

        yield tell


def _print_graph(graph: Graph, hardest: list[str]) -> None:
    width = len(f"{max(graph.counts):,}")
    for distance, count in enumerate(graph.counts):
        bar = "█" * round(40 * count / max(graph.counts))
        print(f"{distance:4}  {count:{width},}  {bar}".rstrip())
    how = "read" if graph.kept else "worked out"
    print(f"\n{graph.states:,} states, {how} in {graph.seconds:.2f} s")
    print(f"every one of them is at most {graph.diameter} moves from home; the hardest:")
    few = hardest[:_FEW]
    print("\n".join(few) if "\n" not in few[0] else "\n\n".join(few))
    if graph.counts[-1] > len(few):
        print(f"and {graph.counts[-1] - len(few):,} more")


def check(puzzle: PuzzleName) -> int:
    """Check a puzzle against the contract that every puzzle keeps."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from homeward.puzzles import registry
    from homeward.puzzles.check import check_puzzle

    report = check_puzzle(registry.puzzle(puzzle))
    marks = {"passed": ("✓", "green"), "failed": ("✗", "bold red"), "skipped": ("-", "dim")}
    table = Table(box=None, show_header=False, pad_edge=False)
    for made in report.checks:
        table.add_row(Text(*marks[made.outcome]), made.name, Text(made.sentence))
    Console().print(table)
    return OK if report.passed else BAD_INPUT


# --- puzzles and solvers


class Listed(enum.StrEnum):
    """What `homeward list` can list."""

    puzzles = "puzzles"
    solvers = "solvers"
    heuristics = "heuristics"
    methods = "methods"
    models = "models"
    settings = "settings"


def list_(
    what: Annotated[Listed, typer.Argument(metavar="|".join(Listed))],
    as_json: AsJson = False,
) -> None:
    """List what there is."""
    rows = _ROWS[what]()
    if as_json:
        print(json.dumps(rows))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(*rows[0], box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(_shown(value) for value in row.values()))
    Console().print(table)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={setting}" for key, setting in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if value < 10**15 else f"{value:.3g}"
    return "" if value is None else str(value)


def _puzzles() -> list[dict[str, Any]]:
    from homeward.puzzles import registry

    return [_puzzle_row(registry.puzzle(name)) for name in registry.names()]


def _puzzle_row(puzzle: Puzzle) -> dict[str, Any]:
    from homeward.puzzles.ranking import count_states

    row = {name: getattr(puzzle, name) for name in ("name", "family", "cells", "symbols", "moves")}
    try:
        return {**row, "states": count_states(puzzle)}
    except PuzzleError:
        return {**row, "states": None}


def _solvers() -> list[dict[str, Any]]:
    from homeward import solvers

    auto: dict[str, Any] = {
        "name": solvers.AUTO,
        "help": solvers.AUTO_HELP,
        "proves": False,
        "settings": {},
    }
    return [auto] + [
        {"name": s.name, "help": s.help, "proves": s.proves, "settings": s.settings()}
        for s in solvers.SOLVERS.values()
    ]


def _models() -> list[dict[str, Any]]:
    from homeward.heuristics.models import read_card, shipped_models, weight_bytes

    cards = {name: read_card(name) for name in shipped_models()}
    return [
        {
            "name": name,
            "puzzle": card.puzzle,
            "method": card.method,
            "seconds": round(card.seconds),
            "device": card.device,
            "bytes": weight_bytes(name),
        }
        for name, card in cards.items()
    ]


def _heuristics() -> list[dict[str, Any]]:
    from homeward.solvers import ESTIMATES

    net = {"name": "net", "help": "the learned net of --model", "admissible": False}
    rows = [
        {"name": e.name, "help": e.help, "admissible": e.admissible} for e in ESTIMATES.values()
    ]
    return [net, *rows]


def _methods() -> list[dict[str, Any]]:
    from homeward.cli.train import require_torch

    require_torch()
    from homeward.learning.methods import METHODS

    return [{"name": m.name, "help": m.summary, "head": m.head} for m in METHODS.values()]


def _training_settings() -> list[dict[str, Any]]:
    import dataclasses

    from homeward.learning.settings import Settings

    return [
        {"name": f.name, "default": f.default, "help": f.metadata["help"]}
        for f in dataclasses.fields(Settings)
    ]


_ROWS = {
    Listed.puzzles: _puzzles,
    Listed.solvers: _solvers,
    Listed.heuristics: _heuristics,
    Listed.models: _models,
    Listed.methods: _methods,
    Listed.settings: _training_settings,
}
