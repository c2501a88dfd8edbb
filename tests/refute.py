"""Attempts to refute that a heuristic is admissible, and that it never jumps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.heuristics.graph import distances
from homeward.puzzles.base import Puzzle
from homeward.puzzles.nearby import layers


def too_large_on_graph(puzzle: Puzzle, heuristic: Heuristic, every: int = 1) -> int:
    """How many of the states of a whole graph (or every n-th) have an estimate too large."""
    graph = distances(puzzle, use_cache=False)
    wrong = 0
    numbers = np.arange(0, graph.states, every)
    for part in np.array_split(numbers, max(1, len(numbers) // 100_000)):
        estimates = heuristic.values(heuristic.place(graph.ranking.unrank(part)))
        wrong += int((np.asarray(estimates) > graph.distances[part]).sum())
    return wrong


def too_large_nearby(puzzle: Puzzle, heuristic: Heuristic, opened: int) -> int:
    """How many of all states near the goal have an estimate too large; see `layers`."""
    wrong = 0
    for distance, states in enumerate(layers(puzzle, opened)):
        wrong += int((np.asarray(heuristic.values(heuristic.place(states))) > distance).sum())
    return wrong


def too_large_on_walks(puzzle: Puzzle, heuristic: Heuristic, n: int, depth: int, seed: int) -> int:
    """How many states on random walks have an estimate above the walk's length."""
    walks = puzzle.walks(n, depth, np.random.default_rng(seed))
    flat: NDArray[Any] = walks.states.reshape(-1, puzzle.cells)
    estimates = np.asarray(heuristic.values(heuristic.place(flat))).reshape(depth + 1, n)
    return int((estimates > np.arange(depth + 1)[:, None]).sum())


def largest_jump(puzzle: Puzzle, heuristic: Heuristic, states: NDArray[Any]) -> float:
    """By how much an estimate changes at most when a move is made."""
    here = np.asarray(heuristic.values(heuristic.place(states)))
    there = np.asarray(heuristic.children(heuristic.place(states)))
    return float(np.abs(there - here[:, None]).max())
