"""IDA* with any heuristic, asked in batches: shortest where the estimate allows, and honest."""

from __future__ import annotations

import numpy as np
import pytest

from homeward.heuristics.graph import Graph, distances
from homeward.heuristics.patterns import MaxOf, PatternDatabase, SumOf
from homeward.heuristics.table import DistanceTable
from homeward.puzzles import PuzzleError, puzzle
from homeward.search.base import Budget, Meter, Outcome, replayed
from homeward.search.idastar import IDAStar
from homeward.solvers import solve

PYRAMINX = [[0, 8, 2], [12, 4, 22], [1, 5, 9]]


@pytest.fixture(scope="module")
def pyraminx() -> Graph:
    return distances(puzzle("pyraminx"), use_cache=False)


@pytest.fixture(scope="module")
def patterns() -> list[PatternDatabase]:
    return [PatternDatabase(puzzle("pyraminx"), cells, use_cache=False) for cells in PYRAMINX]


@pytest.mark.parametrize(("batch", "depth"), [(1, 6), (7, 8), (1000, 30)])
def test_shortest_with_pattern_databases(
    pyraminx: Graph, patterns: list[PatternDatabase], batch: int, depth: int
) -> None:
    made = puzzle("pyraminx")
    best = MaxOf(made, patterns)
    states = made.walks(5, depth, np.random.default_rng(1)).states[-1]
    exact = pyraminx.distances[pyraminx.ranking.rank(states)]
    for state, length in zip(states, exact, strict=True):
        found = replayed(made, state, IDAStar(batch=batch)(made, state, best, Meter(Budget())))
        assert (found.status, found.length) == (Outcome.SOLVED, length)
        assert (found.lower_bound, found.proof) == (length, "optimal")
        assert found.evaluated == found.generated + 1 > found.expanded > 0


def test_an_exact_estimate_opens_only_the_path(pyraminx: Graph) -> None:
    made = puzzle("pyraminx")
    table = DistanceTable(made, pyraminx)
    state = pyraminx.hardest[0]
    found = replayed(made, state, IDAStar(batch=1)(made, state, table, Meter(Budget())))
    assert (found.length, found.proof, found.expanded) == (11, "optimal", 11)


def test_boards_whose_moves_are_not_always_possible() -> None:
    board = puzzle("puzzle8")
    graph = distances(board, use_cache=False)

    class Short(DistanceTable):
        """Admissible, and wrong by up to three."""

        def values(self, states: np.ndarray) -> np.ndarray:
            return np.maximum(super().values(states) - 3, 0)

        def children(self, states: np.ndarray) -> np.ndarray:
            return np.maximum(super().children(states) - 3, 0)

    states = board.random_states(5, np.random.default_rng(0))
    for state in states:
        length = graph.distances[graph.ranking.rank(state[None])[0]]
        found = replayed(
            board, state, IDAStar()(board, state, Short(board, graph), Meter(Budget()))
        )
        assert (found.length, found.proof) == (length, "optimal")


def test_no_proof_without_admissibility(patterns: list[PatternDatabase], pyraminx: Graph) -> None:
    made = puzzle("pyraminx")
    both = SumOf(made, patterns)
    longer = 0
    for state in made.random_states(10, np.random.default_rng(2)):
        found = replayed(made, state, IDAStar()(made, state, both, Meter(Budget())))
        assert (found.status, found.lower_bound, found.proof) == (Outcome.SOLVED, 0, "none")
        assert found.length is not None
        longer += found.length > pyraminx.distances[pyraminx.ranking.rank(state[None])[0]]
    assert longer > 0


def test_a_solved_state_has_no_moves(patterns: list[PatternDatabase]) -> None:
    made = puzzle("pyraminx")
    found = IDAStar()(made, made.goal, patterns[0], Meter(Budget()))
    assert (found.moves, found.proof) == ((), "optimal")


def test_a_spent_budget_leaves_a_lower_bound(patterns: list[PatternDatabase]) -> None:
    made = puzzle("pyraminx")
    hard = distances(made, use_cache=False).hardest[0]
    found = IDAStar()(made, hard, patterns[0], Meter(Budget(nodes=2000)))
    assert (found.status, found.moves, found.proof) == (Outcome.OUT_OF_TIME, None, "none")
    assert patterns[0].values(hard[None])[0] <= found.lower_bound <= 11
    cancelled = Meter(Budget())
    cancelled.cancel()
    assert IDAStar()(made, hard, patterns[0], cancelled).status is Outcome.CANCELLED


def test_bad_settings() -> None:
    with pytest.raises(PuzzleError) as caught:
        IDAStar(batch=0)
    assert str(caught.value) == "threads must be at least 0 and batch at least 1"
    made = puzzle("pyraminx")
    with pytest.raises(PuzzleError) as caught:
        IDAStar()(made, made.goal, None, Meter(Budget()))
    assert str(caught.value) == "IDA* needs a heuristic"


def test_a_solution_that_is_found_as_the_budget_ends_is_kept() -> None:
    board = puzzle("puzzle8")
    start = board.random_states(1, np.random.default_rng(3))[0]
    whole = solve(board, start, "ida-light")
    found = solve(board, start, "ida-light", nodes=whole.generated - 1)
    assert (found.length, found.proof) == (whole.length, "optimal")
