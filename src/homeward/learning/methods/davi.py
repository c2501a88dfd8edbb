"""`davi`: deep approximate value iteration, Algorithm 1 of DeepCubeA.

The net answers one number, the distance of a state. Its target is one more than the best child by
a second set of weights θ_ε, 0 at a goal. Every C steps the loss is looked at, and if it is below ε
the net has learned these targets, so θ_ε becomes a copy of it: each such copy carries the truth one
move further from the goal.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homeward.learning.methods.base import Method
from homeward.learning.settings import Settings
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError


class Davi(Method):
    """Mean squared error against 1 + best child by weights that change when they are learned."""

    name = "davi"
    summary = "DeepCubeA's value iteration: one more than the best child"
    head = "value"
    shortest = 1
    offset = 0.0  # the weights that have seen nothing say 0, and grow by one with each copy
    unit = 1.0

    def __init__(self, puzzle: Puzzle, settings: Settings, rng: torch.Generator) -> None:
        super().__init__(puzzle, settings, rng)
        if settings.blend:
            raise PuzzleError("davi's target net waits until the loss is small: it cannot blend")

    def loss(
        self, net: nn.Module, target: nn.Module, batch: tuple[Tensor, ...], progress: float
    ) -> Tensor:
        states, _ = batch
        with torch.no_grad():
            wanted = self.wanted(states, target, self.settings.lookahead)
        said: Tensor = net(states)[:, 0]
        return (said - wanted).square().mean()

    def wanted(self, states: Tensor, target: nn.Module, lookahead: int) -> Tensor:
        """`[B]`: the best that looking so many moves ahead promises; 0 at a goal."""
        if lookahead == 1:
            children = self.children(target, states)
        else:
            flat = self.puzzle.expand(states).flatten(0, 1)
            children = self.wanted(flat, target, lookahead - 1).view(len(states), -1)
            children = children.masked_fill(~self.puzzle.legal(states), torch.inf)
        return (1 + children.amin(1)).masked_fill(self.puzzle.is_solved(states), 0.0)

    def refresh_due(self, step: int, loss: Tensor) -> bool:
        s = self.settings
        return step % s.check_every == 0 and float(loss) < s.threshold
