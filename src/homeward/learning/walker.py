"""Training states: walks back from the goal, made on the training device, each state used once."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from homeward.puzzles.base import Puzzle


@dataclass(frozen=True)
class Pairs:
    """`moves[i]` leads from `befores[i]` to `states[i]`, reached by a walk of `lengths[i]` moves.

    `befores` and `states` are `[B, cells]`, `moves` and `lengths` `[B]`. A move is -1 where no move
    leads to the state.
    """

    befores: Tensor
    moves: Tensor
    states: Tensor
    lengths: Tensor


class Walker:
    """Batches of states with the length of the walk that reached them.

    It keeps `batch` walks of `depth` moves and serves each of their states once: batch t holds one
    state of every walk, at step (t + a random start) mod (depth + 1). So every batch has all
    lengths alike, and making walks costs one step per batch however long they are. A few batches
    are made at once, because on a GPU small operations cost more to start than to run.
    """

    def __init__(
        self, puzzle: Puzzle, batch: int, depth: int, rng: torch.Generator, ahead: int = 8
    ) -> None:
        self.puzzle, self.batch, self.depth, self.rng = puzzle, batch, depth, rng
        self.ahead = min(ahead, depth + 1)
        self._left = 0
        self._pairs: list[Pairs] = []
        self._states: list[tuple[Tensor, Tensor]] = []

    def states(self) -> tuple[Tensor, Tensor]:
        """States `[B, cells]` and lengths `[B]` of walks that reached them."""
        if not self._states:
            states, lengths = self._several()
            parts = (torch.split(x, self.batch) for x in (states, lengths))
            self._states = list(zip(*parts, strict=True))
        return self._states.pop()

    def pairs(self) -> Pairs:
        """States with, for each, a state before it and the move between them."""
        if not self._pairs:
            states, lengths = self._several()
            befores, moves = self.puzzle.predecessors(states, self.rng)
            parts = (torch.split(x, self.batch) for x in (befores, moves, states, lengths))
            self._pairs = [Pairs(*part) for part in zip(*parts, strict=True)]
        return self._pairs.pop()

    def _several(self) -> tuple[Tensor, Tensor]:
        """The next few batches in one: `[n * B, cells]` and `[n * B]`."""
        period, device = self.depth + 1, self.rng.device
        if not self._left:
            self._walks = self.puzzle.walks(self.batch, self.depth, self.rng).states
            self._start = torch.randint(period, (self.batch,), generator=self.rng, device=device)
            self._left = period
        count = min(self.ahead, self._left)
        steps = torch.arange(self._left - count, self._left, device=device)
        self._left -= count
        lengths = (self._start + steps[:, None]) % period
        rows = torch.arange(self.batch, device=device)
        return self._walks[lengths, rows].flatten(0, 1), lengths.flatten()
