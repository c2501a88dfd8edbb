"""States as two independent coordinates, each with a small table of what moves do to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.lightsout import LightsOut
from homeward.puzzles.ranking.base import (
    Distances,
    Numbers,
    Ranking,
    fingerprint,
    flood,
    unknown,
    unreached,
)


class ProductRanking(Ranking):
    """Numbers `outer * len(inner table) + inner`; a subclass reads coordinates off states."""

    def _set_tables(self, kind: str, outer: NDArray[Any], inner: NDArray[Any]) -> None:
        """The tables are `[values, moves]`: the value after each move."""
        self._outer = np.ascontiguousarray(outer, dtype=np.uint32)
        self._inner = np.ascontiguousarray(inner, dtype=np.uint32)
        self.size = len(outer) * len(inner)
        self.fingerprint = fingerprint(kind, self.puzzle, [self._outer, self._inner])

    def neighbours(self, numbers: Numbers) -> Numbers:
        outer, inner = np.divmod(np.asarray(numbers, dtype=np.int64), len(self._inner))
        return self._outer[outer].astype(np.int64) * len(self._inner) + self._inner[inner]

    def spread(self, distances: Distances, depth: int, pull: bool) -> None:
        spread_product(distances, self._outer, self._inner, depth, pull)


def spread_product(
    distances: Distances,
    outer: NDArray[np.uint32],
    inner: NDArray[np.uint32],
    depth: int,
    pull: bool,
) -> None:
    """One level of a search over all pairs of two coordinates, given their move tables."""
    from homeward.puzzles.ranking.kernels import product_level

    product_level(distances, outer, inner, depth, pull)


@dataclass(frozen=True)
class Coordinate:
    """Part of a state that moves change without regard to the rest.

    It is read off a state as a code. Only the codes that can be reached count as its values:
    `codes` is `[size]`, `values` `[all codes]` the way back (-1 for the others), and `table`
    `[size, moves]` the value after each move.
    """

    codes: NDArray[np.int64]
    values: NDArray[np.int64]
    table: NDArray[np.uint32]

    @property
    def size(self) -> int:
        """How many values it takes."""
        return len(self.codes)

    @classmethod
    def reached(cls, table: NDArray[Any], start: int) -> Coordinate:
        """The values that moves reach from code `start`; `table` `[all codes, moves]` has codes."""
        table = np.ascontiguousarray(table, dtype=np.uint32)
        still = np.zeros((1, table.shape[1]), np.uint32)
        distances = unreached(len(table))
        distances[start] = 0
        distances, _ = flood(
            lambda *level: spread_product(level[0], table, still, *level[1:]), distances
        )
        codes = np.flatnonzero(distances != unknown(distances))
        if len(codes) == len(table):
            return cls(codes, codes, table)
        values = np.full(len(table), -1)
        values[codes] = np.arange(len(codes))
        return cls(codes, values, values[table[codes]].astype(np.uint32))


def joined(tables: Sequence[NDArray[np.uint32]], moves: int) -> NDArray[np.uint32]:
    """`[product of sizes, moves]`: one move table for several coordinates, the first most."""
    result = np.zeros((1, moves), np.uint32)
    for table in tables:
        result = (result[:, None] * np.uint32(len(table)) + table).reshape(-1, moves)
    return result


class LightsRanking(ProductRanking):
    """Lights Out: the lamps that differ from the goal, as bits.

    Only as many lamps as the press matrix has rank are free; they tell what the others must be.
    """

    puzzle: LightsOut

    def __init__(self, puzzle: LightsOut) -> None:
        self.puzzle = puzzle
        self._basis, self._free = _row_echelon(puzzle.presses.numpy)
        flips = puzzle.presses.numpy[:, self._free]
        halves = np.split(flips, [(len(self._free) + 1) // 2], axis=1)
        self._set_tables("lights 1", *(_flip_table(half) for half in halves))

    def _rank(self, states: NDArray[Any]) -> Numbers:
        lit = (states ^ self.puzzle.goal).astype(np.int64)
        bits = lit[:, self._free]
        self.reject(states, (bits @ self._basis % 2 == lit).all(1))
        numbers: Numbers = bits @ (1 << np.arange(len(self._free))[::-1])
        return numbers

    def unrank(self, numbers: Numbers) -> NDArray[Any]:
        bits = np.asarray(numbers)[:, None] >> np.arange(len(self._free))[::-1] & 1
        states: NDArray[Any] = (bits @ self._basis % 2).astype(self.puzzle.dtype) ^ self.puzzle.goal
        return states


def _flip_table(flips: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """`[2^lamps, moves]`: lamps as bits after each move, which flips those in `[moves, lamps]`."""
    lamps = flips.shape[1]
    masks = flips.astype(np.int64) @ (1 << np.arange(lamps)[::-1])
    return (np.arange(1 << lamps)[:, None] ^ masks).astype(np.uint32)


def _row_echelon(matrix: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A basis of the rows over GF(2) `[rank, n]`, and the columns `[rank]` where it is identity."""
    rows = matrix.astype(np.int64)
    columns: list[int] = []
    for column in range(rows.shape[1]):
        found = np.flatnonzero(rows[len(columns) :, column])
        if not len(found):
            continue
        rank = len(columns)
        rows[[rank, rank + found[0]]] = rows[[rank + found[0], rank]]
        others = np.flatnonzero(rows[:, column])
        rows[others[others != rank]] ^= rows[rank]
        columns.append(column)
    return rows[: len(columns)], np.array(columns)
