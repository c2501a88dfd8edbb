"""Sokoban as text: XSB boards and files, LURD moves, pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeward.notation import ParseError, State, format_of
from homeward.notation.sokoban import SokobanFormat, write_lurd
from homeward.notation.xsb import find_levels
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.sokoban import Sokoban

FORMAT = SokobanFormat()
TEN = puzzle("sokoban")

LEVEL = "  ####\n###  #\n#@ $.#\n######\n"
CELLS = [
    [1, 1, 1, 1, 1, 1],
    [1, 1, 1, 0, 0, 1],
    [1, 5, 0, 3, 2, 1],
    [1, 1, 1, 1, 1, 1],
]


def read(text: str, given_puzzle: Sokoban | None = None) -> np.ndarray:
    sokoban, cells = FORMAT.read_state(given_puzzle or TEN, text)
    assert isinstance(sokoban, Sokoban)
    return cells.reshape(sokoban.rows, sokoban.columns)


@pytest.mark.parametrize(
    "text",
    [
        LEVEL,
        "--####\n###__#\n#@-$.#\n######",
        "\n\n    " + LEVEL.replace("\n", "\n    "),
        "Level 1\n; easy\n" + LEVEL + "Title: first\n\n####\n#@*#\n####\n",
        "12\n\n" + LEVEL,
        LEVEL.replace("\n", "\r\n"),
        "  ####|###  #|#@ $.#|######",
        "2-4#|3#2-#|#@-$.#|6#|",
        "  ####\n###  #        \n#@ $.#\n######",
    ],
)
def test_ways_to_write_a_board(text: str) -> None:
    cells = read(text)
    assert cells.shape == (10, 10)
    assert cells[:4, :6].tolist() == CELLS
    assert (cells[4:] == 1).all()
    assert (cells[:, 6:] == 1).all()
    assert State.read("sokoban", text).puzzle is TEN


def test_the_board_decides_the_puzzle() -> None:
    exact, small, large = Sokoban(4, 6), Sokoban(3, 5), Sokoban(12, 7)
    for sokoban, size in ((exact, (4, 6)), (small, (4, 6)), (large, (12, 7))):
        found, cells = FORMAT.read_state(sokoban, LEVEL)
        assert isinstance(found, Sokoban)
        assert (found.rows, found.columns) == size
        assert cells.reshape(size)[:4, :6].tolist() == CELLS
        assert (found is sokoban) == (sokoban is not small)
    wide = "#" * 11 + "\n#@$.      #\n" + "#" * 11
    state = State.read("sokoban", wide)
    assert state.puzzle.name == "sokoban-3x11"
    assert State.read(state.puzzle.name, state.text) == state


def test_levels_and_goals_stay_with_their_puzzle() -> None:
    one = read(LEVEL).reshape(1, -1)
    with_levels = TEN.with_levels(one)  # type: ignore[attr-defined]
    assert FORMAT.read_state(with_levels, LEVEL)[0] is with_levels
    with_goal = TEN.with_goal(one[0])
    assert FORMAT.read_state(with_goal, LEVEL)[0] is with_goal
    with pytest.raises(PuzzleError) as error:
        FORMAT.read_state(with_goal, "#" * 11 + "\n#@$.      #\n" + "#" * 11)
    assert str(error.value) == "the board is 3x11, but the goal's is 10x10"


def test_surroundings_become_wall_but_closed_rooms_stay() -> None:
    cells = read("#####  ###\n#@$.#  # #\n#   #  ###\n#####\n   $")
    assert cells[0, 5] == cells[1, 6] == cells[4, 0] == cells[4, 4] == 1
    assert cells[1, 8] == 0
    assert cells[4, 3] == 3


def test_open_boards_say_where() -> None:
    with pytest.raises(PuzzleError) as error:
        State.read("sokoban", "######\n#@$.  \n######")
    assert str(error.value) == "the board is open at row 2, column 6: walls must go all round"
    with pytest.raises(PuzzleError) as error:
        State.read("sokoban", "@$.")
    assert str(error.value) == "a Sokoban board is at least 3x5 or 5x3, not 1x3"


def test_codes_as_digits() -> None:
    cells = read(LEVEL)
    digits = "".join(str(code) for code in cells.reshape(-1))
    assert np.array_equal(read(digits), cells)
    assert np.array_equal(read(str(cells.reshape(-1).tolist())), cells)
    assert np.array_equal(read(str(cells)), cells)
    with pytest.raises(PuzzleError) as error:
        read("0123")
    assert str(error.value) == "a state of sokoban has 100 entries, this one has 4"
    with pytest.raises(PuzzleError) as error:
        State.read("sokoban", digits.replace("2", "9"))
    assert str(error.value) == "cell 24 holds 9, but symbols go from 0 to 6"


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        (
            "####\n#@x#\n####",
            7,
            "'x' is no cell of a board at character 8 (cells are # . $ * @ + and space, - or _)",
        ),
        (
            "####\nx@ #\n####",
            5,
            "'x' is no cell of a board at character 6 (cells are # . $ * @ + and space, - or _)",
        ),
        (
            "hello",
            0,
            "there is no Sokoban board in this text at character 1 "
            "(cells are # . $ * @ + and space, - or _)",
        ),
        (
            "####|#@3|####",
            8,
            "a number without a cell at character 9 (cells are # . $ * @ + and space, - or _)",
        ),
        ("###\n0##", 5, "a cell repeated 0 times at character 6"),
        ("###|999999999999#", 16, "a row has at most 250 cells at character 17"),
    ],
)
def test_slips_have_a_place(text: str, position: int, message: str) -> None:
    with pytest.raises(ParseError) as error:
        read(text)
    assert error.value.position == position
    assert str(error.value) == message


def test_too_many_rows() -> None:
    with pytest.raises(PuzzleError) as error:
        read("#\n" * 251)
    assert str(error.value) == "a board has at most 250 rows, this one has 251"


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "three.xsb"
    other = "#####\n#@$.#\n#####"
    path.write_text(f"; a set\n{LEVEL}\nsecond\n{other}\n\n-----\n\n; third\n####\n#+$#\n####\n")
    assert len(find_levels(path.read_text())) == 3
    assert np.array_equal(read(str(path)), read(LEVEL))
    assert np.array_equal(read(f" {path}#1\n"), read(LEVEL))
    assert np.array_equal(read(f"{path}#2"), read(other))
    assert read(f"{path}#3")[1, 1] == 6
    for number in (0, 4):
        with pytest.raises(PuzzleError) as error:
            read(f"{path}#{number}")
        assert str(error.value) == f"{path} has levels 1 to 3, no level {number}"
    for name in (tmp_path / "none.txt", tmp_path / ("a" * 300 + ".sok"), "bad\0.xsb"):
        with pytest.raises(PuzzleError) as error:
            read(str(name))
        assert str(error.value) == f"there is no readable file {str(name)!r}"
    folder = tmp_path / "folder.txt"
    folder.mkdir()
    with pytest.raises(PuzzleError, match="there is no readable file"):
        read(str(folder))
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"\xff\xfe nothing here")
    with pytest.raises(PuzzleError) as error:
        read(str(empty))
    assert str(error.value) == (
        f"there is no Sokoban board in {empty} at character 1 "
        "(cells are # . $ * @ + and space, - or _)"
    )


def test_states_round_trip() -> None:
    for sokoban in (Sokoban(pool=20), Sokoban(7, 13, pool=20), Sokoban(3, 5, pool=5)):
        walks = sokoban.walks(40, 30, np.random.default_rng(1)).states.reshape(-1, sokoban.cells)
        for cells in walks[::4]:
            found, again = FORMAT.read_state(sokoban, FORMAT.write_state(sokoban, cells))
            assert found is sokoban
            assert np.array_equal(again, cells)
            assert again.dtype == np.uint8


def test_public_sets_read_in(data_dir: Path) -> None:
    for name in ("sokoban", "sokoban_medium", "sokoban_hard"):
        for cells in np.load(data_dir / f"{name}.npz")["states"].reshape(-1, 100):
            assert np.array_equal(read(FORMAT.write_state(TEN, cells)).reshape(-1), cells)


def test_moves() -> None:
    assert FORMAT.read_moves(TEN, "uU dD lLrR") == [0, 0, 1, 1, 2, 2, 3, 3]
    assert FORMAT.read_moves(TEN, "3u2R,l\nd2") == [0, 0, 0, 3, 3, 2, 1, 1]
    assert FORMAT.read_moves(TEN, "") == []
    assert FORMAT.write_moves(TEN, [0, 0, 3, 1, 2]) == "UURDL"
    assert FORMAT.read_moves(TEN, FORMAT.write_moves(TEN, [0, 0, 3, 1, 2])) == [0, 0, 3, 1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("uux", "there is no move 'x' at character 3 (moves are U D L R)"),
        ("u 3", "a number without a move at character 3 (write 3U or U3)"),
        ("2u3", "a number without a move at character 3 (write 3U or U3)"),
        ("u99999999999999", "more than 100,000 moves at character 1"),
    ],
)
def test_bad_moves(text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        FORMAT.read_moves(TEN, text)
    assert str(error.value) == message


def test_lurd_tells_pushes_from_steps() -> None:
    state = State.read("sokoban", "#######\n#@ $ .#\n# .$  #\n#     #\n#######")
    moves = FORMAT.read_moves(TEN, "3rdl")
    assert write_lurd(TEN, state.cells, moves) == "rRRdL"
    assert state.moved("rRRdL").is_solved
    with pytest.raises(PuzzleError) as error:
        write_lurd(TEN, state.cells, FORMAT.read_moves(TEN, "rru"))
    assert str(error.value) == "move 3, U, is not possible there"


def test_drawing() -> None:
    state = State.read("sokoban-4x8", "########\n#@$ .* #\n#  $ . #\n########")
    assert str(state) == "########\n#@$ .* #\n#  $ . #\n########"
    lines = state.draw(colour=True).splitlines()
    wall = "\x1b[48;5;240m  \x1b[0m"
    assert lines[0] == wall * 8
    assert lines[2] == f"{wall}    \x1b[38;5;220m[]\x1b[0m  \x1b[38;5;203m<>\x1b[0m  {wall}"


def test_svg_has_a_shape_for_everything() -> None:
    state = State.read("sokoban-4x8", "########\n#+$ .* #\n#  $   #\n########")
    root = ElementTree.fromstring(state._repr_svg_())
    tags = [element.tag.rpartition("}")[2] for element in root]
    assert root.get("viewBox") == "0 0 256 128"
    # Walls, the ground and two for each of three boxes; three rings, and the agent with two eyes.
    assert tags.count("rect") == 20 + 1 + 2 * 3
    assert tags.count("circle") == 3 + 3


def test_other_puzzles_are_refused() -> None:
    with pytest.raises(PuzzleError) as error:
        FORMAT.read_state(puzzle("puzzle8"), LEVEL)
    assert str(error.value) == "puzzle8 is no Sokoban puzzle"
    assert isinstance(format_of(TEN), SokobanFormat)


# --- random input

_boardish = st.text(alphabet="##  .$*@+-_|\n;3x", max_size=60)
_anything = st.one_of(_boardish, st.text(max_size=40), st.text("0123456789, ", max_size=110))


@settings(max_examples=1000, deadline=None)
@given(st.lists(_anything, min_size=10, max_size=20))
def test_random_text_is_a_board_or_an_error(texts: list[str]) -> None:
    for text in texts:
        try:
            state = State.read("sokoban", text)
        except PuzzleError:
            continue
        assert state.puzzle.problems(state.cells) == []


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.text("uUdDlLrR12390 ,x\n") | st.text(), min_size=10, max_size=20))
def test_random_text_is_moves_or_an_error(texts: list[str]) -> None:
    for text in texts:
        try:
            moves = FORMAT.read_moves(TEN, text)
        except PuzzleError:
            continue
        assert FORMAT.read_moves(TEN, FORMAT.write_moves(TEN, moves)) == moves


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5, 6]), min_size=64, max_size=64))
def test_walled_boards_round_trip_whatever_stands_in_them(inside: list[int]) -> None:
    cells = np.pad(np.array(inside).reshape(8, 8), 1, constant_values=1)
    assert np.array_equal(read(FORMAT.write_state(TEN, cells.reshape(-1))), cells)
