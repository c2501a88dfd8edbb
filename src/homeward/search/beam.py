"""Beam search: level by level, keep the children that look nearest to home."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, namespace
from homeward.puzzles.base import Puzzle
from homeward.search import ops
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.views import views
from homeward.search.zobrist import hasher


@dataclass(frozen=True)
class Beam:
    """Beam search over several views of the start; the shortest solution is kept.

    `width` states are kept on each level. `views` is how many views are tried (0: all of them), one
    after the other; each looks only for something shorter than the best so far. `depth` is the
    most levels to go (0: as many as the estimate suggests).
    """

    width: int = 1024
    views: int = 1
    depth: int = 0

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        if heuristic is None:
            raise ValueError("beam search needs a heuristic")
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        best: list[int] | None = None
        status = Outcome.OUT_OF_TIME
        try:
            for view in islice(views(puzzle, start), self.views or None):
                limit = self.depth or _likely_limit(puzzle, view.start, heuristic)
                if best is not None:
                    limit = len(best) - 1
                found = _descend(puzzle, view.start, heuristic, meter, self.width, limit)
                if found is not None:
                    best = view.restore(found)
                    meter.progress.best = len(best)
        except Interrupted as stop:
            status = stop.status
        if best is not None:
            return meter.solution(Outcome.SOLVED, best)
        return meter.solution(status)


def _likely_limit(puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic) -> int:
    """Levels after which a beam has surely lost its way."""
    estimate = float(heuristic.values(heuristic.place(start[None]))[0])
    return int(50 + 2 * max(estimate, 0.0)) if np.isfinite(estimate) else 1000


def _descend(
    puzzle: Puzzle,
    start: NDArray[Any],
    heuristic: Heuristic,
    meter: Meter,
    width: int,
    limit: int,
) -> list[int] | None:
    """One beam from one view: the moves to a goal within `limit` levels, or None."""
    key_of = hasher(puzzle)
    states = heuristic.place(start[None])
    trail: list[tuple[Array, Array]] = []  # for each level: parents and moves of its states
    last: Array | None = None
    for _level in range(limit):
        scores = _scores(puzzle, heuristic, states, last)
        meter.progress.expanded += len(states)
        meter.progress.evaluated += len(states)
        meter.progress.generated += len(states) * puzzle.moves
        meter.check()
        flat = scores.reshape(-1)
        chosen = ops.smallest(flat, 2 * width)
        chosen_scores = flat[chosen]
        real = chosen_scores < np.inf
        chosen, chosen_scores = chosen[real], chosen_scores[real]
        if not len(chosen):
            return None
        parents, moves = chosen // puzzle.moves, chosen % puzzle.moves
        children = puzzle.step(states[parents], moves)
        solved = puzzle.is_solved(children)
        if ops.any_true(solved):
            at = int(arrays.indices(solved).argmax())
            return _path(trail, int(parents[at]), int(moves[at]))
        fresh = ops.first_of_each(key_of(children))
        kept = namespace(fresh).where(fresh)[0]
        kept = kept[ops.smallest(chosen_scores[kept], width)]
        states, last = children[kept], moves[kept]
        trail.append((parents[kept], last))
    return None


def _scores(puzzle: Puzzle, heuristic: Heuristic, states: Array, last: Array | None) -> Array:
    """`[B, moves]`: estimates of the children, +inf for illegal ones and straight returns."""
    scores = heuristic.children(states)
    if last is not None and puzzle.reversible:
        scores[arrays.row_numbers(states), puzzle.undo(last)] = np.inf
    return scores


def _path(trail: Sequence[tuple[Array, Array]], row: int, move: int) -> list[int]:
    moves = [move]
    for parents, made in reversed(trail):
        moves.append(int(made[row]))
        row = int(parents[row])
    return moves[::-1]
