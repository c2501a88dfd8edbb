"""The learned heuristic of the heuristic-learning paper: a small net that judges 22 features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.cpu_net import CpuNet
from homeward.heuristics.cube.features.vector import DATABASES, INPUT, features
from homeward.heuristics.models import model_for
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

MODEL = "cube3-features"
"""The model that ships: 22 features, 40, 36, 36 and 10 tanh, one distance."""
_BATCH = 4096


class JudgedFeatures:
    """`hNN`: what the net says of the features; with `plus`, `hNN+`: at least the databases.

    Neither is admissible: the net learned the distances by squared error, so it is too large about
    as often as it is too small.
    """

    admissible = False

    def __init__(self, puzzle: Puzzle, plus: bool = False, model: str | Path = MODEL) -> None:
        found = model_for(puzzle, model)
        if found.card.input != INPUT:
            raise PuzzleError(f"model {found.name} reads {found.card.input}, not {INPUT}")
        self.puzzle, self.plus, self.name = puzzle, plus, "hNN+" if plus else "hNN"
        self._net = CpuNet(puzzle, found, threads=1)

    def place(self, states: NDArray[Any]) -> NDArray[Any]:
        """The states as they are: databases live beside the CPU."""
        return np.asarray(states)

    def values(self, states: NDArray[Any]) -> NDArray[np.float32]:
        """`[B]` float32: the estimate of each state, 0 at the goal and never below."""
        found = np.empty(len(states), np.float32)
        for first in range(0, len(states), _BATCH):
            part = slice(first, first + _BATCH)
            seen = features(states[part])
            found[part] = np.maximum(self._net.answers_of(seen)[:, 0], 0)
            if self.plus:
                np.maximum(found[part], seen[:, :DATABASES].max(1), out=found[part])
        found[self.puzzle.is_solved(states)] = 0
        return found

    def children(self, states: NDArray[Any]) -> NDArray[np.float32]:
        """`[B, moves]` float32: the estimate of each child."""
        flat = self.puzzle.expand(states).reshape(-1, self.puzzle.cells)
        return self.values(flat).reshape(len(states), self.puzzle.moves)
