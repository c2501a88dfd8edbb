"""What several commands share: arguments, exit statuses, files, colours."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from homeward.puzzles.status import PuzzleError

if TYPE_CHECKING:
    from homeward.notation import State
    from homeward.puzzles import Puzzle

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
_ENDING = r"\.[A-Za-z]{2,5}"
"""How the names of files end, and boards do not."""
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
        return path.read_text(encoding="utf-8-sig") if path.is_file() else given
    except (OSError, ValueError) as error:
        if "\n" in given or len(given) > 255:  # no path, and the system says so
            return given
        raise PuzzleError(f"cannot read {given}: {error}") from None


def state_of(puzzle: Puzzle | str, given: str) -> State:
    """The state in a text, in the file of that path or in standard input, checked."""
    from homeward.notation import State

    text = text_of(given)
    try:
        return State.read(puzzle, text)
    except PuzzleError:
        # Only now: a text with dots and slashes may be a board and the name of a folder at once.
        missing = _missing(given) if text is given else ""
        if not missing:
            raise
        raise PuzzleError(missing) from None


def _missing(given: str) -> str:
    """Why what looks like a path is no file; empty if it looks like none, or is one."""
    name = re.sub(r"#\d+$", "", given)  # a Sokoban level of a file
    if os.path.isdir(name):
        return f"{given} is a folder, not a file"
    if os.path.isfile(name) or not name.isprintable():
        return ""
    folder, ending = os.path.dirname(name), os.path.splitext(name)[1]
    if name.startswith(("/", "~")) or os.path.isdir(folder) or re.fullmatch(_ENDING, ending):
        return f"there is no file {given}"
    return ""


def _standard_input() -> str:
    stream: TextIO | None = getattr(sys, "stdin")
    if stream is None:
        raise PuzzleError("cannot read standard input: it is closed")
    try:
        return stream.read().removeprefix("\ufeff")
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
