"""One number that tells puzzles apart: what a model or a table was made for."""

from __future__ import annotations

import hashlib

import numpy as np

from homeward.puzzles.base import Puzzle


def puzzle_digest(puzzle: Puzzle) -> str:
    """A hash of what the moves do and what counts as solved; names do not matter.

    >>> from homeward.puzzles import puzzle
    >>> cube = puzzle("cube3")
    >>> puzzle_digest(cube) == puzzle_digest(cube.with_goal(cube.step(cube.goal[None], 0)[0]))
    False
    """
    digest = hashlib.sha256()
    for array in puzzle.rules():
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.hexdigest()
