"""Standard streams as they come: closed, full, read by nobody, or in an encoding of few signs."""

from __future__ import annotations

import codecs
import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_PLAIN = dict(zip("●·█─│┌┬┐├┼┤└┴┘✓✗×", "#.#-|+++++++++vxx", strict=True))
"""Signs of our drawings for encodings that lack them."""


def prepare() -> None:
    """Makes all text printable, and closed streams lead nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    codecs.register_error("plain", _plain)
    for stream in (sys.stdout, sys.stderr):  # not those that somebody else put there
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="plain")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for the first sign that an encoding lacks, and where to go on."""
    if isinstance(error, UnicodeEncodeError) and error.object[error.start] in _PLAIN:
        return _PLAIN[error.object[error.start]], error.start + 1
    return codecs.backslashreplace_errors(error)


def flushed() -> OSError | None:
    """Writes out what is left for standard output; what went wrong, if anything did."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return error
    return None


def abandon(stream: TextIO) -> None:
    """Sends what is left in a stream nowhere: Python would try once more and complain."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except io.UnsupportedOperation:  # not a real stream
        return


def say(line: str) -> None:
    """One line of ours on standard error, if anybody listens."""
    try:
        print(f"homeward: {line}", file=sys.stderr, flush=True)
    except OSError:
        abandon(sys.stderr)


@contextmanager
def told_warnings() -> Iterator[None]:
    """Warnings are lines of ours, each message once, without the source that they come from."""
    told: set[str] = set()

    def show(message: Warning | str, *origin: object, **more: object) -> None:
        if str(message) not in told:
            told.add(str(message))
            say(str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
