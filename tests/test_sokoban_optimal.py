"""Sokoban by A*: the bound against exact distances, shortest solutions, levels that are lost."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.heuristics.sokoban.kernels import match
from homeward.heuristics.sokoban.level import FAR, level
from homeward.heuristics.sokoban.matching import MatchingBound
from homeward.notation import State
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.rooms import generate
from homeward.puzzles.sokoban import Sokoban
from homeward.search.base import Budget, Meter, Outcome, Solution, replayed
from homeward.search.blind import Bidirectional
from homeward.search.sokoban import astar
from homeward.search.sokoban.astar import PushAStar
from homeward.solvers import solve

# Six boxes, the first of the XSokoban levels.
CORRIDORS = """
    #####
    #   #
    #$  #
  ###  $##
  #  $ $ #
### # ## #   ######
#   # ## #####  ..#
# $  $          ..#
##### ### #@##  ..#
    #     #########
    #######
"""


def read(text: str) -> tuple[Sokoban, NDArray[Any]]:
    state = State.read("sokoban", text.strip("\n"))
    assert isinstance(state.puzzle, Sokoban)
    return state.puzzle, state.cells


def solved(board: Sokoban, start: NDArray[Any], budget: Budget | None = None) -> Solution:
    found = PushAStar()(board, start, None, Meter(budget or Budget()))
    return replayed(board, start, found)


def distances(board: Sokoban, start: NDArray[Any]) -> dict[bytes, float]:
    """The moves home from every board that can be reached, +inf where there are none."""
    known, queue = {start.tobytes(): 0}, [start]
    before: list[tuple[int, int]] = []
    for number, here in enumerate(queue):  # grows on the way
        for child in board.expand(here[None])[0][board.legal(here[None])[0]]:
            key = child.tobytes()
            if key not in known:
                known[key] = len(queue)
                queue.append(child)
            before.append((known[key], number))
    length = np.where(board.is_solved(np.array(queue)), 0.0, np.inf)
    to, came = np.array(before).T
    while True:
        shorter = length.copy()
        np.minimum.at(shorter, came, length[to] + 1)
        if np.array_equal(shorter, length):
            return {row.tobytes(): float(d) for row, d in zip(queue, length, strict=True)}
        length = shorter


# --- the bound


def test_matchings_against_all_of_them() -> None:
    rng = np.random.default_rng(0)
    for n in range(1, 7):
        for _ in range(40):
            pushes = rng.integers(0, 20, size=(n + 3, n)).astype(np.int32)
            pushes[rng.random(pushes.shape) < 0.2] = FAR
            boxes = rng.permutation(n + 3)[:n].astype(np.uint16)
            orders = itertools.permutations(range(n))
            least = min(sum(pushes[boxes, list(order)].tolist()) for order in orders)
            found = match(pushes, boxes, np.zeros((6, n + 1), np.int32))
            assert found == least or min(found, least) >= FAR


def test_pushes_and_dead_cells() -> None:
    board, start = read(
        """
