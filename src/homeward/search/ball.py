"""The states nearest to the goal, with their exact distances: where every search may stop."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.arrays import Array, Table, namespace
from homeward.puzzles.base import Puzzle
from homeward.search.base import Meter
from homeward.search.ops import contains
from homeward.search.zobrist import held_hasher

_AT_ONCE = 1 << 27
"""Bytes that the parents of some states may take, hashing included."""
_HELD = 1 << 25
"""Bytes of the states of one distance. Of large puzzles fewer states are kept than are wished."""

Tell: TypeAlias = Callable[[int, int, int], None]
"""Called while a ball is made, with the states that were expanded, the parents that were made of
them, and the bytes in use."""


class Ball:
    """All states within some distance of the goals: as many whole distances as fit in `size`.

    A search that meets the ball knows the rest of the way. `radius` is the largest distance in it.
    It does not matter how a state is held: all its turns are one state here.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        size: int,
        goals: NDArray[Any] | None = None,
        tell: Tell | None = None,
    ) -> None:
        self.puzzle, self._hash = puzzle, held_hasher(puzzle)
        here = puzzle.goals if goals is None else goals
        row = here.itemsize * puzzle.cells
        size = min(size, max(1, _HELD // row))
        # A parent is hashed by way of 8-byte indices of its cells.
        self._part = max(1, _AT_ONCE // (puzzle.back_moves * (row + 16 * puzzle.cells)))
        first, rows = np.unique(self._hash(here), return_index=True)
        here, keys = here[rows], [first]
        known, before = len(here), 0
        while len(here) and known + len(here) * len(here) // max(before, 1) <= size:
            before = len(here)
            here, fresh = self._further(here, keys, tell)
            if known + len(here) > size or not len(here):
                break
            known += len(here)
            keys.append(fresh)
        self.radius = len(keys) - 1
        distances = np.repeat(np.arange(len(keys), dtype=np.int16), [len(k) for k in keys])
        flat = np.concatenate(keys)
        order = np.argsort(flat)
        self._keys, self._distances = Table(flat[order]), Table(distances[order])

    def _further(
        self, states: NDArray[Any], keys: list[NDArray[np.int64]], tell: Tell | None
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The states one move further from home than `states`, and their hashes in rising order."""
        # Where every move can be undone, only the last two distances can come back.
        older = keys[-2:] if self.puzzle.reversible else keys
        rows, hashes = [], []
        for part in np.array_split(states, len(states) // self._part + 1):
            parents = self.puzzle.parents(part)
            if tell is not None:
                held = sum(k.nbytes for k in keys) + 2 * states.nbytes + 17 * parents.nbytes
                tell(len(part), len(parents), held)
            found, first = np.unique(self._hash(parents), return_index=True)
            new = ~np.logical_or.reduce([contains(known, found) for known in older])
            rows.append(parents[first[new]])
            hashes.append(found[new])
        fresh, first = np.unique(np.concatenate(hashes), return_index=True)
        return np.concatenate(rows)[first], fresh

    def __len__(self) -> int:
        return len(self._keys.numpy)

    def distances(self, keys: Array) -> Array:
        """`[B]`: the distance home of states with these hashes `[B]`, -1 outside the ball."""
        known = self._keys.on(keys)
        xp = namespace(keys)
        at = xp.searchsorted(known, keys)
        at = xp.where(at < len(known), at, 0)
        return xp.where(known[at] == keys, self._distances.on(keys)[at], -1)

    def way_home(self, state: NDArray[Any]) -> list[int] | None:
        """Shortest moves from a state `[cells]` of the ball; None if two hashes collided."""
        row = np.asarray(state)[None]
        distance = int(self.distances(self._hash(row))[0])
        moves: list[int] = []
        while distance > 0:
            children = self.puzzle.expand(row)[0]
            nearer = self.distances(self._hash(children)) == distance - 1
            nearer &= self.puzzle.legal(row)[0]
            if not nearer.any():
                return None
            move = int(nearer.argmax())
            moves.append(move)
            row, distance = children[move : move + 1], distance - 1
        return moves if self.puzzle.is_solved(row)[0] else None


def ball(puzzle: Puzzle, start: NDArray[Any], size: int, meter: Meter) -> Ball:
    """The ball around the goals of `start`, made within the meter's budget.

    It is kept for the next search of the same puzzle. Where each start has goals of its own it is a
    part of the search, and its states are counted.
    """
    goals = puzzle.goals_for(start)

    def tell(expanded: int, made: int, held: int) -> None:
        if goals is not puzzle.goals:
            meter.progress.expanded += expanded
            meter.progress.generated += made
        meter.check(held)

    if goals is not puzzle.goals:
        return Ball(puzzle, size, goals, tell)
    kept = _kept(puzzle, size)
    if not kept:
        kept.append(Ball(puzzle, size, tell=tell))
    return kept[0]


@lru_cache(maxsize=8)
def _kept(puzzle: Puzzle, size: int) -> list[Ball]:
    """Where a puzzle's ball is, once it is made."""
    return []
