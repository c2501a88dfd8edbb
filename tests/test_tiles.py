"""Estimates of sliding boards: exact small values, and attempts to refute that they hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeward.heuristics.base import Heuristic
from homeward.heuristics.tiles.board import BoardHeuristic
from homeward.heuristics.tiles.conflicts import LinearConflicts
from homeward.heuristics.tiles.manhattan import Manhattan, steps_between, steps_home
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.sliding import Sliding
from tiles_tools import board_of, refute

BOARDS = ["sliding-2x2", "sliding-2x3", "sliding-3x2", "sliding-2x4", "sliding-3x3", "sliding-2x5"]


@pytest.mark.parametrize("kind", [Manhattan, LinearConflicts])
@pytest.mark.parametrize("name", BOARDS)
def test_no_estimate_of_a_whole_graph_is_too_large(name: str, kind: type[BoardHeuristic]) -> None:
    refute(kind(board_of(name)))


@pytest.mark.parametrize("kind", [Manhattan, LinearConflicts])
def test_nor_with_the_blank_at_home_elsewhere(kind: type[BoardHeuristic]) -> None:
    for name in ("sliding-2x3", "sliding-3x2", "sliding-2x4"):
        for home in range(board_of(name).cells):
            refute(kind(board_of(name, home)))
    for home in (0, 4, 5):
        refute(kind(board_of("sliding-3x3", home)))


def test_conflicts_tell_more_than_manhattan() -> None:
    board = board_of("sliding-3x3")
    assert round(refute(Manhattan(board)), 4) == 7.9724
    assert round(refute(LinearConflicts(board)), 4) == 6.8534


@pytest.mark.parametrize("home", [None, 0, 5])
def test_manhattan_on_a_coiled_board(home: int | None) -> None:
    coiled = Sliding(2, 4, coiled=True)
    assert steps_between(coiled)[0].tolist() == [0, 1, 2, 2, 1, 2, 2, 1]
    if home is not None:
        rng = np.random.default_rng(home)
        coiled = coiled.with_goal(coiled.walks(1, 9, rng).states[-1, 0])
    estimate = Manhattan(coiled)
    known = {coiled.goal.tobytes(): 0}
    level = coiled.goal[None]
    for depth in range(1, 100):
        children = coiled.expand(level)[coiled.legal(level)]
        fresh = {row.tobytes(): row for row in children if row.tobytes() not in known}
        if not fresh:
            break
        level = np.array(list(fresh.values()))
        known |= dict.fromkeys(fresh, depth)
        assert (estimate.values(level) <= depth).all()
    assert len(known) == 40320


@pytest.mark.parametrize("name", ["puzzle15", "sliding-3x5", "coiled15", "sliding-20x20"])
def test_one_board_needs_no_table(name: str) -> None:
    goal, *boards = puzzle(name).random_states(6, np.random.default_rng(0))
    for board in (puzzle(name), puzzle(name).with_goal(goal)):
        assert isinstance(board, Sliding)
        found = [steps_home(board, one) for one in boards]
        assert found == Manhattan(board).values(np.array(boards)).tolist()
        assert steps_home(board, board.goal) == 0


def test_conflicts_are_refused_on_a_coiled_board() -> None:
    with pytest.raises(PuzzleError) as caught:
        LinearConflicts(puzzle("coiled15"))
    assert str(caught.value) == "coiled15: linear conflicts do not hold on a coiled board"


def test_only_sliding_boards() -> None:
    with pytest.raises(PuzzleError) as caught:
        Manhattan(puzzle("cube2"))
    assert str(caught.value) == "manhattan is for sliding boards, not cube2"


@pytest.mark.parametrize(
    ("board", "manhattan", "conflicts"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0], 0, 0),
        ([2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14, 0], 4, 8),
        ([4, 3, 2, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0], 8, 14),
        ([13, 2, 3, 4, 9, 6, 7, 8, 5, 10, 11, 12, 1, 14, 15, 0], 8, 14),
        ([0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1], 58, 58),
    ],
)
def test_known_values(board: list[int], manhattan: int, conflicts: int) -> None:
    states = np.array([board])
    assert Manhattan(puzzle("puzzle15")).values(states).tolist() == [manhattan]
    assert LinearConflicts(puzzle("puzzle15")).values(states).tolist() == [conflicts]


def test_lines_too_long_for_a_table_count_alike() -> None:
    """The first two rows turned round: what a 9-wide board has in them must leave them."""
    board = puzzle("sliding-4x9")
    state = board.goal.copy()
    state[:9], state[9:18] = state[8::-1].copy(), state[17:8:-1].copy()
    more = LinearConflicts(board).estimate(state[None]) - Manhattan(board).estimate(state[None])
    assert more.tolist() == [2 * 8 * 2]


@pytest.mark.parametrize("kind", [Manhattan, LinearConflicts])
@pytest.mark.parametrize("name", ["puzzle15", "sliding-3x5", "sliding-17x17"])
def test_children_are_estimates_of_the_children(name: str, kind: type[BoardHeuristic]) -> None:
    board = puzzle(name)
    heuristic = kind(board)
    assert isinstance(heuristic, Heuristic)
    states = board.walks(50, 30, np.random.default_rng(1)).states[-1]
    found = heuristic.children(heuristic.place(states))
    legal = board.legal(states)
    assert found.dtype == np.float32
    assert np.isinf(found[~legal]).all()
    children = board.expand(states)[legal]
    assert found[legal].tolist() == heuristic.values(children).tolist()


def test_tensors_are_answered_with_tensors() -> None:
    torch = pytest.importorskip("torch")
    board = puzzle("puzzle15")
    states = board.random_states(20, np.random.default_rng(2))
    heuristic = LinearConflicts(board)
    for ask in (heuristic.values, heuristic.children):
        found = ask(torch.as_tensor(states))
        assert found.dtype == torch.float32
        assert np.array_equal(found.numpy(), ask(states))


def test_public_boards(data_dir: Path) -> None:
    for name in ("puzzle15", "puzzle15_korf100", "puzzle15_hard17", "puzzle24"):
        data = np.load(data_dir / f"{name}.npz")
        board = puzzle(name.split("_")[0])
        for kind in (Manhattan, LinearConflicts):
            found = kind(board).values(data["states"])
            assert (found <= data["optimal_length"]).all()
            assert ((data["optimal_length"] - found) % 2 == 0).all()
