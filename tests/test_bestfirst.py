"""Best-first search against breadth-first search, a textbook A*, and known trees."""

from __future__ import annotations

import heapq
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from estimates import ESTIMATES, estimate, manhattan, part_of, random_starts, searched
from homeward import PuzzleError, State, solve, solvers
from homeward.heuristics.function import FunctionHeuristic
from homeward.puzzles import PermutationPuzzle, puzzle
from homeward.puzzles.base import Puzzle
from homeward.search.base import Budget, Meter, Outcome, Progress
from homeward.search.bestfirst import BestFirst
from homeward.search.blind import BreadthFirst
from homeward.search.mcts import MCTS
from test_blind import one_way

torch = pytest.importorskip("torch")

DEPTHS = {
    "puzzle8": 18,
    "sliding-2x4": 24,
    "lightsout4": 6,
    "pancake": 7,
    "cube2": 6,
    "sokoban-6x6": 0,
}
HARDEST = [8, 6, 7, 2, 5, 4, 3, 0, 1]  # of the 8-puzzle, 31 moves
STUCK = "######\n#$   #\n#@ . #\n######"


def zero(made: Puzzle, device: str | None = None) -> FunctionHeuristic:
    """Knows nothing: the distance of every state is at least 0."""
    return FunctionHeuristic(made, lambda states: states[:, 0] * 0, True, device)


def counters(found: Any) -> tuple[int, int, int, int]:
    return found.expanded, found.generated, found.evaluated, found.reopened


# --- shortest


@pytest.mark.parametrize("name", list(DEPTHS))
def test_astar_is_as_short_as_breadth_first(name: str) -> None:
    made, heuristic = puzzle(name), estimate(name)
    for start in random_starts(name, 100, 1, DEPTHS[name]):
        shortest = searched(BreadthFirst(), made, start, None).length
        for search in (BestFirst(), BestFirst(batch=100)):
            found = searched(search, made, start, heuristic)
            assert (found.length, found.lower_bound) == (shortest, shortest)
            assert found.proof == "optimal"


@pytest.mark.parametrize("name", ["puzzle8", "cube2", "sokoban-6x6"])
@pytest.mark.parametrize("search", [BestFirst(), BestFirst(0.7, 30), BestFirst(0.4, 50, True)])
def test_arrays_and_tensors_go_the_same_way(name: str, search: BestFirst) -> None:
    made = puzzle(name)
    for start in random_starts(name, 6, 2, min(DEPTHS[name], 14)):
        one, other = (searched(search, made, start, estimate(name, d)) for d in (None, "cpu"))
        assert one.moves == other.moves
        assert counters(one) == counters(other)
        assert one.lower_bound == other.lower_bound


@pytest.mark.parametrize(("batch", "again"), [(1, 79), (50, 11)])
def test_states_are_reopened_where_estimates_mislead(batch: int, again: int) -> None:
    board = puzzle("puzzle8")
    patchy = FunctionHeuristic(board, part_of(ESTIMATES["puzzle8"], board), admissible=True)
    reopened = 0
    for start in random_starts("puzzle8", 20, 3, 24):
        found = searched(BestFirst(batch=batch), board, start, patchy)
        assert found.length == searched(BreadthFirst(), board, start, None).length
        assert found.proof == "optimal"
        reopened += found.reopened
    assert reopened == again


def test_improving_ends_at_the_shortest_too() -> None:
    board, heuristic = puzzle("puzzle8"), estimate("puzzle8")
    longer = 0
    for start in board.random_states(5, np.random.default_rng(5)):
        first = searched(BestFirst(0.2, 20), board, start, heuristic)
        best = searched(BestFirst(0.2, 20, improve=True), board, start, heuristic)
        assert best.length == searched(BreadthFirst(), board, start, None).length
        assert best.proof == "optimal"
        assert first.lower_bound <= best.lower_bound
        longer += (first.length or 0) - (best.length or 0)
    assert longer > 10


