"""Cubes that cannot be: each is named, is really out of reach, and the advice brings it back."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest
from numpy.typing import NDArray

from homeward.notation import State
from homeward.puzzles import PuzzleError, Status, cube_pieces, puzzle
from homeward.puzzles.cube import Cube
from homeward.puzzles.cube_pieces import Kind
from homeward.puzzles.status import Problem, combined

Row = NDArray[np.uint8]


def cube(name: str) -> Cube:
    found = puzzle(name)
    assert isinstance(found, Cube)
    return found


def turned(kind: Kind, state: Row, place: str, times: int) -> Row:
    """A state with one piece taken out and put back turned clockwise."""
    out, cells = state.copy(), kind.cells[kind.names.index(place)]
    out[cells] = np.roll(state[cells], times)
    return out


def swapped(kind: Kind, state: Row, one: str, other: str) -> Row:
    """A state with two pieces exchanged, sticker for sticker."""
    out = state.copy()
    a, b = (kind.cells[kind.names.index(place)] for place in (one, other))
    out[a], out[b] = state[b], state[a]
    return out


def mended(here: Cube, state: Row, problem: Problem) -> Row:
    """What the problem's sentence advises, done."""
    places = problem.where.split()
    corners, edges = cube_pieces.corners(here.size), cube_pieces.edges(here.size)
    if problem.status == Status.TWISTED_CORNER:
        times = 2 if "turn it counter-clockwise" in problem.sentence else 1
        return turned(corners, state, places[0], times)
    if problem.status == Status.FLIPPED_EDGE:
        return turned(edges, state, places[0], 1)
    assert problem.status == Status.SWAPPED_PIECES
    return swapped(corners if places[0] in corners.names else edges, state, *places)


def sentences(name: str, state: Row) -> list[str]:
    return [problem.sentence for problem in cube(name).problems(state)]


# --- the rules are the group's


@pytest.mark.parametrize("name", "cube2 cube2-free cube3 cube3-htm cube4 cube5 cube6 cube7".split())
def test_reachable_states_have_no_problems(name: str) -> None:
    here = cube(name)
    for state in here.random_states(100, np.random.default_rng(3)):
        assert here.problems(state) == []


