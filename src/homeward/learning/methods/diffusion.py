"""`diffusion`: regress on the length of the walk that reached a state. No bootstrapping.

The expected length of a random walk that ends in a state grows with the state's distance, so the
regression orders states by distance although its numbers are too large. Each sample is a pair: a
walked state y and a state x from which a random move leads to y; the net's output for that move at
x learns the length of y's walk. So one pass of the net scores all children of a state.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homeward.learning.methods.base import Method
from homeward.learning.settings import Settings
from homeward.learning.walker import Walker
from homeward.puzzles.base import Puzzle


class Diffusion(Method):
    """Mean squared error against walk lengths."""

    name = "diffusion"
    summary = "regress on walk lengths; fastest on the cube"

    def __init__(self, puzzle: Puzzle, settings: Settings, rng: torch.Generator) -> None:
        super().__init__(puzzle, settings, rng)
        self.walker = Walker(puzzle, settings.batch, settings.depth, rng)

    def targets(self, ys: Tensor, lengths: Tensor, average: nn.Module, progress: float) -> Tensor:
        """`[B]`: what the net should say of the walked states `ys`."""
        return lengths.float()

    def loss(self, net: nn.Module, average: nn.Module, progress: float) -> Tensor:
        xs, moves, ys, lengths = self.walker.draw_pairs()
        with torch.no_grad():
            wanted = self.targets(ys, lengths, average, progress)
        said = net(xs).gather(1, moves.clamp(min=0)[:, None])[:, 0]
        return (said - wanted).square().where(moves >= 0, 0.0).mean()