def test_improving_with_estimates_that_may_be_too_large_claims_nothing() -> None:
    board = puzzle("puzzle8")
    more = FunctionHeuristic(board, lambda states: 1.2 * ESTIMATES["puzzle8"](states))
    first = searched(BestFirst(0.2, 5), board, HARDEST, more)
    best = searched(BestFirst(0.2, 5, improve=True), board, HARDEST, more)
    assert (first.lower_bound, best.lower_bound, best.proof) == (1, 1, "none")
    assert first.length is not None
    assert best.length is not None
    assert 31 <= best.length < first.length


def test_smaller_weights_are_quicker_and_longer() -> None:
    board, heuristic = puzzle("puzzle8"), estimate("puzzle8")
    starts = random_starts("puzzle8", 20, 6, 40)
    lengths, expanded = [], []
    for weight in (0.3, 0.7, 1.0):
        found = [searched(BestFirst(weight, 4), board, start, heuristic) for start in starts]
        lengths.append(sum(f.length for f in found if f.length is not None))
        expanded.append(sum(f.expanded for f in found))
    assert lengths == sorted(lengths, reverse=True)
    assert expanded == sorted(expanded)
    assert lengths[0] > lengths[-1]


# --- the tree


def textbook(
    made: Puzzle, start: Any, heuristic: Any, weight: float, reopen: bool
) -> tuple[int, ...]:
    """Length and counters of best-first search, one state at a time, from a heap.

    Of equal sums the deeper entry comes first, then the one whose parent was met first.
    """
    states, depths, known = [start[None]], [0], {start.tobytes(): 0}
    arrived, expanded, generated, reopened = [-1], 0, 0, 0
    heap: list[tuple[float, int, int, int]] = []

    def expand(node: int) -> None:
        nonlocal expanded, generated
        expanded += 1
        depth = depths[node] + 1
        for move, score in enumerate(heuristic.children(states[node])[0].tolist()):
            generated += score < math.inf
            back = made.reversible and arrived[node] >= 0 and move == made.inverses[arrived[node]]
            if score < math.inf and not back:
                heapq.heappush(heap, (weight * depth + score, -depth, node, move))

    expand(0)
    while heap:
        _, _, parent, move = heapq.heappop(heap)
        child, depth = made.step(states[parent], move), depths[parent] + 1
        node = known.setdefault(child.tobytes(), len(states))
        if node < len(states) and depths[node] <= depth:
            continue
        if node < len(states):
            depths[node], arrived[node] = depth, move
            reopened += reopen
            if not reopen:
                continue
        else:
            states.append(child)
            depths.append(depth)
            arrived.append(move)
        if made.is_solved(child)[0]:
            return depth, expanded, generated, expanded, reopened
        expand(node)
    return -1, expanded, generated, expanded, reopened


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("name", ["puzzle8", "pancake", "lightsout4", "sokoban-6x6"])
def test_every_state_is_expanded_as_in_a_textbook(name: str, weight: float) -> None:
    made = puzzle(name)
    # On the half of all states that an inconsistent estimate calls solved, greed goes astray.
    function = part_of(ESTIMATES[name], made) if weight else ESTIMATES[name]
    heuristic = FunctionHeuristic(made, function)
    for start in random_starts(name, 10, 4, min(2 * DEPTHS[name] // 3, 14)):
        if made.is_solved(start[None])[0]:
            continue
        found = searched(BestFirst(weight, reopen=weight > 0), made, start, heuristic)
        expected = textbook(made, start, heuristic, weight, weight > 0)
        assert (found.length, *counters(found)) == expected


@pytest.mark.parametrize(
    ("name", "moves", "search", "length", "tree"),
    [
        # A perfect path: two states are expanded, of which one has three moves and one two.
        ("puzzle8", [3, 3], BestFirst(), 2, (2, 5, 2, 0)),
        ("puzzle8", [3, 3, 1, 2, 1, 3, 0, 2, 2, 0], BestFirst(), 10, (13, 36, 13, 0)),
        ("puzzle8", [3, 3, 1, 2, 1, 3, 0, 2, 2, 0], BestFirst(0.0), 10, (17, 49, 17, 0)),
        # The gaps of pancakes are often exact.
        ("pancake", [8, 3, 5], BestFirst(), 3, (3, 27, 3, 0)),
        ("lightsout4", [0, 5, 10], BestFirst(), 3, (18, 288, 18, 0)),
        # Batches that take everything are breadth-first: 1 + 6 + 27 + 120 states, less the goal.
        ("cube2", [0, 2, 4], BestFirst(batch=1000), 3, (153, 918, 153, 0)),
    ],
)
def test_known_trees(
    name: str, moves: list[int], search: BestFirst, length: int, tree: tuple[int, ...]
) -> None:
    made = puzzle(name)
    start = made.apply(made.goal, moves)
    found = searched(search, made, start, estimate(name))
    assert (found.length, counters(found)) == (length, tree)


def test_a_batch_keeps_the_shorter_of_two_paths() -> None:
    # From the start one wrong step costs two moves; batches of everything meet it both ways.
    board = puzzle("sliding-2x3")
    heuristic = zero(board)
    for start in board.random_states(20, np.random.default_rng(0)):
        found = searched(BestFirst(batch=10**6), board, start, heuristic)
        assert found.length == searched(BreadthFirst(), board, start, None).length
        # Level by level no state is met again by a shorter path.
        assert found.reopened == 0


# --- how it can end


@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_solved_state_needs_no_moves(device: str | None) -> None:
    cube = puzzle("cube2")
    found = searched(BestFirst(), cube, cube.goal, zero(cube, device))
    assert (found.status, found.moves, found.proof) == (Outcome.SOLVED, (), "optimal")
    assert counters(found) == (0, 0, 0, 0)


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_a_space_searched_in_vain_is_unsolvable(weight: float) -> None:
    level = State.read("sokoban", STUCK)
    search = BestFirst(weight, 3, reopen=weight > 0)
    found = searched(search, level.puzzle, level.cells, zero(level.puzzle))
    # The agent may stand on any of the other seven cells; the box cannot be moved.
    assert (found.status, found.moves, found.expanded) == (Outcome.UNSOLVABLE, None, 7)
    three = PermutationPuzzle("three", ["a", "a'"], np.array([[1, 2, 0], [2, 0, 1]]), [[0, 1, 2]])
    found = searched(search, three, [1, 0, 2], zero(three))
    assert (found.status, found.expanded) == (Outcome.UNSOLVABLE, 3)


def test_one_way_moves() -> None:
    line = one_way(60)
    found = searched(BestFirst(), line, [0], zero(line))
    assert (found.moves, found.proof) == ((0,) * 59, "optimal")
    assert counters(found) == (59, 59, 59, 0)


def test_estimates_that_are_no_numbers_come_last() -> None:
    line = one_way(9)
    none = FunctionHeuristic(line, lambda states: states[:, 0] * np.nan)
    assert searched(BestFirst(), line, [0], none).length == 8
    huge = FunctionHeuristic(line, lambda states: states[:, 0] * 0 - 1e30)
    assert searched(BestFirst(), line, [0], huge).length == 8


def test_budgets_end_with_a_bound() -> None:
    board = puzzle("puzzle15")
    heuristic = FunctionHeuristic(board, manhattan(board), admissible=True)  # type: ignore[arg-type]
    start = board.random_states(1, np.random.default_rng(1))[0]
    least = int(heuristic.values(start[None])[0])
    for budget, status in (
        (Budget(seconds=0.2), Outcome.OUT_OF_TIME),
        (Budget(nodes=20_000), Outcome.OUT_OF_TIME),
        (Budget(bytes=2_000_000), Outcome.OUT_OF_MEMORY),
    ):
        found = searched(BestFirst(batch=100), board, start, heuristic, budget)
        assert (found.status, found.moves) == (status, None)
        assert least < found.lower_bound < 80
        if budget.nodes:
            assert 20_000 < found.generated <= 20_000 + 400


@pytest.mark.parametrize("device", [None, "cpu"])
def test_memory_is_counted_before_it_is_taken(device: str | None) -> None:
    cube = puzzle("cube3")
    goal = puzzle("cube3").goal
    wanted = torch.tensor(goal.copy()) if device else goal
    near = FunctionHeuristic(cube, lambda states: (states != wanted).sum(1) / 8, device=device)
    start = cube.random_states(1, np.random.default_rng(0))[0]
    asked: list[int] = []

    class Watched(Meter):
        def check(self, used_bytes: int = 0) -> None:
            asked.append(used_bytes)
            super().check(used_bytes)

    found = BestFirst(0.6, 200)(cube, start, near, Watched(Budget(bytes=8_000_000)))
    assert found.status is Outcome.OUT_OF_MEMORY
    assert max(asked[:-1]) <= 8_000_000 < asked[-1]
    assert found.generated > 30_000


def test_the_best_solution_so_far_is_kept() -> None:
    board, heuristic = puzzle("puzzle8"), estimate("puzzle8")
    told: list[int | None] = []

    def tell(progress: Progress) -> None:
        told.append(progress.best)
        if progress.best is not None:
            meter.cancel()

    class Eager(Meter):
        def check(self, used_bytes: int = 0) -> None:
            self._told = 0.0
            super().check(used_bytes)

    meter = Eager(Budget(), tell)
    row = np.array(HARDEST, dtype=np.uint8)
    found = BestFirst(0.2, 5, improve=True)(board, row, heuristic, meter)
    assert (found.status, found.length) == (Outcome.SOLVED, told[-1])
    assert found.proof == "none"
    assert 1 < found.lower_bound <= 31


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weight": 1.5}, "weight must be between 0 and 1, not 1.5"),
        ({"weight": -0.1}, "weight must be between 0 and 1, not -0.1"),
        ({"weight": math.nan}, "weight must be between 0 and 1, not nan"),
        ({"batch": 0}, "batch must be at least 1, not 0"),
    ],
)
def test_senseless_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        BestFirst(**settings)
    assert str(caught.value) == message


