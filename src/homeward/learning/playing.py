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

    With `ahead` a row trains on the pair that many moves ago, and the target is the least of what
    all states since then say: a state k moves later that is d from home shows the earlier one to be
    at most k + d away. So what is known near home travels `ahead` moves at a time, not one. Rows
    that have not been played so long train on their newest pair.
    """

    def __init__(
        self, puzzle: Puzzle, count: int, moves: float, rng: torch.Generator, ahead: int = 0
    ) -> None:
        if not puzzle.reversible:  # else the path back might not exist
            raise PuzzleError(f"play needs moves that can be taken back; {puzzle.name} has others")
        self.puzzle, self.count, self.moves, self.rng = puzzle, count, moves, rng
        self.ahead = ahead
        self._seed = rng.initial_seed()
        self._here: Pairs | None = None
        """`[B]`: the batch, each row with the move that led to its state."""
        self._next: Pairs | None = None
        """`[count]`: where play has come to."""
        self._trail: _Trail | None = None

    def mixed(self, walked: Pairs) -> Pairs:
        """`[B]` pairs: those that play has come to, then walked ones.

        Rows that have been played for `ahead` moves hold the pair of so many moves ago and the
        state of now.
        """
        played, n = self._next, self.count
        if played is None:
            self._here = walked
            return walked
        self._here = here = Pairs(
            torch.cat([played.befores, walked.befores[n:]]),
            torch.cat([played.moves, walked.moves[n:]]),
            torch.cat([played.states, walked.states[n:]]),
            torch.cat([played.lengths, walked.lengths[n:]]),
        )
        if self._trail is None:
            return here
        befores, moves = self._trail.oldest(played)
        return dataclasses.replace(
            here,
            befores=torch.cat([befores, here.befores[n:]]),
            moves=torch.cat([moves, here.moves[n:]]),
        )

    def wanted(self, values: Tensor) -> Tensor:
        """`[B]`: targets of the pairs that were `mixed`; the target net says `values` of states."""
        if self._trail is None or self._next is None:
            return values
        n = self.count
        return torch.cat([self._trail.least(values[:n]), values[n:]])

    def go_on(self, children: Tensor, number: int) -> None:
        """Plays one move from the batch, whose states' children have the estimates `[B, moves]`.

        Chance is a function of the seed and of `number`, that of the batch.
        """
        here = self._here
        assert here is not None
        reseed(self.rng, self._seed, number, 0, 1)
        over = self._over(here)
        fresh = torch.randint(
            self.count, len(here.moves), (self.count,), generator=self.rng, device=self.rng.device
        )
        rows = torch.where(over, fresh, torch.arange(self.count, device=self.rng.device))
        states, children = here.states[rows], children[rows]
        back = self.puzzle.undo(here.moves[rows].clamp(min=0))[:, None]
        last = torch.finfo(children.dtype).max
        children = children.scatter(1, back.long(), last)  # back only where nothing else is legal
        chance = torch.rand(children.shape, generator=self.rng, device=children.device)
        chance = torch.where(children < last, chance, children)
        at_random = torch.rand(len(rows), generator=self.rng, device=children.device) < _RANDOM
        moves = torch.where(at_random[:, None], chance, children).argmin(1)
        after = self.puzzle.step(states, moves)
        self._next = Pairs(states, moves, after, here.lengths[rows] + 1)
        if self.ahead:
            if self._trail is None:
                self._trail = _Trail(self._next, self.ahead)
            self._trail.add(self._next, over)

    def kept(self) -> dict[str, Tensor]:
        """What a checkpoint needs of it."""
        if self._next is None:
            return {}
        parts = {f"play.{key}": tensor for key, tensor in vars(self._next).items()}
        return parts | (self._trail.kept() if self._trail else {})

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Goes on with what was `kept`; anew if that was nothing or is of another size."""
        found = [tensors.get(f"play.{each.name}") for each in dataclasses.fields(Pairs)]
        parts = [each.to(self.rng.device) for each in found if each is not None]
        fitting = len(parts) == len(found) and all(len(part) == self.count for part in parts)
        self._next = Pairs(*parts) if fitting else None
        self._trail = None
        if self._next is not None and self.ahead:
            self._trail = _Trail(self._next, self.ahead)
            self._trail.restore(tensors)

    def _over(self, here: Pairs) -> Tensor:
        """`[count]` bool: which rows begin anew."""
        chance = torch.rand(self.count, generator=self.rng, device=self.rng.device)
        solved: Tensor = self.puzzle.is_solved(here.states[: self.count])
        return solved | (chance < 1 / self.moves)


class _Trail:
    """The last `ahead` + 1 pairs of each played row, a ring, and the least known of each."""

    def __init__(self, like: Pairs, ahead: int) -> None:
        size, n, device = ahead + 1, len(like.moves), like.moves.device
        self.size = size
        self.befores = torch.zeros(
            (size, *like.befores.shape), dtype=like.befores.dtype, device=device
        )
        self.moves = torch.zeros((size, n), dtype=like.moves.dtype, device=device)
        self.values = torch.zeros((size, n), device=device)
        self.age = torch.full((n,), -1, device=device)
        """`[n]`: how many pairs of each row there are before its newest."""
        self.slot = torch.zeros(1, dtype=torch.long, device=device)
        """`[1]`: where the newest pairs are."""

    def add(self, pairs: Pairs, anew: Tensor) -> None:
        """Keeps the newest pairs `[n]`, forgetting the earlier ones of rows that began `anew`."""
        self.slot = (self.slot + 1) % self.size
        self.befores[self.slot] = pairs.befores[None]
        self.moves[self.slot] = pairs.moves[None]
        self.values[self.slot] = torch.inf
        self.age = torch.where(anew, 0, (self.age + 1).clamp(max=self.size - 1))

    def oldest(self, newest: Pairs) -> tuple[Tensor, Tensor]:
        """Befores and moves `[n]` of the oldest pairs of full rows, of `newest` for the others."""
        befores = torch.where(self._full[:, None], self.befores[self._last][0], newest.befores)
        return befores, torch.where(self._full, self.moves[self._last][0], newest.moves)

    def least(self, values: Tensor) -> Tensor:
        """`[n]`: what is now known of the pairs that `oldest` gives; of the newest, `values`."""
        slots = torch.arange(self.size, device=values.device)
        ago = ((self.slot - slots) % self.size)[:, None]
        said = torch.where(ago <= self.age, ago + values, torch.inf)
        self.values = torch.minimum(self.values, said)
        return torch.where(self._full, self.values[self._last][0], values)

    @property
    def _full(self) -> Tensor:
        """`[n]` bool: which rows have been played long enough."""
        return self.age == self.size - 1

    @property
    def _last(self) -> Tensor:
        """`[1]`: where the oldest pairs are."""
        return (self.slot + 1) % self.size

    def kept(self) -> dict[str, Tensor]:
        """What a checkpoint needs of it."""
        names = ("befores", "moves", "values", "age", "slot")
        return {f"trail.{name}": getattr(self, name) for name in names}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Goes on with what was `kept`; with no earlier pairs if that was of another size."""
        mine = self.kept()
        if all(k in tensors and tensors[k].shape == mine[k].shape for k in mine):
            for key, tensor in mine.items():
                tensor.copy_(tensors[key])
