"""What is said about a cube that cannot be: exact sentences, the piece, and how it is held."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from cube_tools import cube, swapped, turned
from homeward.notation import State
from homeward.puzzles import PuzzleError, Status, cube_pieces
from homeward.puzzles.status import combined


def sentences(name: str, state: NDArray[np.uint8]) -> list[str]:
    return [problem.sentence for problem in cube(name).problems(state)]


# --- sentences


def test_twisted_corner() -> None:
    corners = cube_pieces.corners(3)
    goal = cube("cube3").goal
    assert sentences("cube3", turned(corners, goal, "URF", 1)) == [
        "the corner at URF is twisted clockwise: take it out and turn it counter-clockwise"
    ]
    assert sentences("cube3", turned(corners, goal, "DBL", 2)) == [
        "the corner at DBL is twisted counter-clockwise: take it out and turn it clockwise"
    ]
    moved = State.solved("cube3").moved("(R U2 F' D B')3").cells
    assert sentences("cube3", turned(corners, moved, "URF", 1)) == [
        "all corners together are twisted a third of a turn clockwise: take out one, say the one "
        "at UBR, and turn it counter-clockwise"
    ]


def test_clockwise_is_as_seen_from_outside() -> None:
    # Twisted clockwise, the corner at URF shows its U sticker on R and its R sticker on F.
    state = cube("cube3").goal.copy()
    state[[8, 9, 20]] = [2, 0, 1]
    (problem,) = cube("cube3").problems(state)
    assert problem.where == "URF"
    assert "twisted clockwise" in problem.sentence


def test_flipped_edge() -> None:
    edges = cube_pieces.edges(3)
    assert sentences("cube3", turned(edges, cube("cube3").goal, "UF", 1)) == [
        "the edge at UF is flipped: take it out and put it back the other way round"
    ]
    moved = State.solved("cube3").moved("(R U2 F' D B')3").cells
    assert sentences("cube3", turned(edges, moved, "UF", 1)) == [
        "an odd number of edges is flipped: take out one, say the one at UB, and put it back the "
        "other way round"
    ]
    five = cube("cube5")
    assert sentences("cube5", turned(cube_pieces.edges(5), five.goal, "BL", 1)) == [
        "the middle edge at BL is flipped: take it out and put it back the other way round"
    ]


def test_swapped_pieces() -> None:
    goal = cube("cube3").goal
    assert sentences("cube3", swapped(cube_pieces.edges(3), goal, "UF", "FR")) == [
        "only an even number of exchanges can be undone by turning, and this cube has an odd "
        "number: take out two pieces, say the edges at UF and FR, and put each in the other's "
        "place (the stickers of the first go from U to F and from F to R, those of the second back)"
    ]
    (problem,) = cube("cube3").problems(swapped(cube_pieces.corners(3), goal, "URF", "DBL"))
    assert (problem.status, problem.where) == (Status.SWAPPED_PIECES, "URF DBL")


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        (
            "cube3",
            {8: 3},
            [
                "colour U appears 8 times and should appear 9 times",
                "colour D appears 10 times and should appear 9 times",
                "the corner at URF shows D, R and F, but clockwise they go the other way: "
                "exchange two of its stickers",
                "the corner URF is missing",
            ],
        ),
        (
            "cube3",
            {8: 4},
            [
                "colour U appears 8 times and should appear 9 times",
                "colour L appears 10 times and should appear 9 times",
                "the corner at URF shows L, R and F, but R and L are opposite faces and share no "
                "piece",
                "the corner URF is missing",
            ],
        ),
        (
            "cube3",
            {9: 2, 20: 1},
            [
                "the corner at URF shows U, F and R, but clockwise they go the other way: "
                "exchange two of its stickers",
                "the corner URF is missing",
            ],
        ),
        (
            "cube3",
            {7: 2},
            [
                "colour U appears 8 times and should appear 9 times",
                "colour F appears 10 times and should appear 9 times",
                "the edge at UF shows F and F, but no piece has a colour twice",
                "the edge UF is missing",
            ],
        ),
        (
            "cube3",
            {19: 1},
            [
                "colour R appears 10 times and should appear 9 times",
                "colour F appears 8 times and should appear 9 times",
                "the edge UR appears twice, at UR and UF",
                "the edge UF is missing",
            ],
        ),
        (
            "cube3",
            {4: 1, 13: 0},
            [
                "the centre of face U shows R and never moves: it must show U",
                "the centre of face R shows U and never moves: it must show R",
            ],
        ),
        (
            "cube4",
            {14: 2, 34: 0},
            [
                "the wing UFl appears twice, at UFl and UFr: a wing cannot be flipped in its "
                "place, so exchange the two stickers of one",
                "the wing UFr is missing",
            ],
        ),
        (
            "cube4",
            {5: 1},
            [
                "colour U appears 15 times and should appear 16 times",
                "colour R appears 17 times and should appear 16 times",
                "of the 24 centres that turns bring to row 2, column 2 of a face, 3 are U and 4 "
                "should be",
                "of the 24 centres that turns bring to row 2, column 2 of a face, 5 are R and 4 "
                "should be",
            ],
        ),
        (
            "cube5",
            {6: 1, 31: 0, 7: 2, 57: 0},  # an x-centre of U for one of R, a t-centre for one of F
            [],
        ),
        (
            "cube5",
            {6: 1, 32: 0},  # an x-centre of U for a t-centre of R
            [
                "of the 24 centres that turns bring to row 2, column 2 of a face, 3 are U and 4 "
                "should be",
                "of the 24 centres that turns bring to row 2, column 2 of a face, 5 are R and 4 "
                "should be",
                "of the 24 centres that turns bring to row 2, column 3 of a face, 5 are U and 4 "
                "should be",
                "of the 24 centres that turns bring to row 2, column 3 of a face, 3 are R and 4 "
                "should be",
            ],
        ),
    ],
)
def test_stickers(name: str, change: dict[int, int], expected: list[str]) -> None:
    state = cube(name).goal.copy()
    state[list(change)] = list(change.values())
    assert sentences(name, state) == expected


def test_everything_at_once() -> None:
    here = cube("cube3")
    state = turned(cube_pieces.corners(3), here.goal, "ULB", 1)
    state = turned(cube_pieces.edges(3), state, "DF", 1)
    state = swapped(cube_pieces.edges(3), state, "BL", "BR")
    state[4] = 2
    with pytest.raises(PuzzleError) as caught:
        here.require_valid(state)
    assert caught.value.status == (
        Status.COLOUR_COUNT
        | Status.CENTRES
        | Status.TWISTED_CORNER
        | Status.FLIPPED_EDGE
        | Status.SWAPPED_PIECES
    )
    assert [p.where for p in caught.value.problems] == ["U", "F", "U", "ULB", "DF", "BR BL"]


# --- how the cube is held


def test_turned_cubes() -> None:
    for name in ("cube3", "cube5"):
        here = cube(name)
        for turn in here.rotations[1:]:
            assert sentences(name, here.goal[turn]) == [
                "the whole cube is turned: hold it with the U centre on top and the F centre in "
                "front"
            ]
    held = cube("cube2")
    for turn in held.rotations[1:]:
        assert sentences("cube2", held.goal[turn]) == [
            "the corner DBL is the one that is held: turn the whole cube until it is at the "
            "bottom, back and left with its D sticker below"
        ]
    for name in ("cube2-free", "cube4"):
        for turn in cube(name).rotations:
            assert sentences(name, cube(name).goal[turn]) == []


def test_another_goal() -> None:
    here = cube("cube3")
    pattern = State.solved("cube3").moved("M2 E2 S2").cells
    other = here.with_goal(pattern)
    assert other.problems(here.goal) == []
    assert other.problems(pattern) == []
    bad = turned(cube_pieces.corners(3), pattern, "URF", 1)
    assert combined(other.problems(bad)) == Status.TWISTED_CORNER
    with pytest.raises(PuzzleError, match="the corner at URF is twisted clockwise"):
        here.with_goal(bad)
    large = cube("cube4")
    assert (
        large.with_goal(large.random_states(1, np.random.default_rng(0))[0]).problems(large.goal)
        == []
    )


# --- shapes


def test_shapes_and_symbols() -> None:
    here = cube("cube3")
    assert sentences("cube3", np.zeros(53, np.uint8)) == [
        "a state of cube3 has 54 numbers, this one has 53"
    ]
    state = here.goal.copy()
    state[3] = 6
    assert sentences("cube3", state) == ["cell 3 holds 6, but symbols go from 0 to 5"]
    assert [p.sentence for p in here.problems(np.full(54, 0.5))] == [
        "a state of cube3 is whole numbers, not float64"
    ]


@pytest.mark.parametrize("name", ["cube2", "cube3", "cube4", "cube5"])
def test_any_colours_are_judged(name: str) -> None:
    here, rng = cube(name), np.random.default_rng(11)
    for state in rng.integers(6, size=(200, here.cells)).astype(np.uint8):
        assert combined(here.problems(state)) & Status.IMPOSSIBLE_PIECE
    for _ in range(200):  # a few stickers exchanged: colours right, pieces mostly wrong
        state = here.goal.copy()
        cells = rng.choice(here.cells, size=4, replace=False)
        state[cells] = state[rng.permutation(cells)]
        assert Status.COLOUR_COUNT not in combined(here.problems(state))