def test_a_heuristic_is_needed() -> None:
    board = puzzle("puzzle8")
    with pytest.raises(PuzzleError, match=r"^best-first search needs a heuristic$"):
        searched(BestFirst(), board, HARDEST, None)


def test_only_want_of_memory_is_a_value() -> None:
    board = puzzle("puzzle8")

    def full(states: Any) -> Any:
        raise MemoryError

    def broken(states: Any) -> Any:
        raise RuntimeError("broken")

    found = searched(BestFirst(), board, HARDEST, FunctionHeuristic(board, full))
    assert found.status is Outcome.OUT_OF_MEMORY
    with pytest.raises(RuntimeError, match=r"^broken$"):
        searched(BestFirst(), board, HARDEST, FunctionHeuristic(board, broken))


# --- by name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("astar", BestFirst(1.0, 1)),
        ("wastar", BestFirst(0.6, 1)),
        ("bwas", BestFirst(0.6, 1000)),
        ("qstar", BestFirst(0.6, 1000)),
        ("greedy", BestFirst(0.0, 1, reopen=False)),
        ("mcts", MCTS()),
    ],
)
def test_named_solvers_are_settings(
    name: str, expected: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path))
    named = solvers.solver(name)
    assert named.configured({}) == expected
    asked = {"heuristic": "bound" if name == "astar" else "net"}
    assert named.settings() == asked | vars(expected)
    assert named.configured({"batch": "7"}) == replace(expected, batch=7)  # type: ignore[type-var]
    # Without a model for this board the distances of its whole graph lead the way.
    found = solve("sliding-2x3", "4 1 2 5 3 0", name)
    assert found.length == 6
    if named.proves:
        assert solve("sliding-2x3", "4 1 2 5 3 0", name, optimal=True).proof == "optimal"


def test_without_any_estimate_there_is_a_reason() -> None:
    start = puzzle("cube9").goal
    with pytest.raises(PuzzleError) as caught:
        solve("cube9", start, "bwas")
    assert str(caught.value) == "there is no model for cube9; train one and name it with --model"
