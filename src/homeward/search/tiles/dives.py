"""Depth-first dives into sliding boards, each with its own arrays: threads can share the work."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.tiles.additive import AdditiveDatabase
from homeward.heuristics.tiles.layout import shifts
from homeward.heuristics.tiles.manhattan import Manhattan
from homeward.puzzles.sliding import Sliding
from homeward.search.tiles.automaton import automaton
from homeward.search.tiles.records import (
    BEYOND,
    DEPTH,
    EXPANDED,
    FORBIDDEN,
    GENERATED,
    MADE,
    NOWHERE,
    Kept,
    Path,
    Patterns,
    Rules,
    Tables,
)

NEVER = 1 << 30
"""An estimate that no board has."""


class Root(NamedTuple):
    """A board to dive from, the moves that led there, and the state of the move order."""

    board: NDArray[Any]
    moves: tuple[int, ...] = ()
    state: int = 0


class Dive(ABC):
    """Looks for paths from a board, slice by slice.

    `begin` sets it on a board with a limit, `go_on` does a slice of the work. The counters go on
    from board to board.
    """

    slice = 100_000
    """Children made in a slice of work: a hundredth of a second."""

    def __init__(self, board: Sliding) -> None:
        self._rules = rules_of(board)
        self._ways = board.moves
        self._clock = np.zeros(5, np.int64)
        self._clock[BEYOND] = NEVER
        self._over, self._moves = NEVER, 0

    @abstractmethod
    def begin(self, root: Root, limit: int) -> None:
        """Starts from a board; `limit` counts the moves that led there too."""

    @abstractmethod
    def go_on(self) -> int:
        """A slice of work: `DONE`, `FOUND` or `PAUSED`."""

    @abstractmethod
    def path(self) -> list[int]:
        """The moves from the board to where the dive is now."""

    def _start(self, root: Root, limit: int) -> int:
        """Room for a path, which it returns, and the first board of it."""
        self._note_beyond()
        self._board = np.array(root.board, dtype=np.uint16)
        self._moves = len(root.moves)
        self._limit = limit - self._moves
        self._path = Path.room(self._limit + 2, self._ways)
        self._path.blanks[0] = np.argmin(root.board)
        self._path.states[0] = root.state
        self._clock[DEPTH] = self._clock[MADE] = 0
        return self._limit + 2

    def _note_beyond(self) -> None:
        self._over = min(self._over, self._moves + int(self._clock[BEYOND]))
        self._clock[BEYOND] = NEVER

    def leave_out(self, length: int) -> None:
        """Counts a board as over the limit by its own estimated length."""
        self._over = min(self._over, length)

    def take_beyond(self) -> int:
        """The least estimated length that was over the limit since this was last asked."""
        self._note_beyond()
        over, self._over = self._over, NEVER
        return over

    @property
    def expanded(self) -> int:
        """Boards whose children were made."""
        return int(self._clock[EXPANDED])

    @property
    def generated(self) -> int:
        """Children made."""
        return int(self._clock[GENERATED])


class ManhattanDive(Dive):
    """Dives with Manhattan distances."""

    slice = 1_000_000

    def __init__(self, heuristic: Manhattan) -> None:
        super().__init__(heuristic.puzzle)
        self._heuristic = heuristic
        apart = heuristic.apart.astype(np.int64)
        slides = heuristic.puzzle.slides.numpy
        changes = apart[:, None, :] - apart[np.maximum(slides, 0)]
        self._changes = np.where(slides[:, :, None] < 0, 0, changes).astype(np.int8)

    def begin(self, root: Root, limit: int) -> None:
        self._estimates = np.zeros(self._start(root, limit), np.int32)
        self._estimates[0] = self._heuristic.estimate(root.board[None])[0]
        self._path.lefts[0] = self._ways
        self._clock[EXPANDED] += 1

    def go_on(self) -> int:
        from homeward.search.tiles.kernels import dive_manhattan

        return dive_manhattan(
            self._rules,
            self._changes,
            self._board,
            self._path,
            self._estimates,
            self._limit,
            self._clock,
            self.slice,
        )

    def path(self) -> list[int]:
        moves: list[int] = self._path.moves[: self._clock[DEPTH], 0].tolist()
        return moves


class PatternDive(Dive):
    """Dives with additive pattern databases."""

    def __init__(self, heuristic: AdditiveDatabase) -> None:
        super().__init__(heuristic.puzzle)
        self._tables = tables_of(heuristic)
        self._patterns = Patterns.room(len(self._tables.maps), len(self._tables.tiles))

    def begin(self, root: Root, limit: int) -> None:
        from homeward.search.tiles.kernels import settle

        self._kept = Kept.room(self._start(root, limit), self._ways, len(self._tables.maps))
        settle(self._board, self._tables, self._patterns, self._kept.sums[0])

    def go_on(self) -> int:
        from homeward.search.tiles.kernels import dive_patterns

        return dive_patterns(
            self._rules,
            self._tables,
            self._board,
            self._patterns,
            self._path,
            self._kept,
            self._limit,
            self._clock,
            self.slice,
        )

    def path(self) -> list[int]:
        path = self._path
        visited = range(int(self._clock[DEPTH]))
        return [int(path.moves[at, path.order[at, path.lefts[at]]]) for at in visited]


def rules_of(board: Sliding) -> Rules:
    """How a board moves, as dives need it."""
    slides = np.where(board.slides.numpy < 0, NOWHERE, board.slides.numpy)
    return Rules(slides.astype(np.uint16), automaton(board.coiled))


@lru_cache(maxsize=2)
def tables_of(database: AdditiveDatabase) -> Tables:
    """What dives look up in a database."""
    tiles = database.sizes.tolist()
    kinds = sorted(set(tiles))
    moved = [shifts(kind).ravel() for kind in kinds]
    starts = dict(zip(kinds, np.cumsum([0] + [len(m) for m in moved]).tolist(), strict=False))
    return Tables(
        database.tables,
        database.starts[:-1].astype(np.uint64),
        np.array([math.factorial(k) for k in tiles], np.uint64),
        database.numbers,
        np.concatenate(moved),
        np.array([starts[k] for k in tiles], np.uint64),
        database.sizes.astype(np.uint64),
        database.views.maps,
        database.views.owners,
        database.views.places,
    )


def split(board: Sliding, root: Root, wanted: int) -> list[Root]:
    """The boards some moves further on, as soon as there are at least so many.

    A board may be there more than once, with different states of the move order.
    """
    order = rules_of(board).automaton
    roots = [root]
    while roots and len(roots) < wanted:
        rows = np.array([r.board for r in roots])
        children, legal = board.expand(rows), board.legal(rows)
        roots = [
            Root(children[i, move], (*r.moves, int(move)), int(order[r.state, move]))
            for i, r in enumerate(roots)
            for move in np.flatnonzero(legal[i] & (order[r.state] != FORBIDDEN))
        ]
    return roots
