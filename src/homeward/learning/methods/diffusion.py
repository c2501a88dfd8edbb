"""`diffusion`: regress on the length of the walk that reached a state. No bootstrapping.

The expected length of a random walk that ends in a state grows with the state's distance, so the
regression orders states by distance although its numbers are too large. Each sample is a pair: a
walked state and a state before it, from which a random move leads to the walked one; the net's
output for that move learns the length of the walk. So one pass scores all children of a state.

With `choice` the net also learns which move that was. Walks come to a state's children in shares
that fall with their distances, so the move home is that of child a with probability
exp(-s · a's answer), up to a factor that all children have in common; the sharpness s is learned.
Lengths say how far a state is, and choices how its children differ.

With `whole` a sample is a walked state and all its children: those by moves that lead back on its
walk are a move nearer, all others a move farther. Moves that commute may be made in any order, so
each of them may have been the last. Where all moves do, as in Lights Out, that tells all about a
state; where few do, it tells less of a child than walks that end there.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homeward.learning.methods.base import Method
from homeward.learning.nets import Net
from homeward.learning.walker import Pairs, Ways

_NEVER = -1e9
"""The logarithm of an illegal move's share: finite, or states without any would be no number."""


class Diffusion(Method):
    """Mean squared error against walk lengths; with `choice` cross-entropy of last moves too."""

    name = "diffusion"
    summary = "regress on walk lengths; fastest on the cube"
    recordable = True

    @property
    def largest(self) -> float:
        return float(self.bent(torch.tensor(float(self.settings.depth))))

    def make_net(self) -> Net:
        net = super().make_net()
        if self.settings.choice:  # a weight like any other, but of no model
            net.sharpness = self._sharpness = nn.Parameter(torch.ones(()))
        return net

    def batch(self, progress: float) -> tuple[Tensor, ...]:
        return self.walker.ways() if self.settings.whole else self.walker.pairs()

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
        if self.settings.whole:
            return self._whole_loss(net, Ways(*batch))
        with torch.no_grad():
            pairs, wanted = self.lesson(batch, target, progress)
        answers = net(pairs.befores)
        said = answers.gather(1, pairs.moves.clamp(min=0)[:, None])[:, 0]
        loss = torch.where(pairs.moves >= 0, (said - wanted).square(), 0.0).mean()
        if not self.settings.choice:
            return loss
        chosen = self._shares(answers, pairs.befores).gather(1, pairs.moves.clamp(min=0)[:, None])
        surprise = torch.where(pairs.moves >= 0, -chosen[:, 0], 0.0).mean()
        return loss + self._choice * surprise

    def _whole_loss(self, net: nn.Module, ways: Ways) -> Tensor:
        """The same of all children of walked states."""
        answers: Tensor = net(ways.states)
        lengths = torch.where(ways.homeward, ways.lengths[:, None] - 1, ways.lengths[:, None] + 1)
        errors = (answers - self.bent(lengths.float())).square()
        if not self.puzzle.always_legal:
            errors = torch.where(self.puzzle.legal(ways.states), errors, 0.0)
        if not self.settings.choice:
            return errors.mean()
        chosen = torch.where(ways.homeward, self._shares(answers, ways.states), 0.0).sum(1)
        surprise = -(chosen / ways.homeward.sum(1).clamp(min=1)).mean()
        return errors.mean() + self._choice * surprise

    @property
    def _choice(self) -> float:
        # In units of the answers, as the trainer reads every loss.
        return self.settings.choice * self.unit**2

    def _shares(self, answers: Tensor, states: Tensor) -> Tensor:
        """`[B, moves]`: log(probability) of each move being the way home, as answers tell it."""
        shares = -self._sharpness * answers
        if not self.puzzle.always_legal:
            shares = shares.masked_fill(~self.puzzle.legal(states), _NEVER)
        return shares.log_softmax(1)
