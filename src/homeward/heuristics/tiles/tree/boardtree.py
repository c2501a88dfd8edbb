"""The tree of move sequences from one sliding board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.tiles.tree.dives import Dive, Part, rules_of
from homeward.heuristics.tiles.tree.records import FORBIDDEN, GENERATED
from homeward.puzzles.sliding import Sliding

_FEW = 250_000
"""Boards of one length beyond which the next is shared among threads; there will be some 8 times
as many. Below, to share is more work than to search."""
_PARTS = 250
"""Parts that the work is shared in: so many that no thread waits long for another."""


class BoardTree:
    """Move sequences without needless words, cut off where an estimate says that moves do not do.

    `bound` is the least length that a solution can have, and `step` what lengths differ by: with
    every move the blank changes between the two colours of a chessboard, unless the board is
    coiled and the wrap joins cells of one colour.
    """

    def __init__(
        self,
        board: Sliding,
        start: NDArray[Any],
        estimate: Callable[[NDArray[Any]], NDArray[np.int32]],
        dive: Dive,
    ) -> None:
        self._puzzle, self._estimate, self._dive = board, estimate, dive
        self.bound = int(estimate(start[None])[0])
        self.step = 1 if board.coiled and (board.rows + board.columns) % 2 == 0 else 2
        self._root = Part(start, (), 0, self.bound)
        self._shares: list[Part] = []
        self._generated = 0

    def parts(self, depth: int) -> list[Part]:
        """The board itself, or all boards some moves on once there is much to do."""
        before, self._generated = self._generated, 0
        if before < _FEW:
            return [self._root]
        if not self._shares:
            # The largest trees first, so that the last ones to end are small.
            self._shares = sorted(self._split(), key=lambda part: part.estimate)
        return [part for part in self._shares if len(part.moves) + part.estimate <= depth]

    def search(
        self, part: Part, depth: int, stop: NDArray[np.uint8], counts: NDArray[np.int64]
    ) -> list[int] | None:
        """A solution of `depth` moves that begins with those to a part, None if there is none.

        Ends early, with None, once `stop[0]` is not 0. `counts` `[2]` grows by the boards expanded
        and generated.
        """
        if part.estimate == 0:
            return list(part.moves)
        before = int(counts[GENERATED])
        found = self._dive(part, depth - len(part.moves), stop, counts)
        self._generated += int(counts[GENERATED]) - before
        return None if found is None else [*part.moves, *found]

    def _split(self) -> list[Part]:
        """Boards as many moves on as it takes to have `_PARTS`; some twice, by different words."""
        order = rules_of(self._puzzle).automaton
        parts = [self._root]
        while len(parts) < _PARTS:
            boards = np.array([part.board for part in parts])
            allowed = order[[part.state for part in parts]] != FORBIDDEN
            which, moves = np.nonzero(self._puzzle.legal(boards) & allowed)
            children = self._puzzle.expand(boards)[which, moves]
            estimates = self._estimate(children).tolist()
            parts = [
                Part(child, (*parts[i].moves, move), int(order[parts[i].state, move]), estimate)
                for i, move, child, estimate in zip(
                    which.tolist(), moves.tolist(), children, estimates, strict=True
                )
            ]
        return parts
