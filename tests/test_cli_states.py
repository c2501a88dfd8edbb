"""Where the command line finds a state: in the text itself, in a file, in standard input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from homeward.cli import main
from homeward.notation import State

CUBE = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
LEVEL = "#####\n#@$.#\n#####\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "one.xsb").write_text(LEVEL)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says that cannot read its state."""
    assert main([*arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err.removeprefix("homeward: ").removesuffix("\n")


@pytest.mark.parametrize(
    "path", ["none.txt", "levels/none", "/nowhere/none", "~/none", "none.xsb#2"]
)
@pytest.mark.parametrize("name", ["cube3", "puzzle8", "lightsout5", "sokoban", "pancake"])
def test_a_file_that_is_missing(name: str, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "show", name, path) == f"there is no file {path}"
    assert refused(capsys, "solve", name, "--state", path) == f"there is no file {path}"


def test_a_folder_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("cube3", "sokoban"):
        assert refused(capsys, "show", name, "levels") == "levels is a folder, not a file"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lightsout1", "."),
        ("lightsout2", "../.."),
        ("lightsout2", "#./.o"),
        ("puzzle8", "123/456/78."),
    ],
)
def test_boards_that_look_like_paths(
    name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", name, text]) == 0
    assert capsys.readouterr().out == f"{State.read(name, text)}\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("cube3", "UUU", "a 3×3×3 cube has 54 facelets, this text has 3"),
        ("cube3", "", "a 3×3×3 cube has 54 facelets, this text has 0"),
        ("lightsout2", "#./..#", "a board of lightsout2 has 4 entries, this one has 5"),
        ("puzzle8", "123/456/7X9", "there is no tile '9' at character 11"),
        ("sokoban", "#####\n#@$,#\n#####", "',' is no cell of a board at character 10"),
        ("sokoban", "levels/one.xsb#2", "levels/one.xsb has levels 1 to 1, no level 2"),
        ("pancake", "levels/one.xsb", "unknown symbol '#####' at character 1"),
    ],
)
def test_what_is_wrong_with_a_state_is_still_said(
    name: str, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, "show", name, text).startswith(message)


def test_a_mark_at_the_beginning_is_no_part_of_the_state(
    tmp_path: Path,
) -> None:
    (tmp_path / "cube.txt").write_text(CUBE, encoding="utf-8-sig")
    (tmp_path / "two.xsb").write_text(LEVEL, encoding="utf-8-sig")
    assert main(["show", "cube3", "cube.txt"]) == 0
    assert main(["show", "sokoban", "two.xsb#1"]) == 0
    assert main(["show", "sokoban", "two.xsb"]) == 0
    given = (tmp_path / "cube.txt").read_bytes()
    command = [sys.executable, "-X", "utf8", "-m", "homeward", "show", "cube3", "-"]
    subprocess.run(command, input=given, stdout=subprocess.DEVNULL, check=True)
