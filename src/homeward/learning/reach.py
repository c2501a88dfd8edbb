"""How long walks must be to reach states like any other, for puzzles that nobody has tuned."""

from __future__ import annotations

import contextlib
import math
from functools import lru_cache
from itertools import islice

from homeward.puzzles.base import Puzzle
from homeward.puzzles.lightsout import LightsOut
from homeward.puzzles.nearby import layers
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.ranking import count_states
from homeward.puzzles.status import PuzzleError

_OPENED = 300_000
"""Children that are made to see how states multiply: about a second."""
_FARTHEST = 1000
"""Distances that are looked at: a puzzle may be a long corridor."""
_UNKNOWN = 30
"""Where nobody knows how many states there are."""


@lru_cache(maxsize=16)
def walk_depth(puzzle: Puzzle) -> int:
    """The longest walk to learn a puzzle from, a little farther than most of its states are.

    >>> from homeward.puzzles import puzzle
    >>> walk_depth(puzzle("cube3"))
    27
    """
    # Half of all lamps are pressed on average, which is more than how states multiply would tell.
    far = puzzle.cells / 2 if isinstance(puzzle, LightsOut) else reach(puzzle)
    return _UNKNOWN if far is None else math.ceil(1.2 * far) + 2


def reach(puzzle: Puzzle) -> float | None:
    """About how many moves most states are from home; None if nobody knows how many there are.

    Near home each distance has about as many times the states of the one before. Going on like
    that, they would be all the states there are at the distance that most of them have.

    >>> from homeward.puzzles import puzzle
    >>> round(reach(puzzle("cube3")), 1)  # they are 20.7 on average
    20.1
    """
    counts = [len(states) for states in islice(layers(puzzle, _OPENED), _FARTHEST)]
    if counts[-1] * puzzle.back_moves <= _OPENED:  # these are all, or a long and narrow part
        return sum(d * n for d, n in enumerate(counts)) / sum(counts)
    states = _states(puzzle)
    if states is None:
        return None
    # The last two steps: the first ones are those of few moves, not of many.
    growth = math.log(counts[-1] / counts[-3]) / 2 if len(counts) > 2 else math.log(counts[-1])
    return len(counts) - 1 + math.log(states / counts[-1]) / growth


def _states(puzzle: Puzzle) -> int | None:
    """How many states there are, or a little more where pieces look alike; None if unknown."""
    with contextlib.suppress(PuzzleError):
        return count_states(puzzle)
    with contextlib.suppress(PuzzleError):  # of a group that is too large to be known
        return puzzle.group.order if isinstance(puzzle, PermutationPuzzle) else None
    return None
