"""Cube algorithms: what is read, what is written, and what each turn does to the stickers."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cube_geometry import Stickers
from cube_tools import cube
from homeward.notation import ParseError, State, format_of
from homeward.notation.algorithm import DEPTH, TURNS, Turn, inverted, parse
from homeward.notation.turns import lengths, simplified, to_moves, to_text

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


def flat(text: str, size: int = 3) -> str:
    """A parse written plainly: `2-3R'` is layers 2 to 3 from R."""
    return " ".join(
        (f"{t.first}-{t.last}" if t.last > 1 else "") + t.face + {1: "", 2: "2", 3: "'"}[t.quarters]
        for t in parse(text, size)
    )


# --- reading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("R U' F2", "R U' F2"),
        ("RUR'U'", "R U R' U'"),
        ("R2' R'2 R3 R3' R5 R0 R4", "R2 R2 R' R R"),
        ("R’ U′ F` D´ L‘ Bʹ", "R' U' F' D' L' B'"),
        ("Rw r 2Rw rw 3Rw2'", "1-2R 1-2R 1-2R 1-2R 1-3R2"),
        ("1R 2R 3R' 2-3Rw 2-3R 2–3r", "R 2-2R 3-3R' 2-3R 2-3R 2-3R"),
        ("M E' S2 m", "2-2L 2-2D' 2-2F2 2-2L"),
        ("x y' z2", "1-3R 1-3U' 1-3F2"),
        ("[R, U]", "R U R' U'"),
        ("[R U: F2]", "R U F2 U' R'"),
        ("[R: [U, F']]", "R U F' U' F R'"),
        ("[[R, U], D]2", "R U R' U' D U R U' R' D' R U R' U' D U R U' R' D'"),
        ("(R U)3", "R U R U R U"),
        ("(R U')'", "U R'"),
        ("(R U)2'", "U' R' U' R'"),
        ("[R, U]'", "U R U' R'"),
        ("((R)2 U)2", "R R U R R U"),
        ("() []()".replace("[]", ""), ""),
        ("R // first\nU # second\r\nF /* and\nthird */ D", "R U F D"),
        ("\u00a0R\u200b\tU\ufeff", "R U"),
        ("R2U2", "R2 U2"),
        ("R2-3Uw", "R 2-3U"),
        ("R'2-3Uw", "R' 2-3U"),
    ],
)
def test_reads_what_people_paste(text: str, expected: str) -> None:
    assert flat(text) == expected


def test_slices_of_larger_cubes() -> None:
    assert flat("M m", 4) == "2-3L 2-3L"
    assert flat("M m", 5) == "3-3L 2-4L"
    assert flat("E S", 6) == "3-4D 3-4F"


@pytest.mark.parametrize(
    ("size", "text", "position", "message"),
    [
        (3, "R Q", 2, "unknown move 'Q' at character 3"),
        (3, "R T", 2, "unknown move 'T' at character 3 (did you mean U?)"),
        (3, "X", 0, "unknown move 'X' at character 1 (did you mean x?)"),
        (3, "Ri", 1, "unknown move 'i' at character 2 (did you mean '?)"),
        (3, "\u0412", 0, "unknown move 'В' at character 1 (did you mean B?)"),
        (3, "R²", 1, "unknown move '²' at character 2 (did you mean 2?)"),
        (3, "Ｒ", 0, "unknown move 'Ｒ' at character 1 (did you mean R?)"),
        (
            3,
            "(R U)*3",
            5,
            "unknown move '*' at character 6 (did you mean the number alone, right behind the "
            "move or bracket?)",
        ),
        (3, "R''", 2, "a second prime at character 3 (two primes cancel out: leave both away)"),
        (3, "R'2'", 3, "a second prime at character 4 (two primes cancel out: leave both away)"),
        (3, "' R", 0, "a prime without a move at character 1"),
        (
            3,
            "R 2",
            2,
            "the number 2 without a move at character 3 "
            "(to repeat a move or a bracket, write the number right behind it)",
        ),
        (3, "4Rw", 0, "a cube of 3 layers has no layer 4 at character 1"),
        (4, "U 2-5Rw", 4, "a cube of 4 layers has no layer 5 at character 5"),
        (3, "0R", 0, "a cube of 3 layers has no layer 0 at character 1"),
        (
            4,
            "3-2Rw",
            2,
            "a range of layers goes from the outside in at character 3 (did you mean 2-3?)",
        ),
        (3, "2M", 0, "M takes no layer number at character 1"),
        (2, "R M", 2, "a cube of 2 layers has no middle layer for M at character 3"),
        (3, "(R U", 0, "'(' is never closed at character 1"),
        (3, "R [U, (F]", 8, "')' should stand here, not ']', at character 9"),
        (3, "R)", 1, "')' closes nothing at character 2"),
        (
            3,
            "R, U",
            1,
            "',' outside of brackets at character 2 "
            "(a commutator is written [A, B], a conjugate [A: B])",
        ),
        (
            3,
            "[r]",
            2,
            "',' or ':' should stand here, not ']', at character 3 "
            "(a commutator is written [A, B], a conjugate [A: B])",
        ),
        (
            3,
            "[R: U, F]",
            5,
            "']' should stand here, not ',', at character 6 "
            "(give the inner part brackets of its own)",
        ),
        (3, "R /* U", 2, "'/*' begins a comment that never ends at character 3"),
        (3, "(R)0", 3, "a part repeated 0 times at character 4"),
        (3, "R1234567890", 1, "a number of more than 9 digits at character 2"),
        (3, "(R)999999999", 0, f"written out, this is more than {TURNS} turns at character 1"),
        (3, "U " + "(" * 5000, 102, f"brackets are nested more than {DEPTH} deep at character 103"),
    ],
)
def test_errors_say_what_and_where(size: int, text: str, position: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text, size)
    assert (caught.value.position, str(caught.value)) == (position, message)


def test_nested_repetition_is_bounded() -> None:
    deep = "R"
    for _ in range(DEPTH):
        deep = f"[{deep}, U]"
    with pytest.raises(ParseError, match="written out, this is more than 100000 turns"):
        parse(deep, 3)
    assert len(parse("(" * DEPTH + "R" + ")" * DEPTH, 3)) == 1
    assert len(parse("((((R)10)10)10)100", 3)) == TURNS
    with pytest.raises(ParseError, match="more than 100000 turns"):
        parse("R" * (TURNS + 1), 3)


# --- what turns do

NAMES = ["cube2", "cube2-free", "cube3", "cube3-htm", "cube4", "cube5", "cube6"]


def same_cube(name: str, text: str, turns: list[Turn]) -> None:
    """The puzzle's moves and the stickers in space show one cube, held in some way."""
    here = cube(name)
    stickers = Stickers(here.size)
    for turn in turns:
        stickers.turn(*turn)
    moved = here.apply(here.goal, format_of(here).read_moves(here, text))
    assert State(here, moved).text in stickers.orientations()


