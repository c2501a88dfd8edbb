"""`distil`: a model's own answers, learned anew by a net that is read in 8 bits.

On a CPU nets run in 8 bits, and one that was trained without them may lose several moves by it.
This method starts from a model (`--from`) and learns what that one says, of walked states and, with
`play`, of states that its best moves lead to; half of each batch passes rounded numbers and weights
(see `RoundedNet`). Nothing is bootstrapped: the target net is the model, and stays so.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homeward.learning.methods.qlearning import QLearning
from homeward.learning.nets import Net, RoundedNet
from homeward.learning.playing import Chance
from homeward.learning.settings import Settings
from homeward.learning.walker import Pairs
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError


class Distil(QLearning):
    """Mean squared error against all that a model says of a state."""

    name = "distil"
    summary = "what a model says, by a net that is read in 8 bits; for searches on a CPU"
    nets = ("rounded",)
    halves = False  # which round more coarsely than what is to be learned

    def __init__(self, puzzle: Puzzle, settings: Settings, rng: torch.Generator) -> None:
        if not settings.start:
            raise PuzzleError("distil learns what a model says: name one with --from")
        super().__init__(puzzle, settings, rng)

    def prepare(self, target: Net) -> None:
        assert isinstance(target, RoundedNet)
        target.exact = True

    def stage(self, progress: float) -> str:
        return "distilling"

    def seek(self, step: int, progress: float = 0.0) -> None:
        super().seek(step, progress)
        self._begun = step > 0

    def loss(
        self, net: nn.Module, target: nn.Module, batch: tuple[Tensor, ...], progress: float
    ) -> Tensor:
        count = len(Pairs._fields)
        here, chance = Pairs(*batch[:count]), batch[count:]
        with torch.no_grad():
            if self._playing is not None:
                here = self._playing.mixed(here)
            wanted = self.children(target, here.states)
            if self._playing is not None:
                self._playing.go_on(here, wanted, Chance(*chance))
        said: Tensor = net(here.states)
        errors = torch.where(wanted < torch.inf, said - wanted, 0.0)
        return errors.square().mean()

    def refresh_due(self, step: int, loss: Tensor) -> bool:
        return False
