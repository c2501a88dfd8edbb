"""How permutation puzzles are written and drawn."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeward import State
from homeward.notation import ParseError, format_of
from homeward.notation.permutation import PermutationFormat
from homeward.puzzles import PermutationPuzzle, PuzzleError, puzzle
from homeward.puzzles.files import read_toml

NAMES = ["pyraminx", "cube2x2x2x2", "topspin", "pancake"]
WORDS = read_toml('goal = ["red", "red", "sea"]\n[moves]\nT = "(0 1 2)"\nT2 = "(0 1)"', "words")
DIGITS = read_toml('goal = [0, 0, 1]\n[moves]\nT = "(0 1 2)"', "digits")
PUZZLES = [*(puzzle(name) for name in NAMES), WORDS, DIGITS]


def read(p: PermutationPuzzle, text: str) -> str:
    """Moves as they are written once they have been read."""
    form = format_of(p)
    assert isinstance(form, PermutationFormat)
    return form.write_moves(p, form.read_moves(p, text))


@pytest.mark.parametrize("p", PUZZLES, ids=lambda p: p.name)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_states_and_moves_read_back(p: PermutationPuzzle, seed: int) -> None:
    rng = np.random.default_rng(seed)
    form = format_of(p)
    moves = rng.integers(p.moves, size=rng.integers(0, 30)).tolist()
    assert form.read_moves(p, form.write_moves(p, moves)) == moves
    state = p.apply(p.goal, moves)
    same, cells = form.read_state(p, form.write_state(p, state))
    assert same is p
    assert cells.dtype == p.dtype
    assert cells.tolist() == state.tolist()


@pytest.mark.parametrize(
    ("p", "written"),
    [
        (puzzle("pyraminx"), "FFFFFFLLLLLLRRRRRRDDDDDD"),
        (puzzle("pancake"), "1 2 3 4 5 6 7 8 9 10"),
        (WORDS, "red red sea"),
        (DIGITS, "0 0 1"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_goals_as_they_are_written(p: PermutationPuzzle, written: str) -> None:
    assert format_of(p).write_state(p, p.goal) == written


@pytest.mark.parametrize("text", ["0 1 0", "010", " 0,1 ,0\n", "0|1|0"])
def test_states_as_people_write_them(text: str) -> None:
    assert format_of(DIGITS).read_state(DIGITS, text)[1].tolist() == [0, 1, 0]


def test_repr_reads_back() -> None:
    state = State.solved("pyraminx").moved("U")
    assert repr(state) == "State.read('pyraminx', 'RRRFFFFFFLLLLLLRRRDDDDDD')"
    assert eval(repr(state)) == state


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("", ""),
        ("U R' L2", "U R' L L"),
        ("U2' R'2 L3", "U' U' R' R' L L L"),
        ("U’, R′ , L`", "U' R' L'"),
        ("(U R)2 L", "U R U R L"),
        ("(U (R L)')2'", "R L U' R L U'"),
        ("()5 ( ) U", "U"),
        ("U(R)L", "U R L"),
    ],
)
def test_moves_as_people_write_them(text: str, moves: str) -> None:
    p = puzzle("pyraminx")
    assert isinstance(p, PermutationPuzzle)
    assert read(p, text) == moves


def test_a_name_wins_over_a_repetition() -> None:
    assert WORDS.move_names == ("T", "T'", "T2")
    assert read(WORDS, "T2 T22 T3 T'2 T2'") == "T2 T2 T2 T T T T' T' T2"
    cakes = puzzle("pancake")
    assert isinstance(cakes, PermutationPuzzle)
    assert read(cakes, "F10 F102 F22") == "F10 F10 F10 F2 F2"


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("U X", "unknown move 'X' at character 3 (the moves are U U' L L' R R' B B')", 2),
        ("R u", "unknown move 'u' at character 3 (did you mean U?)", 2),
        ("UR", "unknown move 'UR' at character 1 (did you mean U?)", 0),
        ("U R''", "a second prime at character 3 (two cancel out: leave both away)", 2),
        ("U'''", "a second prime at character 1 (two cancel out: leave both away)", 0),
        ("U R'2'", "a second prime at character 3 (two cancel out: leave both away)", 2),
        ("(U R)'2'", "a second prime at character 5 (two cancel out: leave both away)", 4),
        ("U (R", "'(' is never closed at character 3", 2),
        ("U (R))", "')' closes nothing at character 6", 5),
        ("U0", "0 repetitions at character 1", 0),
        ("(U R)0", "0 repetitions at character 5", 4),
        ("((U)99999)999999", "more than 100000 moves at character 10", 9),
        ("U (U R)99999", "more than 100000 moves at character 7", 6),
        (
            "U9999999",
            "unknown move 'U9999999' at character 1 (the moves are U U' L L' R R' B B')",
            0,
        ),
        (
            "x" * 30,
            f"unknown move '{'x' * 20}…' at character 1 (the moves are U U' L L' R R' B B')",
            0,
        ),
    ],
)
def test_moves_that_cannot_be_read(text: str, message: str, position: int) -> None:
    p = puzzle("pyraminx")
    with pytest.raises(ParseError) as caught:
        format_of(p).read_moves(p, text)
    assert str(caught.value) == message
    assert caught.value.position == position


def test_a_prime_needs_an_inverse() -> None:
    with pytest.raises(ParseError) as caught:
        PermutationFormat().read_moves(puzzle("sokoban"), "U (L D)'")
    assert str(caught.value) == "a move that nothing takes back has no prime at character 7"


def test_long_lists_of_moves_are_cut_short() -> None:
    p = puzzle("cube2x2x2x2")
    with pytest.raises(ParseError) as caught:
        format_of(p).read_moves(p, "RU ??")
    assert str(caught.value) == (
        "unknown move '??' at character 4 "
        "(the moves are RU RU' RF RF' RO RO' UR UR' UF UF' UO UO' …)"
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("pyraminx", "FFF", "a state of pyraminx has 24 entries, this one has 3"),
        ("pyraminx", "FFX", "unknown symbol 'X' at character 3 (the symbols are F L R D)"),
        (
            "pancake",
            "1 2 11",
            "unknown symbol '11' at character 5 (the symbols are 1 2 3 4 5 6 7 8 9 10)",
        ),
        ("topspin", "1 -2", "unknown symbol '-2' at character 3 (the symbols are 1 to 20)"),
    ],
)
def test_states_that_cannot_be_read(name: str, text: str, message: str) -> None:
    p = puzzle(name)
    with pytest.raises(PuzzleError) as caught:
        format_of(p).read_state(p, text)
    assert str(caught.value) == message


def test_drawing_pieces() -> None:
    assert str(State.solved("pyraminx")) == "FL FR FD LR LD RD\nFLR FLD FRD LRD"
    assert str(State.solved("pyraminx").moved("U")).split("\n")[1] == "RFL FLD FRD LRD"
    assert str(State.solved("cube2x2x2x2")).split("\n")[1] == "L D B I"
    assert str(State.solved("topspin").moved("L")) == (
        " 2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20  1"
    )
    ring = read_toml(f"[moves]\nL = {[*range(1, 60), 0]}\nS = {[1, 0, *range(2, 60)]}")
    lines = State.solved(ring).draw().split("\n")
    assert [len(line) for line in lines] == [77, 77, 23]
    twins = read_toml(
        "[moves]\nL = [2, 3, 0, 1, 4, 10, 6, 7, 8, 9, 5]\nS = [4, 1, 2, 3, 0, 5, 6, 7, 8, 9, 10]"
    )
    assert "-" in State.solved(twins).draw()


def test_drawing_in_colour() -> None:
    text = State.solved(DIGITS).draw(colour=True)
    zero, one = "\x1b[48;5;167;38;5;231m0\x1b[0m", "\x1b[48;5;69;38;5;231m1\x1b[0m"
    assert text == f"{zero}{zero}{one}"


@pytest.mark.parametrize("p", PUZZLES, ids=lambda p: p.name)
def test_pictures(p: PermutationPuzzle) -> None:
    root = ET.fromstring(format_of(p).svg(p, p.goal))
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    assert root.findtext(f"{space}title") == p.name
    rectangles = root.findall(f"{space}rect")
    assert len(rectangles) == p.cells
    places = {(float(r.get("x", "")), float(r.get("y", ""))) for r in rectangles}
    assert len(places) == p.cells
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert max(x for x, _ in places) < width - 24
    assert max(y for _, y in places) < height - 24
    assert len({r.get("fill") for r in rectangles}) == p.symbols
    labels = [text.text for text in root.findall(f"{space}text")]
    assert sorted(labels) == sorted((p.letters or "0123456789")[s] for s in p.goal)


SCRAPS = [*"ULRBFTt0123456789'’(), \n|-é\0", "RU", "OF'", "F10", "99999", "red", "20 "]


@pytest.mark.parametrize("p", PUZZLES, ids=lambda p: p.name)
@given(chance=st.randoms(use_true_random=True), noise=st.text(max_size=40))
@settings(max_examples=170, deadline=None)
def test_any_text_gives_a_result_or_a_puzzle_error(
    p: PermutationPuzzle, chance: random.Random, noise: str
) -> None:
    """Some 10,000 sequences of moves and as many states."""
    form = format_of(p)
    state = form.write_state(p, p.goal)
    for _ in range(10):
        scraps = "".join(chance.choices(SCRAPS, k=chance.randint(0, 12)))
        at = chance.randrange(len(state) + 1)
        for text in (noise, scraps):
            try:
                moves = form.read_moves(p, text)
            except PuzzleError:
                continue
            assert all(0 <= move < p.moves for move in moves)
        for text in (noise, scraps, state[:at] + scraps[:2] + state[at + 2 :]):
            try:
                _, cells = form.read_state(p, text)
            except PuzzleError:
                continue
            assert cells.shape == (p.cells,)
            p.problems(cells)


def test_nested_brackets_are_not_written_out_for_ever() -> None:
    text = "(" * 5000 + "U99999" + ")'" * 5000
    with pytest.raises(ParseError, match="more than 100000 moves"):
        format_of(puzzle("pyraminx")).read_moves(puzzle("pyraminx"), text)
