"""Cubes by their stickers: any colours, held in any way, and the public sets' numbering."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cube_geometry import Stickers
from cube_tools import cube
from homeward.notation import ParseError, State, format_of
from homeward.notation.algorithm import parse
from homeward.notation.facelets import CELLS, from_numbering, to_numbering
from homeward.puzzles import PuzzleError, Status, cube_pieces

NAMES = ["cube2", "cube2-free", "cube3", "cube4", "cube5", "cube6", "cube7"]


def read(name: str, text: str) -> NDArray[np.uint8]:
    return format_of(cube(name)).read_state(cube(name), text)[1]


def recoloured(text: str, letters: str) -> str:
    return text.translate(str.maketrans("URFDLB", letters))


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name: str) -> None:
    here = cube(name)
    for state in here.random_states(25, np.random.default_rng(1)):
        text = State(here, state).text
        assert len(text) == here.cells
        assert np.array_equal(read(name, text), state)
        assert np.array_equal(read(name, " ".join(text[::-1])[::-1].lower() + "\n"), state)
        assert eval(repr(State(here, state))) == State(here, state)


@pytest.mark.parametrize("name", NAMES)
def test_facelets_are_those_of_stickers_in_space(name: str) -> None:
    size = cube(name).size
    stickers = Stickers(size)
    text = "R U2 Fw' D L B2 Rw U'" if size > 3 else "R U2 F' R U F2 U'"
    for turn in parse(text, size):
        stickers.turn(*turn)
    assert State.solved(name).moved(text).text == stickers.facelets


# --- held in any way


@pytest.mark.parametrize("name", ["cube2", "cube3", "cube5"])
def test_any_way_to_hold_it(name: str) -> None:
    here = cube(name)
    for state in here.random_states(5, np.random.default_rng(2)):
        for turn in here.rotations:
            assert np.array_equal(read(name, State(here, state[turn]).text), state)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("letters", ["WRGYOB", "123456", "543210", "abcdef", "⬜🟥🟩🟨🟧🟦"])
def test_other_colours_are_read_as_held(name: str, letters: str) -> None:
    here = cube(name)
    for state in here.random_states(5, np.random.default_rng(4)):
        text = recoloured(State(here, state).text, letters)
        found = read(name, text)
        here.require_valid(found)
        # The same cube, its six colours renamed to those of the faces they are on.
        pairs = set(zip(found.tolist(), text, strict=True))
        assert len(pairs) == 6
        if not here.free:
            assert np.array_equal(found, state)


@pytest.mark.parametrize("name", ["cube2", "cube2-free", "cube3", "cube4", "cube5"])
def test_other_colours_held_in_any_way(name: str) -> None:
    here, rng = cube(name), np.random.default_rng(9)
    for state in here.random_states(3, rng):
        for turn in here.rotations:
            found = read(name, recoloured(State(here, state[turn]).text, "wrgyob"))
            here.require_valid(found)
            text = recoloured(State(here, state[turn]).text, "wrgyob")
            assert len(set(zip(found.tolist(), text, strict=True))) == 6


def test_centres_name_the_colours() -> None:
    # Yellow on top and blue in front: the centres say so, whatever the colours.
    solved = recoloured(State.solved("cube3").text, "yrbwog")
    assert np.array_equal(read("cube3", solved), cube("cube3").goal)
    # A mirrored scheme, with red and orange exchanged, is as good as any.
    mirrored = recoloured(State.solved("cube3").moved("R U").text, "wogyrb")
    assert State(cube("cube3"), read("cube3", mirrored)) == State.solved("cube3").moved("R U")


def test_corners_name_the_colours() -> None:
    scramble = "R U F' R2 U'"
    for letters in ("wrgyob", "wogyrb", "bogyrw"):
        text = recoloured(State.solved("cube2").moved(scramble).text, letters)
        assert State.read("cube2", text) == State.solved("cube2").moved(scramble)
    here = cube("cube4")
    text = recoloured(State.solved("cube4").moved("Rw U 2F").text, "wrgyob")
    (held,) = (i for i, n in enumerate(cube_pieces.corners(4).names) if n == "DBL")
    cells = cube_pieces.corners(4).cells[held]
    assert read("cube4", text)[cells].tolist() == [3, 5, 4]
    assert here.problems(read("cube4", text)) == []


# --- mistakes


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("cube3", "U" * 53, "a 3×3×3 cube has 54 facelets, this text has 53"),
        (
            "cube3",
            "U" * 96,
            "a 3×3×3 cube has 54 facelets, this text has 96; so many belong to cube4",
        ),
        ("cube2", "", "a 2×2×2 cube has 24 facelets, this text has 0"),
        (
            "cube2",
            "wwww rrrr gggg yyyy oooo bbbx",
            "a cube has six colours, this text has 7: 'x' appears only at character 29",
        ),
        (
            "cube2",
            "wwww rrrr gggg yyyy ooxx bbbx",
            "a cube has six colours, this text has 7: 'o' appears 2 times, first at character 21",
        ),
        (
            "cube2",
            "wwww rrrr gggg yyyy oooo oooo",
            "a cube has six colours, this text has 5: w r g y o",
        ),
        (
            "cube3",
            "w" * 9 + "r" * 9 + "g" * 9 + "y" * 9 + "o" * 9 + "bbbbwbbbb",
            "the centres of U and B both show 'w': every face has a colour of its own",
        ),
    ],
)
def test_errors(name: str, text: str, message: str) -> None:
    with pytest.raises(PuzzleError, match=f"^{re.escape(message)}$"):
        read(name, text)


def test_wrong_stickers_are_left_to_the_check() -> None:
    text = "U" * 8 + "R" + State.solved("cube3").text[9:]
    state = read("cube3", text)
    assert state.tolist() == [0] * 8 + [1] + cube("cube3").goal[9:].tolist()
    with pytest.raises(PuzzleError) as caught:
        State.read("cube3", text)
    assert caught.value.status == (
        Status.COLOUR_COUNT | Status.IMPOSSIBLE_PIECE | Status.DUPLICATE_PIECE
    )
    one_wrong = recoloured(State.solved("cube2").text, "wrgyob")[:-1] + "w"
    with pytest.raises(PuzzleError) as caught:
        State.read("cube2", one_wrong)
    assert Status.COLOUR_COUNT in caught.value.status


def test_write_refuses_what_is_no_state() -> None:
    fmt, here = format_of(cube("cube2")), cube("cube2")
    for state in (np.zeros(23, int), np.full(24, 6), np.full(24, -1), np.zeros(24)):
        with pytest.raises(PuzzleError, match=r"^a state of cube2 is 24 colours from 0 to 5$"):
            fmt.write_state(here, state)


# --- the numbering

DRAWN = """
        2  5  8
        1  4  7
        0  3  6
