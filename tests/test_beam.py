"""Beam search, the ball around the goal, and views."""

from __future__ import annotations

import math
from itertools import cycle
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from homeward.heuristics.function import FunctionHeuristic
from homeward.heuristics.graph import distances
from homeward.heuristics.table import DistanceTable
from homeward.notation import State
from homeward.puzzles import Puzzle, PuzzleError, puzzle
from homeward.puzzles.arrays import Array, to_numpy
from homeward.search.base import Budget, Meter, Outcome, Solution, replayed
from homeward.search.beam import Anytime, Beam
from homeward.search.pace import Pace
from homeward.search.rows import RowByRow
from homeward.search.views import views
from homeward.search.zobrist import hasher
from recording_tools import Overwriting


class Guess:
    """Exact distances, spoilt by a fixed error for each state; on NumPy or on torch."""

    name = "guess"
    admissible = False

    def __init__(self, puzzle: Puzzle, error: float, on_torch: bool = False) -> None:
        self.table = DistanceTable(puzzle, distances(puzzle))
        self.puzzle, self.error, self.on_torch = puzzle, error, on_torch

    def place(self, states: NDArray[Any]) -> Array:
        return torch.as_tensor(states) if self.on_torch else states

    def values(self, states: Array) -> Array:
        rows = to_numpy(states)
        noise = (hasher(self.puzzle)(rows) % 1000) / 1000 - 0.5
        found = (self.table.values(rows) + self.error * noise).astype(np.float32)
        return torch.as_tensor(found) if self.on_torch else found

    def children(self, states: Array) -> Array:
        rows = to_numpy(states)
        shape = (len(rows), self.puzzle.moves)
        scores = to_numpy(self.values(self.puzzle.expand(rows).reshape(-1, rows.shape[1])))
        scores = np.where(self.puzzle.legal(rows), scores.reshape(shape), np.inf)
        return torch.as_tensor(scores) if self.on_torch else scores.astype(np.float32)


def solved(puzzle: Puzzle, start: NDArray[Any], beam: Beam, guess: Guess) -> Solution:
    return replayed(puzzle, start, beam(puzzle, start, guess, Meter(Budget())))


@pytest.mark.parametrize("name", ["cube2", "puzzle8", "lightsout4", "pyraminx"])
def test_exact_estimates_give_shortest_solutions(name: str) -> None:
    p = puzzle(name)
    guess = Guess(p, error=0)
    starts = p.random_states(20, np.random.default_rng(1))
    for start, distance in zip(starts, guess.table.values(starts), strict=True):
        assert solved(p, start, Beam(width=1, ball=1), guess).length == distance


@pytest.mark.parametrize("name", ["cube2", "puzzle8"])
def test_numpy_and_torch_find_the_same_length(name: str) -> None:
    p = puzzle(name)
    starts = p.random_states(10, np.random.default_rng(2))
    for start in starts:
        lengths = {
            solved(p, start, Beam(width=64, ball=50), Guess(p, 3.0, on_torch)).length
            for on_torch in (False, True)
        }
        assert len(lengths) == 1


def test_wider_beams_and_more_views_are_not_worse() -> None:
    p = puzzle("cube2")
    guess = Guess(p, error=6.0)
    starts = p.random_states(20, np.random.default_rng(3))

    def mean(**settings: int) -> float:
        found = [solved(p, s, Beam(**settings), guess).length for s in starts]
        return float(np.mean([length if length is not None else 99 for length in found]))

    narrow = mean(width=16)
    assert mean(width=256) < narrow
    assert mean(width=16, views=12) < narrow


@pytest.mark.parametrize("on_torch", [False, True])
def test_only_states_that_count_and_legal_children_are_counted(on_torch: bool) -> None:
    """As in every search, though levels of one size have places for others too."""
    p = puzzle("puzzle8")
    guess, asked = Guess(p, error=8.0, on_torch=on_torch), list[NDArray[Any]]()
    said = guess.children

    def children(states: Array) -> Array:
        asked.append(np.array(to_numpy(states)))
        return said(states)

    guess.children = children  # type: ignore[method-assign]
    start = p.random_states(1, np.random.default_rng(5))[0]
    wide = solved(p, start, Beam(width=10**6, ball=50), guess)  # never full: no place is in vain
    every = np.concatenate(asked)
    assert wide.expanded == wide.evaluated == len(every)
    assert wide.generated == p.legal(every).sum()
    asked.clear()
    narrow = solved(p, start, Beam(width=40, ball=50), guess)
    # Some of these places are of states that had been met before.
    assert narrow.expanded == narrow.evaluated < sum(len(level) for level in asked)
    assert 2 * narrow.expanded <= narrow.generated <= 4 * narrow.expanded


