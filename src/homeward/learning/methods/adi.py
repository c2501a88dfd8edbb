"""`adi`: autodidactic iteration, the joint value and policy net of DeepCube.

Reaching the goal is worth +1, any other move -1. The value's target is the best child's reward and
value by the net itself, the policy's target is the move to that child. Samples of a walk of D moves
weigh 1 / D, so that the net learns first what is near the goal.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from homeward.learning.methods.base import Method
from homeward.learning.nets import HIGHEST


class Adi(Method):
    """Squared error of the value and cross entropy of the policy."""

    name = "adi"
    summary = "DeepCube's joint value and policy"
    head = "policy_value"
    nets = ("two-headed",)
    shortest = 1
    offset = 0.0
    unit = 1.0

    def loss(
        self, net: nn.Module, target: nn.Module, batch: tuple[Tensor, ...], progress: float
    ) -> Tensor:
        states, lengths = batch
        with torch.no_grad():
            values, moves = self.wanted(states, target)
            away: Tensor = ~self.puzzle.is_solved(states)
        said: Tensor = net(states)
        value_loss = (said[:, 0] - values).square()
        policy_loss = functional.cross_entropy(said[:, 1:], moves, reduction="none") * away
        weights = 1 / lengths.float()
        return (weights * (value_loss + policy_loss)).sum() / weights.sum()

    def wanted(self, states: Tensor, target: nn.Module) -> tuple[Tensor, Tensor]:
        """`[B]` twice: the value that each state should have, and the move it should choose.

        A goal is worth 0, since nothing follows it.
        """
        # In distances: the reward is 1 at the goal, where the distance is 0, and -1 elsewhere,
        # where the value is HIGHEST - distance.
        best, moves = self.children(target, states).min(1)
        values = (HIGHEST - 1 - best).masked_fill(self.puzzle.is_solved(states), 0.0)
        return values, moves

    def distance(self, answer: Tensor) -> Tensor:
        return HIGHEST - answer[:, 0].float()

    def refresh_due(self, step: int, loss: Tensor) -> bool:
        return step % self.settings.refresh == 0
