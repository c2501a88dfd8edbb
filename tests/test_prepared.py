"""Solvers whose tables take longer than there is time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeward import solvers
from homeward.puzzles import puzzle
from homeward.search.base import Budget, Meter, Outcome, Progress


@pytest.fixture(autouse=True)
def _no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path))


def test_auto_solves_a_board_before_its_databases_can_be_made() -> None:
    board = puzzle("puzzle15")
    start = board.random_states(1, np.random.default_rng(5))[0]
    late: list[bool] = []

    def tell(progress: Progress) -> None:
        if progress.doing.startswith("making pattern databases") and not late:
            late.append(True)
            slow.started -= 97  # as if they had taken so long

    prepared = solvers.prepare(board)
    assert prepared.solver.name == "ida-light"
    slow = Meter(Budget(seconds=100), tell)
    for meter in (slow, Meter(Budget(bytes=10_000_000))):
        found = prepared.solve(start, meter)
        assert (found.status, found.proof) == (Outcome.SOLVED, "none")
        assert found.length is not None
        assert 30 < found.lower_bound < found.length
    assert late
    assert prepared.solve(start, Meter(Budget())).proof == "optimal"


def test_a_proof_has_a_solution_before_it_has_tables() -> None:
    board = puzzle("puzzle24")
    start = board.random_states(1, np.random.default_rng(5))[0]
    doing: list[str] = []

    def tell(progress: Progress) -> None:
        doing.append(progress.doing)
        if progress.doing.startswith("making pattern databases"):
            meter.cancel()

    meter = Meter(Budget(), tell)
    found = solvers.prepare(board, "optimal").solve(start, meter)
    assert any(what.startswith("making pattern databases") for what in doing)
    assert (found.status, found.proof) == (Outcome.SOLVED, "none")
    assert found.length is not None
    assert 0 < found.lower_bound < found.length


def test_a_state_near_home_needs_no_tables() -> None:
    board = puzzle("puzzle24")
    start = board.walks(1, 5, np.random.default_rng(0)).states[-1, 0]
    prepared = solvers.prepare(board, "optimal")
    found = prepared.solve(start, Meter(Budget()))
    assert (found.length, found.proof) == (5, "optimal")
    assert prepared.heuristic is None


def test_what_is_not_solved_is_a_move_away_at_least() -> None:
    cube = puzzle("cube3-htm")
    start = cube.random_states(1, np.random.default_rng(0))[0]
    assert solvers.solve(cube, start, "twophase").lower_bound >= 1
    assert solvers.solve(cube, start, "bfs", seconds=0).lower_bound == 1
    assert solvers.solve(cube, cube.goal).lower_bound == 0
