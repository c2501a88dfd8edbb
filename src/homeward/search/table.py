"""Walking down a table of exact distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Interrupted, Meter, Outcome, Solution


@dataclass(frozen=True)
class TableDescent:
    """Takes a move that brings the state one nearer, until it is home.

    Needs a heuristic that knows the exact distance of every state; one that only estimates is
    refused as soon as it shows. The first distance is the length and its proof.
    """

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Follows `heuristic` from `start` `[cells]` to a goal."""
        if heuristic is None or not heuristic.admissible:
            raise PuzzleError("walking down a table needs a heuristic with exact distances")
        row = np.asarray(start)[None]
        distance = float(heuristic.values(row)[0])
        meter.progress.evaluated += 1
        if np.isinf(distance):
            return meter.solution(Outcome.UNSOLVABLE)
        length = meter.progress.lower_bound = int(distance)
        moves: list[int] = []
        try:
            while not puzzle.is_solved(row)[0]:
                meter.check()
                children = heuristic.children(row)[0]
                legal = int(np.isfinite(children).sum())
                meter.progress.expanded += 1
                meter.progress.generated += legal
                meter.progress.evaluated += legal
                move = int(children.argmin())
                if float(children[move]) != distance - 1:
                    raise PuzzleError(f"{heuristic.name} has no exact distances to walk down")
                distance -= 1
                moves.append(move)
                row = puzzle.step(row, move)
        except Interrupted as stop:
            return meter.solution(stop.status, None, length)
        return meter.solution(Outcome.SOLVED, moves, length)
