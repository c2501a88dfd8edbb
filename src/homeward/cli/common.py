"""What several commands share: arguments, exit statuses, files, colours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer

from homeward.puzzles.status import PuzzleError

OK, BAD_INPUT, UNSOLVABLE, BUDGET_SPENT, INTERRUPTED = 0, 2, 3, 4, 130
TRAINING_FAILED = 1

PUZZLE_HELP = "A name such as cube3 or sliding-3x4, or the path of a puzzle file."
STATE_HELP = "Facelets, numbers or a board; a file's path; - reads standard input."
PuzzleName = Annotated[str, typer.Argument(metavar="PUZZLE", help=PUZZLE_HELP)]
StateText = Annotated[str, typer.Argument(metavar="STATE", help=STATE_HELP)]
Seed = Annotated[int | None, typer.Option(metavar="N", min=0, help="Makes chance repeatable.")]
SolverName = Annotated[str, typer.Option(metavar="NAME", help="See 'homeward list solvers'.")]
SettingTexts = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A solver's setting.")
]
Device = Annotated[str, typer.Option(metavar="auto|cpu|cuda", help="Where a net runs.")]
ModelName = Annotated[
    str | None, typer.Option(metavar="NAME|PATH", help="The net to ask; the puzzle's own if none.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def setting(text: str) -> tuple[str, str]:
    """The name and the value in `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not equals:
        raise PuzzleError(f"--set takes KEY=VALUE, not {text!r}")
    return key.strip(), value.strip()


def text_of(given: str) -> str:
    """The text itself, or what the file of that path or standard input holds."""
    if given == "-":
        return _standard_input()
    try:
        path = Path(given)
        return path.read_text(encoding="utf-8") if path.is_file() else given
    except (OSError, ValueError) as error:
        if "\n" in given or len(given) > 255:  # no path, and the system says so
            return given
        raise PuzzleError(f"cannot read {given}: {error}") from None


def _standard_input() -> str:
    stream: TextIO | None = getattr(sys, "stdin")
    if stream is None:
        raise PuzzleError("cannot read standard input: it is closed")
    try:
        return stream.read()
    except (OSError, ValueError) as error:
        raise PuzzleError(f"cannot read standard input: {error}") from None


def write_file(path: Path, text: str) -> None:
    """Writes a text file; what the system objects to is a `PuzzleError`."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PuzzleError(f"cannot write {path}: {error.strerror}") from None


def in_colour() -> bool:
    """Whether standard output shows colours (NO_COLOR and FORCE_COLOR are obeyed)."""
    from rich.console import Console

    console = Console()  # which under NO_COLOR knows its colours and does not use them
    return console.color_system is not None and not console.no_color
