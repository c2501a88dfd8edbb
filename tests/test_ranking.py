"""Every state has a number, every number a state, and moves on numbers are moves on states."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from homeward.puzzles import PermutationPuzzle, Puzzle, PuzzleError, puzzle
from homeward.puzzles.nearby import layers
from homeward.puzzles.permutation import closed_under_inverses
from homeward.puzzles.ranking import (
    Distances,
    count_states,
    flood,
    ranking,
    unreached,
    why_no_ranking,
)
from homeward.puzzles.ranking.boards import BoardRanking
from homeward.puzzles.ranking.chain import ChainRanking
from homeward.puzzles.ranking.orders import digits_of, orders_of, pack, unpack
from homeward.puzzles.ranking.pieces import PiecesRanking
from homeward.puzzles.ranking.product import LightsRanking
from homeward.puzzles.sliding import Sliding


def made(name: str, *generators: NDArray[Any]) -> PermutationPuzzle:
    """A puzzle whose cells are all different, from its generators."""
    letters = [chr(ord("a") + i) for i in range(len(generators))]
    names, table = closed_under_inverses(letters, np.array(generators))
    return PermutationPuzzle(name, names, table, np.arange(table.shape[1])[None])


def cycles(degree: int, *given: tuple[int, ...]) -> NDArray[np.int64]:
    row = np.arange(degree)
    for cycle in given:
        row[list(cycle)] = np.roll(cycle, 1)
    return row


def mathieu() -> PermutationPuzzle:
    """M12: 12 pieces, yet only 95,040 arrangements."""
    return made(
        "m12",
        cycles(12, tuple(range(11))),
        cycles(12, (2, 6, 10, 7), (3, 9, 4, 5)),
        cycles(12, (0, 11), (1, 10), (2, 5), (3, 7), (4, 8), (6, 9)),
    )


def whirling() -> PermutationPuzzle:
    """Two pieces of six cells each, turned by S3: turns that do not commute."""
    turns = list(itertools.permutations(range(3)))

    def turned(by: tuple[int, ...]) -> NDArray[np.int64]:
        row = np.arange(12)
        for i, turn in enumerate(turns):
            row[i] = turns.index(tuple(by[k] for k in turn))
        return row

    return made("whirling", turned((1, 2, 0)), turned((1, 0, 2)), np.roll(np.arange(12), 6))


def dotted() -> PermutationPuzzle:
    """Four pieces with two sides each, and beside each piece a dot that goes where it goes."""
    ring = cycles(12, (0, 2, 4, 6), (1, 3, 5, 7), (8, 9, 10, 11))
    swap = cycles(12, (0, 2), (1, 3), (8, 9))
    return made("dotted", ring, swap, cycles(12, (0, 1)))


def two_faces() -> PermutationPuzzle:
    """The 3×3×3 turned only on U and R: corners and edges always have the same parity."""
    cube = puzzle("cube3")
    assert isinstance(cube, PermutationPuzzle)
    chosen = [i for i, name in enumerate(cube.move_names) if name[0] in "UR"]
    names = [cube.move_names[i] for i in chosen]
    return PermutationPuzzle("two-faces", names, cube.table.numpy[chosen], cube.goals, symbols=6)


CASES = {
    "cube2": (PiecesRanking, 3_674_160),
    "cube2-htm": (PiecesRanking, 3_674_160),
    "cube2-free": (PiecesRanking, 88_179_840),
    "pyraminx": (PiecesRanking, 933_120),
    "pyraminx-tips": (PiecesRanking, 75_582_720),
    "lightsout1": (LightsRanking, 2),
    "lightsout2": (LightsRanking, 16),
    "lightsout4": (LightsRanking, 4_096),
    "lightsout5": (LightsRanking, 8_388_608),
    "sliding-2x2": (BoardRanking, 12),
    "sliding-2x3": (BoardRanking, 360),
    "sliding-3x2": (BoardRanking, 360),
    "puzzle8": (BoardRanking, 181_440),
    "sliding-2x5": (BoardRanking, 1_814_400),
    "sliding-5x2": (BoardRanking, 1_814_400),
    "sliding-3x4": (BoardRanking, 239_500_800),
    "sliding-4x3": (BoardRanking, 239_500_800),
    "sliding-2x6": (BoardRanking, 239_500_800),
}
OWN = {
    "m12": (mathieu, ChainRanking, 95_040),
    "whirling": (whirling, PiecesRanking, 72),
    "dotted": (dotted, PiecesRanking, math.factorial(4) * 2**4),
    "two-faces": (two_faces, ChainRanking, 73_483_200),
}


def check(made: Puzzle, kind: type, size: int) -> None:
    numbers = ranking(made)
    assert type(numbers) is kind
    assert numbers.size == size == count_states(made)
    rng = np.random.default_rng(1)
    states = made.random_states(300, rng)
    known = numbers.rank(states)
    assert known.min() >= 0
    assert known.max() < size
    assert np.array_equal(numbers.unrank(known), states)
    drawn = rng.integers(size, size=300)
    assert np.array_equal(numbers.rank(numbers.unrank(drawn)), drawn)
    legal = made.legal(states)
    neighbours = numbers.neighbours(known)
    assert np.array_equal(neighbours >= 0, legal)
    assert np.array_equal(neighbours[legal], numbers.rank(made.expand(states)[legal]))


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_states(name: str) -> None:
    check(puzzle(name), *CASES[name])


@pytest.mark.parametrize("name", OWN)
def test_numbers_of_puzzles_from_generators(name: str) -> None:
    make, kind, size = OWN[name]
    check(make(), kind, size)


@pytest.mark.parametrize("name", ["cube2", "pyraminx", "puzzle8", "sliding-2x5", "lightsout4"])
def test_another_goal_has_the_same_states(name: str) -> None:
    home = puzzle(name)
    goal = home.random_states(1, np.random.default_rng(5))[0]
    kind, size = CASES[name]
    check(home.with_goal(goal), kind, size)


@pytest.mark.parametrize("name", ["sliding-2x3", "sliding-3x2", "sliding-2x4", "lightsout3"])
def test_no_two_numbers_share_a_state(name: str) -> None:
    numbers = ranking(puzzle(name))
    states = numbers.unrank(np.arange(numbers.size))
    assert len(np.unique(states, axis=0)) == numbers.size
    assert all(not numbers.puzzle.problems(state) for state in states[::37])


@pytest.mark.parametrize(
    "made",
    [whirling(), dotted(), made("ring", np.roll(np.arange(40), 1)), puzzle("sliding-2x4")],
    ids=lambda p: p.name,
)
@pytest.mark.parametrize("pull", [False, True, None])
def test_levels_are_those_of_a_plain_search(made: Puzzle, pull: bool | None) -> None:
    """Whether it visits the known states or the unknown ones (None: whichever are fewer)."""
    numbers = ranking(made)
    distances = unreached(numbers.size)
    distances[numbers.rank(made.goals)] = 0

    def spread(table: Distances, depth: int, chosen: bool) -> None:
        numbers.spread(table, depth, chosen if pull is None else pull)

    distances, counts = flood(spread, distances)
    expected = list(layers(made, 10**9))
    assert counts == [len(layer) for layer in expected]
    for depth, layer in enumerate(expected):
        assert (distances[numbers.rank(layer)] == depth).all()


def test_chain_agrees_with_pieces() -> None:
    """Two numberings of the pyraminx give the same counts, and the same distance to each state."""
    made = puzzle("pyraminx")
    assert isinstance(made, PermutationPuzzle)
    tables = []
    for numbers in (ranking(made), ChainRanking(made)):
        distances = unreached(numbers.size)
        distances[numbers.rank(made.goals)] = 0
        tables.append((numbers, *flood(numbers.spread, distances)))
    assert tables[0][2] == tables[1][2]
    states = made.random_states(1000, np.random.default_rng(2))
    one, other = (distances[numbers.rank(states)] for numbers, distances, _ in tables)
    assert np.array_equal(one, other)
    assert tables[0][0].fingerprint != tables[1][0].fingerprint


def test_fingerprints_differ_with_goals_and_moves() -> None:
    board = puzzle("puzzle8")
    other = board.with_goal(np.array([0, 1, 2, 3, 4, 5, 6, 7, 8], dtype=np.uint8))
    prints = [
        ranking(p).fingerprint
        for p in (board, other, puzzle("sliding-2x4"), puzzle("cube2"), puzzle("cube2-htm"))
    ]
    assert len(set(prints)) == 5
    assert ranking(puzzle("sliding-3x3")).fingerprint == prints[0]


@given(st.permutations(range(7)), st.integers(1, 7))
def test_orders_and_digits(order: list[int], first: int) -> None:
    digits = digits_of(np.array([order]))
    assert digits[0].tolist() == [
        sum(later < thing for later in order[i + 1 :]) for i, thing in enumerate(order)
    ]
    radices = np.arange(7, 0, -1)
    number = pack(digits, radices)
    assert 0 <= number[0] < math.factorial(7)
    assert np.array_equal(unpack(number, radices), digits)
    assert orders_of(digits)[0].tolist() == order
    assert np.array_equal(digits_of(np.array([order[:first]])), digits[:, :first])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "cube3",
            "cube3 has 43,252,003,274,489,856,000 states, too many to number: "
            "at most 1,073,741,824 are",
        ),
        ("puzzle35", "puzzle35 has about 10^41 states, too many to number: "
         "at most 1,073,741,824 are"),
        ("sliding-99x99", "sliding-99x99 has about 10^34864 states, too many to number: "
         "at most 1,073,741,824 are"),
        ("cube4", "no numbering is known for cube4: some of its pieces look alike"),
        ("sokoban", "no numbering is known for the states of sokoban"),
    ],
)  # fmt: skip
def test_refused(name: str, message: str) -> None:
    assert why_no_ranking(puzzle(name)) == message
    with pytest.raises(PuzzleError) as caught:
        ranking(puzzle(name))
    assert str(caught.value) == message


def test_coiled_boards_are_refused() -> None:
    board = Sliding(3, 3, coiled=True, name="coiled8")
    assert count_states(board) == math.factorial(9)
    assert count_states(Sliding(2, 3, coiled=True)) == math.factorial(6) // 2
    assert count_states(puzzle("coiled15")) == math.factorial(16)
    message = "no numbering is known for the states of coiled8, a coiled board"
    with pytest.raises(PuzzleError) as caught:
        ranking(board)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "state", "message"),
    [
        ("puzzle8", [2, 1, 3, 4, 5, 6, 7, 8, 0],
         "only an even number of exchanged tiles can be undone by sliding, and this board has an "
         "odd number: lift out two tiles, say 2 and 1, and put each in the other's place"),
        ("puzzle8", [1, 1, 3, 4, 5, 6, 7, 8, 0], "tile 1 appears 2 times; tile 2 is missing"),
        ("lightsout4", [1] + [0] * 15,
         "no set of presses darkens this board: it has an odd number of lit lamps on a pattern "
         "where every press flips an even number; only one board in 16 can be solved"),
        ("sliding-2x2", [1, 2, 3], "states of sliding-2x2 are rows of 4 numbers; these have the "
         "shape [1, 3]"),
    ],
)  # fmt: skip
def test_states_out_of_reach_have_no_number(name: str, state: list[int], message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        ranking(puzzle(name)).rank(np.array([state], dtype=np.uint8))
    assert str(caught.value) == message


@pytest.mark.parametrize("make", [dotted, mathieu])
def test_permutations_outside_the_group_have_no_number(make: Any) -> None:
    made = make()
    state = np.arange(12)
    state[[10, 11]] = 11, 10  # two dots change places while their pieces stay
    with pytest.raises(PuzzleError) as caught:
        ranking(made).rank(state[None])
    assert str(caught.value) == f"no sequence of moves of {made.name} leads there"


def test_a_twisted_corner_has_no_number() -> None:
    cube = puzzle("cube2")
    state = cube.goal.copy()
    corner = [3, 4, 9]  # U, R and F of URF
    state[corner] = state[[4, 9, 3]]
    with pytest.raises(PuzzleError, match="twisted"):
        ranking(cube).rank(state[None])
