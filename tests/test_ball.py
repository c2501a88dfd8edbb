"""The ball around the goals: exact distances, made within budgets."""

from __future__ import annotations

import numpy as np
import pytest

from homeward.heuristics.function import FunctionHeuristic
from homeward.heuristics.graph import distances
from homeward.heuristics.table import DistanceTable
from homeward.notation import State
from homeward.puzzles import puzzle
from homeward.search.ball import Ball, ball
from homeward.search.base import Budget, Interrupted, Meter, Outcome
from homeward.search.beam import Beam
from homeward.search.zobrist import Hasher, hasher, held_hasher
from homeward.solvers import solve

torch = pytest.importorskip("torch")

ROOM = "######|# @  #|# $. #|# $. #|#    #|######"


@pytest.mark.parametrize("name", ["cube2", "puzzle8", "lightsout4", "pyraminx"])
def test_the_ball_knows_exact_distances(name: str) -> None:
    p = puzzle(name)
    table = DistanceTable(p, distances(p))
    known = Ball(p, 500)
    assert 100 < len(known) <= 500
    states = p.walks(200, 20, np.random.default_rng(6)).states.reshape(-1, p.cells)
    true = table.values(states)
    found = known.distances(hasher(p)(states))
    np.testing.assert_array_equal(found, np.where(true <= known.radius, true, -1))
    near = np.flatnonzero(true <= known.radius)[:50]
    for state, distance in zip(states[near], true[near], strict=True):
        way = known.way_home(state)
        assert way is not None
        assert len(way) == distance


def test_a_ball_is_made_within_its_budget() -> None:
    cube = puzzle("cube5")  # whose ball no other test makes
    for budget, status in (
        (Budget(seconds=0), Outcome.OUT_OF_TIME),
        (Budget(bytes=10_000), Outcome.OUT_OF_MEMORY),
    ):
        with pytest.raises(Interrupted) as stopped:
            ball(cube, cube.goal, 3000, Meter(budget))
        assert stopped.value.status is status
    meter = Meter(Budget())
    made = ball(cube, cube.goal, 3000, meter)
    assert made.radius == 2
    assert ball(cube, cube.goal, 3000, Meter(Budget(seconds=0))) is made  # it is kept
    assert meter.progress.generated == 0  # as a part of no search


def test_a_ball_around_goals_of_its_own_is_counted() -> None:
    board = State.read("sokoban", ROOM)
    meter = Meter(Budget())
    known = ball(board.puzzle, board.cells, 5000, meter)
    assert meter.progress.expanded >= len(known) / 4
    assert meter.progress.generated >= len(known)
    level = FunctionHeuristic(board.puzzle, lambda states: np.zeros(len(states)))
    found = Beam()(board.puzzle, board.cells, level, Meter(Budget()))
    assert (found.proof, found.evaluated) == ("optimal", 0)
    assert found.generated > found.expanded > 0
    stopped = Beam()(board.puzzle, board.cells, level, Meter(Budget(seconds=0)))
    assert (stopped.status, stopped.moves) == (Outcome.OUT_OF_TIME, None)


def test_boards_of_many_cells_are_looked_at_in_little_memory() -> None:
    board = puzzle("sliding-60x60")
    known = Ball(board, 100_000)
    assert known.radius >= 3
    assert len(known) * board.cells * board.goal.itemsize < 1 << 26
    start = board.apply(board.goal, [1, 3, 1])
    found = solve(board, start, memory=400_000_000)
    assert (found.length, found.proof) == (3, "optimal")


def test_hashes_of_large_boards_are_products() -> None:
    cells = 3000
    made = Hasher(cells, cells)
    rng = np.random.default_rng(0)
    states = np.stack([rng.permutation(cells) for _ in range(20)]).astype(np.uint16)
    swapped = np.repeat(states[:1], 500, 0)  # every two cells of them exchanged
    for row, (a, b) in zip(swapped, rng.choice(cells, (500, 2)), strict=True):
        row[[a, b]] = row[[b, a]]
    both = np.concatenate([states, swapped])
    keys = made(both)
    different = {row.tobytes() for row in both}
    assert len(set(keys.tolist())) == len(different)
    on_torch = made(torch.as_tensor(both.astype(np.int32)))
    np.testing.assert_array_equal(on_torch.numpy(), keys)
    large = puzzle("sliding-60x60")
    assert held_hasher(large) is hasher(large)  # a mirror's tables would be as large
