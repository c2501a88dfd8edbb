"""`qlearning`: Bellman targets, capped by the length of the walk.

The walk that reached a state is a path, so its length bounds the state's distance from above. The
target is the smaller of that bound and one more than the best child by the target net; 0 at a goal.
The cap keeps the bootstrapping from running away and feeds it true values near the goal. The first
part of the training (`walk_share`) uses walk lengths alone, which gives the Bellman part a net to
start from; `cap` may hold estimates down as long as the net cannot tell good moves from bad ones.
With `play` a part of each batch is played on by the best moves: see `Playing`.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homeward.learning.methods.diffusion import Diffusion
from homeward.learning.playing import Chance, Playing
from homeward.learning.settings import Settings
from homeward.learning.walker import Pairs
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError


class QLearning(Diffusion):
    """Mean squared error against min(walk length, 1 + best child)."""

    name = "qlearning"
    summary = "walk lengths first, then capped Bellman targets; best on sliding boards"

    _begun = False
    """Whether Bellman targets have been learned before, by a training that is made longer now."""

    def __init__(self, puzzle: Puzzle, settings: Settings, rng: torch.Generator) -> None:
        super().__init__(puzzle, settings, rng)
        self._playing: Playing | None = None
        for name in ("choice", "whole"):
            if getattr(settings, name):
                raise PuzzleError(f"{name} learns from walks alone: it is for diffusion")
        if settings.play_ahead and not settings.play:
            raise PuzzleError("play_ahead looks along what is played, and play is 0")
        if settings.cap and not settings.bend:
            raise PuzzleError("cap is a number of bent lengths, and bend is 0")
        if settings.play:
            count = min(max(1, round(settings.batch * settings.play)), settings.batch - 1)
            self._playing = Playing(puzzle, count, settings.play_moves, rng, settings.play_ahead)

    @property
    def offset(self) -> float:
        # Without walk lengths to begin with, Bellman's estimates grow from below, where they need
        # not be unlearned.
        return super().offset if self.settings.walk_share else 0.0

    def seek(self, step: int, progress: float = 0.0) -> None:
        super().seek(step, progress)
        self._begun = step > 0 and progress >= self.settings.walk_share

    def kept(self) -> dict[str, Tensor]:
        return self._playing.kept() if self._playing else {}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        if self._playing and self._begun:  # else what was played would stand still
            self._playing.restore(tensors)

    def batch(self, progress: float) -> tuple[Tensor, ...]:
        size = self.settings.batch
        playing = self._playing if self.stage(progress) != "walks" else None
        self.walker.batch = size - playing.count if playing else size
        walked = super().batch(progress)
        return (*walked, *playing.draw(self.walker.served, size)) if playing else walked

    def stage(self, progress: float) -> str:
        if progress < self.settings.walk_share and not self._begun:
            return "walks"
        return "capped" if self.settings.cap and progress < self.settings.cap_share else "bellman"

    def lesson(
        self, batch: tuple[Tensor, ...], target: nn.Module, progress: float
    ) -> tuple[Pairs, Tensor]:
        count = len(Pairs._fields)
        walked, chance = Pairs(*batch[:count]), batch[count:]
        if self._playing is None or self.stage(progress) == "walks":
            return super().lesson(walked, target, progress)
        here = self._playing.mixed(walked)
        children = self.children(target, here.states)
        wanted = self._playing.wanted(self._best(here, children, progress))
        pairs = self._playing.earlier(here)
        self._playing.go_on(here, children, Chance(*chance))
        return pairs, wanted

    def wanted(self, pairs: Pairs, target: nn.Module, progress: float) -> Tensor:
        if self.stage(progress) == "walks":
            return super().wanted(pairs, target, progress)
        return self._best(pairs, self.children(target, pairs.states), progress)

    def _best(self, pairs: Pairs, children: Tensor, progress: float) -> Tensor:
        """`[B]`: the best of what is known of states whose children have these estimates."""
        best = 1 + children.amin(1).clamp(min=0)
        bound = pairs.lengths.float()
        if self.stage(progress) == "capped":
            # No true bound, but few states are so much farther than walks go.
            bound = torch.minimum(bound, self.settings.cap * self.bent(bound))
        wanted = torch.minimum(bound, best)
        return wanted.masked_fill(self.puzzle.is_solved(pairs.states), 0.0)

    def refresh_due(self, step: int, loss: Tensor) -> bool:
        return step % self.settings.refresh == 0
