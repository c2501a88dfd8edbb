"""Lights Out by elimination: shortest against whole graphs, every size, every nullity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeward.heuristics.graph import distances
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.lightsout import LightsOut
from homeward.search import lights
from homeward.search.base import Budget, Meter, Outcome, Solution, replayed
from homeward.search.lights import Elimination, _equations
from homeward.solvers import solve

NULLITY = [0, 0, 0, 4, 2, 0, 0, 0, 8, 0, 6, 0, 0, 4, 0, 8, 2, 0, 16, 0, 0, 0, 14, 4]


def solved(board: LightsOut, start: np.ndarray, search: Elimination | None = None) -> Solution:
    found = (search or Elimination())(board, start, None, Meter(Budget()))
    return replayed(board, start, found)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_state_of_small_boards(size: int) -> None:
    board = LightsOut(size)
    graph = distances(board, use_cache=False)
    states = graph.ranking.unrank(np.arange(graph.states))
    picks = np.random.default_rng(0).permutation(graph.states)[:1500]
    for number in picks:
        found = solved(board, states[number])
        assert found.length == found.lower_bound == graph.distances[number]


def test_five_by_five() -> None:
    board = LightsOut(5)
    graph = distances(board, use_cache=False)
    numbers = np.random.default_rng(1).integers(graph.states, size=300)
    for start, number in zip(graph.ranking.unrank(numbers), numbers, strict=True):
        found = solved(board, start)
        assert (found.length, found.proof) == (graph.distances[number], "optimal")
    assert solved(board, graph.hardest[0]).length == 15


@pytest.mark.parametrize("size", range(1, 25))
def test_nullity(size: int) -> None:
    quiet = _equations(size).quiet
    assert len(quiet) == NULLITY[size - 1]
    board = LightsOut(size)
    for pattern in quiet:
        presses = [i for i in range(board.cells) if pattern >> i & 1]
        assert presses
        assert not (board.presses.numpy[presses].sum(0) % 2).any()


@pytest.mark.parametrize("size", [6, 9, 11, 16, 19, 23, 30, 33, 45])
def test_larger_boards(size: int) -> None:
    board = LightsOut(size)
    for start in board.random_states(2, np.random.default_rng(size)):
        found = solved(board, start)
        assert found.proof == "optimal"
        assert found.moves is not None
        assert list(found.moves) == sorted(set(found.moves))
        assert found.generated == 1 + 2 ** len(_equations(size).quiet)


def test_the_shortest_of_a_coset_by_hand() -> None:
    """On 4x4 every board has 16 solutions; the quiet patterns themselves have the empty one."""
    board = LightsOut(4)
    assert solved(board, board.goal).moves == ()
    presses = [0, 5, 6]
    start = board.apply(board.goal, presses)
    assert solved(board, start).moves == tuple(presses)


def test_another_goal() -> None:
    board = LightsOut(7)
    rng = np.random.default_rng(3)
    goal, start = board.random_states(2, rng)
    assert solved(board.with_goal(goal), start).proof == "optimal"
    assert solved(board.with_goal(goal), goal).moves == ()


def test_a_few_patterns_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Come near the shortest of 2^16 solutions soon, and the proof still finds it."""
    board = LightsOut(19)
    start = board.random_states(1, np.random.default_rng(0))[0]
    shortest = solved(board, start)
    monkeypatch.setattr(lights, "_MANY", 8)
    assert solved(board, start).length == shortest.length
    meter = Meter(Budget(nodes=100_000))
    short = Elimination()(board, start, None, meter)
    assert (short.status, short.proof) == (Outcome.OUT_OF_TIME, "none")
    assert shortest.length is not None
    assert short.length is not None
    assert shortest.length <= short.length <= shortest.length + 4


def test_a_spent_budget_leaves_the_best_so_far() -> None:
    board = LightsOut(39)  # 2^32 solutions
    start = board.random_states(1, np.random.default_rng(0))[0]
    found = Elimination()(board, start, None, Meter(Budget(seconds=0.3)))
    assert found.status is Outcome.OUT_OF_TIME
    assert (found.proof, replayed(board, start, found).status) == ("none", Outcome.SOLVED)
    assert found.seconds < 20
    assert found.lower_bound == -(-int(start.sum()) // 5)


def test_unsolvable_boards() -> None:
    board = LightsOut(4)
    start = np.zeros(16, dtype=np.uint8)
    start[0] = 1
    found = Elimination()(board, start, None, Meter(Budget()))
    assert (found.status, found.moves) == (Outcome.UNSOLVABLE, None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": "-2"}, "rounds must be at least 0, not -2"),
        ({"few": 1}, "lights has no setting 'few'; there are rounds"),
    ],
)
def test_bad_settings(settings: dict[str, object], message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        solve("lightsout3", "0" * 9, "lights", settings=settings)
    assert str(caught.value) == message


def test_only_lights_out() -> None:
    with pytest.raises(PuzzleError) as caught:
        solve("cube2", puzzle("cube2").goal, "lights")
    assert str(caught.value) == "cube2 is no Lights Out board"
    with pytest.raises(PuzzleError) as caught:
        Elimination()(puzzle("cube2"), puzzle("cube2").goal, None, Meter(Budget()))
    assert str(caught.value) == "elimination is for Lights Out, not cube2"


def test_public_boards(data_dir: Path) -> None:
    data = np.load(data_dir / "lightsout7.npz")
    board = LightsOut(7)
    solved(board, data["states"][0])
    found = [Elimination()(board, start, None, Meter(Budget())) for start in data["states"]]
    for one, moves in zip(found, data["optimal_moves"], strict=True):
        assert (one.moves, one.proof) == (tuple(moves[moves >= 0].tolist()), "optimal")
