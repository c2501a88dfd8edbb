"""Sliding boards numbered by the order of their tiles and the cell of the blank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.ranking.base import Distances, Numbers, Ranking, fingerprint
from homeward.puzzles.ranking.orders import digits_of, orders_of, pack, unpack
from homeward.puzzles.sliding import Sliding


class BoardRanking(Ranking):
    """A board is the order of its n tiles, read row by row without the blank, and the blank's cell.

    A move along a row leaves the order as it is. One along a column takes a tile past its
    `columns - 1` neighbours in the order, which changes only the digits (see `orders`) of that
    segment, and in a way that depends on nothing else: a small table holds by how much it shifts
    the number of the order. Half of all orders can be reached for each cell of the blank, so the
    last digit that has a choice is left out. It follows from the parity of the order, and
    `outer`, `inner` and `flips` tell it: digit = `outer ^ inner` of the order, `^ flips[blank]`.
    """

    puzzle: Sliding

    def __init__(self, puzzle: Sliding) -> None:
        self.puzzle = puzzle
        self.cells, self.columns = puzzle.cells, puzzle.columns
        self.tiles = self.cells - 1
        self.size = math.factorial(self.cells) // 2
        self.fingerprint = fingerprint("boards 1", puzzle, [puzzle.slides.numpy])
        # The last two digits are not part of the number: one is left out, one is always 0.
        self._radices = np.arange(self.tiles, 2, -1)
        order = puzzle.goal[puzzle.goal != 0] - 1
        rows = np.arange(self.cells) // self.columns
        away = rows - rows[int(np.argmin(puzzle.goal))]
        home = digits_of(order[None]).sum()
        self._flips = ((home + away * (self.columns - 1)) % 2).astype(np.uint8)
        slides = puzzle.slides.numpy
        self._targets = np.where(slides < 0, self.cells, slides).astype(np.uint32)
        self._outer, self._inner = (_parities(r) for r in np.split(self._radices, [-4]))
        self._make_shifts()

    def _make_shifts(self) -> None:
        """For each first tile of a segment: its place, size and weight in the table of shifts."""
        segments = range(self.tiles - self.columns + 1)
        self._sizes = np.empty(len(segments), np.uint32)
        self._weights = np.empty(len(segments), np.uint32)
        parts = []
        for first in segments:
            radices = self._radices[first : first + self.columns]
            self._sizes[first] = math.prod(radices.tolist())
            self._weights[first] = math.prod(self._radices[first + self.columns :].tolist())
            parts.append(self._segment_shifts(first, radices) * int(self._weights[first]))
        starts = np.cumsum([0] + [part.shape[1] for part in parts[:-1]])
        self._starts = starts.astype(np.uint32)
        self._shifts = np.concatenate(parts, axis=1).astype(np.int32)

    def _segment_shifts(self, first: int, radices: NDArray[Any]) -> NDArray[np.int64]:
        """`[2, 2 * size]`: how the digits from `first` on change, read as one number.

        Row 0 is for `U`, by which the last tile of the segment goes first, row 1 for `D`, the
        other way; entries are for each value of the digit left out and then of those kept.
        """
        kept = len(radices)
        values = np.arange(math.prod(radices.tolist()))
        digits = np.zeros((2, len(values), self.columns), np.int64)
        digits[:, :, :kept] = unpack(values, radices)
        if kept < self.columns:
            digits[1, :, kept] = 1
        tiles = orders_of(digits.reshape(-1, self.columns))
        shifts = [
            pack(digits_of(np.roll(tiles, turn, axis=1))[:, :kept], radices) - np.tile(values, 2)
            for turn in (1, -1)
        ]
        return np.stack(shifts)

    def _rank(self, states: NDArray[Any]) -> Numbers:
        blanks = self.puzzle.blanks(states)
        others = np.arange(self.tiles) + (np.arange(self.tiles) >= blanks[:, None])
        orders = np.take_along_axis(states, others, axis=1).astype(np.int64) - 1
        complete = (np.sort(orders, axis=1) == np.arange(self.tiles)).all(1)
        digits = digits_of(orders)
        right = (digits.sum(1) - self._flips[blanks]) % 2 == 0
        self.reject(states, complete & right)
        orders_packed = pack(digits[:, : len(self._radices)], self._radices)
        numbers: Numbers = orders_packed * self.cells + blanks
        return numbers

    def unrank(self, numbers: Numbers) -> NDArray[Any]:
        order, blanks = np.divmod(np.asarray(numbers), self.cells)
        digits = np.zeros((len(order), self.tiles), np.int64)
        kept = len(self._radices)
        digits[:, :kept] = unpack(order, self._radices)
        digits[:, kept] = (digits.sum(1) + self._flips[blanks]) % 2
        states = np.zeros((len(order), self.cells), self.puzzle.dtype)
        others = np.arange(self.tiles) + (np.arange(self.tiles) >= blanks[:, None])
        np.put_along_axis(states, others, (orders_of(digits) + 1).astype(states.dtype), axis=1)
        return states

    def neighbours(self, numbers: Numbers) -> Numbers:
        numbers = np.asarray(numbers, dtype=np.int64)
        order, blanks = np.divmod(numbers, self.cells)
        high, low = np.divmod(order, len(self._inner))
        hidden = (self._outer[high] ^ self._inner[low] ^ self._flips[blanks]).astype(np.int64)
        targets = self.puzzle.slides.numpy[blanks]
        result = np.where(targets < 0, -1, order[:, None] * self.cells + targets)
        for move in range(2):  # U and D
            rows = np.flatnonzero(targets[:, move] >= 0)
            first = np.minimum(blanks, targets[:, move])[rows]
            size = self._sizes[first].astype(np.int64)
            segment = order[rows] // self._weights[first] % size
            entry = self._starts[first] + hidden[rows] * size + segment
            result[rows, move] += self._shifts[move, entry].astype(np.int64) * self.cells
        return result

    def spread(self, distances: Distances, depth: int, pull: bool) -> None:
        from homeward.puzzles.ranking.kernels import board_level

        board_level(
            distances,
            self._targets,
            self._flips,
            self._outer,
            self._inner,
            (self._starts, self._sizes, self._weights, self._shifts),
            depth,
            pull,
        )


def _parities(radices: NDArray[Any]) -> NDArray[np.uint8]:
    """`[product]`: the parity of the digits' sum for every number with these radices."""
    parities = np.zeros(1, np.uint8)
    for radix in radices.tolist():
        digit = np.arange(radix, dtype=np.uint8) % 2
        parities = (parities[:, None] ^ digit).ravel()
    return parities
