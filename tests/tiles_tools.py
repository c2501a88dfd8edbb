"""What the tests of sliding boards share: whole graphs, other goals, attempts to refute."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.graph import Graph, distances
from homeward.heuristics.tiles.board import BoardHeuristic
from homeward.puzzles import puzzle
from homeward.puzzles.sliding import Sliding

GRAPHS: dict[str, Graph] = {}


def graph_of(board: Sliding) -> Graph:
    """Every distance of a small board, worked out once for all tests."""
    key = f"{board.name} {board.goal.tolist()}"
    if key not in GRAPHS:
        GRAPHS[key] = distances(board, use_cache=False)
    return GRAPHS[key]


def states_of(board: Sliding) -> NDArray[Any]:
    """Every state there is, in the order of the graph's table."""
    graph = graph_of(board)
    return graph.ranking.unrank(np.arange(graph.states))


def board_of(name: str, home: int | None = None) -> Sliding:
    """A board, with the blank's home somewhere else if `home` is given."""
    board = puzzle(name)
    assert isinstance(board, Sliding)
    if home is None:
        return board
    state = board.goal[None]
    while (blank := int(board.blanks(state)[0])) != home:
        row, column = divmod(home, board.columns)
        here, there = divmod(blank, board.columns)
        move = "D" if row < here else "U" if row > here else "R" if column < there else "L"
        state = board.step(state, board.move_names.index(move))
    return board.with_goal(state[0])


def refute(heuristic: BoardHeuristic) -> float:
    """Looks at every state there is; the mean of what the estimate misses."""
    missed = graph_of(heuristic.puzzle).distances - heuristic.values(states_of(heuristic.puzzle))
    assert missed.min() == 0
    return float(missed.mean())
