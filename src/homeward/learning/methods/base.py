"""What a method is: the net it trains and the loss of its next batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn

from homeward.learning.nets import Net, make_net
from homeward.learning.settings import Settings
from homeward.learning.walker import Walker
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

_CHUNK = 1 << 17
"""States in one pass where many are asked about, so that memory stays bounded."""


class Method(ABC):
    """One way of learning.

    `head` says what the net answers: `children` (one distance per move), `value`, or
    `policy_value`. A method that learns from its own estimates asks a *target* net for them: a
    copy of the net, taken anew whenever `refresh_due` says so, or with `blend` a follower of it.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    head: ClassVar[str] = "children"
    nets: ClassVar[tuple[str, ...]] = ("residual", "convolutional")
    """The kinds of net that it can train, its own first."""
    shortest: ClassVar[int] = 0
    """The shortest walk that it learns from."""
    recordable: ClassVar[bool] = False
    """Whether `loss` never waits for a GPU, nor makes tensors of its own that it goes on with."""

    halves: ClassVar[bool] = True
    """Whether passes on a GPU may be made in half precision."""

    def __init__(self, puzzle: Puzzle, settings: Settings, rng: torch.Generator) -> None:
        self.puzzle, self.settings, self.rng = puzzle, settings, rng
        self.walker = Walker(
            puzzle,
            settings.batch,
            settings.depth,
            rng,
            self.shortest,
            skew=settings.skew,
            ways=settings.whole,
        )

    def seek(self, step: int, progress: float = 0.0) -> None:
        """Makes the next batch that of a training that has made `step` steps.

        `progress` is what that was of the training as it was meant then, 0 to 1.
        """
        self.walker.served = step

    def kept(self) -> dict[str, Tensor]:
        """What a checkpoint holds of it, besides the number of steps."""
        return {}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Takes back what was `kept`, after `seek`."""
        return

    @property
    def largest(self) -> float:
        """The largest answer that walks ask for."""
        return self.settings.depth

    @property
    def offset(self) -> float:
        """What a fresh net answers everywhere."""
        return self.largest / 2

    @property
    def unit(self) -> float:
        """A number of the size of the answers, by which the net's last layer is scaled.

        The rate is that of the layer's weights: with too large a unit a step makes answers jump.
        """
        return self.largest / 2

    def make_net(self) -> Net:
        """A fresh net for this puzzle, head and size."""
        wanted = self.settings.net
        kind = self.nets[0] if wanted == "auto" else wanted
        if kind not in self.nets:
            raise PuzzleError(f"{self.name} trains {' and '.join(self.nets)} nets, not {kind}")
        outputs = self.puzzle.moves if self.head == "children" else 1
        return make_net(kind, self.puzzle, self.settings, outputs, self.offset, self.unit)

    def prepare(self, target: Net) -> None:
        """Makes a copy of the net the target net, once, before anything is learned."""
        return

    def batch(self, progress: float) -> tuple[Tensor, ...]:
        """What the next step learns from: states, what is known of them, and what chance says."""
        return self.walker.states()

    @abstractmethod
    def loss(
        self, net: nn.Module, target: nn.Module, batch: tuple[Tensor, ...], progress: float
    ) -> Tensor:
        """The loss of a batch; `progress` goes from 0 to 1."""

    def stage(self, progress: float) -> str:
        """The part of the training that `progress` is in; within it every loss is made alike."""
        return ""

    def refresh_due(self, step: int, loss: Tensor) -> bool:
        """Whether the target is to become a copy of the net after this step."""
        return False

    # --- what a net says, whatever its head is

    def distances(self, net: nn.Module, states: Tensor) -> Tensor:
        """`[B]`: what a net with a value says of states, as a distance; 0 at a goal."""
        parts = torch.split(states, _CHUNK)
        if len(parts) == 1:
            said = self.distance(net(states))
        else:  # a compiled net may answer from the same memory every time
            said = torch.cat([self.distance(net(part)).clone() for part in parts])
        return said.masked_fill(self.puzzle.is_solved(states), 0.0)

    def distance(self, answer: Tensor) -> Tensor:
        """`[B]`: the distance in a value net's answer `[B, outputs]`."""
        return answer[:, 0].float()

    def children(self, net: nn.Module, states: Tensor) -> Tensor:
        """`[B, moves]`: what a net says of each child, +inf where a move is illegal."""
        if self.head == "children":
            said: Tensor = net(states).float()
        else:
            flat = self.puzzle.expand(states).flatten(0, 1)
            said = self.distances(net, flat).view(len(states), self.puzzle.moves)
        if self.puzzle.always_legal:
            return said
        return said.masked_fill(~self.puzzle.legal(states), torch.inf)