def spelled(turn: Turn, size: int, rng: random.Random) -> str:
    """One of the ways to write a turn."""
    face, first, last, quarters = turn
    ways = [f"{first}-{last}{face}", f"{first}-{last}{face}w"]
    if first == last:
        ways.append(f"{first}{face}")
    if last == 1:
        ways += [face] * 3
    if first == 1 and last > 1:
        ways += [f"{last}{face}w", f"{last}{face.lower()}"]
    if (first, last) == (1, 2):
        ways += [f"{face}w", face.lower()]
    slices = {"L": "M", "D": "E", "F": "S"}
    if (first, last) == ((size + 1) // 2, size // 2 + 1) and size > 2 and face in slices:
        ways += [slices[face]] * 3
    rotations = {"R": "x", "U": "y", "F": "z"}
    if (first, last) == (1, size) and face in rotations:
        ways += [rotations[face]] * 3
    suffixes = {1: ["", "5", "3'"], 2: ["2", "2'", "'2"], 3: ["'", "3"]}
    return rng.choice(ways) + rng.choice(suffixes[quarters])


@pytest.mark.parametrize("name", NAMES)
def test_any_turns_move_the_stickers(name: str) -> None:
    size, rng = cube(name).size, random.Random(7)
    for _ in range(25):
        turns = []
        for _ in range(rng.randint(1, 12)):
            first = rng.randint(1, size)
            turns.append(
                Turn(rng.choice("URFDLB"), first, rng.randint(first, size), rng.randint(1, 3))
            )
        text = " ".join(spelled(turn, size, rng) for turn in turns)
        assert parse(text, size) == turns
        same_cube(name, text, turns)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("cube3", "M", "L' R"),
        ("cube3", "M U", "L' R B"),  # M is L' R and the rotation x', which brings B up
        ("cube3", "M' U", "R' L F"),
        ("cube3", "2R U", "M' U"),
        ("cube3", "r U", "L F"),
        ("cube3", "x U", "F"),
        ("cube3", "y R", "B"),
        ("cube3", "z U", "L"),
        ("cube3", "E R", "D' U F"),
        ("cube3", "S U", "F' B L"),
        ("cube3", "[R: U]", "R U R'"),
        ("cube3-htm", "M2 U2", "R2 L2 D2"),
        ("cube2", "D L B", "U y' R x' F"),
        ("cube4", "3Rw U", "L x U"),
        ("cube4", "M", "2L 2R'"),
        ("cube5", "M", "L' R 2L' 2R x'"),
        ("cube5", "3Rw", "Lw x"),
    ],
)
def test_equal_algorithms(name: str, one: str, other: str) -> None:
    here = cube(name)
    states = [here.apply(here.goal, format_of(here).read_moves(here, t)) for t in (one, other)]
    turned = states[0][here.rotations]
    assert (turned == states[1]).all(1).any()


