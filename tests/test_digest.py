"""Digests of puzzles: equal for puzzles that do the same."""

from __future__ import annotations

import numpy as np

from homeward import puzzle
from homeward.puzzles.digest import puzzle_digest
from homeward.puzzles.sokoban import Sokoban


def test_digests_tell_puzzles_apart_by_what_they_do() -> None:
    names = "cube2 cube3 cube3-htm cube4 puzzle8 puzzle15 coiled15 lightsout5 lightsout7 sokoban"
    digests = {puzzle_digest(puzzle(name)) for name in names.split()}
    assert len(digests) == 10
    assert puzzle_digest(puzzle("puzzle15")) == puzzle_digest(puzzle("sliding-4x4"))


def test_the_digest_of_sokoban_does_not_depend_on_levels() -> None:
    plain, other = Sokoban(10, 10), Sokoban(10, 10)
    level = plain.levels_at_random(1, np.random.default_rng(5))
    assert puzzle_digest(plain) == puzzle_digest(other.with_levels(level))
    assert puzzle_digest(plain) != puzzle_digest(plain.with_goal(level[0]))
    assert puzzle_digest(plain) != puzzle_digest(Sokoban(8, 8))
