"""Puzzles from GAP files: what is read, and what is said about broken ones."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broken_text import damaged, require_puzzle_or_error, said
from gap_geometry import megaminx, pyraminx, skewb
from homeward.puzzles import Status
from homeward.puzzles.check import check_puzzle
from homeward.puzzles.gap import read_gap
from homeward.puzzles.nearby import layers


def test_gap_text_as_it_comes() -> None:
    text = """# a comment
M_U:=(1,2,3)
 (4 , 5);
M_2R := (3,4,5) ;   # another
M_M_X:=(1,5);
M_UNUSED:=(8,9);
Gen:=[
M_U,M_2R,
M_M_X
];
ip:=[[1],[2],[3],[4],[7]];
# Size(Group(Gen));
Size(Stabilizer(Group(Gen), ip, OnTuplesSets))
"""
    p = read_gap(text, "thing")
    assert (p.name, p.cells) == ("thing", 7)
    assert p.move_names == ("U", "U'", "2R", "2R'", "M_X")
    assert p.apply(p.goal, [0]).tolist() == [2, 0, 1, 4, 3, 5, 6]


def test_gap_generators_that_add_nothing_are_left_out() -> None:
    text = "M_A:=(1,2,3);M_B:=();M_C:=(1,3,2);M_D:=(2,3,1);M_E:=(1,2);Gen:=[M_A,M_B,M_C,M_D,M_E];"
    assert read_gap(text).move_names == ("A", "A'", "E")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no Gen:=[…]; it lists the generators that count"),
        ("M_A:=(1,2);", "there is no Gen:=[…]; it lists the generators that count"),
        ("M_A:=(1,2);\nGen:=[];", "Gen lists no generators"),
        ("M_A:=(1,2);\nGen:=[M_A];\nGen:=[M_A];", "line 3: Gen is given twice"),
        ("M_A:=(1,2);\nGen:=[M_B];", "line 2: Gen lists M_B, which is not in the file"),
        ("M_A:=(1,2);\n\nM_A:=(1,3);", "line 3: M_A is given twice, first in line 1"),
        ("M_A:=(1,2);A:=(1,3);\nGen:=[M_A,A];", "line 1: two generators are called A"),
        ("M_A:=(1,2)\nM_B:=(3,4);", "line 2: ';' was expected, not 'M_B'"),
        ("M_A:=(1,2;", "line 1: ',' was expected, not ';'"),
        ("M_A:=(1,,2);", "line 1: a point was expected, not ','"),
        ("M_A:=(1,2", "line 1: ',' was expected, not the end of the file"),
        ("M_A:=\n", "line 2: '(' was expected, not the end of the file"),
        ("M_A=(1,2);", "line 1: ':=' was expected, not '='"),
        (
            "M_A:=(1,2,1);\nGen:=[M_A]",
            "line 1, M_A: not a permutation: 1 appears twice in the cycles",
        ),
        ("M_A:=(0,1);", "line 1: points go from 1 to 30000, not 0"),
        ("M_A:=(1,40000);", "line 1: points go from 1 to 30000, not 40000"),
        ("M_A:=(1,x);", "line 1: a point was expected, not 'x'"),
        ("M_A:=(1,-2);", "line 1: a point was expected, not '-'"),
        ("M_A:=();\nGen:=[M_A];", "no generator moves anything"),
        (";", "line 1: a name was expected, not ';'"),
        ("Gen:=[(];", "line 1: the name of a generator was expected, not '('"),
        ("ip:=[1];", "line 1: '[' was expected, not '1'"),
        (
            "M_A:=(1,2);Gen:=[M_A];ip:=[[1,2]];",
            "the goal shows one symbol everywhere, so every state would be solved",
        ),
        (
            "M_A:=(1,2,3);Gen:=[M_A];ip:=[[1,2],[2,3]];",
            "ip: point 2 stands in two sets; a piece is like those of one set",
        ),
        (
            "M_A:=(1,2,3);Gen:=[M_A];ip:=[[1,2,1]];",
            "ip: point 1 stands twice in a set; a piece is like those of one set",
        ),
        (
            "M_A'':=(1,2);Gen:=[M_A''];",
            "line 1, A'': a name is one word without commas, brackets and quotation marks; "
            "only a prime may stand at its end",
        ),
    ],
)
def test_broken_gap(text: str, message: str) -> None:
    assert said(read_gap, text) == message


def test_skewb() -> None:
    p = read_gap(skewb())
    assert (p.cells, p.move_names) == (30, ("A", "A'", "B", "B'", "C", "C'", "D", "D'"))
    assert p.group.order == 3_149_280
    assert check_puzzle(p).failed == ()
    assert [len(layer) for layer in layers(p, 100_000)][:6] == [1, 8, 48, 288, 1728, 10248]


def test_megaminx() -> None:
    p = read_gap(megaminx())
    assert (p.cells, p.moves) == (120, 24)
    order = math.factorial(20) // 2 * 3**19 * (math.factorial(30) // 2) * 2**29
    assert p.group.order == order
    assert order == 100669616553523347122516032313645505168688116411019768627200000000000
    assert [len(o.blocks) for o in p.pieces.orbits] == [20, 30]
    states = p.random_states(5, np.random.default_rng(0))
    assert [p.problems(state) for state in states] == [[]] * 5


def test_the_same_pyraminx_from_gap_and_from_toml() -> None:
    p = read_gap(pyraminx())
    assert p.group.order == 933_120
    assert [len(layer) for layer in layers(p, 100_000)] == [1, 8, 48, 288, 1728, 9896, 51808]


def test_pieces_that_look_alike() -> None:
    """Three alike edges can go round unseen: a third of the states, and any two edges can swap."""
    p = read_gap(pyraminx(alike=[[0, 1, 2]]))
    first, second, third = ([2 * i, 2 * i + 1] for i in range(3))
    assert p.goal[first].tolist() == p.goal[second].tolist() == p.goal[third].tolist()
    assert p.symbols == 24 - 4
    assert not p.invertible
    reached = np.concatenate(list(layers(p, 10**7)))
    assert len(reached) == 933_120 // 3
    known = {row.tobytes() for row in reached}

    rng = np.random.default_rng(0)
    assert all(state.tobytes() in known for state in p.random_states(100, rng))
    odd = p.goal.copy()
    odd[[6, 7, 8, 9]] = odd[[8, 9, 6, 7]]  # edges 3 and 4 change places
    for state in [*reached[rng.integers(len(reached), size=30)], odd]:
        assert state.tobytes() in known
        assert p.problems(state) == []

    flipped = p.goal.copy()
    flipped[[6, 7]] = flipped[[7, 6]]
    assert flipped.tobytes() not in known
    assert [(f.status, f.sentence) for f in p.problems(flipped)] == [
        (Status.UNREACHABLE, "no sequence of moves of puzzle leads there")
    ]
    mixed = p.goal.copy()
    mixed[[1, 7]] = mixed[[7, 1]]
    assert [f.sentence for f in p.problems(mixed)] == [
        "the symbols in cells 0, 1 belong to no piece of this puzzle"
    ]


def test_alike_pieces_of_single_points() -> None:
    text = "M_A:=(1,2,3,4);M_B:=(4,5,6);Gen:=[M_A,M_B];ip:={};"
    for ip in ("[[1,4],[2],[3],[5],[6]]", "[[1,4]]", "[[],[1,4],[]]"):
        # Points that do not travel with a piece are not its own, even if the list leaves them out.
        assert read_gap(text.format(ip)).goal.tolist() == [0, 1, 2, 0, 3, 4]
    assert read_gap(text.format("[[]]")).symbols == 6


GAP = "# x\nM_A:=(1,2,3)(4,5);\nM_B:=(5,6);\nGen:=[\nM_A,M_B\n];\nip:=[[1,4],[2],[3]];\n"


@given(chance=st.randoms(use_true_random=True), noise=st.text(max_size=60))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_a_puzzle_or_a_puzzle_error(chance: random.Random, noise: str) -> None:
    """500 × 20 damaged files, and 500 texts of anything."""
    for broken in [noise, *(damaged(GAP, chance) for _ in range(20))]:
        require_puzzle_or_error(read_gap, broken)
