"""The log of a training: one JSON object a line, and a picture of it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from homeward.cache import write_atomically
from homeward.plotting import new_figure, save
from homeward.puzzles.status import PuzzleError

NAME = "log.jsonl"

Row: TypeAlias = dict[str, Any]


def append(folder: Path, row: Row) -> None:
    """Adds a line to the folder's log; `PuzzleError` if it cannot be written."""
    with _written(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / NAME).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def read(folder: Path) -> list[Row]:
    """The rows of the folder's log, none if there is no log; a line cut short is left out."""
    path = folder / NAME
    if not path.is_file():
        return []
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise PuzzleError(f"the log {path} cannot be read: {error.strerror}") from error
    rows = []
    for line in lines:
        try:
            rows.append(json.loads(line))
        except ValueError:  # the last line of a run that was killed
            continue
    return rows


def cut(folder: Path, step: int) -> None:
    """Leaves out what the log says of the time after `step`."""
    kept = "".join(json.dumps(row) + "\n" for row in read(folder) if row["step"] <= step)
    with _written(folder):
        write_atomically(folder / NAME, lambda file: file.write(kept.encode()))


@contextlib.contextmanager
def _written(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        path = folder / NAME
        raise PuzzleError(f"the log {path} cannot be written: {error.strerror}") from error


def plot(rows: list[Row], title: str, path: Path | str) -> None:
    """Draws loss and greedy play over the training's minutes; the suffix says which kind of file.

    Raises `PuzzleError` if matplotlib is missing or the file cannot be written.
    """
    figure = new_figure(figsize=(7, 6))
    above, below = figure.subplots(2, 1, sharex=True)
    minutes = [row["seconds"] / 60 for row in rows]
    above.plot(minutes, [row["loss"] for row in rows], color="#3b6fb6")
    above.set_yscale("log")
    above.set_ylabel("loss")
    above.set_title(title, fontsize=11)
    played = [row for row in rows if row["greedy"]]
    depths = sorted({int(depth) for row in played for depth in row["greedy"]})
    for number, depth in enumerate(depths):
        tried = [row for row in played if str(depth) in row["greedy"]]
        times = [row["seconds"] / 60 for row in tried]
        shares = [100 * row["greedy"][str(depth)] for row in tried]
        shade = 0.25 + 0.65 * number / max(1, len(depths) - 1)
        below.plot(times, shares, color=(0.1, 0.35, 0.65, shade), label=f"{depth} moves")
    below.set_ylabel("solved greedily, %")
    below.set_ylim(-3, 103)
    below.set_xlabel("minutes")
    if depths:
        below.legend(title="scrambled by", fontsize=8, title_fontsize=8, frameon=False)
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)
