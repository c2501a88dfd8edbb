"""Groups of permutations and the pieces that they move."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from homeward.puzzles import PermutationPuzzle, PuzzleError, Status, puzzle
from homeward.puzzles.group import PermutationGroup
from homeward.puzzles.permutation import closed_under_inverses
from homeward.puzzles.pieces import Pieces


def cycles(degree: int, *given: tuple[int, ...]) -> NDArray[np.int64]:
    row = np.arange(degree)
    for cycle in given:
        row[list(cycle)] = np.roll(cycle, 1)
    return row


# The Mathieu group of degree 12: large, five times transitive, and far from all permutations.
M12 = np.array(
    [
        cycles(12, tuple(range(11))),
        cycles(12, (2, 6, 10, 7), (3, 9, 4, 5)),
        cycles(12, (0, 11), (1, 10), (2, 5), (3, 7), (4, 8), (6, 9)),
    ]
)


@pytest.mark.parametrize(
    ("generators", "order"),
    [
        ([cycles(5, (0, 1, 2, 3, 4))], 5),
        ([cycles(5, (0, 1, 2, 3, 4)), cycles(5, (0, 1))], 120),
        ([cycles(5, (0, 1, 2)), cycles(5, (2, 3, 4))], 60),
        ([cycles(8, (0, 1, 2, 3)), cycles(8, (4, 5, 6, 7))], 16),
        ([cycles(4, (0, 1), (2, 3)), cycles(4, (0, 2), (1, 3))], 4),
        ([np.arange(3)], 1),
        (list(M12), 95_040),
    ],
)
def test_orders(generators: list[NDArray[np.int64]], order: int) -> None:
    assert PermutationGroup(np.array(generators)).order == order


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("cube2", 3_674_160),
        ("cube2-free", 24 * 3_674_160),
        ("cube3", 43_252_003_274_489_856_000),
        ("pyraminx", 933_120),
        ("pyraminx-tips", 933_120 * 3**4),
        ("cube2x2x2x2", math.factorial(15) // 2 * 12**14 * 4),
        ("topspin", math.factorial(20)),
        ("pancake", math.factorial(10)),
    ],
)
def test_orders_of_puzzles(name: str, order: int) -> None:
    given = puzzle(name)
    assert isinstance(given, PermutationPuzzle)
    assert given.group.order == order


@pytest.mark.parametrize("seed", range(5))
def test_the_order_does_not_depend_on_chance_or_on_the_base(seed: int) -> None:
    base = np.random.default_rng(seed).permutation(12).tolist()
    assert PermutationGroup(M12, base, seed).order == 95_040


def test_membership() -> None:
    even = PermutationGroup(np.array([cycles(6, (0, 1, 2)), cycles(6, (1, 2, 3, 4, 5))]))
    assert cycles(6, (0, 1), (2, 3)) in even
    assert cycles(6, (0, 1)) not in even
    cube = puzzle("cube3")
    assert isinstance(cube, PermutationPuzzle)
    rng = np.random.default_rng(1)
    walk = np.arange(54)
    for move in rng.integers(cube.moves, size=100):
        walk = walk[cube.table.numpy[move]]
    assert walk in cube.group
    # One corner twisted in its place: its three stickers, found as the cells that travel together.
    corner = next(o for o in cube.pieces.orbits if o.together.shape[1] == 3).together[0].tolist()
    assert walk[cycles(54, tuple(corner))] not in cube.group


def test_random_elements_are_uniform() -> None:
    group = PermutationGroup(np.array([cycles(5, (0, 1, 2)), cycles(5, (2, 3, 4))]))
    drawn = group.random_elements(60 * 200, np.random.default_rng(7))
    elements, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(elements) == 60
    chi_squared = ((counts - 200) ** 2 / 200).sum()
    # 59 degrees of freedom: between the 0.1 % and 99.9 % points.
    assert 29.6 < chi_squared < 98.4


def test_random_elements_belong_to_the_group() -> None:
    group = PermutationGroup(M12)
    drawn = group.random_elements(50, np.random.default_rng(0))
    assert all(element in group for element in drawn)
    assert len(np.unique(drawn, axis=0)) > 45


def test_carrying_is_right_about_every_colouring_of_twelve_points() -> None:
    group = PermutationGroup(M12)
    goal = np.array([0] * 6 + [1] * 6)
    reached, frontier = {goal.tobytes()}, [goal]
    while frontier:
        here = frontier.pop()
        for move in M12:
            there = here[move]
            if there.tobytes() not in reached:
                reached.add(there.tobytes())
                frontier.append(there)
    rng = np.random.default_rng(3)
    found = 0
    for bits in range(1 << 12):
        state = np.array([bits >> i & 1 for i in range(12)])
        if state.sum() == 6:
            p = group.carrying(goal, state, rng)
            assert (p is not None) == (state.tobytes() in reached)
            if p is not None:
                assert p in group
                assert goal[p].tolist() == state.tolist()
                found += 1
    assert found == len(reached) < math.comb(12, 6)


# --- pieces


def pieces_of(name: str) -> Pieces:
    given = puzzle(name)
    assert isinstance(given, PermutationPuzzle)
    return given.pieces


@pytest.mark.parametrize(
    ("name", "shapes", "distinct"),
    [
        ("cube2", [(21, 3, 7)], True),
        ("cube3", [(24, 3, 8), (24, 2, 12)], True),
        ("cube4", [(24, 3, 8), (24, 2, 24), (24, 2, 24), (24, 1, 24)], False),
        ("pyraminx", [(12, 2, 6), (3, 3, 1), (3, 3, 1), (3, 3, 1), (3, 3, 1)], True),
        ("topspin", [(20, 1, 20)], True),
        # A piece of the 2×2×2×2 cube turns about each sticker in three ways.
        ("cube2x2x2x2", [(180, 4, 15)], True),
    ],
)
def test_pieces_are_found_from_the_moves(
    name: str, shapes: list[tuple[int, int, int]], distinct: bool
) -> None:
    pieces = pieces_of(name)
    assert [(*o.together.shape, len(o.blocks)) for o in pieces.orbits] == shapes
    assert pieces.distinct is distinct


@pytest.mark.parametrize("name", ["cube2", "cube3", "pyraminx", "cube2x2x2x2", "topspin"])
def test_what_travels_together_stays_together(name: str) -> None:
    pieces = pieces_of(name)
    for orbit in pieces.orbits:
        rows = {tuple(row) for row in orbit.together.tolist()}
        for move in pieces.table:
            assert {tuple(move[list(row)].tolist()) for row in rows} == rows


@pytest.mark.parametrize("name", ["cube2", "cube3", "pyraminx", "cube2x2x2x2", "pancake"])
def test_states_read_back_as_the_permutations_that_made_them(name: str) -> None:
    given = puzzle(name)
    assert isinstance(given, PermutationPuzzle)
    made = given.group.random_elements(30, np.random.default_rng(2))
    assert np.array_equal(given.permutations(given.goal[made]), made)


@pytest.mark.parametrize("name", ["cube3", "pyraminx", "cube2x2x2x2"])
def test_the_inverse_state_is_solved_by_the_inverse_solution(name: str) -> None:
    given = puzzle(name)
    assert isinstance(given, PermutationPuzzle)
    assert given.invertible
    other = given.with_goal(given.random_states(1, np.random.default_rng(5))[0])
    for p in (given, other):
        scramble = np.random.default_rng(4).integers(p.moves, size=25).tolist()
        state = p.apply(p.goal, scramble)
        solution = [int(p.inverses[m]) for m in reversed(scramble)]
        inverse = p.inverted(state[None])[0]
        assert p.is_solved(p.apply(state, solution)[None])[0]
        assert p.is_solved(p.apply(inverse, scramble)[None])[0]


def test_pieces_that_look_alike_have_no_single_permutation() -> None:
    cube = puzzle("cube4")
    assert isinstance(cube, PermutationPuzzle)
    assert not cube.invertible
    with pytest.raises(PuzzleError, match=r"^pieces that look alike: a state has no single perm"):
        cube.permutations(cube.goals[:1])


def test_matchings_make_the_state_and_keep_pieces_whole() -> None:
    cube = puzzle("cube4")
    assert isinstance(cube, PermutationPuzzle)
    pieces = Pieces(cube.table.numpy, cube.goal)
    rng = np.random.default_rng(0)
    state = cube.random_states(1, rng)[0]
    found = pieces.matchings(state, 8, rng)
    assert len(np.unique(found, axis=0)) == 8
    for p in found:
        assert np.array_equal(cube.goal[p], state)
        for orbit in pieces.orbits:
            rows = {tuple(row) for row in orbit.together.tolist()}
            assert {tuple(p[list(row)].tolist()) for row in rows} == rows


def test_many_cells_in_one_piece_are_told_apart() -> None:
    # One ring of 100 cells is a single piece with more colours than a number has digits.
    names, table = closed_under_inverses(["L"], np.roll(np.arange(100), -1)[None])
    goal = np.array([0] * 99 + [1])
    ring = PermutationPuzzle("ring", names, table, goal[None])
    assert ring.pieces.orbits[0].together.shape == (100, 100)
    assert ring.invertible
    assert ring.problems(np.roll(goal, 37)) == []


# --- states that cannot be


def swapped(state: NDArray[np.uint8], one: list[int], other: list[int]) -> NDArray[np.uint8]:
    changed = state.copy()
    changed[one], changed[other] = state[other], state[one]
    return changed


@pytest.mark.parametrize(
    ("change", "status", "sentence"),
    [
        # The edge UL lies in cells 0 and 8, UR in 2 and 12, UB in 6 and 14; 7 belongs to corner U.
        (([0], [8]), Status.UNREACHABLE, "no sequence of moves of pyraminx leads there"),
        (
            ([0, 8], [2, 12]),
            Status.UNREACHABLE,
            "no sequence of moves of pyraminx leads there",
        ),
        (
            ([0], [7]),
            Status.IMPOSSIBLE_PIECE,
            "the symbols in cells 0, 8 belong to no piece of this puzzle",
        ),
        (
            ([6], [12]),
            Status.IMPOSSIBLE_PIECE,
            "the symbols in cells 6, 14 belong to no piece of this puzzle",
        ),
    ],
)
def test_impossible_states_of_distinct_pieces(
    change: tuple[list[int], list[int]], status: Status, sentence: str
) -> None:
    given = puzzle("pyraminx")
    problems = given.problems(swapped(given.goal, *change))
    assert [(p.status, p.sentence) for p in problems] == [(status, sentence)]


def test_wrong_symbols_are_counted() -> None:
    given = puzzle("pancake")
    state = given.goal.copy()
    state[3] = 5
    assert [p.sentence for p in given.problems(state)] == [
        "symbol 4 appears 0 times and should appear once",  # as it is written, from 1 on
        "symbol 6 appears twice and should appear once",
    ]
