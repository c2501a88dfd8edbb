"""`supervised`: regress on distances that somebody knows.

They come from the table of a whole graph (exact), from sequences that a solver solved or a file
lists, or from random walks, whose lengths are only upper bounds.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homeward.learning.examples import Examples, examples_for
from homeward.learning.methods.base import Method
from homeward.learning.settings import Settings
from homeward.learning.walker import reseed
from homeward.puzzles.base import Puzzle


class Supervised(Method):
    """Mean squared error against known distances."""

    name = "supervised"
    summary = "regress on exact distances, solved sequences or walks"
    head = "value"
    nets = ("residual", "convolutional", "tanh")

    def __init__(self, puzzle: Puzzle, settings: Settings, rng: torch.Generator) -> None:
        super().__init__(puzzle, settings, rng)
        self.examples: Examples | None = None
        if settings.source != "walks":
            self.examples = examples_for(puzzle, settings, rng)
        self._seed, self._served = rng.initial_seed(), 0

    def seek(self, step: int, progress: float = 0.0) -> None:
        super().seek(step, progress)
        self._served = step

    def batch(self, progress: float) -> tuple[Tensor, Tensor]:
        """The next states `[B, cells]` and their distances `[B]`."""
        if self.examples is None:
            return self.walker.states()
        reseed(self.rng, self._seed, self._served)
        self._served += 1
        return self.examples.draw(self.settings.batch, self.rng)

    def loss(
        self, net: nn.Module, target: nn.Module, batch: tuple[Tensor, ...], progress: float
    ) -> Tensor:
        states, distances = batch
        said: Tensor = net(states)[:, 0]
        return (said - distances).square().mean()
