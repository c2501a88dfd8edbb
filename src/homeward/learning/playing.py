"""Training states that a search would meet: walked states, played on by the net's best moves."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from homeward.learning.walker import Pairs, reseed
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

_RANDOM = 0.05
"""Share of the moves that are made at random, so that play does not run in circles."""


class Playing:
    """The part of each batch that goes on from the batch before.

    A search goes where the estimates are smallest, so it finds the states that look nearer than
    they are, as a board that is in order but for three tiles. Random walks hardly ever come there,
    and nothing corrects the net. So `count` rows of each batch are played on: the best move by the
    target net, which was asked about them anyway, leads to the row's next state. Each goes on for
    `moves` moves on average, or until it is solved, and then another begins at a walked state of
    the batch. Its path is one move longer than before, so the bound of its distance stays true.
    """

    def __init__(self, puzzle: Puzzle, count: int, moves: float, rng: torch.Generator) -> None:
        if not puzzle.reversible:  # else the path back might not exist
            raise PuzzleError(f"play needs moves that can be taken back; {puzzle.name} has others")
        self.puzzle, self.count, self.moves, self.rng = puzzle, count, moves, rng
        self._seed = rng.initial_seed()
        self._next: Pairs | None = None

    def mixed(self, walked: Pairs) -> Pairs:
        """`[B]` pairs: those that play has come to, then walked ones."""
        played = self._next
        if played is None:
            return walked
        n = self.count
        return Pairs(
            torch.cat([played.befores, walked.befores[n:]]),
            torch.cat([played.moves, walked.moves[n:]]),
            torch.cat([played.states, walked.states[n:]]),
            torch.cat([played.lengths, walked.lengths[n:]]),
        )

    def go_on(self, pairs: Pairs, children: Tensor, number: int) -> None:
        """Plays one move from `pairs`, whose states' children have the estimates `[B, moves]`.

        Chance is a function of the seed and of `number`, that of the batch.
        """
        reseed(self.rng, self._seed, number, 0, 1)
        rows = self._rows(pairs)
        states, children = pairs.states[rows], children[rows]
        back = self.puzzle.undo(pairs.moves[rows].clamp(min=0))[:, None]
        last = torch.finfo(children.dtype).max
        children = children.scatter(1, back.long(), last)  # back only where nothing else is legal
        chance = torch.rand(children.shape, generator=self.rng, device=children.device)
        chance = torch.where(children < last, chance, children)
        at_random = torch.rand(len(rows), generator=self.rng, device=children.device) < _RANDOM
        moves = torch.where(at_random[:, None], chance, children).argmin(1)
        after = self.puzzle.step(states, moves)
        self._next = Pairs(states, moves, after, pairs.lengths[rows] + 1)

    def kept(self) -> dict[str, Tensor]:
        """What a checkpoint needs of it."""
        return {} if self._next is None else {f"play.{k}": v for k, v in vars(self._next).items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Goes on with what was `kept`; anew if that was nothing or is of another size."""
        found = [tensors.get(f"play.{each.name}") for each in dataclasses.fields(Pairs)]
        parts = [each.to(self.rng.device) for each in found if each is not None]
        fitting = len(parts) == len(found) and all(len(part) == self.count for part in parts)
        self._next = Pairs(*parts) if fitting else None

    def _rows(self, pairs: Pairs) -> Tensor:
        """`[count]`: the row of the batch that each part goes on from."""
        n, device = self.count, pairs.moves.device
        over = torch.rand(n, generator=self.rng, device=device) < 1 / self.moves
        over |= self.puzzle.is_solved(pairs.states[:n])
        fresh = torch.randint(n, len(pairs.moves), (n,), generator=self.rng, device=device)
        return torch.where(over, fresh, torch.arange(n, device=device))
