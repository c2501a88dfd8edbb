"""`diffusion`: regress on the length of the walk that reached a state. No bootstrapping.

The expected length of a random walk that ends in a state grows with the state's distance, so the
regression orders states by distance although its numbers are too large. Each sample is a pair: a
walked state and a state before it, from which a random move leads to the walked one; the net's
output for that move learns the length of the walk. So one pass scores all children of a state.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homeward.learning.methods.base import Method
from homeward.learning.walker import Pairs


class Diffusion(Method):
    """Mean squared error against walk lengths."""

    name = "diffusion"
    summary = "regress on walk lengths; fastest on the cube"
    recordable = True

    @property
    def largest(self) -> float:
        return float(self.bent(torch.tensor(float(self.settings.depth))))

    def batch(self, progress: float) -> tuple[Tensor, ...]:
        return self.walker.pairs()

    def lesson(
        self, batch: tuple[Tensor, ...], target: nn.Module, progress: float
    ) -> tuple[Pairs, Tensor]:
        """Pairs, and `[B]` what the net should say of the move of each."""
        pairs = Pairs(*batch)
        return pairs, self.wanted(pairs, target, progress)

    def wanted(self, pairs: Pairs, target: nn.Module, progress: float) -> Tensor:
        """`[B]`: what the net should say of the walked states."""
        return self.bent(pairs.lengths.float())

    def bent(self, lengths: Tensor) -> Tensor:
        """Walk lengths, made smaller by `bend` to be near distances where walks wander."""
        if not self.settings.bend:
            return lengths
        return torch.minimum(lengths, (self.settings.bend * lengths).sqrt())

    def loss(
        self, net: nn.Module, target: nn.Module, batch: tuple[Tensor, ...], progress: float
    ) -> Tensor:
        with torch.no_grad():
            pairs, wanted = self.lesson(batch, target, progress)
        said = net(pairs.befores).gather(1, pairs.moves.clamp(min=0)[:, None])[:, 0]
        return torch.where(pairs.moves >= 0, (said - wanted).square(), 0.0).mean()