def test_moves_are_the_puzzles_own() -> None:
    def names(name: str, text: str) -> str:
        here = cube(name)
        return " ".join(here.move_names[m] for m in format_of(here).read_moves(here, text))

    assert names("cube3", "R2 U'") == "R R U'"
    assert names("cube3-htm", "R2' U' x") == "R2 U'"
    assert names("cube3", "M") == "L' R"
    assert names("cube2", "L D B") == "R F U"
    assert names("cube4", "Rw 3Lw'") == "R 2R R'"
    assert names("cube5", "2R 4R") == "2R 2L'"


def test_superflip() -> None:
    here = cube("cube3")
    moves = format_of(here).read_moves(here, SUPERFLIP)
    state = here.apply(here.goal, moves)
    assert State(here, state).text == "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB"
    assert lengths(here, moves) == (28, 20)
    assert np.array_equal(here.apply(state, moves), here.goal)


# --- writing


@pytest.mark.parametrize(
    ("name", "moves", "expected"),
    [
        ("cube3", "", ""),
        ("cube3", "R R", "R2"),
        ("cube3", "R R R", "R'"),
        ("cube3", "R R R R", ""),
        ("cube3", "R L R", "R2 L"),
        ("cube3", "U R R' U", "U2"),
        ("cube3-htm", "R2 U F'", "R2 U F'"),
        ("cube2", "U R' F", "U R' F"),
        ("cube4", "2R", "Rw R'"),
        ("cube4", "R 2R", "Rw"),
        ("cube4", "2R 2R R", "Rw2 R'"),
        ("cube4", "2R 2L", "Rw R' Lw L'"),
        ("cube7", "3U", "3Uw Uw'"),
        ("cube7", "3U 2U U", "3Uw"),
    ],
)
def test_writes_strict_wca(name: str, moves: str, expected: str) -> None:
    here = cube(name)
    numbers = [here.move_names.index(m) for m in moves.split()]
    assert to_text(here, numbers) == expected


@pytest.mark.parametrize("name", ["cube2", "cube2-free", "cube3", "cube3-htm", "cube4", "cube7"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_text_reads_back_to_the_same_effect(name: str, data: st.DataObject) -> None:
    here = cube(name)
    moves = data.draw(st.lists(st.integers(0, here.moves - 1), max_size=30))
    fmt = format_of(here)
    text = fmt.write_moves(here, moves)
    again = fmt.read_moves(here, text)
    start = np.arange(here.cells)  # every sticker different
    there = start.copy()
    for move in moves:
        there = there[here.table.numpy[move]]
    back = start.copy()
    for move in again:
        back = back[here.table.numpy[move]]
    assert np.array_equal(there, back)
    assert fmt.write_moves(here, again) == text
    short = simplified(here, moves)
    assert to_text(here, short) == text
    assert len(short) <= len(moves)
    assert lengths(here, short) == lengths(here, moves)


def test_lengths() -> None:
    htm = cube("cube3-htm")
    assert lengths(htm, format_of(htm).read_moves(htm, "R2 U F' F'")) == (5, 3)
    assert lengths(htm, []) == (0, 0)
    large = cube("cube4")
    assert lengths(large, format_of(large).read_moves(large, "Rw2 U")) == (5, 3)


def test_inverse_undoes() -> None:
    here = cube("cube5")
    turns = parse("[Rw U2: M] 2-3Fw' x S", 5)
    moves = to_moves(here, turns + inverted(turns))
    assert np.array_equal(here.apply(here.goal, moves), here.goal)


# --- anything at all

_PIECES = [*"RUFDLBrufdlbMESmesxyz'2()[],:w3-#/*\n ’0Q9Дß²", "//", "/*", "*/", "2-3", "(R)99"]
_PIECES += [" R ", "U'", "Fw2", " 2R ", "[R, U]", "(R U)2'", " M ", " x2 "] * 6


def outcome(name: str, text: str) -> None:
    here = cube(name)
    try:
        moves = format_of(here).read_moves(here, text)
    except ParseError as error:
        position, message = error.position, str(error)
    else:
        assert all(0 <= move < here.moves for move in moves)
        return
    assert 0 <= position <= len(text)
    assert f"at character {position + 1}" in message


@given(st.text(max_size=30), st.sampled_from(["cube2", "cube3", "cube4"]))
@settings(max_examples=1000, deadline=None)
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    outcome(name, text)


@given(st.integers(0, 2**32))
@settings(max_examples=90, deadline=None)
def test_any_signs_are_read_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        text = "".join(rng.choices(_PIECES, k=rng.randint(0, 25)))
        outcome(rng.choice(["cube2", "cube3", "cube4", "cube5"]), text)


def test_nested_brackets_are_not_written_out_for_ever() -> None:
    with pytest.raises(ParseError, match="written out, this is more than"):
        parse("(" * 90 + "(R)99999" + ")'" * 90, 3)
