"""The states around the goal, distance by distance, for small counts that must be exact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.base import Puzzle


def layers(puzzle: Puzzle, opened: int) -> Iterator[NDArray[Any]]:
    """Yields `[n, cells]`, the states at distance 0, 1, 2, … from the goals, each exactly once.

    Ends when there are no more, or with the last distance that needs at most `opened` children.
    """
    whole = np.dtype((np.void, puzzle.cells * puzzle.dtype.itemsize))

    def keys(states: NDArray[Any]) -> NDArray[Any]:
        return np.ascontiguousarray(states, dtype=puzzle.dtype).view(whole).reshape(-1)

    here = np.unique(puzzle.goals, axis=0)
    seen = [keys(here)]
    while len(here):
        yield here
        if len(here) * puzzle.back_moves > opened:
            return
        parents = keys(puzzle.parents(here))
        # Where every move can be undone, only the last two distances can come back.
        seen = seen[-2:] if puzzle.reversible else seen
        older = np.concatenate(seen)
        everything, first = np.unique(np.concatenate([older, parents]), return_index=True)
        fresh = everything[first >= len(older)]
        seen.append(fresh)
        here = fresh.view(puzzle.dtype).reshape(-1, puzzle.cells)
