"""Beams that lose their way, and when they are given up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from homeward.heuristics.function import FunctionHeuristic
from homeward.puzzles import PermutationPuzzle, puzzle
from homeward.puzzles.arrays import Array
from homeward.search.base import Budget, Meter, Outcome
from homeward.search.beam import Beam
from homeward.search.descent import Descent


@pytest.mark.parametrize("on_torch", [False, True])
@pytest.mark.parametrize(("name", "wider"), [("puzzle15", 4), ("cube3", 2)])
def test_a_beam_that_has_lost_its_way_is_given_up_for_a_wider_one(
    name: str, wider: int, on_torch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 20 levels whose estimates fell no more; not much wider, where there are more views."""
    p, beams = puzzle(name), list[tuple[int, int]]()
    start = p.random_states(1, np.random.default_rng(4))[0]
    run = Descent.run

    def noted(self: Descent, *arguments: Any) -> Any:
        try:
            return run(self, *arguments)
        finally:
            beams.append((self.width, len(self.trail)))

    monkeypatch.setattr(Descent, "run", noted)

    def level(states: Array) -> Any:
        values = np.full(len(states), 50.0, np.float32)
        return torch.as_tensor(values) if on_torch else values

    for improve in (True, False):
        heuristic = FunctionHeuristic(p, level, device="cpu" if on_torch else None)
        search = Beam(width=4, views=2, improve=improve, ball=1)
        search(p, start, heuristic, Meter(Budget(nodes=20_000)))
    (first, levels), (second, _), *_, (last, wandered) = beams
    assert (first, second) == (4, 4 * wider)
    assert levels == 22  # the first of them has an estimate below none at all
    assert (last, wandered > 200) == (4, True)


def test_a_beam_that_keeps_every_state_is_not_given_up() -> None:
    """On a ring of 60 states nothing is cut, so the goal is found however flat estimates are."""
    turn = np.roll(np.arange(60), 1)
    ring = PermutationPuzzle("ring", ["A", "A'"], np.stack([turn, np.argsort(turn)]), turn[None])
    start = np.roll(turn, 29)
    flat = FunctionHeuristic(ring, lambda states: np.full(len(states), 9.0, np.float32))
    found = Beam(width=4, improve=True, ball=1)(ring, start, flat, Meter(Budget(nodes=10_000)))
    assert (found.status, found.length) == (Outcome.SOLVED, 29)
