"""Asking a heuristic about many states without forgetting the time."""

from __future__ import annotations

import time

import numpy as np

from homeward.heuristics.base import Heuristic
from homeward.puzzles.arrays import Array, is_torch
from homeward.search.base import Meter

_LONGEST = 0.2
"""Seconds for which nobody looks at the clock."""
_FEWEST = 64
"""States that are asked about together however long it takes: fewer would cost more."""


class Asking:
    """A heuristic's `children`, in parts after which the budget is looked at.

    A level of a beam may be a minute's work for a function in Python or for a large net. Parts are
    as large as the speed so far allows. On a GPU, which works ahead of us, all are asked together.
    """

    def __init__(self, heuristic: Heuristic, meter: Meter) -> None:
        self._heuristic, self._meter = heuristic, meter
        self._most = _FEWEST

    def __call__(self, states: Array) -> Array:
        """`[B, moves]`: estimates of the children of states; `Interrupted` if the time is up."""
        if is_torch(states):
            return self._heuristic.children(states)
        parts = [self._timed(states[: self._most])]
        done = len(parts[0])
        while done < len(states):
            self._meter.check()
            parts.append(self._timed(states[done : done + self._most]))
            done += len(parts[-1])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _timed(self, states: Array) -> Array:
        began = time.perf_counter()
        scores = self._heuristic.children(states)
        passed = max(time.perf_counter() - began, 1e-6)
        self._most = max(_FEWEST, int(_LONGEST * len(states) / passed))
        return scores
