"""Sliding boards: one blank, and tiles that slide into it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import Problem, PuzzleError, Status
from homeward.puzzles.symmetry import Symmetry, relabelling

_OPPOSITE = {"U": "D", "D": "U", "L": "R", "R": "L", "W": "W"}

_MOST_CELLS = 30_000
"""A cell of a state holds no larger number."""


class Sliding(Puzzle):
    """`puzzle15`, `sliding-RxC`, `coiled15`: a board row by row, 0 the blank.

    A move is named after the way the tile goes: `U` slides the tile below the blank up. On a
    coiled board the first and the last cell are neighbours too, joined by the move `W` (wrap).
    """

    def __init__(self, rows: int, columns: int, coiled: bool = False, name: str = "") -> None:
        if rows < 2 or columns < 2:
            raise PuzzleError(f"a sliding board is at least 2x2, not {rows}x{columns}")
        self.rows, self.columns, self.coiled = rows, columns, coiled
        cells = rows * columns
        if cells > _MOST_CELLS:
            raise PuzzleError(f"a sliding board has at most {_MOST_CELLS:,} cells, not {cells:,}")
        names = "UDLR" + "W" * coiled
        goal = np.roll(np.arange(cells), -1)
        name = name or f"sliding-{rows}x{columns}"
        super().__init__(name, "sliding", cells, tuple(names), goal[None])
        self.always_legal = False
        slides = np.full((cells, len(names)), -1)
        for blank in range(cells):
            row, column = divmod(blank, columns)
            if row + 1 < rows:
                slides[blank, 0] = blank + columns
            if row > 0:
                slides[blank, 1] = blank - columns
            if column + 1 < columns:
                slides[blank, 2] = blank + 1
            if column > 0:
                slides[blank, 3] = blank - 1
        if coiled:
            slides[0, 4], slides[cells - 1, 4] = cells - 1, 0
        self.slides = Table(slides)
        self.inverses = np.array([names.index(_OPPOSITE[n]) for n in names])
        self._prepare()

    def step(self, states: Array, moves: Array | int) -> Array:
        blank = self.blanks(states)
        tile = self.slides.on(states)[blank, arrays.as_moves(moves, states)]
        xp = arrays.namespace(states)
        tile = xp.where(tile < 0, blank, tile)
        rows = arrays.row_numbers(states)
        out = arrays.copy(states)
        out[rows, blank] = states[rows, tile]
        arrays.fill(out, tile, 0)
        return out

    def blanks(self, states: Array) -> Array:
        """`[B]`: the cell of the blank."""
        empty = states == 0
        return (empty.int() if arrays.is_torch(states) else empty).argmax(1)

    def legal(self, states: Array) -> Array:
        return self.slides.on(states)[self.blanks(states)] >= 0

    @property
    def mixing(self) -> int:
        return self.cells**2

    @property
    def fixed_parity(self) -> bool:
        return True  # each move exchanges the blank and one tile

    def random_states(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        goal = self.goal
        states = rng.permuted(np.tile(goal, (n, 1)), axis=1)
        if not self.coiled:
            # Swapping two tiles leaves the blank and changes the parity: a bijection between
            # the two halves, so the reachable half stays uniform.
            wrong = np.flatnonzero(self.parities(states) != self.parities(goal[None]))
            tiles = np.argsort(states[wrong] == 0, axis=1, kind="stable")[:, :2]
            one, other = tiles[:, 0], tiles[:, 1]
            states[wrong, one], states[wrong, other] = states[wrong, other], states[wrong, one]
        return states

    def parities(self, states: NDArray[Any]) -> NDArray[np.int64]:
        """`[B]`: what no move changes: parity of the arrangement plus that of the blank's cell."""
        rows, columns = np.divmod(self.blanks(states), self.columns)
        seen = np.zeros(len(states), dtype=np.int64)
        for i in range(self.cells - 1):
            seen += (states[:, i, None] > states[:, i + 1 :]).sum(1)
        parity: NDArray[np.int64] = (seen + rows + columns) % 2
        return parity

    def symmetries(self) -> list[Symmetry]:
        found = super().symmetries()
        board = np.arange(self.cells).reshape(self.rows, self.columns)
        if self.rows == self.columns:  # mirrored in the main diagonal: rows become columns
            cells = np.ascontiguousarray(board.T).reshape(-1)
            symbols = relabelling(self.goal, cells, self.symbols)
            if symbols is not None and symbols[0] == 0:
                found.append(Symmetry(cells, symbols, np.array([2, 3, 0, 1, 4])[: self.moves]))
        return found

    def problems(self, state: NDArray[Any]) -> list[Problem]:
        found = super().problems(state)
        if found:
            return found
        row = np.asarray(state)
        counts = np.bincount(row.astype(np.int64), minlength=self.cells)
        for tile in np.flatnonzero(counts != 1):
            what = "the blank (0)" if tile == 0 else f"tile {tile}"
            how = "is missing" if counts[tile] == 0 else f"appears {counts[tile]} times"
            found.append(Problem(Status.TILES, f"{what} {how}", str(tile)))
        if not found and not self.coiled and self._misses_goal(row):
            one, other = [int(t) for t in row if t != 0][:2]
            found.append(
                Problem(
                    Status.UNREACHABLE,
                    "only an even number of exchanged tiles can be undone by sliding, and this "
                    f"board has an odd number: lift out two tiles, say {one} and {other}, "
                    "and put each in the other's place",
                    f"{one} {other}",
                )
            )
        return found

    def _misses_goal(self, row: NDArray[Any]) -> bool:
        """Whether the parity that no move changes differs from the goal's."""
        here, home = self.parities(np.stack([row, self.goal]))
        return bool(here != home)
