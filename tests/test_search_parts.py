"""What searches are made of: heuristics from functions, open lists, sets of tensors."""

from __future__ import annotations

import heapq
import math
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from estimates import ESTIMATES
from homeward import PuzzleError
from homeward.heuristics.function import FunctionHeuristic
from homeward.puzzles import puzzle
from homeward.search import ops
from homeward.search.asking import Asking
from homeward.search.base import Budget, Meter, Outcome, Search, replayed
from homeward.search.beam import Beam
from homeward.search.bestfirst import BestFirst
from homeward.search.growing import Growing
from homeward.search.hashing import StateSet
from homeward.search.mcts import MCTS
from homeward.search.openlist import (
    NEVER,
    OpenList,
    entries,
    priorities,
    priority_of,
    slot_of,
)
from homeward.search.seen import TensorSet

torch = pytest.importorskip("torch")


# --- the user's own function


@pytest.mark.parametrize(
    "search",
    [Beam(width=4000, ball=1), BestFirst(weight=0.0, batch=4000)],
    ids=["beam", "best-first"],
)
def test_a_slow_function_does_not_make_a_search_forget_the_time(search: Any) -> None:
    """A level of 4,000 boards would take it half a minute."""
    board, asked = puzzle("puzzle15"), 0

    def slow(states: Any) -> Any:
        nonlocal asked
        asked += len(states)
        time.sleep(0.002 * len(states))
        return np.ones(len(states))

    start = board.start_states(1, np.random.default_rng(1))[0]
    found = search(board, start, FunctionHeuristic(board, slow), Meter(Budget(seconds=0.5)))
    assert (found.status, found.moves) == (Outcome.OUT_OF_TIME, None)
    assert asked <= 4 * 64 + 250 + 4 * 100  # the part at hand, half a second's, and its children


def test_parts_of_a_batch_are_answered_like_the_whole() -> None:
    board = puzzle("puzzle8")
    heuristic = FunctionHeuristic(board, ESTIMATES["puzzle8"])
    states = board.start_states(1000, np.random.default_rng(1))
    ask, whole = Asking(heuristic, Meter(Budget())), heuristic.children(states)
    for size in (1, 64, 65, 1000):
        np.testing.assert_array_equal(ask(states[:size]), whole[:size])


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


def test_an_open_list_takes_equal_entries_and_leaves_out_what_never_comes() -> None:
    waiting = OpenList(np.zeros(0))
    for _ in range(5):
        waiting.push(np.full(1000, 7))
    assert waiting.pop(1234).tolist() == [7] * 1234
    waiting.push(np.array([NEVER, 3, NEVER, 9]))
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
    rows.extend(400, 7)
    assert rows.all[300:].tolist() == [[7, 7]] * 400
    rows.drop_last(400)
    rows.drop_first(100)
    assert sorted(rows.all[:, 0].tolist()) == list(range(100, 300))
    rows.drop_first(150)
    assert len(rows) == 50
    rows.drop_first(50)
    assert rows.all.tolist() == []


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_the_least_number_is_kept(kind: Any) -> None:
    values = kind([9, 2, 9, 9])
    ops.lower(values, kind([0, 1, 0, 1, 3, 0]), kind([3, 3, 2, 4, 7, 2]))
    assert values.tolist() == [2, 2, 9, 7]
    ops.lower(values, kind([0])[:0], kind([0])[:0])
    assert values.tolist() == [2, 2, 9, 7]


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_an_entry_becomes_one_of_its_new_numbers(kind: Any) -> None:
    values = kind([1, 9, 5])
    ops.put(values, kind([0, 1, 0]), kind([7, 4, 8]))
    assert values.tolist() in ([7, 4, 5], [8, 4, 5])  # and not the 1 that was there
    assert values[0] == (8 if kind is np.array else 7)


def test_operations_agree_between_numpy_and_torch() -> None:
    rng = np.random.default_rng(8)
    keys = rng.integers(0, 50, size=200)
    on_torch = torch.as_tensor(keys)
    for first in (ops.first_of_each(keys), ops.first_of_each(on_torch).numpy()):
        assert sorted(keys[first]) == sorted(set(keys.tolist()))
    known = np.array([3, 7, 20])
    expected = np.isin(keys, known)
    np.testing.assert_array_equal(ops.contains(known, keys), expected)
    np.testing.assert_array_equal(ops.contains(torch.as_tensor(known), on_torch), expected)
    for chosen in (ops.smallest(keys, 10), ops.smallest(on_torch, 10).numpy()):
        assert sorted(keys[chosen]) == sorted(keys)[:10]
    assert ops.count_each(keys > 100, keys < 25).tolist() == [0, (keys < 25).sum()]
    assert ops.count_each(on_torch > 100, on_torch < 25).tolist() == [0, (keys < 25).sum()]
    expected = np.sort(np.concatenate([known, keys]))
    np.testing.assert_array_equal(ops.merged(known, keys), expected)
    np.testing.assert_array_equal(ops.merged(torch.as_tensor(known), on_torch), expected)


@pytest.mark.parametrize("said", [np.inf, np.nan])
@pytest.mark.parametrize(
    "search",
    [BestFirst(), BestFirst(weight=0.0, reopen=False), MCTS(), Beam(ball=1, width=1 << 17)],
    ids=["astar", "greedy", "mcts", "beam"],
)
def test_only_a_true_bound_says_that_no_way_leads_home(search: Search, said: float) -> None:
    board = puzzle("sliding-2x3")
    start = board.walks(1, 12, np.random.default_rng(0)).states[-1, 0]

    def function(states: NDArray[Any]) -> NDArray[Any]:
        return np.full(len(states), said, np.float32)

    found = search(board, start, FunctionHeuristic(board, function), Meter(Budget(seconds=20)))
    assert replayed(board, start, found).status is Outcome.SOLVED  # as if it knew nothing
    if said == np.inf:
        sure = FunctionHeuristic(board, function, admissible=True)
        assert search(board, start, sure, Meter(Budget())).status is Outcome.UNSOLVABLE