#######
#     #
# $   #
#    .#
#@    #
#######
"""
    )
    room = level(board, start)
    pushes = room.pushes[:-1, 0].reshape(4, 5)
    far = FAR
    # In the corners and along the wall without the target no push helps; the last column needs
    # the agent above or below, the row of the target the agent to the left.
    assert pushes.tolist() == [
        [far, far, far, far, far],
        [far, 4, 3, 2, 1],
        [far, 3, 2, 1, 0],
        [far, far, far, far, far],
    ]
    assert room.dead[:-1].sum() == 12
    assert room.home.sum() == 1


@pytest.mark.parametrize("seed", range(6))
def test_no_bound_of_a_whole_level_is_too_large(seed: int) -> None:
    rows, columns, boxes = [(6, 6, 2), (7, 7, 2), (6, 8, 3)][seed % 3]
    board = Sokoban(rows, columns)
    start = generate(1, np.random.default_rng(seed), rows, columns, boxes)[0]
    exact = distances(board, start)
    bound = MatchingBound(board)
    states = np.array([np.frombuffer(key, dtype=board.dtype) for key in exact])
    found, length = bound.values(states), np.array(list(exact.values()))
    assert (found <= length).all()
    solvable = np.isfinite(length)
    assert (found[solvable] > 0).sum() == (length[solvable] > 0).sum()
    # Most of what is lost is known to be lost.
    assert np.isinf(found[~solvable]).sum() >= 0.5 * (~solvable).sum()
    assert solved(board, start).length == exact[start.tobytes()]


def test_the_bound_is_a_heuristic() -> None:
    board = puzzle("sokoban")
    bound = MatchingBound(board)
    assert isinstance(bound, Heuristic)
    assert bound.admissible
    states = generate(5, np.random.default_rng(1))
    found = bound.children(bound.place(states))
    legal = board.legal(states)
    assert found.dtype == np.float32
    assert np.isinf(found[~legal]).all()
    assert found[legal].tolist() == bound.values(board.expand(states)[legal]).tolist()
    torch = pytest.importorskip("torch")
    assert bound.children(torch.as_tensor(states)).tolist() == found.tolist()
    assert bound.values(torch.as_tensor(states)).tolist() == bound.values(states).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("######\n#@$ .#\n######", 2),  # two pushes at once
        ("#######\n#@ $ .#\n#######", 3),  # a step first
        ("#######\n#  *@ #\n#  $ .#\n#######", 4),  # one push in vain, or three steps
        ("#######\n#. *@ #\n#  $ ##\n#######", np.inf),  # the lower box cannot leave the wall
        ("########\n#@$$ ..#\n########", np.inf),  # two in a row
        ("######\n#@ $.#\n#  $.#\n######", 3),
        ("#######\n#@$$  #\n# $$  #\n#....##\n#######", np.inf),  # a square of boxes
        ("######\n#@*  #\n######", 0),
    ],
)
def test_bounds_by_hand(text: str, expected: float) -> None:
    board, start = read(text)
    assert MatchingBound(board).values(start[None]).tolist() == [expected]


# --- solutions


def test_solutions_against_a_blind_search() -> None:
    rng = np.random.default_rng(3)
    for rows, columns, boxes in ((8, 8, 3), (9, 7, 4), (7, 12, 5)):
        board = Sokoban(rows, columns)
        for start in generate(6, rng, rows, columns, boxes):
            blind = Bidirectional()(board, start, None, Meter(Budget()))
            found = solved(board, start)
            assert (found.length, found.proof) == (blind.length, "optimal")
            assert (found.lower_bound, found.reopened) == (found.length, 0)


def test_a_level_of_corridors() -> None:
    """With all six boxes the budget is enough for a bound; with three for a solution."""
    board, start = read(CORRIDORS)
    found = solved(board, start, Budget(nodes=400_000))
    assert found.status is Outcome.OUT_OF_TIME
    assert 140 < found.lower_bound <= 230
    lines = CORRIDORS.replace("#$  #", "#   #").replace("###  $##", "###   ##").splitlines()
    fewer = "\n".join(line.replace("..#", ". #").replace("# $  $ ", "# $    ") for line in lines)
    board, start = read(fewer)
    found = solved(board, start)
    blind = Bidirectional()(board, start, None, Meter(Budget()))
    assert found.length == blind.length == 106
    assert found.expanded < blind.expanded


def test_arrays_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    start = generate(1, np.random.default_rng(12), 10, 10, 5)[0]
    board = Sokoban(10, 10)
    usual = solved(board, start)
    monkeypatch.setattr(astar, "_FIRST", 64)
    monkeypatch.setattr(astar, "_SLICE", 7)
    small = solved(board, start)
    assert (small.moves, small.expanded) == (usual.moves, usual.expanded)
    assert small.expanded > 1000


def test_the_end_and_other_goals() -> None:
    board, start = read("#######\n#@$  .#\n#     #\n#######")
    assert solved(board, start).moves == (3, 3, 3)
    end = board.apply(start, [3])
    assert solved(board.with_goal(end), start).moves == (3,)
    assert solved(board, board.apply(start, [3, 3, 3])).moves == ()


@pytest.mark.parametrize(
    "text",
    [
        "######\n#$   #\n#@ . #\n######",  # in a corner
        "########\n#  $$  #\n# @    #\n#  ..  #\n########",  # two side by side at a wall
        "#######\n# $ #.#\n#@    #\n#######",  # no target along that wall
        "#########\n#.  #  .#\n#  $@$  #\n#   #   #\n#########",
    ],
)
def test_lost_levels_are_proved_so(text: str) -> None:
    board, start = read(text)
    found = solved(board, start)
    blind = Bidirectional()(board, start, None, Meter(Budget()))
    assert found.status is blind.status
    assert found.length == blind.length


def test_budgets() -> None:
    board, start = read(CORRIDORS)
    assert solved(board, start, Budget(nodes=10_000)).status is Outcome.OUT_OF_TIME
    assert solved(board, start, Budget(bytes=3_000_000)).status is Outcome.OUT_OF_MEMORY


def test_only_sokoban() -> None:
    cube = puzzle("cube2")
    with pytest.raises(PuzzleError) as caught:
        PushAStar()(cube, cube.goal, None, Meter(Budget()))
    assert str(caught.value) == "search by pushes is for Sokoban, not cube2"
    with pytest.raises(PuzzleError) as caught:
        MatchingBound(cube)
    assert str(caught.value) == "matching is for Sokoban, not cube2"
    with pytest.raises(PuzzleError) as caught:
        solve("cube2", cube.goal, "sokoban")
    assert str(caught.value) == "cube2 is not Sokoban"


@pytest.mark.parametrize("name", ["sokoban", "sokoban_medium", "sokoban_hard"])
def test_public_levels(name: str, data_dir: Path) -> None:
    data = np.load(data_dir / f"{name}.npz")
    board = puzzle("sokoban")
    assert isinstance(board, Sokoban)
    states = data["states"].reshape(len(data["states"]), -1)[:60]
    for start, length in zip(states, data["optimal_length"], strict=False):
        found = solved(board, start)
        assert (found.length, found.proof) == (length, "optimal")


def test_the_bound_along_public_solutions(data_dir: Path) -> None:
    data = np.load(data_dir / "sokoban.npz")
    board = puzzle("sokoban")
    bound = MatchingBound(board)
    for number in range(40):
        state = data["states"][number].reshape(1, -1)
        moves = data["optimal_moves"][number]
        moves = moves[moves >= 0]
        for done, move in enumerate(moves):
            assert bound.values(state)[0] <= len(moves) - done
            state = board.step(state, int(move))


def test_boxes_walled_in_at_home_are_no_obstacle() -> None:
    """Behind the way, before it, and for the bound as well as for the search."""
    for text in ("########|#@$.#**#|########", "########|#**#@$.#|########"):
        given = State.read("sokoban", text.replace("|", "\n"))
        found = solve(given.puzzle, given)
        assert (found.status, found.moves, found.proof) == (Outcome.SOLVED, (3,), "optimal")
        bound = MatchingBound(given.puzzle)
        assert bound.values(given.cells[None]).tolist() == [1.0]
