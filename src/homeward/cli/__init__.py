"""The command line: one thin command per verb. What a command needs is imported inside it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from homeward.cli import puzzles, streams
from homeward.cli.bench import bench
from homeward.cli.common import BAD_INPUT, INTERRUPTED, OK
from homeward.cli.serve import serve
from homeward.cli.solve import solve
from homeward.cli.train import train
from homeward.puzzles.status import PuzzleError

app = typer.Typer(
    name="homeward",
    help="Solves puzzles from nothing but their rules, and proves solutions shortest.",
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main(arguments: list[str] | None = None) -> int:
    """Runs a command and returns its exit status; each error is one line on stderr."""
    streams.prepare()
    status, trouble = OK, None
    try:
        with streams.told_warnings():
            status = _run(arguments)
    except OSError as error:
        trouble = error
    trouble = streams.flushed() or trouble
    if trouble is None:
        return status
    streams.abandon(sys.stdout)
    if isinstance(trouble, BrokenPipeError):  # whoever reads the pipe has seen enough
        return status
    return _failed(f"{trouble.filename or 'cannot write the output'}: {trouble.strerror}")


def _run(arguments: list[str] | None) -> int:
    """The exit status of a command; raises `OSError` where its output cannot be written."""
    try:
        status = app(arguments, standalone_mode=False)
    except PuzzleError as error:
        return _failed(*([problem.sentence for problem in error.problems] or [str(error)]))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit as error:  # what typer and rich make of a closed pipe
        if isinstance(error.__context__, BrokenPipeError):
            raise error.__context__ from None
        raise
    except OSError:
        raise
    except Exception as error:
        # Usage errors have no class that all versions of typer make public.
        if not hasattr(error, "format_message"):
            raise
        message = " ".join(error.format_message().split()).rstrip(".")
        return _failed(f"{message}; see 'homeward --help'")
    return status if isinstance(status, int) else OK


def _failed(*lines: str) -> int:
    for line in lines:
        streams.say(line)
    return BAD_INPUT


def _version(wanted: bool) -> None:
    if wanted:
        from homeward import __version__

        print(f"homeward {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which it is.")
    ] = False,
) -> None:
    pass


app.command()(solve)
app.command()(train)
app.command()(bench)
app.command()(puzzles.scramble)
app.command()(puzzles.show)
app.command()(puzzles.distances)
app.command()(puzzles.check)
app.command("list")(puzzles.list_)
app.command()(serve)
