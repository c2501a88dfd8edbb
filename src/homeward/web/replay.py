"""What a replay shows beside the moves: other lengths, other notation, and the way still to go."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.notation import State, format_of
from homeward.puzzles import Puzzle
from homeward.puzzles.cube import Cube
from homeward.search.base import Solution
from homeward.solvers import fitness
from homeward.web import catalogue

_MOST = 2000
"""States along a solution that are estimated; a longer one goes without."""


def replay_notes(start: State, solution: Solution) -> dict[str, Any] | None:
    """Notes on a solution, None if there is none.

    `text` is the solution as people publish it: WCA notation, or LURD with pushes in capitals.
    `quarter_turns` and `half_turns` are for cubes alone. `estimates` are distances home before
    each move and at the end, `estimated_by` says by what: a net's name, `exact` where the solution
    is proved shortest, or the name of an estimate that is never too large.
    """
    if solution.moves is None:
        return None
    puzzle, moves = start.puzzle, solution.moves
    quarters = halves = None
    if isinstance(puzzle, Cube):
        from homeward.notation.turns import lengths

        quarters, halves = lengths(puzzle, moves)
    by, estimates = _estimates(start, solution)
    return {
        "text": format_of(puzzle).write_solution(puzzle, start.cells, moves),
        "quarter_turns": quarters,
        "half_turns": halves,
        "estimates": estimates,
        "estimated_by": by,
    }


def _estimates(start: State, solution: Solution) -> tuple[str | None, list[float] | None]:
    assert solution.moves is not None
    puzzle, length = start.puzzle, len(solution.moves)
    if length > _MOST:
        return None, None
    heuristic = _net(puzzle.name)
    if heuristic is None and solution.proof == "optimal":
        return "exact", [float(length - done) for done in range(length + 1)]
    by = puzzle.name
    if heuristic is None:
        heuristic = _cheap(puzzle)
        if heuristic is None:
            return None, None
        by = heuristic.name
    states = _states(puzzle, start.cells, solution.moves)
    values = np.asarray(heuristic.values(heuristic.place(states)))
    return by, [round(float(value), 2) for value in values]


@lru_cache(maxsize=4)
def _net(name: str) -> Heuristic | None:
    """The puzzle's own net, where one ships. So few states are soonest done on the CPU."""
    from homeward.heuristics.loading import load

    made = catalogue.puzzle(name)
    return None if fitness.why_no_net(made) else load(made, None, "cpu", threads=1)


def _cheap(puzzle: Puzzle) -> Heuristic | None:
    """An estimate that needs no tables, where the family has one."""
    if puzzle.family != "sliding":
        return None
    from homeward.heuristics.tiles.manhattan import Manhattan

    return Manhattan(puzzle)


def _states(puzzle: Puzzle, start: NDArray[Any], moves: tuple[int, ...]) -> NDArray[Any]:
    """`[moves + 1, cells]`: the states on the way home."""
    rows = [np.asarray(start, dtype=puzzle.dtype)[None]]
    for move in moves:
        rows.append(puzzle.step(rows[-1], move))
    return np.concatenate(rows)
