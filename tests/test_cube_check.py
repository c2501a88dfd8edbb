"""Cubes that cannot be: each is named, is really out of reach, and the advice brings it back."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from cube_tools import Row, cube, swapped, turned
from homeward.puzzles import Status, cube_pieces
from homeward.puzzles.cube import Cube
from homeward.puzzles.status import Problem, combined


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
