"""Blind searches against counts and lengths that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeward.puzzles import PermutationPuzzle, PuzzleError, puzzle
from homeward.puzzles.base import Puzzle
from homeward.search.base import Budget, Meter, Outcome, Search, Solution, replayed
from homeward.search.blind import Bidirectional, BreadthFirst, DepthFirst, moves_along
from homeward.search.hashing import StateSet

BLIND = [BreadthFirst(), Bidirectional(), DepthFirst()]
CUBE3_COUNTS = [1, 12, 114, 1068, 10011, 93840, 878880]
PUZZLE8_HARDEST = [8, 6, 7, 2, 5, 4, 3, 0, 1]


def searched(
    search: Search, name: str | Puzzle, start: object, budget: Budget | None = None
) -> Solution:
    made = puzzle(name) if isinstance(name, str) else name
    row = np.array(start, dtype=made.dtype)
    meter = Meter(Budget() if budget is None else budget)
    return replayed(made, row, search(made, row, None, meter))


def one_way(length: int) -> Puzzle:
    """A line of cells `0 … length-1` along which one can only go on, never back: `[1]` states."""

    class Line(Puzzle):
        def __init__(self) -> None:
            super().__init__("line", "permutation", length, ["on"], np.array([[length - 1]]))
            self.always_legal = False
            self.inverses = np.array([-1])
            self._prepare()

        def legal(self, states):
            return states < length - 1

        def step(self, states, moves):
            return np.minimum(states + 1, length - 1).astype(states.dtype)

        def legal_back(self, states):
            return states > 0

        def step_back(self, states, back_moves):
            return np.maximum(states.astype(np.int64) - 1, 0).astype(states.dtype)

    return Line()


# --- the set of states


@pytest.mark.parametrize("name", ["cube3", "puzzle15", "lightsout7", "sliding-17x17"])
def test_state_set_gives_back_what_was_added(name: str) -> None:
    made = puzzle(name)
    walks = made.walks(50, 20, np.random.default_rng(3)).states.reshape(-1, made.cells)
    seen = StateSet(made)
    numbers = seen.add(walks)
    distinct, first = np.unique(walks, axis=0, return_index=True)
    assert len(seen) == len(distinct)
    np.testing.assert_array_equal(np.sort(np.unique(numbers)), np.arange(len(seen)))
    np.testing.assert_array_equal(seen.states(numbers), walks)
    np.testing.assert_array_equal(seen.find(walks), numbers)
    # Numbers are given in order of first appearance.
    np.testing.assert_array_equal(numbers[np.sort(first)], np.arange(len(seen)))


def test_state_set_does_not_find_what_was_not_added() -> None:
    cube = puzzle("cube2")
    seen = StateSet(cube)
    assert seen.find(cube.goal[None]).tolist() == [-1]
    seen.add(cube.goal[None])
    assert seen.find(cube.expand(cube.goal[None])[0]).tolist() == [-1] * 6


def test_state_set_counts_its_bytes_before_it_grows() -> None:
    cube = puzzle("cube3")
    seen = StateSet(cube)
    states = cube.walks(300, 20, np.random.default_rng(0)).states[-1]
    before = seen.nbytes
    assert seen.nbytes_with(256) == before == 512 * 4
    # 54 cells of 3 bits are three words; room for 512 states and 1024 slots comes on top.
    assert seen.nbytes_with(257) == before + 512 * 24 + 1024 * 4
    seen.add(states)
    assert seen.nbytes == 300 * 24 + 1024 * 4


# --- breadth-first


def test_breadth_first_expands_every_state_up_to_the_level_before_the_goal() -> None:
    cube = puzzle("cube3")
    # No state is home within six moves of the superflip, so six whole levels are expanded.
    superflip = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
    moves = []
    for word in superflip.split():
        quarter = cube.move_names.index(word.rstrip("2"))
        moves += [quarter] * (2 if word.endswith("2") else 1)
    start = cube.apply(cube.goal, moves)
    solution = searched(BreadthFirst(), cube, start, Budget(nodes=12 * sum(CUBE3_COUNTS[:6])))
    assert solution.status is Outcome.OUT_OF_TIME
    assert solution.moves is None
    assert solution.lower_bound == 7
    # The budget is noticed in the first chunk of level seven, whose children are not kept.
    rows = 4_000_000 // (12 * 54)
    assert solution.expanded == sum(CUBE3_COUNTS[:6]) + rows
    assert solution.generated == 12 * solution.expanded


def test_breadth_first_knows_the_hardest_eight_puzzle() -> None:
    solution = searched(BreadthFirst(), "puzzle8", PUZZLE8_HARDEST)
    assert (solution.length, solution.proof, solution.lower_bound) == (31, "optimal", 31)
    assert solution.evaluated == solution.reopened == 0


@pytest.mark.parametrize("search", BLIND)
def test_a_solved_state_needs_no_moves(search: Search) -> None:
    solution = searched(search, "cube3", puzzle("cube3").goal)
    assert solution.status is Outcome.SOLVED
    assert (solution.moves, solution.proof, solution.lower_bound) == ((), "optimal", 0)
    assert solution.expanded == solution.generated == 0


# --- all of them agree


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["puzzle8", "lightsout4", "cube2"]))
def test_both_ends_meet_on_a_shortest_path(seed: int, name: str) -> None:
    made = puzzle(name)
    rng = np.random.default_rng(seed)
    start = made.walks(1, int(rng.integers(1, 15)), rng).states[-1, 0]
    wide = searched(BreadthFirst(), made, start)
    both = searched(Bidirectional(), made, start)
    assert both.length == wide.length == both.lower_bound == wide.lower_bound
    assert both.proof == wide.proof == "optimal"
    assert both.generated <= wide.generated or wide.length <= 2


def test_both_ends_meet_far_out() -> None:
    solution = searched(Bidirectional(), "puzzle8", PUZZLE8_HARDEST)
    assert (solution.length, solution.proof) == (31, "optimal")
    assert solution.generated < 40_000


def test_both_ends_use_every_goal() -> None:
    free = puzzle("cube4")
    start = free.step(free.goals[17][None], 5)[0]
    solution = searched(Bidirectional(), free, start)
    assert solution.moves == (int(free.inverses[5]),)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_deepening_finds_shortest_solutions(depth: int) -> None:
    cube = puzzle("cube3")
    start = cube.walks(1, depth, np.random.default_rng(depth)).states[-1, 0]
    deep = searched(DepthFirst(), cube, start)
    assert deep.length == searched(BreadthFirst(), cube, start).length
    assert deep.proof == "optimal"


def test_depth_first_without_deepening_claims_nothing() -> None:
    cube = puzzle("cube3")
    r, f = cube.move_names.index("R"), cube.move_names.index("F")
    start = cube.apply(cube.goal, [r, f])
    solution = searched(DepthFirst(limit=6, deepen=False, batch=1), cube, start)
    # Four times U changes nothing, and that is where the deepest path first comes home.
    assert [cube.move_names[m] for m in solution.moves or ()] == ["U"] * 4 + ["F'", "R'"]
    assert (solution.lower_bound, solution.proof) == (1, "none")


def test_depth_first_never_takes_a_move_back() -> None:
    # Without taking back, a 3x3 board has 2 first moves from a corner, then 2 each way or less.
    start = PUZZLE8_HARDEST
    solution = searched(DepthFirst(limit=3, deepen=False, batch=7), "puzzle8", start)
    # From the middle of an edge: 3 moves; 2 of them lead to a corner (1 way on), 1 to the centre
    # (3 ways on); from the corners 2 x 1, from the centre 3 children that are edges.
    assert solution.status is Outcome.OUT_OF_TIME
    assert solution.expanded == 1 + 3 + (1 + 1 + 3)
    # Made are the moves taken back too: 3, then 2 + 2 + 4, then 3 at each of five edges.
    assert solution.generated == 3 + 8 + 15


def test_a_limit_reached_in_vain_is_a_lower_bound() -> None:
    solution = searched(DepthFirst(limit=6), "puzzle8", PUZZLE8_HARDEST)
    assert (solution.status, solution.lower_bound) == (Outcome.OUT_OF_TIME, 7)


@pytest.mark.parametrize("name", ["limit", "batch"])
def test_depth_first_refuses_senseless_settings(name: str) -> None:
    with pytest.raises(PuzzleError, match=f"^{name} must be at least 1, not 0$"):
        DepthFirst(**{name: 0})


# --- budgets


@pytest.mark.parametrize("search", BLIND)
def test_a_spent_clock_is_a_value_with_a_bound(search: Search) -> None:
    start = puzzle("cube3").random_states(1, np.random.default_rng(0))[0]
    solution = searched(search, "cube3", start, Budget(seconds=0.3))
    assert solution.status is Outcome.OUT_OF_TIME
    assert solution.moves is None
    assert solution.lower_bound >= 4
    assert 0.3 < solution.seconds < 5


@pytest.mark.parametrize(("search", "bound"), [(BreadthFirst(), 6), (Bidirectional(), 11)])
def test_spent_memory_is_a_value_with_a_bound(search: Search, bound: int) -> None:
    start = puzzle("cube3").random_states(1, np.random.default_rng(0))[0]
    solution = searched(search, "cube3", start, Budget(bytes=20_000_000))
    assert (solution.status, solution.lower_bound) == (Outcome.OUT_OF_MEMORY, bound)


@pytest.mark.parametrize("search", BLIND)
def test_a_search_can_be_cancelled_from_its_callback(search: Search) -> None:
    cube = puzzle("cube3")
    start = cube.random_states(1, np.random.default_rng(0))[0]
    told = []
    meter = Meter(Budget(), lambda progress: (told.append(progress.doing), meter.cancel())[0])
    solution = search(cube, start, None, meter)
    assert solution.status is Outcome.CANCELLED
    assert len(told) == 1
    assert told[0] != ""


# --- puzzles that cannot be undone, states that cannot be solved


@pytest.mark.parametrize("search", [BreadthFirst(), Bidirectional(), DepthFirst(limit=80)])
def test_one_way_moves(search: Search) -> None:
    solution = searched(search, one_way(60), [0])
    assert solution.moves == (0,) * 59
    assert solution.proof == "optimal"


@pytest.mark.parametrize("search", [BreadthFirst(), Bidirectional(), DepthFirst()])
def test_a_space_searched_in_vain_is_unsolvable(search: Search) -> None:
    line = one_way(9)
    line.goals_table = type(line.goals_table)(np.array([[3]], dtype=np.uint8))
    solution = searched(search, line, [5])
    assert (solution.status, solution.moves) == (Outcome.UNSOLVABLE, None)


def test_an_unreachable_arrangement_is_unsolvable_from_either_end() -> None:
    three = PermutationPuzzle("three", ["a", "a'"], np.array([[1, 2, 0], [2, 0, 1]]), [[0, 1, 2]])
    for search, expanded in ((BreadthFirst(), 3), (Bidirectional(), 4)):
        solution = searched(search, three, [1, 0, 2])
        assert (solution.status, solution.expanded) == (Outcome.UNSOLVABLE, expanded)


def test_moves_along_a_path() -> None:
    cube = puzzle("cube2")
    path = [cube.goal]
    for move in (0, 2, 5):
        path.append(cube.step(path[-1][None], move)[0])
    assert moves_along(cube, np.array(path)) == [0, 2, 5]


@pytest.mark.parametrize("name", ["sokoban", "sokoban_medium", "sokoban_hard"])
def test_both_ends_meet_on_published_levels(name: str, data_dir: Path) -> None:
    with np.load(data_dir / f"{name}.npz") as data:
        boards, lengths = data["states"][:20].reshape(20, -1), data["optimal_length"][:20]
    found = [searched(Bidirectional(), "sokoban", board) for board in boards]
    assert [s.length for s in found] == lengths.tolist()
    assert {s.proof for s in found} == {"optimal"}
