"""Training states: walks back from the goal, made on the training device, each state used once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from homeward.puzzles import arrays
from homeward.puzzles.base import Puzzle

_LEAST_USED = 40
"""States that are used of every walk, where it has as many."""
_FARTHEST_APART = 16
"""With more moves between used states, walking would take a good part of the time."""
_MOST_WALKS = {"cuda": 1 << 20, "cpu": 1 << 16}
"""Walks at once; on a CPU more would take minutes before the first step."""
_MOST_ROUNDS = {"cuda": 8, "cpu": 1}
"""Rounds of batches from one making of walks: on a GPU a move of few takes as long as of many."""
_MOST_BYTES = 1 << 31
"""What the states of several rounds may take."""


class Pairs(NamedTuple):
    """`moves[i]` leads from `befores[i]` to `states[i]`, reached by a walk of `lengths[i]` moves.

    `befores` and `states` are `[B, cells]`, `moves` and `lengths` `[B]`. A move is -1 where no move
    leads to the state.
    """

    befores: Tensor
    moves: Tensor
    states: Tensor
    lengths: Tensor


class Ways(NamedTuple):
    """States `[B, cells]` that walks of `lengths` `[B]` moves reached, and how they may go home.

    `homeward` `[B, moves]` bool: the moves that lead one step back on the walk, see
    `homeward.puzzles.base.Step`. The child by such a move is at the end of a walk of one move
    less, the child by any other of one more.
    """

    states: Tensor
    lengths: Tensor
    homeward: Tensor


def reseed(rng: torch.Generator, *numbers: int) -> None:
    """Makes what `rng` gives next a function of these numbers alone."""
    rng.manual_seed(int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0]) >> 1)


class Walker:
    """Batches of states with the length of the walk that reached them.

    It keeps `depth` + 1 shelves of `batch` states and serves each state once, in random order, from
    all shelves alike in every batch. The lengths of the shelves' walks are `depth` · u^`skew` for
    u from 0 to 1: all lengths alike, or more of the short ones where distances grow slower than
    walks. Neighbours on a long walk are almost the same state: if each of them were used, and one
    after the other, the net would learn where the walks are at the moment and little else. So there
    are `apart` sets of walks, which fill the shelves in turn; making them costs `apart` steps per
    batch. On a GPU small operations cost more to start than to run, so a few batches are made at
    once, and the walks of several `rounds` of batches.

    `shortest` leaves out shorter walks, and `ways` keeps what `ways()` tells. Batch t is a function
    of the seed of `rng` and of t, so a training that sets `served` goes on with the batches that it
    would have had.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        batch: int,
        depth: int,
        rng: torch.Generator,
        shortest: int = 0,
        ahead: int = 8,
        skew: float = 1.0,
        ways: bool = False,
    ) -> None:
        self.puzzle, self.depth, self.rng, self._keeps_ways = puzzle, depth, rng, ways
        self.batch = batch
        """States in each batch; who sets it gets the next batch so."""
        self.period = depth + 1 - shortest
        """Batches of a round: one for each shelf."""
        share = torch.linspace(0, 1, self.period, dtype=torch.float64, device=rng.device)
        self.lengths = shortest + ((self.period - 1) * share**skew).round().long()
        """`[period]`: the length of each shelf's walks."""
        self.ahead = min(ahead, self.period)
        self.served = 0
        """How many batches have been handed out; the next one has this number."""
        self._seed = rng.initial_seed()
        self._pool = -1, 0
        self._made: tuple[int, int, int, int, bool] | None = None

    @property
    def rounds(self) -> int:
        """Rounds of batches that the walks of one making serve, each with rows of its own."""
        kind, puzzle = self.rng.device.type, self.puzzle
        row = puzzle.cells * puzzle.dtype.itemsize + puzzle.moves * self._keeps_ways
        fitting = _MOST_BYTES // (self.period * self.batch * row)
        walks = _MOST_WALKS[kind] // (self.batch * self.apart)
        return max(1, min(_MOST_ROUNDS[kind], fitting, walks))

    @property
    def apart(self) -> int:
        """Sets of walks, and so shelves between two states of one walk."""
        most = _MOST_WALKS[self.rng.device.type] // self.batch
        return max(1, min(_FARTHEST_APART, self.depth // _LEAST_USED, most))

    def states(self) -> tuple[Tensor, Tensor]:
        """States `[B, cells]` and lengths `[B]` of walks that reached them."""
        states, lengths, *_ = self._next(paired=False)
        return states, lengths

    def ways(self) -> Ways:
        """States with the moves that lead back on their walks."""
        return Ways(*self._next(paired=False))

    def pairs(self) -> Pairs:
        """States with, for each, a state before it and the move between them."""
        return Pairs(*self._next(paired=True))

    def _next(self, paired: bool) -> list[Tensor]:
        number, place = divmod(self.served, self.period)
        pool, turn = divmod(number, self.rounds)
        chunk, index = divmod(place, self.ahead)
        if (pool, turn, chunk, self.batch, paired) != self._made:
            self._walk(pool)
            made = self._several(turn, chunk)
            if paired:
                reseed(self.rng, self._seed, number, 1 + chunk)
                made = (*self.puzzle.predecessors(made[0], self.rng), *made[:2])
            self._ready = [torch.split(tensor, self.batch) for tensor in made]
            self._made = pool, turn, chunk, self.batch, paired
        self.served += 1
        return [parts[index] for parts in self._ready]

    def _walk(self, pool: int) -> None:
        """Makes the states that whole rounds of batches are taken from, unless they are there."""
        if self._pool == (pool, self.batch):
            return
        reseed(self.rng, self._seed, pool, 0)
        puzzle, device, apart = self.puzzle, self.rng.device, self.apart
        rows = self.batch * self.rounds
        walks = puzzle.walk_on(rows * apart, self.rng)
        shelves = self.period, rows
        self._states = arrays.empty((*shelves, puzzle.cells), puzzle.dtype, self.rng)
        if self._keeps_ways:
            self._homeward = arrays.empty((*shelves, puzzle.moves), np.bool_, self.rng)
        length = -1
        for shelf, wanted in enumerate(self.lengths.tolist()):
            while length < wanted:
                length, here = length + 1, next(walks)
            self._states[shelf] = here.states[shelf % apart :: apart]
            if self._keeps_ways:
                self._homeward[shelf] = here.homeward[shelf % apart :: apart]
        self._start = torch.randint(self.period, (rows,), generator=self.rng, device=device)
        self._order = torch.randperm(self.period, generator=self.rng, device=device)
        self._pool = pool, self.batch

    def _several(self, turn: int, chunk: int) -> tuple[Tensor, ...]:
        """The next few batches in one: `[n * B, cells]`, `[n * B]` and, if kept, their ways."""
        steps = self._order[chunk * self.ahead : (chunk + 1) * self.ahead]
        rows = turn * self.batch + torch.arange(self.batch, device=self.rng.device)
        shelves = (self._start[rows] + steps[:, None]) % self.period
        known = self._states[shelves, rows].flatten(0, 1), self.lengths[shelves].flatten()
        if not self._keeps_ways:
            return known
        return *known, self._homeward[shelves, rows].flatten(0, 1)
