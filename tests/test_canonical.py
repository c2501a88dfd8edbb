"""Move orders: every state keeps a shortest sequence, and few have more than one."""

from __future__ import annotations

import numpy as np
import pytest

from homeward.puzzles import PermutationPuzzle, puzzle
from homeward.puzzles.canonical import canonical_order
from homeward.puzzles.nearby import layers

WORDS = {
    "cube3": [1, 12, 114, 1068, 10011],
    "cube3-htm": [1, 18, 243, 3240, 43254],  # 15 of them have the effect of another
    "cube2": [1, 6, 27, 120, 534],
    "pyraminx": [1, 8, 48, 288, 1728],
    "topspin": [1, 3, 6, 12, 24],
    "cube2x2x2x2": [1, 24, 452, 8304],
}


@pytest.mark.parametrize("name", WORDS)
def test_words_reach_every_state_at_its_distance(name: str) -> None:
    made = puzzle(name)
    assert isinstance(made, PermutationPuzzle)
    order = canonical_order(made.table.numpy)
    for length, (count, states) in enumerate(zip(WORDS[name], layers(made, 10**6), strict=False)):
        words = np.array(list(order.words(length)), dtype=np.intp).reshape(count, length)
        assert len(np.unique(words, axis=0)) == count
        reached = np.repeat(made.goals, count, axis=0)
        for column in words.T:
            reached = made.step(reached, column)
        ends = {row.tobytes() for row in reached}
        assert {row.tobytes() for row in states} <= ends
        if length <= 3:
            assert len(ends) == count == len(states)


def test_the_order_of_the_cube() -> None:
    cube = puzzle("cube3")
    assert isinstance(cube, PermutationPuzzle)
    order = canonical_order(cube.table.numpy)
    names = cube.move_names

    def after(*past: str) -> set[str]:
        before, last = (names.index(move) if move else -1 for move in past)
        pair = (before + 1) * 13 + last + 1
        return {names[move] for move in order.follow[pair, : order.follows[pair]]}

    everything = set(names)
    assert after("", "") == everything
    assert after("", "U") == everything - {"U'"}
    assert after("", "U'") == everything - {"U", "U'"}
    assert after("U", "U") == everything - {"U", "U'"}
    assert after("", "D") == everything - {"D'", "U", "U'"}
    assert after("U", "D") == everything - {"D'", "U", "U'"}
    assert after("R", "U") == everything - {"U'"}


def test_many_moves_are_compared_in_pairs() -> None:
    cube = puzzle("cube9")
    assert isinstance(cube, PermutationPuzzle)
    order = canonical_order(cube.table.numpy)
    assert order.follow.shape == (49 * 49, 48)
    # Each layer's half turn once, and pairs of layers about one axis in one order only.
    about_one_axis, other_axes = 8 + 28 * 4, 16 * 32
    assert len(list(order.words(2))) == 3 * (about_one_axis + other_axes)
