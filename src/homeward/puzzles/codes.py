"""States as pieces: for each piece, where it is and how it is turned.

DeepCube's net reads the cube so, as 20 pieces in one of 24 ways each instead of 54 stickers.
"""

from __future__ import annotations

import numpy as np

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.base import Puzzle
from homeward.puzzles.permutation import PermutationPuzzle

_LARGEST_TABLE = 2**20


class PieceCodes:
    """Reads states `[B, cells]` as codes `[B, pieces]`, each below `symbols`.

    A code counts the places and turns that moves can bring the piece to. Only pieces that can move
    are counted. Made by `piece_codes`, which knows whether a puzzle can be read so.

    >>> from homeward.puzzles import puzzle
    >>> codes = piece_codes(puzzle("cube3"))
    >>> codes.pieces, codes.symbols
    (20, 24)
    """

    def __init__(self, puzzle: PermutationPuzzle) -> None:
        orbits = puzzle.pieces.orbits
        self.pieces = sum(len(orbit.blocks) for orbit in orbits)
        self.symbols = max(len(orbit.cells) for orbit in orbits)
        self._orbits: list[tuple[Table, Table, Table, Table]] = []
        seen = 0
        for orbit in orbits:
            weights = puzzle.symbols ** np.arange(orbit.together.shape[1])
            # The colours of a piece, read from its first cell on, tell which piece it is; other
            # colours are of no piece, or of one that is read from another cell.
            owner = np.full(puzzle.symbols ** len(weights), self.pieces)
            owner[puzzle.goal[orbit.together[orbit.blocks]].astype(np.int64) @ weights] = np.arange(
                seen, seen + len(orbit.blocks)
            )
            seen += len(orbit.blocks)
            rows = np.arange(len(orbit.cells))
            self._orbits.append(
                (Table(orbit.together), Table(weights), Table(owner), Table(rows[None]))
            )

    def encode(self, states: Array) -> Array:
        """`[B, pieces]` int64: where each piece is and how it is turned."""
        xp = arrays.namespace(states)
        owners, rows = [], []
        for together, weights, owner, numbers in self._orbits:
            cells = arrays.indices(states)[:, together.on(states)]
            keys = (cells * weights.on(states)).sum(-1)
            owners.append(owner.on(states)[keys])
            rows.append(xp.zeros_like(keys) + numbers.on(states))
        column, code = xp.concatenate(owners, 1), xp.concatenate(rows, 1)
        codes = xp.zeros_like(code[:, : self.pieces + 1])
        if xp is np:
            np.put_along_axis(codes, column, code, axis=1)
        else:
            codes.scatter_(1, column, code)
        return codes[:, : self.pieces]


def piece_codes(puzzle: Puzzle) -> PieceCodes | None:
    """How to read a puzzle's states as pieces; None where pieces look alike or are no pieces."""
    if not isinstance(puzzle, PermutationPuzzle) or not puzzle.pieces.distinct:
        return None
    widths = [orbit.together.shape[1] for orbit in puzzle.pieces.orbits]
    if not widths or puzzle.symbols ** max(widths) > _LARGEST_TABLE:
        return None
    return PieceCodes(puzzle)
