"""Lights Out: a press flips a lamp and its neighbours; the goal is darkness."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import Problem, PuzzleError, Status
from homeward.puzzles.symmetry import Symmetry, square_maps

_LARGEST = 80
"""Rows: a table of all presses has a number for each pair of lamps."""


class LightsOut(Puzzle):
    """`lightsoutN`: N×N lamps row by row, 1 is lit. Move `r,c` presses row r, column c from 1."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise PuzzleError(f"a Lights Out board has at least 1 row, not {size}")
        if size > _LARGEST:
            raise PuzzleError(f"a Lights Out board has at most {_LARGEST} rows, not {size}")
        self.size = size
        cells = size * size
        names = [f"{r},{c}" for r in range(1, size + 1) for c in range(1, size + 1)]
        super().__init__(f"lightsout{size}", "lightsout", 2, names, np.zeros((1, cells)))
        rows, columns = np.divmod(np.arange(cells), size)
        apart = abs(rows[:, None] - rows) + abs(columns[:, None] - columns)
        self.presses = Table((apart <= 1).astype(np.uint8))
        self.inverses = np.arange(cells)
        self._prepare()

    def step(self, states: Array, moves: Array | int) -> Array:
        return states ^ self.presses.on(states)[arrays.as_moves(moves, states)]

    def expand(self, states: Array) -> Array:
        return states[:, None, :] ^ self.presses.on(states)[None]

    @property
    def commuting(self) -> NDArray[np.bool_]:
        return np.ones((self.moves, self.moves), dtype=bool)

    @property
    def mixing(self) -> int:
        # Walks press no lamp twice: most sets have half of the lamps, and one alone has them all.
        return max(1, self.cells // 2)

    def random_states(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        # Every reachable state has equally many sets of presses that lead to it.
        presses = rng.integers(2, size=(n, self.cells), dtype=np.uint8)
        lit = (presses.astype(np.float32) @ self.presses.numpy.astype(np.float32)) % 2
        return self.goal ^ lit.astype(np.uint8)

    @cached_property
    def quiet_patterns(self) -> NDArray[np.uint8]:
        """`[nullity, cells]`: a basis of the sets of presses that change nothing.

        The press matrix is symmetric, so a board can be solved just when it has an even number of
        lit lamps on each of these patterns.
        """
        return null_space(self.presses.numpy)

    def symmetries(self) -> list[Symmetry]:
        same = np.arange(2, dtype=np.uint8)
        maps = square_maps(self.size, self.size)
        return [Symmetry(m, same, m) for m in maps if np.array_equal(self.goal[m], self.goal)]

    @property
    def fixed_parity(self) -> bool:
        # Two ways to darken a board differ by a set of presses that changes nothing.
        return not (self.quiet_patterns.sum(1) % 2).any()

    def problems(self, state: NDArray[Any]) -> list[Problem]:
        found = super().problems(state)
        if found:
            return found
        lit = np.asarray(state) ^ self.goal
        odd = (self.quiet_patterns @ lit.astype(np.int64)) % 2
        if odd.any():
            pattern = self.quiet_patterns[int(odd.argmax())]
            lamp = divmod(int(pattern.argmax()), self.size)
            found.append(
                Problem(
                    Status.UNSOLVABLE_LIGHTS,
                    "no set of presses darkens this board: it has an odd number of lit lamps on a "
                    "pattern where every press flips an even number; only one board in "
                    f"{2 ** len(self.quiet_patterns)} can be solved",
                    f"{lamp[0] + 1},{lamp[1] + 1}",
                )
            )
        return found


def null_space(matrix: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """`[nullity, n]`: a basis of the vectors `v` with `matrix @ v = 0` over GF(2)."""
    rows = matrix.astype(np.uint8).copy()
    pivots: list[int] = []
    rank = 0
    for column in range(rows.shape[1]):
        below = np.flatnonzero(rows[rank:, column])
        if not len(below):
            continue
        pivot = rank + int(below[0])
        rows[[rank, pivot]] = rows[[pivot, rank]]
        others = np.flatnonzero(rows[:, column])
        rows[others[others != rank]] ^= rows[rank]
        pivots.append(column)
        rank += 1
        if rank == len(rows):
            break
    free = [c for c in range(rows.shape[1]) if c not in pivots]
    basis = np.zeros((len(free), rows.shape[1]), np.uint8)
    for i, column in enumerate(free):
        basis[i, column] = 1
        basis[i, pivots] = rows[: len(pivots), column]
    return basis
