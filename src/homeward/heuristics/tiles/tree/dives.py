"""Searches below one board: the compiled loops, each with arrays of its own."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.tiles.layout import shifts
from homeward.heuristics.tiles.tree.automaton import automaton
from homeward.heuristics.tiles.tree.records import (
    NOT_FOUND,
    NOWHERE,
    Kept,
    Path,
    Patterns,
    Rules,
    Tables,
)
from homeward.puzzles.sliding import Sliding

if TYPE_CHECKING:
    from homeward.heuristics.tiles.additive import AdditiveDatabase
    from homeward.heuristics.tiles.manhattan import Manhattan


class Part(NamedTuple):
    """A board to search below, the moves that led there, and the state of the move order.

    `estimate` is how many moves the board still needs at least.
    """

    board: NDArray[Any]
    moves: tuple[int, ...]
    state: int
    estimate: int


class Dive(Protocol):
    """Searches below a board."""

    def __call__(
        self, part: Part, limit: int, stop: NDArray[np.uint8], counts: NDArray[np.int64]
    ) -> list[int] | None:
        """A solution of at most `limit` moves; None if there is none, or once `stop[0]` is set.

        `counts` `[2]` grows by the boards expanded and generated.
        """
        ...


class ManhattanDive:
    """Searches with Manhattan distances."""

    def __init__(self, heuristic: Manhattan) -> None:
        self._rules = rules_of(heuristic.puzzle)
        apart = heuristic.apart.astype(np.int64)
        slides = heuristic.puzzle.slides.numpy
        changes = apart[:, None, :] - apart[np.maximum(slides, 0)]
        self._changes = np.where(slides[:, :, None] < 0, 0, changes).astype(np.int8)

    def __call__(
        self, part: Part, limit: int, stop: NDArray[np.uint8], counts: NDArray[np.int64]
    ) -> list[int] | None:
        from homeward.heuristics.tiles.tree.kernels import dive_manhattan

        board, path = _start(self._rules, part, limit)
        estimates = np.full(limit + 2, part.estimate, np.int32)
        given = self._rules, self._changes, board, path, estimates
        depth = dive_manhattan(*given, limit, stop, counts)
        return None if depth == NOT_FOUND else path.order[:depth, 0].tolist()


class PatternDive:
    """Searches with additive pattern databases."""

    def __init__(self, heuristic: AdditiveDatabase) -> None:
        self._rules, self._tables = rules_of(heuristic.puzzle), tables_of(heuristic)

    def __call__(
        self, part: Part, limit: int, stop: NDArray[np.uint8], counts: NDArray[np.int64]
    ) -> list[int] | None:
        from homeward.heuristics.tiles.tree.kernels import dive_patterns, settle

        board, path = _start(self._rules, part, limit)
        views, ways = len(self._tables.maps), path.moves.shape[1]
        patterns = Patterns.room(views, len(self._tables.tiles))
        kept = Kept.room(limit + 2, ways, views)
        settle(board, self._tables, patterns, kept.sums[0])
        given = self._rules, self._tables, board, patterns, path, kept
        depth = dive_patterns(*given, limit, stop, counts)
        if depth == NOT_FOUND:
            return None
        return [int(path.moves[at, path.order[at, path.lefts[at]]]) for at in range(depth)]


def _start(rules: Rules, part: Part, limit: int) -> tuple[NDArray[np.uint16], Path]:
    """The board to work on, and a path that starts from it."""
    path = Path.room(limit + 2, rules.slides.shape[1])
    path.blanks[0], path.states[0] = np.argmin(part.board), part.state
    return np.array(part.board, dtype=np.uint16), path


def rules_of(board: Sliding) -> Rules:
    """How a board moves."""
    slides = np.where(board.slides.numpy < 0, NOWHERE, board.slides.numpy)
    return Rules(slides.astype(np.uint16), automaton(board.coiled))


@lru_cache(maxsize=2)
def tables_of(database: AdditiveDatabase) -> Tables:
    """What is looked up in a database."""
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