@pytest.mark.parametrize(("views", "on_torch"), [(2, False), (2, True), (1, False)])
def test_the_last_beam_goes_at_the_pace_of_the_clock(
    views: int, on_torch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all views are searched, and on NumPy: a GPU likes levels of one size."""
    p = puzzle("puzzle8")
    guess, sizes, widths = Guess(p, error=8.0, on_torch=on_torch), list[int](), cycle([100, 200])
    said = guess.children

    def children(states: Array) -> Array:
        sizes.append(len(states))
        return said(states)

    monkeypatch.setattr(guess, "children", children)
    monkeypatch.setattr(Anytime, "width_in_time", lambda *_: (150, True))
    monkeypatch.setattr(Pace, "width", lambda *_: next(widths))
    start = p.random_states(1, np.random.default_rng(4))[0]
    beam = Beam(width=4, views=views, improve=True, ball=10)
    replayed(p, start, beam(p, start, guess, Meter(Budget(nodes=20_000))))
    full = {size for size in sizes if size >= 100}
    assert full == ({100, 200} if views == 2 and not on_torch else {150})


def test_time_without_end_is_not_shared_out() -> None:
    p = puzzle("puzzle8")
    start = p.random_states(1, np.random.default_rng(4))[0]
    beam = Beam(width=4, improve=True, ball=500)
    guess = Guess(p, error=8.0)
    found = beam(p, start, guess, Meter(Budget(seconds=math.inf)))
    # It ends: a beam that keeps every state leaves nothing to a wider one.
    assert found.length == guess.table.values(start[None])[0]


def test_improving_ends_with_the_shortest() -> None:
    p = puzzle("puzzle8")
    guess = Guess(p, error=8.0)
    start = p.random_states(1, np.random.default_rng(4))[0]
    meter = Meter(Budget(seconds=1.0))
    found = replayed(p, start, Beam(width=4, improve=True, ball=500)(p, start, guess, meter))
    assert found.length == guess.table.values(start[None])[0]
    assert meter.progress.best == found.length


def test_improving_ends_at_a_bound_that_is_known_from_elsewhere() -> None:
    p = puzzle("puzzle8")
    guess = Guess(p, error=8.0)
    start = p.random_states(1, np.random.default_rng(4))[0]
    alone, told = Meter(Budget()), Meter(Budget(seconds=60.0))
    found = Beam(width=4, ball=500)(p, start, guess, alone)
    assert found.length is not None
    told.progress.lower_bound = found.length
    again = Beam(width=4, improve=True, ball=500)(p, start, guess, told)
    assert again.length == found.length
    assert told.progress.expanded == alone.progress.expanded  # one beam, and no wider one


def test_a_spent_budget_is_a_value() -> None:
    p = puzzle("cube2")
    start = p.random_states(1, np.random.default_rng(5))[0]
    found = Beam(width=64)(p, start, Guess(p, 1.0), Meter(Budget(nodes=10)))
    assert (found.status, found.moves) == (Outcome.OUT_OF_TIME, None)


def test_solved_states_and_states_of_the_ball() -> None:
    p = puzzle("cube2")
    guess = Guess(p, error=0)
    assert solved(p, p.goal, Beam(), guess).moves == ()
    start = p.apply(p.goal, [0, 2, 4])
    found = solved(p, start, Beam(), guess)
    assert (found.length, found.expanded) == (3, 0)  # no beam was needed
    assert (found.lower_bound, found.proof) == (3, "optimal")
    far = p.random_states(1, np.random.default_rng(9))[0]
    assert solved(p, far, Beam(ball=4000), guess).lower_bound == 6


def test_a_beam_that_cannot_go_on_gives_up() -> None:
    from homeward.notation import State

    board = State.read("sokoban", "#######|#@  $.#|#     #|#  $. #|#    ##|#######")
    p = board.puzzle
    stuck = p.apply(board.cells, [p.move_names.index(m) for m in "DRRU"])

    class Blind:
        name, admissible = "blind", True

        def place(self, states: NDArray[Any]) -> Array:
            return states

        def values(self, states: Array) -> Array:
            return np.zeros(len(states), np.float32)

        def children(self, states: Array) -> Array:
            return np.where(p.legal(states), np.float32(0), np.float32(np.inf))

    narrow = Beam(width=4, ball=1)(p, stuck, Blind(), Meter(Budget(seconds=0.5)))
    assert (narrow.status, narrow.moves) == (Outcome.OUT_OF_TIME, None)


@pytest.mark.parametrize(
    "beam",
    [Beam(width=1000, ball=1), Beam(width=2, ball=1, improve=True)],
    ids=["wide", "widening"],
)
def test_a_beam_that_keeps_every_state_says_that_there_is_no_solution(beam: Beam) -> None:
    board = State.read("sokoban", "######|# @  #|# $. #|#    #|######")
    p = board.puzzle
    legal = FunctionHeuristic(p, lambda states: np.zeros(len(states)))
    for pushes, status in (("", Outcome.SOLVED), ("D", Outcome.UNSOLVABLE)):
        start = p.apply(board.cells, [p.move_names.index(m) for m in pushes])
        found = replayed(p, start, beam(p, start, legal, Meter(Budget())))
        assert found.status is status


def test_a_child_that_does_not_count_does_not_stand_for_one_that_does() -> None:
    board = puzzle("sliding-2x3")
    nothing = FunctionHeuristic(board, lambda states: np.zeros(len(states)))
    starts = board.random_states(100, np.random.default_rng(4))
    exact = DistanceTable(board, distances(board)).values(starts)
    # So wide that no state is left out, and narrower than all children, twins included.
    beam = Beam(width=60, ball=1)
    found = [beam(board, start, nothing, Meter(Budget())).length for start in starts]
    assert found == exact.tolist()


def test_bad_settings_are_named() -> None:
    with pytest.raises(PuzzleError, match=r"^width must be at least 1, not 0$"):
        Beam(width=0)
    p = puzzle("cube2")
    with pytest.raises(PuzzleError, match=r"^beam search needs a heuristic$"):
        Beam()(p, p.apply(p.goal, [0]), None, Meter(Budget()))


@pytest.mark.parametrize("name", ["cube2", "cube3", "cube4", "puzzle8", "lightsout5", "pyraminx"])
def test_solutions_of_views_solve_the_state(name: str) -> None:
    p = puzzle(name)
    walk = p.walks(1, 8, np.random.default_rng(7))
    start, moves = walk.states[-1, 0], walk.moves[::-1, 0].tolist()
    count = 0
    for view in views(p, start):
        back = {view.restore([m])[0]: m for m in range(p.moves)}
        mine = [back[m] for m in moves]
        # A view is the state renamed, or its inverse: then the solution is read backwards.
        if not p.is_solved(p.apply(view.start, mine)[None])[0]:
            mine.reverse()
        assert p.is_solved(p.apply(view.start, mine)[None])[0]
        restored = view.restore(mine)
        assert p.is_solved(p.apply(start, restored)[None])[0]
        count += 1
    assert count == {"cube2": 12, "cube3": 96, "cube4": 48, "puzzle8": 2, "lightsout5": 8}.get(
        name, 2
    )


def test_a_recorded_level_is_the_same_level(monkeypatch: pytest.MonkeyPatch) -> None:
    board = puzzle("puzzle8")
    plain, recorded = Guess(board, error=6, on_torch=True), Guess(board, error=6, on_torch=True)
    recorded.recordable = True  # type: ignore[attr-defined]
    made: list[Overwriting] = []

    def recording(*args: Any) -> Overwriting:
        made.append(Overwriting(*args))
        return made[-1]

    monkeypatch.setattr("homeward.recording.Recording", recording)
    for width in (1, 8):
        made.clear()
        beam = Beam(width=width, views=2, ball=1)
        for start in board.random_states(5, np.random.default_rng(4)):
            found = [solved(board, start, beam, guess).moves for guess in (plain, recorded)]
            assert found[0] == found[1]
        assert 0 < len(made) <= 5  # one for both views


@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_beam_does_not_fall_back_into_a_hollow(device: str | None) -> None:
    board, asked = puzzle("puzzle15"), []
    top = board.goal[:4] if device is None else torch.tensor(board.goal[:4].copy())

    class TopRow(FunctionHeuristic):
        """Content with the first row, so that there is nowhere to go once it is right."""

        def children(self, states: Array) -> Array:
            asked.extend(map(bytes, to_numpy(states)))
            return super().children(states)

    estimate = TopRow(board, lambda states: (states[:, :4] != top).sum(1), device=device)
    start = board.random_states(1, np.random.default_rng(0))[0]
    Beam(width=16, ball=10)(board, start, estimate, Meter(Budget(nodes=20_000)))
    assert len(asked) > 4000
    assert len(set(asked)) > 0.99 * len(asked)


def test_patience_is_for_improving_alone() -> None:
    p = puzzle("cube2")
    guess = Guess(p, error=6)
    start = p.random_states(1, np.random.default_rng(3))[0]
    hurried = solved(p, start, Beam(width=8, views=4, ball=1, seconds=0.0), guess)
    unhurried = solved(p, start, Beam(width=8, views=4, ball=1, seconds=60.0), guess)
    once = solved(p, start, Beam(width=8, views=1, ball=1), guess)
    assert hurried.moves == unhurried.moves
    assert hurried.expanded == unhurried.expanded > once.expanded


def test_a_first_solution_is_kept_until_a_beam_has_a_shorter_one() -> None:
    p = puzzle("puzzle8")
    guess = Guess(p, error=0)
    start = p.random_states(1, np.random.default_rng(6))[0]
    rows = RowByRow()(p, start, None, Meter(Budget()))
    shorter = replayed(p, start, Beam(width=64, rows=True)(p, start, guess, Meter(Budget())))
    assert rows.length is not None
    assert shorter.length == guess.table.values(start[None])[0] < rows.length
    limits = Budget(nodes=rows.generated + 1)
    hurried = Beam(width=64, ball=1, rows=True)(p, start, guess, Meter(limits))
    assert (hurried.status, hurried.moves) == (Outcome.SOLVED, rows.moves)
    cube = puzzle("cube2")
    state = cube.random_states(1, np.random.default_rng(6))[0]
    with pytest.raises(PuzzleError, match="row by row is for sliding boards, not cube2"):
        Beam(rows=True, ball=1)(cube, state, Guess(cube, error=0), Meter(Budget()))


def test_a_beam_that_lost_its_way_is_given_up_for_a_wider_one() -> None:
    p = puzzle("cube2")
    table = Guess(p, error=0)

    class Misled(Guess):
        """Far too small estimates, which draw a narrow beam away from home."""

        def values(self, states: Array) -> Array:
            return (super().values(states) / 20).astype(np.float32)

    start = p.random_states(1, np.random.default_rng(7))[0]
    beam = Beam(width=1, ball=1, improve=True, seconds=60.0)
    found = replayed(p, start, beam(p, start, Misled(p, error=8), Meter(Budget(nodes=300_000))))
    assert found.length is not None
    assert found.length >= table.table.values(start[None])[0]
    lost = Beam(width=1, ball=1)(p, start, Misled(p, error=8), Meter(Budget()))
    assert lost.moves is None


def test_a_state_in_the_ball_has_its_shortest_solution() -> None:
    """Whatever a first solver says, and however little is expected."""
    board = puzzle("puzzle15")
    start = State.read(board, "1 2 3 4 5 6 7 8 9 0 10 11 13 14 15 12").cells

    def hopeful(states: Array) -> Array:
        return np.zeros(len(states), np.float32)

    guess = FunctionHeuristic(board, hopeful)
    for beam in (Beam(width=1, rows=True), Beam(width=1, improve=True)):
        found = beam(board, start, guess, Meter(Budget()))
        assert (found.length, found.proof) == (3, "optimal")


@pytest.mark.parametrize("said", [-8, -20, -np.inf])
def test_nothing_is_proved_before_there_is_a_solution(said: float) -> None:
    """A hopeful estimate makes the longest solution that is looked for shorter than the radius."""
    board = puzzle("puzzle8")
    start = board.random_states(1, np.random.default_rng(2))[0]

    def hopeful(states: Array) -> Array:
        return np.full(len(states), said, np.float32)

    beam = Beam(width=100, improve=True, ball=500)
    found = beam(board, start, FunctionHeuristic(board, hopeful), Meter(Budget(seconds=2)))
    assert found.length is not None
