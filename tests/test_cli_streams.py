"""The command line with streams that are closed, full, unread, a terminal or of an old encoding."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from homeward.cli.streams import told_warnings

CUBE = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
STUCK = "######\n#$   #\n#@ . #\n######"
UNWRITTEN = "homeward: cannot write the output: No space left on device\n"
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def ended(
    arguments: Sequence[str], redirected: str = "", stdout: Any = subprocess.PIPE, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own, its streams `redirected` as a shell does it."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    shell = ["bash", "-c", f'exec "$@" {redirected}', "-", sys.executable, "-m", "homeward"]
    return subprocess.run(
        [*shell, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**known, **kept, **more},
        check=False,
    )


def unread(arguments: Sequence[str], **more: str) -> subprocess.CompletedProcess[bytes]:
    """A command that writes into a pipe whose other end is closed."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return ended(arguments, stdout=writing, **more)
    finally:
        os.close(writing)


# --- colours


def on_a_terminal(**more: str) -> bytes:
    """What `show` writes on a terminal."""
    import pty  # no Windows has it

    ours, theirs = pty.openpty()
    ended(["show", "cube3", CUBE], stdout=theirs, TERM="xterm-256color", **more)
    os.close(theirs)
    written = b""
    try:
        while more_bytes := os.read(ours, 65536):
            written += more_bytes
    except OSError:  # how Linux says that all is read
        pass
    os.close(ours)
    return written


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("no_colour", "coloured"), [("", True), ("1", False)])
def test_no_color_is_obeyed_on_a_terminal(no_colour: str, coloured: bool) -> None:
    written = on_a_terminal(NO_COLOR=no_colour)
    assert b"U" in written
    assert (b"\x1b[" in written) is coloured


def test_no_color_is_stronger_than_force_color() -> None:
    wish = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert b"\x1b[" in ended(["show", "cube3", CUBE], NO_COLOR="", **wish).stdout
    assert b"\x1b[" not in ended(["show", "cube3", CUBE], NO_COLOR="1", **wish).stdout


# --- encodings


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["show", "puzzle8", "123456780"], "+---+---+---+"),
        (["check", "sliding-2x2"], "v  shapes"),
        (["distances", "sliding-2x2"], "   0  1  ####################"),
        (["solve", "puzzle8", "--state", "123456780"], "solved already"),
    ],
)
def test_drawings_in_encodings_that_lack_their_signs(
    arguments: list[str], line: str, encoding: str
) -> None:
    done = ended(arguments, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert any(one.startswith(line) for one in done.stdout.decode(encoding).splitlines())


def test_lamps_can_be_told_apart_in_every_encoding() -> None:
    done = ended(["show", "lightsout2", "10 00"], PYTHONIOENCODING="ascii")
    assert (done.stdout, done.stderr) == (b"# .\n. .\n", b"")


# --- pipes that nobody reads


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["scramble", "cube3", "--count", "5000", "--depth", "1"],
        ["solve", "puzzle8", "--state", "123456708", "--json"],
        ["list", "solvers"],
        ["--help"],
    ],
)
def test_a_closed_pipe_is_no_error(arguments: list[str], unbuffered: str) -> None:
    done = unread(arguments, PYTHONUNBUFFERED=unbuffered)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_pipe_keeps_the_status_of_what_was_done() -> None:
    done = unread(["solve", "sokoban", "--state", STUCK, "--json"])
    assert (done.returncode, done.stderr) == (3, b"")


def test_errors_that_nobody_reads_keep_their_status() -> None:
    assert unread(["solve", "puzzle8"]).returncode == 2
    shell = f"exec 3>&1; {{ {sys.executable} -m homeward solve puzzle8; echo $? >&3; }} 2>&1 | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.stdout == "2\n"


# --- streams that are closed or full


def test_a_closed_output_is_as_if_nobody_looked() -> None:
    done = ended(["solve", "puzzle8", "--state", "123456708"], ">&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_errors_do_not_go_to_standard_output() -> None:
    done = ended(["solve", "puzzle8"], "2>&-")
    assert (done.returncode, done.stdout) == (2, b"")
    done = ended(["solve", "puzzle8", "--random", "--solver", "bfs"], "2>&-")
    assert done.returncode == 0


def test_a_closed_input_is_said_to_be() -> None:
    done = ended(["show", "cube3", "-"], "<&-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"homeward: cannot read standard input: it is closed\n"


@full
@pytest.mark.parametrize(
    "arguments",
    [
        ["scramble", "cube3"],
        ["scramble", "cube3", "--count", "2000", "--depth", "1"],
        ["list", "solvers"],
        ["--version"],
    ],
)
def test_a_full_device_is_one_line(arguments: list[str]) -> None:
    done = ended(arguments, ">/dev/full")
    assert (done.returncode, done.stderr.decode()) == (2, UNWRITTEN)


@full
def test_nowhere_to_complain_is_no_other_error() -> None:
    assert ended(["scramble", "cube3"], ">/dev/full 2>/dev/full").returncode == 2


# --- warnings


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file" / "cache")
    done = ended(["distances", "sliding-2x2"], HOMEWARD_CACHE=folder)
    line = f"homeward: nothing is kept for next time: {folder} cannot be written (Not a directory)"
    assert done.returncode == 0
    assert done.stderr.decode().splitlines() == [line]


def test_each_warning_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with told_warnings():
        warnings.warn("the folder is full", stacklevel=1)
        warnings.warn("the folder is full", stacklevel=2)
        warnings.warn("and old", stacklevel=1)
    assert capsys.readouterr().err == "homeward: the folder is full\nhomeward: and old\n"


def test_the_cache_may_be_named_from_home(tmp_path: Path) -> None:
    script = "from homeward.cache import cache_dir; print(cache_dir())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "HOME": str(tmp_path), "HOMEWARD_CACHE": "~/tables"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{tmp_path}/tables\n"


# --- Ctrl-C before the command has begun


INTERRUPTED_AT = """
import importlib.abc, os, runpy, signal, sys

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
runpy.run_module("homeward", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("module", ["homeward.cli", "typer", "homeward.puzzles", "numpy"])
def test_ctrl_c_during_the_imports_is_quiet(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_AT, module]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
