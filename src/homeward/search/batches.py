"""Iterative deepening that asks a heuristic about many nodes together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles import arrays
from homeward.puzzles.base import Puzzle
from homeward.puzzles.canonical import canonical_order
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.search.asking import Asking
from homeward.search.base import Meter

_ROUNDING = 1e-4
"""What sums of float32 estimates may be off by."""


@dataclass
class Batches:
    """Depth-first search in which the deepest nodes are expanded `batch` at a time.

    The limit starts with the estimate of the start and then is the smallest sum of moves made and
    estimated that exceeded it, rounded up: no solution has half a move, and an estimate of any
    real number would else raise the limit by next to nothing each time. Nodes whose estimate is
    infinite are never visited.
    """

    puzzle: Puzzle
    heuristic: Heuristic
    meter: Meter
    batch: int
    _allowed: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self._allowed = _allowed(self.puzzle)
        self._ask = Asking(self.heuristic, self.meter)

    def run(self, start: NDArray[Any]) -> list[int] | None:
        """A path from `start` `[cells]`, shortest with an admissible heuristic; None if none."""
        rows = np.array(start)[None]
        if self.puzzle.is_solved(rows)[0]:
            return []
        limit = float(self._on_cpu(self.heuristic.values(self.heuristic.place(rows)))[0])
        self.meter.progress.evaluated += 1
        while math.isfinite(limit):
            limit = math.ceil(limit - _ROUNDING)
            if self.heuristic.admissible:
                bound = max(self.meter.progress.lower_bound, limit)
                self.meter.progress.lower_bound = bound
            self.meter.progress.doing = f"trying {limit:g} moves"
            found, limit = self._within(rows, limit)
            if found is not None:
                return found
        return None

    def _within(self, rows: NDArray[Any], limit: float) -> tuple[list[int] | None, float]:
        """A path whose nodes all stay within the limit, and the next limit."""
        nothing = np.zeros((1, 0), np.int16)
        stack: list[tuple[NDArray[Any], NDArray[np.int16]]] = [(rows, nothing)]
        beyond = math.inf
        moves = self.puzzle.moves
        while stack:
            states, paths = stack.pop()
            self.meter.check()
            sums = paths.shape[1] + 1 + self._on_cpu(self._ask(self.heuristic.place(states)))
            progress = self.meter.progress
            progress.expanded += len(states)
            progress.generated += int(np.isfinite(sums).sum())
            progress.evaluated += int(np.isfinite(sums).sum())
            sums[~self._allowed[_pairs(paths, moves)]] = math.inf
            inside = sums <= limit + _ROUNDING
            beyond = min(beyond, float(sums[~inside].min(initial=math.inf)))
            parents, made = np.nonzero(inside)
            if not len(parents):
                continue
            children = self.puzzle.step(states[parents], made)
            longer = np.hstack([paths[parents], made[:, None].astype(np.int16)])
            solved = self.puzzle.is_solved(children)
            if solved.any():
                return longer[int(solved.argmax())].tolist(), beyond
            # The best looking children come last, so that they are taken first.
            order = np.argsort(-sums[parents, made], kind="stable")
            for part in np.array_split(order, math.ceil(len(order) / self.batch)):
                stack.append((children[part], longer[part]))
        return None, beyond

    @staticmethod
    def _on_cpu(values: arrays.Array) -> NDArray[Any]:
        return values.cpu().numpy() if arrays.is_torch(values) else np.array(values)


def _pairs(paths: NDArray[np.int16], moves: int) -> NDArray[np.int64]:
    """`[n]`: the last two moves of each path, numbered as in `MoveOrder`."""
    padded = np.hstack([np.full((len(paths), 2), -1, np.int16), paths])[:, -2:].astype(np.int64) + 1
    numbers: NDArray[np.int64] = padded[:, 0] * (moves + 1) + padded[:, 1]
    return numbers


def _allowed(puzzle: Puzzle) -> NDArray[np.bool_]:
    """`[pairs, moves]`: the moves worth trying after two others."""
    moves = puzzle.moves
    allowed = np.ones(((moves + 1) ** 2, moves), bool)
    if isinstance(puzzle, PermutationPuzzle) and moves < 255:
        order = canonical_order(puzzle.table.numpy)
        allowed[:] = False
        for pair, count in enumerate(order.follows.tolist()):
            allowed[pair, order.follow[pair, :count]] = True
    elif puzzle.reversible:
        for pair in range((moves + 1) ** 2):
            last = pair % (moves + 1) - 1
            if last >= 0:
                allowed[pair, puzzle.inverses[last]] = False
    return allowed
