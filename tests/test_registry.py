"""Names and paths of puzzles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeward import PuzzleError, State, puzzle, solve
from homeward.learning.reach import walk_depth

ROW = '[moves]\nL = "(0 1 2)"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "row.toml"
    path.write_text(ROW)
    return path


def test_a_file_is_read_again_once_it_is_written_anew(file: Path) -> None:
    first = puzzle(str(file))
    assert puzzle(str(file)) is first
    file.write_text(ROW.replace("0 1 2", "0 1 2 3"))
    assert puzzle(str(file)).cells == 4


def test_a_relative_path_is_one_of_the_folder_one_is_in(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "row.toml").write_text(ROW.replace("0 1 2", "0 1 2 3"))
    monkeypatch.chdir(tmp_path)
    assert puzzle("row.toml").cells == 3
    monkeypatch.chdir(other)
    assert puzzle("row.toml").cells == 4


def test_paths_do_as_well_as_text(file: Path) -> None:
    assert puzzle(file) is puzzle(str(file))
    assert State.solved(file) == State.read(file, "0 1 2")
    with pytest.raises(PuzzleError, match=r"^cube3: a puzzle file ends in .toml, .gap or .g$"):
        puzzle(Path("cube3"))
    with pytest.raises(PuzzleError, match=r"^there is no file nowhere.toml$"):
        puzzle(Path("nowhere.toml"))


def test_what_is_shown_of_a_puzzle_from_a_file_finds_it_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    made = puzzle("row.toml")
    assert made.name == "row"
    assert repr(made) == f"puzzle({str(file)!r})"
    state = State(made, np.array([2, 0, 1], dtype=np.uint8))
    monkeypatch.chdir("/")
    assert eval(repr(made)) is made
    assert eval(repr(state)) == state
    assert repr(puzzle("pyraminx")) == "puzzle('pyraminx')"


@pytest.mark.parametrize(
    "name",
    [
        "puzzle٤٨",  # digits, but not those that sizes are written in
        "puzzle015",
        "cube03",
        "cube3-htm-htm",
        "sliding-3x04",
        "lightsout" + "5" * 5000,
        "sokoban-010x10",
    ],
)
def test_a_puzzle_has_one_name(name: str) -> None:
    with pytest.raises(PuzzleError, match=r"^there is no puzzle named '.{,40}") as caught:
        puzzle(name)
    assert len(str(caught.value)) < 200


def test_paths_are_solved_too(file: Path) -> None:
    start = puzzle(file).apply(puzzle(file).goal, [0])
    assert solve(file, start).length == 1
    assert solve(str(file), start).length == 1


def test_walks_of_a_puzzle_whose_group_is_too_large_are_as_long_as_any(tmp_path: Path) -> None:
    n = 300  # pieces of two cells that change places and can be turned each by itself
    turn = " ".join(str(2 * i) for i in range(n))
    beside = " ".join(str(2 * i + 1) for i in range(n))
    path = tmp_path / "pairs.toml"
    path.write_text(f'[moves]\na = "({turn}) ({beside})"\nb = "(0 2) (1 3)"\nc = "(0 1)"\n')
    made = puzzle(path)
    with pytest.raises(PuzzleError, match="cells"):
        made.group  # type: ignore[attr-defined] # noqa: B018
    assert walk_depth(made) == 30
