"""Training states that a search would meet: walked states, played on by the net's best moves."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from homeward.learning.walker import Pairs, reseed
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

_RANDOM = 0.05
"""Share of the moves that are made at random, so that play does not run in circles."""


class Chance(NamedTuple):
    """What chance says about one move of each of n rows."""

    over: Tensor
    """`[n]` from 0 to 1: low where a row begins anew."""
    fresh: Tensor
    """`[n]`: the row of the batch where it would begin."""
    moves: Tensor
    """`[n, moves]` from 0 to 1: the order of its moves, if one is made at random."""
    random: Tensor
    """`[n]` from 0 to 1: low where one is."""


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
        self._next: Pairs | None = None
        """`[count]`: where play has come to, in tensors that every move overwrites."""
        self._trail: _Trail | None = None

    def draw(self, number: int, size: int) -> Chance:
        """The chance of batch `number`, which has `size` rows: a function of it and the seed."""
        reseed(self.rng, self._seed, number, 0, 1)
        n, device = self.count, self.rng.device
        return Chance(
            torch.rand(n, generator=self.rng, device=device),
            torch.randint(n, size, (n,), generator=self.rng, device=device),
            torch.rand((n, self.puzzle.moves), generator=self.rng, device=device),
            torch.rand(n, generator=self.rng, device=device),
        )

    def mixed(self, walked: Pairs) -> Pairs:
        """`[B]` pairs: those that play has come to, then walked ones."""
        if self._next is None:
            first = torch.arange(self.count, device=walked.moves.device) % len(walked.moves)
            self._begin(Pairs(*(part[first] for part in walked)))
        played = self._next
        assert played is not None
        return Pairs(*(torch.cat(parts) for parts in zip(played, walked, strict=True)))

    def earlier(self, here: Pairs) -> Pairs:
        """The pairs to train on: rows that were played for `ahead` moves hold those of then."""
        if self._trail is None:
            return here
        n = self.count
        befores, moves = self._trail.oldest(Pairs(*(part[:n] for part in here)))
        return here._replace(
            befores=torch.cat([befores, here.befores[n:]]),
            moves=torch.cat([moves, here.moves[n:]]),
        )

    def _begin(self, pairs: Pairs) -> None:
        self._next = pairs
        self._trail = _Trail(pairs, self.ahead) if self.ahead else None

    def wanted(self, values: Tensor) -> Tensor:
        """`[B]`: targets of those pairs; `values` is what the target net says of the states."""
        if self._trail is None:
            return values
        n = self.count
        return torch.cat([self._trail.least(values[:n]), values[n:]])

    def go_on(self, here: Pairs, children: Tensor, chance: Chance) -> None:
        """Plays a move from the `mixed` pairs, whose children have the estimates `[B, moves]`."""
        assert self._next is not None
        over = self.puzzle.is_solved(here.states[: self.count]) | (chance.over < 1 / self.moves)
        rows = torch.where(over, chance.fresh, torch.arange(self.count, device=children.device))
        states, children = here.states[rows], children[rows]
        back = self.puzzle.undo(here.moves[rows].clamp(min=0))[:, None]
        last = torch.finfo(children.dtype).max
        children = children.scatter(1, back.long(), last)  # back only where nothing else is legal
        shuffled = torch.where(children < last, chance.moves, children)
        at_random = chance.random < _RANDOM
        moves = torch.where(at_random[:, None], shuffled, children).argmin(1)
        after = self.puzzle.step(states, moves)
        come_to = Pairs(states, moves, after, here.lengths[rows] + 1)
        for mine, new in zip(self._next, come_to, strict=True):
            mine.copy_(new)
        if self._trail is not None:
            self._trail.add(self._next, over)

    def kept(self) -> dict[str, Tensor]:
        """What a checkpoint needs of it."""
        if self._next is None:
            return {}
        parts = {f"play.{key}": tensor for key, tensor in self._next._asdict().items()}
        return parts | (self._trail.kept() if self._trail else {})

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Goes on with what was `kept`; anew if that was nothing or is of another size."""
        found = [tensors.get(f"play.{name}") for name in Pairs._fields]
        parts = [each.to(self.rng.device, copy=True) for each in found if each is not None]
        if len(parts) < len(found) or any(len(part) != self.count for part in parts):
            self._next = self._trail = None
            return
        self._begin(Pairs(*parts))
        if self._trail is not None:
            self._trail.restore(tensors)


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
        self.slot.add_(1).remainder_(self.size)
        self.befores.index_copy_(0, self.slot, pairs.befores[None])
        self.moves.index_copy_(0, self.slot, pairs.moves[None])
        self.values.index_fill_(0, self.slot, torch.inf)
        self.age.copy_(torch.where(anew, 0, (self.age + 1).clamp(max=self.size - 1)))

    def oldest(self, newest: Pairs) -> tuple[Tensor, Tensor]:
        """Befores and moves `[n]` of the oldest pairs of full rows, of `newest` for the others."""
        befores = torch.where(self._full[:, None], self.befores[self._last][0], newest.befores)
        return befores, torch.where(self._full, self.moves[self._last][0], newest.moves)

    def least(self, values: Tensor) -> Tensor:
        """`[n]`: what is now known of the pairs that `oldest` gives; of the newest, `values`."""
        slots = torch.arange(self.size, device=values.device)
        ago = ((self.slot - slots) % self.size)[:, None]
        said = torch.where(ago <= self.age, ago + values, torch.inf)
        torch.minimum(self.values, said, out=self.values)
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
