"""Any permutation puzzle numbered by its group's chain of stabilisers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.pieces import Pieces
from homeward.puzzles.ranking.base import Distances, Numbers, Ranking, fingerprint
from homeward.puzzles.ranking.orders import pack, unpack


class ChainRanking(Ranking):
    """A permutation is one product u1 u2 … uk, with a factor from each level of the chain.

    Level i has a point, and a factor for each place where permutations that fix the points before
    it can take that point. So the images of the points tell the factors one after the other, and
    the choices are the digits of the number. Slower than `PiecesRanking`, but always possible.
    """

    puzzle: PermutationPuzzle

    def __init__(self, puzzle: PermutationPuzzle) -> None:
        self.puzzle = puzzle
        self._pieces = Pieces(puzzle.table.numpy, puzzle.goal)
        chain = puzzle.group.chain
        self.size = puzzle.group.order
        cells = puzzle.cells
        self._points = np.array([point for point, _ in chain], dtype=np.uint32)
        self._sizes = np.array([len(movers) for _, movers in chain], dtype=np.uint32)
        narrow = np.uint8 if cells <= 256 else np.uint16
        shape = (len(chain), int(self._sizes.max()), cells)
        self._movers, self._inverses = np.zeros(shape, narrow), np.zeros(shape, narrow)
        self._places = np.full((len(chain), cells), cells, np.uint32)
        for level, (point, movers) in enumerate(chain):
            self._movers[level, : len(movers)] = movers
            self._inverses[level, : len(movers)] = np.argsort(movers, axis=1)
            self._places[level, movers[:, point]] = np.arange(len(movers))
        self._moves = puzzle.table.numpy.astype(narrow)
        self.fingerprint = fingerprint("chain 1", puzzle, [self._moves, self._movers])

    def _rank(self, states: NDArray[Any]) -> Numbers:
        permutations = self._pieces.permutations(states)
        digits, good = self._digits(permutations)
        self.reject(states, good)
        return pack(digits, self._sizes)

    def _digits(self, permutations: NDArray[Any]) -> tuple[Numbers, NDArray[np.bool_]]:
        """`[B, levels]`, and `[B]`: which permutations are in the group."""
        rest = permutations
        digits = np.empty((len(rest), len(self._points)), np.int64)
        good = np.ones(len(rest), bool)
        for level, point in enumerate(self._points):
            place = self._places[level, rest[:, point]].astype(np.int64)
            good &= place < self._sizes[level]
            digits[:, level] = np.where(good, place, 0)
            rest = np.take_along_axis(self._inverses[level][digits[:, level]], rest, axis=1)
        return digits, good & (rest == np.arange(rest.shape[1])).all(1)

    def _permutations(self, numbers: Numbers) -> NDArray[np.int64]:
        digits = unpack(numbers, self._sizes)
        result = np.tile(np.arange(self.puzzle.cells), (len(digits), 1))
        for level in range(digits.shape[1] - 1, -1, -1):
            result = np.take_along_axis(self._movers[level][digits[:, level]], result, axis=1)
        return result

    def unrank(self, numbers: Numbers) -> NDArray[Any]:
        states: NDArray[Any] = self.puzzle.goal[self._permutations(numbers)]
        return states

    def neighbours(self, numbers: Numbers) -> Numbers:
        permutations = self._permutations(numbers)
        columns = [
            pack(self._digits(permutations[:, move])[0], self._sizes)
            for move in self._moves.astype(np.int64)
        ]
        return np.stack(columns, axis=1)

    def spread(self, distances: Distances, depth: int, pull: bool) -> None:
        from homeward.puzzles.ranking.kernels import chain_level

        chain_level(
            distances,
            self._points,
            self._sizes,
            self._movers,
            self._inverses,
            self._places,
            self._moves,
            depth,
            pull,
        )
