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
from homeward.search import ops
from homeward.search.base import Budget, Meter, Outcome, Progress
from homeward.search.bestfirst import BestFirst
from homeward.search.blind import BreadthFirst
from homeward.search.growing import Growing
from homeward.search.hashing import StateSet
from homeward.search.mcts import MCTS
from homeward.search.openlist import OpenList, entries, priorities, priority_of, slot_of
from homeward.search.seen import TensorSet
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
    assert named.settings() == vars(expected)
    assert named.configured({"batch": "7"}) == replace(expected, batch=7)  # type: ignore[type-var]
    # Without a model for this board the distances of its whole graph lead the way.
    found = solve("sliding-2x3", "4 1 2 5 3 0", name)
    assert found.length == 6
    if named.proves:
        assert solve("sliding-2x3", "4 1 2 5 3 0", name, optimal=True).proof == "optimal"


def test_without_any_estimate_there_is_a_reason() -> None:
    start = puzzle("cube4").goal
    with pytest.raises(PuzzleError) as caught:
        solve("cube4", start, "bwas")
    assert str(caught.value) == ("there is no model for cube4; train one and name it with --model")


# --- the user's own function


@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_function_is_asked_about_children(device: str | None) -> None:
    board = puzzle("puzzle8")
    heuristic = FunctionHeuristic(board, ESTIMATES["puzzle8"], device=device)
    row = np.array([[1, 2, 3, 4, 5, 6, 7, 0, 8]], dtype=np.uint8)
    placed = heuristic.place(row)
    # U has no tile below; D brings 5 down, L brings 8 home, R takes 7 away.
    assert heuristic.children(placed).tolist() == [[math.inf, 2, 0, 2]]
    assert heuristic.values(placed).tolist() == [1]
    assert str(heuristic.values(placed).dtype).endswith("float32")
    assert str(heuristic.children(placed).dtype).endswith("float32")
    assert (heuristic.name, heuristic.admissible) == ("distance", False)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda states: 3, "<lambda> gave int of shape () for 2 states, not one number each"),
        (
            lambda states: states,
            "<lambda> gave ndarray of shape (2, 9) for 2 states, not one number each",
        ),
        (
            lambda states: torch.zeros(2),
            "<lambda> gave Tensor of shape (2,) for 2 states, not one number each",
        ),
    ],
)
def test_what_is_no_estimate_is_refused(function: Any, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        FunctionHeuristic(puzzle("puzzle8"), function).values(np.zeros((2, 9), np.uint8))
    assert str(caught.value) == message


# --- the parts


def kinds(values: Any) -> list[Any]:
    return [np.array(values), torch.tensor(values)]


@pytest.mark.parametrize("batch", [1, 7, 300, 5000])
@pytest.mark.parametrize("like", kinds([0]))
def test_an_open_list_is_a_priority_queue(batch: int, like: Any) -> None:
    rng = np.random.default_rng(batch)
    waiting, heap = OpenList(like), []
    for _ in range(40):
        # Later entries are larger on the whole, as in a search, but not always.
        new = rng.integers(-(10**12), 10**12, size=int(rng.integers(3 * batch))) + 10**11
        waiting.push(new if isinstance(like, np.ndarray) else torch.tensor(new))
        for entry in new.tolist():
            heapq.heappush(heap, entry)
        assert len(waiting) == len(heap)
        popped = waiting.pop(batch).tolist()
        assert popped == [heapq.heappop(heap) for _ in range(min(batch, len(heap)))]
    rest = waiting.pop(10**6).tolist()
    assert rest == sorted(heap)
    assert len(waiting) == len(waiting.pop(3)) == 0
    assert waiting.nbytes_with(10**6) >= waiting.nbytes + 8 * 10**6


def test_an_open_list_takes_equal_entries() -> None:
    waiting = OpenList(np.zeros(0))
    for _ in range(5):
        waiting.push(np.full(1000, 7))
    assert waiting.pop(1234).tolist() == [7] * 1234
    waiting.push(np.array([3, 9]))
    assert waiting.pop(2).tolist() == [3, 7]
    assert len(waiting) == 5000 - 1234


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor])
def test_priorities_never_exceed_the_sum(kind: Any) -> None:
    totals = np.array([3.0, 3.0, 2.9999, -1.0, np.nan, 1e9, -1e9, np.inf], dtype=np.float32)
    depths = np.array([1, 2, 1, 0, 5, 5, 5, 5], dtype=np.float32)
    found = priorities(kind(totals), kind(depths))
    top = 2**23 - 2
    assert found.tolist() == [6143, 6142, 6142, -2048, top - 5, top - 5, -top, top - 5]
    packed = entries(found, kind(np.array([0, 5, 2**40 - 1, 7, 2**40 - 1, 0, 2**40 - 1, 1])))
    assert priority_of(packed).tolist() == found.tolist()
    assert slot_of(packed).tolist() == [0, 5, 2**40 - 1, 7, 2**40 - 1, 0, 2**40 - 1, 1]


@pytest.mark.parametrize("name", ["cube3", "puzzle15", "sokoban-6x6", "sliding-17x17"])
def test_sets_of_tensors_number_states_like_sets_of_arrays(name: str) -> None:
    made, rng = puzzle(name), np.random.default_rng(0)
    states = made.walks(60, 25, rng).states.reshape(-1, made.cells)
    one, other = StateSet(made), TensorSet(made, torch.tensor(states[:1]))
    for part in np.split(rng.permutation(np.concatenate([states, states[::3]])), 8):
        there = torch.tensor(part)
        numbers = one.add(part)
        assert other.add(there).tolist() == numbers.tolist()
        assert torch.equal(other.states(torch.tensor(numbers)), there)
    assert len(one) == len(other) == len(np.unique(states, axis=0))
    assert len(other._runs) < 5
    assert other.nbytes <= other.nbytes_with(0) < other.nbytes_with(1000)


def test_states_with_the_same_hash_stay_apart() -> None:
    board = puzzle("puzzle8")
    states = torch.tensor(board.random_states(50, np.random.default_rng(0)))
    seen = TensorSet(board, states)
    seen._hash = lambda rows: rows[:, 0].long()  # type: ignore[assignment]
    numbers = seen.add(states)
    assert torch.equal(seen.states(numbers), states)
    assert torch.equal(seen.states(seen.add(states)), states)


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_growing_arrays(kind: Any) -> None:
    rows = Growing(kind([0]), np.int32, (2,))
    for i in range(300):
        before, promised = rows.nbytes, rows.nbytes_with(1)
        rows.append(kind([[i, -i]]))
        assert promised == (before if rows.nbytes == before else before + rows.nbytes)
    assert rows.nbytes == 512 * 8
    rows.drop_first(100)
    assert sorted(rows.all[:, 0].tolist()) == list(range(100, 300))
    rows.drop_first(150)
    assert len(rows) == 50
    rows.drop_first(50)
    assert rows.all.tolist() == []


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_the_least_of_each(kind: Any) -> None:
    keys, values = kind([5, 2, 5, 2, 9, 5]), kind([3, 1, 2, 1, 7, 2])
    assert ops.least_of_each(keys, values).tolist() == [False, True, True, False, True, False]
    assert ops.least_of_each(keys[:0], values[:0]).tolist() == []