_CORNERS = factorial(8) * 3**7
_EDGES = factorial(12) * 2**11
_ORBIT = factorial(24)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        # The held corner takes away 8 places and 3 turns; one turn in three is out of reach.
        ("cube2", factorial(7) * 3**6),
        ("cube2-free", _CORNERS),
        # Twist, flip, and one parity for corners and edges together.
        ("cube3", _CORNERS * _EDGES // 2),
        # Wings are free. Each orbit of centres has a parity that corners and wings decide, which
        # exchanging two centres of one colour hides: no rule is left but the twist.
        ("cube4", _CORNERS * _ORBIT * (_ORBIT // 2)),
        ("cube5", _CORNERS * _EDGES // 2 * _ORBIT * (_ORBIT // 2) ** 2),
        ("cube6", _CORNERS * _ORBIT**2 * (_ORBIT // 2) ** 4),
        ("cube7", _CORNERS * _EDGES // 2 * _ORBIT**2 * (_ORBIT // 2) ** 6),
    ],
)
def test_rules_count_the_whole_group(name: str, order: int) -> None:
    assert cube(name).group.order == order


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7])
def test_pieces_travel_as_listed(size: int) -> None:
    following = np.arange(6 * size * size)
    kinds = [cube_pieces.corners(size), *cube_pieces.wings(size)]
    kinds += [cube_pieces.edges(size)] if size % 2 else []
    for kind in kinds:
        following[kind.cells] = np.roll(kind.cells, -1, axis=1)
    for move in cube(f"cube{size}").table.numpy:
        assert np.array_equal(following[move], move[following])


def test_names_of_places() -> None:
    corners, edges = cube_pieces.corners(3), cube_pieces.edges(3)
    assert sorted(corners.names) == "DBL DFR DLF DRB UBR UFL ULB URF".split()
    assert sorted(edges.names) == "BL BR DB DF DL DR FL FR UB UF UL UR".split()
    assert corners.cells[corners.names.index("URF")].tolist() == [8, 9, 20]
    assert edges.cells[edges.names.index("UF")].tolist() == [7, 19]
    (wings,) = cube_pieces.wings(4)
    assert wings.cells[wings.names.index("UFr")].tolist() == [34, 14]
    assert "UF3r" in cube_pieces.wings(6)[1].names


# --- one wrong piece is out of reach, and mending it brings it back


@pytest.mark.parametrize("seed", range(40))
def test_cube3_problems_are_those_of_the_group(seed: int) -> None:
    here, rng = cube("cube3"), np.random.default_rng(seed)
    corners, edges = cube_pieces.corners(3), cube_pieces.edges(3)
    state = here.random_states(1, rng)[0] if seed % 4 else here.goal
    twist, flip, swap = int(rng.integers(3)), int(rng.integers(2)), int(rng.integers(3))
    expected = Status.VALID
    if twist:
        state = turned(corners, state, str(rng.choice(corners.names)), twist)
        expected |= Status.TWISTED_CORNER
    if flip:
        state = turned(edges, state, str(rng.choice(edges.names)), 1)
        expected |= Status.FLIPPED_EDGE
    if swap:
        kind = (corners, edges)[swap - 1]
        state = swapped(kind, state, *rng.choice(kind.names, size=2, replace=False).tolist())
        expected |= Status.SWAPPED_PIECES
    problems = here.problems(state)
    assert combined(problems) == expected
    assert len(problems) == len(expected)
    assert (here.permutations(state[None])[0] in here.group) == (not problems)
    for problem in problems:
        state = mended(here, state, problem)
    assert here.problems(state) == []
    assert here.permutations(state[None])[0] in here.group


@pytest.mark.parametrize("name", ["cube2", "cube2-free", "cube4", "cube5", "cube6"])
def test_larger_cubes_are_mended(name: str) -> None:
    here, rng = cube(name), np.random.default_rng(5)
    corners = cube_pieces.corners(here.size)
    for start in here.random_states(20, rng):
        bad = turned(corners, start, "URF", int(rng.integers(1, 3)))
        expected = Status.TWISTED_CORNER
        if here.size == 5:
            bad = turned(cube_pieces.edges(5), bad, "FR", 1)
            bad = swapped(corners, bad, "UFL", "DRB")
            expected |= Status.FLIPPED_EDGE | Status.SWAPPED_PIECES
        problems = here.problems(bad)
        assert combined(problems) == expected
        for problem in problems:
            bad = mended(here, bad, problem)
        assert here.problems(bad) == []


def test_even_cubes_allow_exchanges() -> None:
    for name in ("cube2", "cube2-free", "cube4", "cube6"):
        here = cube(name)
        assert here.problems(swapped(cube_pieces.corners(here.size), here.goal, "URF", "UFL")) == []
    for name in ("cube4", "cube5", "cube7"):
        here = cube(name)
        for kind in cube_pieces.wings(here.size):
            assert here.problems(swapped(kind, here.goal, *kind.names[:2])) == []


def test_wing_exchange_on_cube4_is_in_the_group() -> None:
    here = cube("cube4")
    (wings,) = cube_pieces.wings(4)
    permutation = np.arange(96)
    a, b = wings.cells[:2]
    permutation[a], permutation[b] = b, a
    assert permutation in here.group
    state: Row = here.goal[permutation]
    assert here.problems(state) == []


def test_corner_exchange_on_cube4_needs_alike_centres() -> None:
    here = cube("cube4")
    a, b = cube_pieces.corners(4).cells[:2]
    permutation = np.arange(96)
    permutation[a], permutation[b] = b, a
    assert permutation not in here.group
    permutation[[5, 6]] = [6, 5]  # two centres of face U, of one colour
    assert permutation in here.group


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
