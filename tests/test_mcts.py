"""Monte Carlo tree search: small trees by hand, and puzzles with a table, exact and noisy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from estimates import ESTIMATES, estimate, random_starts, searched
from homeward import PuzzleError, State
from homeward.heuristics.function import FunctionHeuristic
from homeward.heuristics.graph import distances
from homeward.heuristics.table import DistanceTable
from homeward.puzzles import puzzle
from homeward.search.base import Budget, Meter, Outcome
from homeward.search.blind import BreadthFirst
from homeward.search.hashing import StateSet
from homeward.search.mcts import MCTS, Policy, _Tree, shortest_within
from homeward.search.zobrist import hasher
from test_blind import one_way

STUCK = "######\n#$   #\n#@ . #\n######"


@pytest.fixture(scope="module")
def tables() -> dict[str, DistanceTable]:
    made = {name: puzzle(name) for name in ("puzzle8", "cube2")}
    return {name: DistanceTable(p, distances(p, use_cache=False)) for name, p in made.items()}


class Noisy(FunctionHeuristic):
    """A table with an error of up to `most` moves, the same one for a state each time."""

    def __init__(self, table: DistanceTable, most: float) -> None:
        hashed = hasher(table.puzzle)

        def noisy(states: Any) -> Any:
            exact = table.values(states)
            error = (hashed(states) >> 20) % 2001 / 1000 - 1
            return exact + most * error * np.minimum(exact / 4, 1)

        super().__init__(table.puzzle, noisy)


class WithPolicy(FunctionHeuristic):
    """An estimate that has an opinion of its own on what to do first."""

    def policy(self, states: Any) -> Any:
        # Whatever it is asked, half the weight on the last move and nothing on the first.
        row = np.full(self.puzzle.moves, 0.5 / (self.puzzle.moves - 2))
        row[0], row[-1] = 0, 0.5
        return np.tile(row, (len(states), 1))


# --- solutions


@pytest.mark.parametrize("name", ["puzzle8", "cube2"])
@pytest.mark.parametrize("path", ["bfs", "naive"])
def test_a_table_leads_straight_home(
    name: str, path: str, tables: dict[str, DistanceTable]
) -> None:
    made, table = puzzle(name), tables[name]
    for start in made.random_states(10, np.random.default_rng(0)):
        found = searched(MCTS(c=0.1, path=path, batch=1), made, start, table)
        assert (found.length, found.proof) == (int(table.values(start[None])[0]), "optimal")
        # One state is added for each move, and the last one is home.
        assert found.expanded == found.evaluated == found.length
        assert found.reopened == 0


@pytest.mark.parametrize(("name", "slack"), [("puzzle8", 1.5), ("cube2", 2.5)])
def test_noise_is_overcome(name: str, slack: float, tables: dict[str, DistanceTable]) -> None:
    made, noisy = puzzle(name), Noisy(tables[name], 3)
    starts = made.random_states(20, np.random.default_rng(1))
    exact = float(tables[name].values(starts).mean())
    lengths = {
        path: [searched(MCTS(path=path), made, start, noisy).length or 0 for start in starts]
        for path in ("bfs", "naive")
    }
    assert exact <= np.mean(lengths["bfs"]) < exact + slack
    # The tree is the same; a search through it never makes the path longer.
    assert np.mean(lengths["bfs"]) < np.mean(lengths["naive"])
    assert all(b <= n for b, n in zip(lengths["bfs"], lengths["naive"], strict=True))


@pytest.mark.parametrize("name", ["sokoban-6x6", "pancake", "lightsout4"])
def test_any_puzzle_any_estimate(name: str) -> None:
    made = puzzle(name)
    for start in random_starts(name, 10, 5, 5):
        found = searched(MCTS(batch=8), made, start, estimate(name), Budget(seconds=10))
        assert found.status is Outcome.SOLVED
        shortest = searched(BreadthFirst(), made, start, None).length
        assert found.lower_bound <= shortest <= found.length


def test_tensors_do_as_well() -> None:
    torch = pytest.importorskip("torch")
    board, function = puzzle("puzzle8"), ESTIMATES["puzzle8"]
    start = board.random_states(1, np.random.default_rng(0))[0]
    on_tensors = FunctionHeuristic(board, function, device="cpu")
    assert isinstance(on_tensors.place(start[None]), torch.Tensor)
    one, other = (
        searched(MCTS(), board, start, h) for h in (FunctionHeuristic(board, function), on_tensors)
    )
    assert (one.moves, one.expanded) == (other.moves, other.expanded)


def test_every_simulation_of_a_batch_finds_a_place_of_its_own() -> None:
    cube = puzzle("cube3")
    flat = FunctionHeuristic(cube, lambda states: states[:, 0] * 0 + 20)
    start = cube.random_states(1, np.random.default_rng(0))[0]
    tree = _Tree(MCTS(batch=12, nu=1.0), cube, flat, Meter(Budget()))
    tree.plant(start[None])
    tree.grow()
    # The virtual loss sends the twelve simulations through the twelve moves of the root.
    assert tree.visits.all[0].tolist() == [1] * 12
    assert tree.children.all[0].tolist() == list(range(1, 13))
    assert tree.waiting.all.sum() == 0


# --- the tree, by hand


def line_tree(batch: int, **settings: Any) -> _Tree:
    """A tree over a line of ten cells whose distances are known, from cell 2."""
    line = one_way(10)
    left = FunctionHeuristic(line, lambda states: 9.0 - states[:, 0])
    tree = _Tree(MCTS(batch=batch, **settings), line, left, Meter(Budget()))
    tree.plant(np.array([[2]], dtype=np.uint8))
    return tree


def test_the_tree_keeps_the_best_value_and_counts_visits() -> None:
    tree = line_tree(1)
    assert tree.from_home == 7
    for step in range(1, 7):
        assert tree.grow() is None
        # Every edge on the way has been visited once more, and knows of the nearest state.
        assert tree.visits.all[:, 0].tolist() == [*range(step, 0, -1), 0]
        assert tree.best.all[:, 0].tolist() == [*[step] * step, 0]
        assert tree.waiting.all.tolist() == [[0]] * (step + 1)
    assert tree.grow() == [0] * 7


def test_simulations_that_meet_are_all_counted() -> None:
    tree = line_tree(3)
    tree.grow()
    assert len(tree.seen) == 2
    assert tree.visits.all[:, 0].tolist() == [3, 0]
    assert tree.best.all[:, 0].tolist() == [1, 0]


def test_priors_and_values_of_a_heuristic() -> None:
    board = puzzle("puzzle8")
    tree = _Tree(MCTS(), board, estimate("puzzle8"), Meter(Budget()))
    rows = np.array([[1, 2, 3, 4, 5, 6, 7, 0, 8]], dtype=np.uint8)
    prior, home, legal = tree._evaluate(rows)
    # The children by D, L, R are 2, 0 and 2 moves away by the estimate; U is impossible.
    total = 1 + 2 * math.exp(-2)
    expected = [0, math.exp(-2) / total, 1 / total, math.exp(-2) / total]
    assert prior[0].tolist() == pytest.approx(expected)
    assert (home.tolist(), legal.tolist()) == ([1], [[False, True, True, True]])
    with_policy = WithPolicy(board, ESTIMATES["puzzle8"])
    assert isinstance(with_policy, Policy)
    assert not isinstance(estimate("puzzle8"), Policy)
    prior, home, legal = _Tree(MCTS(), board, with_policy, Meter(Budget()))._evaluate(rows)
    assert prior[0].tolist() == [0, 0.25, 0.25, 0.5]
    assert home.tolist() == [1]


def test_the_policy_decides_what_comes_first() -> None:
    board = puzzle("puzzle8")
    start = np.array([1, 2, 3, 4, 0, 6, 7, 5, 8], dtype=np.uint8)
    heuristic = WithPolicy(board, ESTIMATES["puzzle8"])
    tree = _Tree(MCTS(batch=1), board, heuristic, Meter(Budget()))
    tree.plant(start[None])
    tree.grow()
    assert tree.visits.all[0].tolist() == [0, 0, 0, 1]


def test_a_move_to_a_state_already_there_is_closed() -> None:
    # Presses commute: most pairs of them meet a state that is in the tree.
    lamps = puzzle("lightsout2")
    start = np.array([1, 0, 0, 0], dtype=np.uint8)
    far = FunctionHeuristic(lamps, lambda states: states[:, 0] * 0 + 9)
    tree = _Tree(MCTS(batch=1), lamps, far, Meter(Budget()))
    tree.plant(start[None])
    while tree.grow() is None:
        pass
    # All of the tree but its root hangs in one place, and other ways to it are closed.
    children = tree.children.all
    assert sorted(children[children >= 0].tolist()) == list(range(1, len(tree.seen)))
    assert (tree.closed.all & (children < 0)).sum() > len(tree.seen)


# --- the shortest path through a tree


def test_detours_are_cut_short() -> None:
    cube = puzzle("cube3")
    start = cube.apply(cube.goal, [0, 2])
    # Home with a detour: three times the same turn for its inverse, and a move taken back.
    back = cube.inverses
    detour = [4, int(back[4]), 2, 2, 2, int(back[0])]
    assert cube.is_solved(cube.apply(start, detour)[None])[0]
    states = [start]
    for move in detour[:-1]:
        states.append(cube.step(states[-1][None], move)[0])
    tree = StateSet(cube)
    tree.add(np.array(states))
    found = shortest_within(cube, tree, detour, Meter(Budget()))
    assert found == [int(back[2]), int(back[0])]
    # Without time for it the path stays as it is.
    assert shortest_within(cube, tree, detour, Meter(Budget(nodes=-1))) == detour


# --- how it can end


def test_a_solved_state_needs_no_moves() -> None:
    cube = puzzle("cube2")
    found = searched(MCTS(), cube, cube.goal, estimate("cube2"))
    assert (found.status, found.moves, found.expanded) == (Outcome.SOLVED, (), 0)


def test_a_space_searched_in_vain_is_unsolvable() -> None:
    level = State.read("sokoban", STUCK)
    zero = FunctionHeuristic(level.puzzle, lambda states: states[:, 0] * 0, admissible=True)
    found = searched(MCTS(batch=4), level.puzzle, level.cells, zero)
    assert (found.status, found.moves, found.expanded) == (Outcome.UNSOLVABLE, None, 7)


def test_dead_ends_are_left() -> None:
    # The end of the line is no goal, and nothing leads on from there.
    line = one_way(9)
    line.goals_table = type(line.goals_table)(np.array([[3]], dtype=np.uint8))
    near = FunctionHeuristic(line, lambda states: 1.0 * states[:, 0])
    found = searched(MCTS(batch=2), line, [5], near)
    assert (found.status, found.expanded) == (Outcome.UNSOLVABLE, 4)


@pytest.mark.parametrize(
    ("budget", "status"),
    [
        (Budget(seconds=0.2), Outcome.OUT_OF_TIME),
        (Budget(nodes=5000), Outcome.OUT_OF_TIME),
        (Budget(bytes=1_000_000), Outcome.OUT_OF_MEMORY),
    ],
)
def test_budgets_end_a_search(budget: Budget, status: Outcome) -> None:
    cube = puzzle("cube3")
    start = cube.random_states(1, np.random.default_rng(0))[0]
    lost = FunctionHeuristic(cube, lambda states: states[:, 0] * 0 + 20)
    found = searched(MCTS(), cube, start, lost, budget)
    assert (found.status, found.moves, found.lower_bound) == (status, None, 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"c": -1.0}, "c must be at least 0, not -1"),
        ({"nu": math.inf}, "nu must be at least 0, not inf"),
        ({"batch": 0}, "batch must be at least 1, not 0"),
        ({"path": "short"}, "path must be bfs or naive, not 'short'"),
    ],
)
def test_senseless_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        MCTS(**settings)
    assert str(caught.value) == message


def test_a_heuristic_is_needed() -> None:
    cube = puzzle("cube2")
    start = cube.step(cube.goal[None], 0)[0]
    with pytest.raises(PuzzleError, match=r"^Monte Carlo tree search needs a heuristic$"):
        searched(MCTS(), cube, start, None)
