"""Training states: walks back from the goal, made on the training device, each state used once."""

from __future__ import annotations

import torch
from torch import Tensor

from homeward.puzzles.base import Puzzle


class Walker:
    """Batches of states with the length of the walk that reached them.

    It keeps `batch` walks of `depth` moves and serves each of their states once: batch t holds one
    state of every walk, at step (t + a random start) mod (depth + 1). So every batch has all
    lengths alike, and making walks costs one step per batch however long they are.
    """

    def __init__(self, puzzle: Puzzle, batch: int, depth: int, rng: torch.Generator) -> None:
        self.puzzle, self.batch, self.depth, self.rng = puzzle, batch, depth, rng
        self._served = depth + 1
        self._rows = torch.arange(batch, device=rng.device)

    def draw(self) -> tuple[Tensor, Tensor]:
        """States `[B, cells]` and lengths `[B]` of walks that reached them."""
        if self._served > self.depth:
            self._states = self.puzzle.walks(self.batch, self.depth, self.rng).states
            self._start = torch.randint(
                self.depth + 1, (self.batch,), generator=self.rng, device=self.rng.device
            )
            self._served = 0
        lengths = (self._start + self._served) % (self.depth + 1)
        self._served += 1
        states: Tensor = self._states[lengths, self._rows]
        return states, lengths

    def draw_pairs(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """`(x, moves, y, lengths)`: `moves[i]` leads from `x[i]` to the walked state `y[i]`.

        `moves[i]` is -1 where no move leads to `y[i]`.
        """
        ys, lengths = self.draw()
        xs, moves = self.puzzle.predecessors(ys, self.rng)
        return xs, moves, ys, lengths
