"""What a method is: the net it trains and the loss of its next batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn

from homeward.learning.nets import ResidualNet
from homeward.learning.settings import Settings
from homeward.puzzles.base import Puzzle


class Method(ABC):
    """One way of learning.

    `head` says what the net answers: `children` (one distance per move) or `value`. A method that
    learns from its own estimates asks a *target* net for them: a copy of the net, taken anew
    whenever `refresh_due` says so.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    head: ClassVar[str] = "children"

    def __init__(self, puzzle: Puzzle, settings: Settings, rng: torch.Generator) -> None:
        self.puzzle, self.settings, self.rng = puzzle, settings, rng

    def make_net(self) -> ResidualNet:
        """A fresh net for this puzzle, head and size."""
        s = self.settings
        outputs = self.puzzle.moves if self.head == "children" else 1
        half = s.depth / 2
        return ResidualNet(
            self.puzzle.cells, self.puzzle.symbols, outputs, s.first, s.width, s.blocks, half, half
        )

    @abstractmethod
    def loss(self, net: nn.Module, target: nn.Module, progress: float) -> Tensor:
        """The loss of a fresh batch, in moves squared; `progress` goes from 0 to 1."""

    def refresh_due(self, step: int, loss: Tensor) -> bool:
        """Whether the target is to become a copy of the net after this step."""
        return False
