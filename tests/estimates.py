"""Estimates of distances for tests, written for NumPy arrays and torch tensors alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from homeward.heuristics.function import FunctionHeuristic
from homeward.puzzles import puzzle
from homeward.puzzles.arrays import Table, indices, namespace
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sliding import Sliding
from homeward.search.base import Budget, Meter, Search, Solution, replayed
from homeward.search.zobrist import hasher

Function = Callable[[Any], Any]


def searched(
    search: Search,
    made: Puzzle,
    start: Any,
    heuristic: Any,
    budget: Budget | None = None,
) -> Solution:
    """The replayed solution of one state."""
    row = np.array(start, dtype=made.dtype)
    return replayed(made, row, search(made, row, heuristic, Meter(budget or Budget())))


def manhattan(board: Sliding) -> Function:
    """How far tiles are from home, all together."""
    home = np.argsort(board.goal)
    places = np.stack(np.divmod(np.arange(board.cells), board.columns), 1)
    apart = abs(places[home][:, None] - places[None]).sum(-1)
    apart[0] = 0  # the blank
    table, offsets = Table(apart.reshape(-1)), Table(np.arange(board.cells))

    def distance(states: Any) -> Any:
        where = indices(states) * board.cells + offsets.on(states)
        return table.on(states)[where].sum(1)

    return distance


def a_fifth_of_the_lamps(states: Any) -> Any:
    """A press changes at most five lamps."""
    return (indices(states).sum(1) + 4) // 5


def gaps(states: Any) -> Any:
    """Neighbours in a stack of pancakes that are no neighbours when sorted; a flip mends one."""
    stack = indices(states)
    jumps = abs(stack[:, 1:] - stack[:, :-1]) != 1
    return jumps.sum(1) + (stack[:, -1] != stack.shape[1] - 1)


def misplaced(made: Puzzle, most: int) -> Function:
    """Cells that differ from the goal, over the most cells that one move changes."""
    goal = Table(made.goal)

    def distance(states: Any) -> Any:
        return ((states != goal.on(states)).sum(1) + most - 1) // most

    return distance


def boxes_to_targets(states: Any) -> Any:
    """A push moves one box one cell: how many boxes are off target."""
    return (states == 3).sum(1)


def part_of(function: Function, made: Puzzle) -> Function:
    """The estimate for about half of all states and 0 for the others: far from consistent."""
    hashed = hasher(made)

    def distance(states: Any) -> Any:
        xp = namespace(states)
        found = function(states)
        return xp.where((hashed(states) >> 40) % 2 == 0, found, xp.zeros_like(found))

    return distance


ESTIMATES: dict[str, Function] = {
    "puzzle8": manhattan(puzzle("puzzle8")),  # type: ignore[arg-type]
    "sliding-2x4": manhattan(puzzle("sliding-2x4")),  # type: ignore[arg-type]
    "lightsout4": a_fifth_of_the_lamps,
    "pancake": gaps,
    "cube2": misplaced(puzzle("cube2"), 12),
    "sokoban-6x6": boxes_to_targets,
}
"""For each puzzle an estimate that is never too large."""


def estimate(name: str, device: str | None = None) -> FunctionHeuristic:
    """The admissible estimate of a puzzle."""
    return FunctionHeuristic(puzzle(name), ESTIMATES[name], admissible=True, device=device)


def random_starts(name: str, n: int, seed: int, depth: int) -> Any:
    """`[n, cells]`: ends of walks of 0 to `depth` moves; new rooms for Sokoban."""
    made, rng = puzzle(name), np.random.default_rng(seed)
    if made.family == "sokoban":
        return made.start_states(n, rng)
    walks = made.walks(n, depth, rng).states
    return walks[rng.integers(depth + 1, size=n), np.arange(n)]
