"""Row by row: every board, every goal, always solved."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.sliding import Sliding
from homeward.search.base import Budget, Meter, Outcome, Solution, replayed
from homeward.search.rows import RowByRow
from homeward.solvers import solve
from tiles_tools import board_of, graph_of, states_of


def solved(board: Sliding, start: np.ndarray) -> Solution:
    found = replayed(board, start, RowByRow()(board, start, None, Meter(Budget())))
    assert (found.status, found.proof) == ("solved", "none" if found.length else "optimal")
    return found


@pytest.mark.parametrize("name", ["sliding-2x2", "sliding-2x3", "sliding-3x2"])
def test_every_state_of_small_boards(name: str) -> None:
    for home in range(board_of(name).cells):
        board = board_of(name, home)
        for number, start in enumerate(states_of(board)):
            found = solved(board, start)
            assert found.length is not None
            assert found.length >= graph_of(board).distances[number]


@pytest.mark.parametrize(
    "name",
    ["sliding-2x9", "sliding-9x2", "sliding-3x3", "sliding-3x7", "sliding-7x3", "puzzle15",
     "puzzle24", "puzzle48", "sliding-4x11", "coiled15"],
)  # fmt: skip
def test_random_boards(name: str) -> None:
    board = puzzle(name)
    assert isinstance(board, Sliding)
    rng = np.random.default_rng(7)
    goals = [board.goal, *board.random_states(2, rng)]
    for goal in goals:
        other = board.with_goal(goal)
        for start in other.random_states(30, rng):
            solved(other, start)


def test_a_large_board() -> None:
    board = puzzle("sliding-20x18")
    assert isinstance(board, Sliding)
    found = solved(board, board.random_states(1, np.random.default_rng(1))[0])
    assert found.length is not None
    assert 10_000 < found.length < 50_000


def test_a_solved_board_needs_nothing() -> None:
    board = board_of("sliding-4x4", 5)
    assert solved(board, board.goal).moves == ()


def test_no_move_is_taken_back_at_once() -> None:
    board = puzzle("puzzle35")
    start = board.random_states(1, np.random.default_rng(2))[0]
    moves = solve("puzzle35", start, "rows").moves
    assert moves is not None
    assert all(board.inverses[a] != b for a, b in pairwise(moves))


def test_a_coil_that_keeps_the_parity_cannot_undo_an_exchange() -> None:
    coiled = Sliding(2, 3, coiled=True)
    start = np.array([2, 1, 3, 4, 5, 0])
    assert RowByRow()(coiled, start, None, Meter(Budget())).status is Outcome.UNSOLVABLE


def test_a_spent_budget() -> None:
    board = puzzle("sliding-20x18")
    start = board.random_states(1, np.random.default_rng(1))[0]
    found = RowByRow()(board, start, None, Meter(Budget(seconds=0)))
    assert (found.status, found.moves) == (Outcome.OUT_OF_TIME, None)


def test_only_sliding_boards() -> None:
    with pytest.raises(PuzzleError) as caught:
        RowByRow()(puzzle("cube2"), puzzle("cube2").goal, None, Meter(Budget()))
    assert str(caught.value) == "row by row is for sliding boards, not cube2"
    with pytest.raises(PuzzleError) as caught:
        solve("cube2", puzzle("cube2").goal, "rows")
    assert str(caught.value) == "cube2 is no sliding board"


def test_every_board_on_the_way_is_counted() -> None:
    board = puzzle("puzzle15")
    near = RowByRow()(board, board.apply(board.goal, [1]), None, Meter(Budget()))
    assert (near.length, near.generated) == (1, 1)
    for start in board.random_states(5, np.random.default_rng(3)):
        found = RowByRow()(board, start, None, Meter(Budget()))
        assert found.length is not None
        assert found.expanded == found.generated >= found.length


def test_time_is_looked_at_within_a_line() -> None:
    board = puzzle("sliding-3x90")
    start = board.random_states(1, np.random.default_rng(0))[0]
    found = RowByRow()(board, start, None, Meter(Budget(nodes=200)))
    assert found.status is Outcome.OUT_OF_TIME
    assert found.generated < 2000  # of many thousands; the first line alone has 90 tiles
