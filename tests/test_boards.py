"""Sliding boards and Lights Out as text and pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeward.notation import Format, ParseError, State, format_of
from homeward.puzzles import Puzzle, PuzzleError, puzzle
from homeward.puzzles.sliding import Sliding

FIFTEEN, EIGHT, COILED = puzzle("puzzle15"), puzzle("puzzle8"), puzzle("coiled15")
THREE, FIVE = puzzle("lightsout3"), puzzle("lightsout5")
SLIDING, LIGHTS = format_of(FIFTEEN), format_of(FIVE)


def cells(form: Format, given_puzzle: Puzzle, text: str) -> list[int]:
    found, row = form.read_state(given_puzzle, text)
    assert found is given_puzzle
    assert row.dtype == np.uint8
    return row.tolist()


# --- sliding boards


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3 4 5 6 7 0 8",
        "1,2,3,4,5,6,7,_,8",
        "1 2 3\n4 5 6\n7 . 8\n",
        "1 2 3 / 4 5 6 / 7 x 8",
        "[1, 2, 3; 4, 5, 6; 7, 0, 8]",
        "123456708",
        "123/456/7X8",
        "123 456 7_8",
    ],
)
def test_ways_to_write_a_sliding_board(text: str) -> None:
    assert cells(SLIDING, EIGHT, text) == [1, 2, 3, 4, 5, 6, 7, 0, 8]


def test_larger_sliding_boards() -> None:
    goal = [*range(1, 16), 0]
    assert cells(SLIDING, FIFTEEN, "123456789abcdef0") == goal
    assert cells(SLIDING, FIFTEEN, "1234/5678/9ABC/DEF.") == goal
    assert cells(SLIDING, FIFTEEN, " ".join(map(str, goal))) == goal
    wide = puzzle("sliding-2x5")
    assert cells(SLIDING, wide, "1234567890") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]
    large = puzzle("puzzle24")
    assert cells(SLIDING, large, SLIDING.write_state(large, large.goal)) == large.goal.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 2 3 4 5 6 7 8",
            "a board of puzzle8 has 9 entries, this one has 8 at character 16",
        ),
        (
            "1 2 3 4 5 6 7 8 0 1",
            "a board of puzzle8 has 9 entries, this one has 10 at character 19",
        ),
        ("", "a board of puzzle8 has 9 entries, this one has 0 at character 1"),
        (
            "1 2 3 4 q 6 7 8 0",
            "there is no tile 'q' at character 9 (tiles are 1 to 8, the blank is 0)",
        ),
        (
            "1 2 3 4 9 6 7 8 0",
            "there is no tile '9' at character 9 (tiles are 1 to 8, the blank is 0)",
        ),
        (
            "1 2 3 4 -1 6 7 8 0",
            "there is no tile '-1' at character 9 (tiles are 1 to 8, the blank is 0)",
        ),
        (
            "1234a6780",
            "there is no tile 'a' at character 5 (tiles are 1 to 8, the blank is 0)",
        ),
        (
            "1 2 3 4 ٣ 6 7 8 0",
            "there is no tile '٣' at character 9 (tiles are 1 to 8, the blank is 0)",
        ),
    ],
)
def test_bad_sliding_boards(text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        SLIDING.read_state(EIGHT, text)
    assert str(error.value) == message


def test_tiles_missing_and_double_are_told_together() -> None:
    with pytest.raises(PuzzleError) as error:
        State.read("puzzle8", "1 2 3 4 4 6 7 7 0")
    assert str(error.value) == (
        "tile 4 appears 2 times; tile 5 is missing; tile 7 appears 2 times; tile 8 is missing"
    )


def test_sliding_moves() -> None:
    moves = [0, 0, 3, 2, 2, 2, 1]
    for text in ("U U R L L L D", "uurllld", "2UR 3ld", "U2 R L3 D", "U2RL3D", "2u1r3l1d"):
        assert SLIDING.read_moves(FIFTEEN, text) == moves
    assert SLIDING.write_moves(FIFTEEN, moves) == "U U R L L L D"
    assert SLIDING.read_moves(COILED, "wU W2") == [4, 0, 4, 4]
    assert SLIDING.write_moves(COILED, [4, 0]) == "W U"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("U U W", "there is no move 'W' at character 5 (moves are U D L R)"),
        ("U2 7", "a number without a move at character 4 (write 3U or U3)"),
        ("2U3", "a number without a move at character 3 (write 3U or U3)"),
        ("L R'", 'there is no move "\'" at character 4 (moves are U D L R)'),
        ("R100001", "more than 100,000 moves at character 1"),
    ],
)
def test_bad_sliding_moves(text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        SLIDING.read_moves(FIFTEEN, text)
    assert str(error.value) == message


def test_sliding_drawing() -> None:
    state = State.read("sliding-2x3", "1 5 2 4 3 0")
    assert str(state) == "\n".join(
        ["┌───┬───┬───┐", "│ 1 │ 5 │ 2 │", "├───┼───┼───┤", "│ 4 │ 3 │   │", "└───┴───┴───┘"]
    )
    home = "\x1b[32m{}\x1b[0m".format
    lines = state.draw(colour=True).splitlines()
    assert lines[1] == f"│ {home(1)} │ 5 │ 2 │"
    assert lines[3] == f"│ {home(4)} │ 3 │   │"
    assert str(State.solved("puzzle15")).splitlines()[5] == "│  9 │ 10 │ 11 │ 12 │"


def test_sliding_svg() -> None:
    root = ElementTree.fromstring(State.read("puzzle8", "123456708")._repr_svg_())
    words = [e.text for e in root if e.tag.endswith("text")]
    assert words == ["1", "2", "3", "4", "5", "6", "7", "8"]
    assert [e.get("fill") for e in root if e.tag.endswith("rect")] == (
        ["#3f4a57"] + ["#5b9a68"] * 7 + ["#d9a441"]
    )


# --- Lights Out


@pytest.mark.parametrize(
    "text",
    [
        "110 010 001",
        "1,1,0,0,1,0,0,0,1",
        "##.\n.#.\n..#",
        "oo./.O./..o",
        "[[1 1 0] [0 1 0] [0 0 1]]",
    ],
)
def test_ways_to_write_lights(text: str) -> None:
    assert cells(LIGHTS, THREE, text) == [1, 1, 0, 0, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("110 010 00", "a board of lightsout3 has 9 entries, this one has 8 at character 11"),
        ("1100100011", "a board of lightsout3 has 9 entries, this one has 10 at character 10"),
        ("110 210 000", "'2' is no lamp at character 5 (0 or . is dark; 1, # or o is lit)"),
    ],
)
def test_bad_lights(text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        LIGHTS.read_state(THREE, text)
    assert str(error.value) == message


def test_presses() -> None:
    for text in ("1,1 2,3 5,5", "1,1;2,3;5,5;", " 1 , 1\n2, 3 ; 5 ,5 "):
        assert LIGHTS.read_moves(FIVE, text) == [0, 7, 24]
    assert LIGHTS.write_moves(FIVE, [0, 7, 24]) == "1,1 2,3 5,5"
    assert LIGHTS.read_moves(FIVE, " ; ") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,1 7", "'7' is no press at character 5 (write row,column such as 2,3)"),
        ("1,1,2", "'1,1,2' is no press at character 1 (write row,column such as 2,3)"),
        ("1,1 2,", "'2' is no press at character 5 (write row,column such as 2,3)"),
        ("1,1 , 2", "'1,1 , 2' is no press at character 1 (write row,column such as 2,3)"),
        (",", "',' is no press at character 1 (write row,column such as 2,3)"),
        ("1,1 6,1", "there is no lamp at row 6, column 1 at character 5 (both go from 1 to 5)"),
        ("0,1", "there is no lamp at row 0, column 1 at character 1 (both go from 1 to 5)"),
    ],
)
def test_bad_presses(text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        LIGHTS.read_moves(FIVE, text)
    assert str(error.value) == message


def test_lights_drawing() -> None:
    state = State.read("lightsout3", "110 010 001")
    assert state.text == "110 010 001"
    assert str(state) == "● ● ·\n· ● ·\n· · ●"
    lit, dark = "\x1b[38;5;220m●\x1b[0m", "\x1b[38;5;240m·\x1b[0m"
    assert state.draw(colour=True).splitlines()[1] == f"{dark} {lit} {dark}"
    root = ElementTree.fromstring(state._repr_svg_())
    fills = [e.get("fill") for e in root if e.tag.endswith("rect")]
    assert fills == ["#262b33"] + ["#ffd23f" if lamp else "#434c59" for lamp in state.cells]


# --- both


@pytest.mark.parametrize(
    "name",
    ["puzzle8", "puzzle15", "puzzle24", "coiled15", "sliding-2x5", "lightsout4", "lightsout7"],
)
def test_states_and_moves_round_trip(name: str) -> None:
    given_puzzle = puzzle(name)
    form = format_of(given_puzzle)
    rng = np.random.default_rng(0)
    for state in given_puzzle.random_states(50, rng):
        assert cells(form, given_puzzle, form.write_state(given_puzzle, state)) == state.tolist()
        assert eval(repr(State(given_puzzle, state)), {"State": State}) == State(
            given_puzzle, state
        )
    for _ in range(20):
        moves = rng.integers(given_puzzle.moves, size=30).tolist()
        assert form.read_moves(given_puzzle, form.write_moves(given_puzzle, moves)) == moves


def test_wrong_family_is_refused() -> None:
    with pytest.raises(PuzzleError) as error:
        SLIDING.draw(FIVE, FIVE.goal)
    assert str(error.value) == "lightsout5 is no sliding board"
    with pytest.raises(PuzzleError) as error:
        LIGHTS.draw(EIGHT, EIGHT.goal)
    assert str(error.value) == "puzzle8 is no Lights Out board"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("puzzle15", "puzzle15"),
        ("puzzle15_korf100", "puzzle15"),
        ("puzzle15_hard17", "puzzle15"),
        ("puzzle24", "puzzle24"),
        ("puzzle35", "puzzle35"),
        ("puzzle48", "puzzle48"),
        ("lightsout7", "lightsout7"),
    ],
)
def test_public_sets_read_in_and_replay(data_dir: Path, file: str, name: str) -> None:
    data, given_puzzle = np.load(data_dir / f"{file}.npz"), puzzle(name)
    form = format_of(given_puzzle)
    states = data["states"].copy()
    for state in states:
        assert cells(form, given_puzzle, form.write_state(given_puzzle, state)) == state.tolist()
        assert given_puzzle.problems(state) == []
    if "optimal_moves" not in data.files:
        return
    for moves in data["optimal_moves"].T:
        going = moves >= 0
        assert given_puzzle.legal(states[going])[np.arange(going.sum()), moves[going]].all()
        states[going] = given_puzzle.step(states[going], moves[going])
    assert given_puzzle.is_solved(states).all()


# --- random input

_FAMILIES = {
    "sliding": (EIGHT, st.text("0123456789 ,/x_.a", max_size=24), st.text("UDLRudlr0123 ,w")),
    "lightsout": (THREE, st.text("01.#oO ,;2", max_size=14), st.text("0123456,; ", max_size=12)),
}


@pytest.mark.parametrize("family", _FAMILIES)
@settings(max_examples=1000, deadline=None)
@given(data=st.data())
def test_random_text_is_a_board_or_an_error(family: str, data: st.DataObject) -> None:
    given_puzzle, likely, _ = _FAMILIES[family]
    for text in data.draw(st.lists(likely | st.text(), min_size=10, max_size=15)):
        try:
            state = State.read(given_puzzle, text)
        except PuzzleError:
            continue
        assert given_puzzle.problems(state.cells) == []


@pytest.mark.parametrize("family", _FAMILIES)
@settings(max_examples=1000, deadline=None)
@given(data=st.data())
def test_random_text_is_moves_or_an_error(family: str, data: st.DataObject) -> None:
    given_puzzle, _, likely = _FAMILIES[family]
    form = format_of(given_puzzle)
    for text in data.draw(st.lists(likely | st.text(), min_size=10, max_size=15)):
        try:
            moves = form.read_moves(given_puzzle, text)
        except PuzzleError:
            continue
        assert form.read_moves(given_puzzle, form.write_moves(given_puzzle, moves)) == moves


@settings(max_examples=300, deadline=None)
@given(st.integers(2, 6), st.integers(2, 6), st.randoms())
def test_any_arrangement_of_tiles_round_trips(rows: int, columns: int, random) -> None:
    board = Sliding(rows, columns)
    tiles = list(range(board.cells))
    random.shuffle(tiles)
    assert cells(SLIDING, board, SLIDING.write_state(board, np.array(tiles, np.uint8))) == tiles
