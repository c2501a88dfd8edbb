"""States whose distance somebody knows: whole graphs, solved sequences, files of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from homeward.learning.settings import Settings
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

if TYPE_CHECKING:
    from homeward.heuristics.graph import Graph


_KEPT = 1 << 28
"""Bytes of the states of a whole graph that are kept where the training is."""
_AT_ONCE = 1 << 20
"""States that are made of their numbers at once, which takes many times their memory."""


class Examples(Protocol):
    """Where examples come from; what they draw is a function of the generator alone."""

    def draw(self, n: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
        """States `[n, cells]` and their distances `[n]`."""
        ...


class WholeGraph:
    """Every state of a small puzzle alike, with its exact distance, made of its number."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def draw(self, n: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
        drawn = torch.randint(self.graph.states, (n,), generator=rng, device=rng.device)
        numbers = drawn.cpu().numpy()
        states = torch.as_tensor(self.graph.ranking.unrank(numbers), device=rng.device)
        return states, torch.as_tensor(self.graph.distances[numbers], device=rng.device)


class Listed:
    """States `[N, cells]` with distances `[N]`, drawn again and again."""

    def __init__(self, states: NDArray[Any], lengths: NDArray[Any], device: torch.device) -> None:
        self.states = torch.as_tensor(states, device=device)
        self.lengths = torch.as_tensor(lengths, device=device)

    def draw(self, n: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
        drawn = torch.randint(len(self.states), (n,), generator=rng, device=rng.device)
        return self.states[drawn], self.lengths[drawn]


def from_graph(puzzle: Puzzle, device: torch.device) -> Examples:
    """All states of a puzzle; listed, if they fit, or each draw would wait for the CPU."""
    from homeward.heuristics.graph import distances

    graph = distances(puzzle)
    if graph.states * puzzle.cells * np.dtype(puzzle.dtype).itemsize > _KEPT:
        return WholeGraph(graph)
    starts = range(0, graph.states, _AT_ONCE)
    parts = [np.arange(start, min(start + _AT_ONCE, graph.states)) for start in starts]
    states = np.concatenate([graph.ranking.unrank(part) for part in parts])
    return Listed(states, graph.distances.copy(), device)


def on_the_way(
    puzzle: Puzzle, starts: NDArray[Any], solutions: Sequence[Sequence[int]]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """`[N, cells]` and `[N]`: every state of solved sequences with the moves that remain.

    `starts` are `[n, cells]`, `solutions` the moves home of each. The solutions' ends are included.
    """
    left = np.array([len(moves) for moves in solutions], dtype=np.int64)
    padded = np.zeros((len(solutions), int(left.max(initial=0)) + 1), dtype=np.int64)
    for row, moves in zip(padded, solutions, strict=True):
        row[: len(moves)] = moves
    here = np.asarray(starts, dtype=puzzle.dtype)
    states, lengths = [], []
    while len(here):
        states.append(here)
        lengths.append(left)
        going = left > 0
        here = puzzle.step(here[going], padded[going, 0])
        padded, left = padded[going, 1:], left[going] - 1
    if not states:
        return here, left
    ends = np.concatenate([s[n == 0] for s, n in zip(states, lengths, strict=True)])
    if not puzzle.is_solved(ends).all():
        raise PuzzleError("the moves of a solved sequence do not solve it")
    return np.concatenate(states), np.concatenate(lengths)


def from_file(puzzle: Puzzle, path: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """`[N, cells]` and `[N]`: what an archive of instances knows of distances.

    Solutions (`optimal_moves`) give every state on the way; lengths alone (`optimal_length`) the
    states themselves.
    """
    from homeward.notation.archives import load_set

    if not path:
        raise PuzzleError("source=file needs a file: --set data=FILE.npz")
    given = load_set(Path(path), puzzle)
    if given.optimal_moves is not None:
        moves = given.optimal_moves
        solved = puzzle.is_solved(given.states)
        rows = [i for i, row in enumerate(moves) if len(row) or solved[i]]  # others are unknown
        return on_the_way(puzzle, given.states[rows], [moves[i] for i in rows])
    if given.optimal_length is None:
        raise PuzzleError(f"{path}: there are neither 'optimal_moves' nor 'optimal_length'")
    known = given.optimal_length >= 0
    return given.states[known], given.optimal_length[known]


def from_solver(
    puzzle: Puzzle, settings: Settings, rng: torch.Generator
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """`[N, cells]` and `[N]`: all states on the way home from scrambles, by a solver."""
    from homeward.solvers import solve

    draw = np.random.default_rng(rng.initial_seed())
    scrambles = puzzle.walks(settings.examples, settings.depth, draw).states
    lengths = draw.integers(1, settings.depth + 1, size=settings.examples)
    starts = scrambles[lengths, np.arange(settings.examples)]
    found = solve(puzzle, starts, settings.solver)
    solved = [i for i, solution in enumerate(found) if solution.moves is not None]
    return on_the_way(puzzle, starts[solved], [found[i].moves for i in solved])


def examples_for(puzzle: Puzzle, settings: Settings, rng: torch.Generator) -> Examples:
    """The examples of `Settings.source`: `table`, `file` or `solver`."""
    if settings.source == "table":
        return from_graph(puzzle, rng.device)
    if settings.source == "file":
        states, lengths = from_file(puzzle, settings.data)
    else:
        states, lengths = from_solver(puzzle, settings, rng)
    if not len(states):
        raise PuzzleError(f"source={settings.source} has no state with a known distance")
    return Listed(states, lengths, rng.device)