20 23 26 47 50 53 29 32 35 38 41 44
19 22 25 46 49 52 28 31 34 37 40 43
18 21 24 45 48 51 27 30 33 36 39 42
        11 14 17
        10 13 16
         9 12 15
"""

# "the sticker at the first position goes to the second, …", as the public sets define turns.
CYCLES = {
    "U": "(0 2 8 6) (1 5 7 3) (20 38 29 47) (23 41 32 50) (26 44 35 53)",
    "D": "(9 11 17 15) (10 14 16 12) (18 45 27 36) (21 48 30 39) (24 51 33 42)",
    "L": "(18 20 26 24) (19 23 25 21) (0 45 9 44) (1 46 10 43) (2 47 11 42)",
    "R": "(27 29 35 33) (28 32 34 30) (6 38 15 51) (7 37 16 52) (8 36 17 53)",
    "B": "(36 38 44 42) (37 41 43 39) (2 18 15 35) (5 19 12 34) (8 20 9 33)",
    "F": "(45 47 53 51) (46 50 52 48) (0 29 17 24) (3 28 14 25) (6 27 11 26)",
}


def test_positions_are_those_of_the_drawing() -> None:
    rows = [[int(n) for n in line.split()] for line in DRAWN.strip().splitlines()]
    faces = {"U": np.array(rows[:3]), "D": np.array(rows[6:])}
    for face, block in zip("LFRB", np.split(np.array(rows[3:6]), 4, axis=1), strict=True):
        faces[face] = block
    by_cell = np.concatenate([faces[face].ravel() for face in "URFDLB"])
    assert np.array_equal(np.argsort(CELLS), by_cell)


@pytest.mark.parametrize("face", CYCLES)
def test_turns_agree_with_the_numbering(face: str) -> None:
    row = np.arange(54)
    for cycle in re.findall(r"\(([^)]*)\)", CYCLES[face]):
        places = [int(n) for n in cycle.split()]
        row[places[1:] + places[:1]] = places
    moved = State.solved("cube3").moved(face).cells
    assert np.array_equal(from_numbering(row[None])[0], moved)
    assert np.array_equal(to_numbering(moved[None])[0], row)


def test_numbering_round_trip() -> None:
    here = cube("cube3")
    states = here.random_states(200, np.random.default_rng(6))
    rows = to_numbering(states)
    assert np.array_equal(from_numbering(rows), states)
    assert np.array_equal(np.sort(rows, axis=1), np.tile(np.arange(54), (200, 1)))
    for text in (str(rows[0].tolist()), " ".join(map(str, rows[0])), "\n".join(map(str, rows[0]))):
        assert np.array_equal(read("cube3", text), states[0])
    assert np.array_equal(read("cube3", " ".join(map(str, range(54)))), here.goal)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (list(range(53)), "a numbered cube is 54 numbers, this text has 53"),
        ([*range(53), 52], "sticker 52 for the second time at character 150"),
        ([*range(53), 54], "stickers are numbered from 0 to 53 at character 150"),
        ([*range(53), "9" * 5000], "stickers are numbered from 0 to 53 at character 150"),
        ([1, 0, *range(2, 54)], "the cube has not stickers 0 and 23 on one piece (row 0)"),
        (
            [0, 1, 2, 3, 5, 4, *range(6, 54)],
            "the cube has not stickers 4 and 41 on one piece (row 0)",
        ),
    ],
)
def test_numbering_errors(numbers: list[int | str], message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        read("cube3", " ".join(map(str, numbers)))
    assert str(caught.value) == message


def test_numbering_of_arrays() -> None:
    with pytest.raises(PuzzleError, match=r"^numbered cubes are whole numbers of shape \[n, 54\]"):
        from_numbering(np.zeros((2, 53), int))
    with pytest.raises(PuzzleError, match=r"not float64 of shape \[1, 54\]$"):
        from_numbering(np.zeros((1, 54)))
    with pytest.raises(PuzzleError, match=r"must be there once \(row 1\)$"):
        from_numbering(np.stack([np.arange(54), np.zeros(54, int)]))
    with pytest.raises(PuzzleError):
        to_numbering(np.zeros((1, 54), np.uint8))


# --- anything at all


def outcome(name: str, text: str) -> None:
    here = cube(name)
    try:
        state = State.read(name, text).cells
    except PuzzleError:
        return
    assert here.problems(state) == []
    assert state.shape == (here.cells,)


@given(st.text(max_size=60), st.sampled_from(["cube2", "cube3", "cube4"]))
@settings(max_examples=500, deadline=None)
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    outcome(name, text)


@given(
    st.sampled_from(["URFDLB", "urfdlB", "wrgyob", "012345", "ßıſǆŉΐ", "UuﬂﬂRf"]),
    st.integers(0, 2**32),
    st.sampled_from(["cube2", "cube2-free", "cube3", "cube4", "cube5"]),
)
@settings(max_examples=190, deadline=None)
def test_any_stickers_are_read_or_refused(letters: str, seed: int, name: str) -> None:
    rng, here = random.Random(seed), cube(name)
    goal = recoloured(State.solved(name).text, letters)
    for _ in range(50):
        stickers = list(goal)
        for _ in range(rng.choice([0, 1, 2, 3, 100])):
            one, other = rng.randrange(here.cells), rng.randrange(here.cells)
            if rng.random() < 0.1:
                stickers[one] = rng.choice(letters + "Xß7 \n")
            stickers[one], stickers[other] = stickers[other], stickers[one]
        outcome(name, "".join(stickers)[: rng.choice([None, None, None, 23, 54])])


@given(st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_any_numbering_is_read_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        numbers = [str(n) for n in range(54)]
        for _ in range(rng.choice([0, 1, 2, 60])):
            one, other = rng.randrange(54), rng.randrange(54)
            numbers[one], numbers[other] = numbers[other], numbers[one]
            if rng.random() < 0.1:
                numbers[one] = rng.choice(["", "54", "-1", "7", "١", "1e3", "999", "²", "0x1"])
        outcome("cube3", rng.choice([" ", ",", ", ", "\n", ";"]).join(numbers))


def test_case_matters_only_where_it_must() -> None:
    assert np.array_equal(read("cube2", "UUUU rRrR FFFf DDDD LLLL BBBB"), cube("cube2").goal)
    with pytest.raises(ParseError):
        read("cube2", "UUUU rRrR FFFf DDDD LLLL BBBx")
