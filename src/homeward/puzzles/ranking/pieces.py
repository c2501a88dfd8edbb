"""Permutation puzzles numbered by where their pieces are and how they are turned."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.orbits import Orbit
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.pieces import Pieces
from homeward.puzzles.ranking.base import Numbers
from homeward.puzzles.ranking.orders import digits_of, orders_of, pack, unpack
from homeward.puzzles.ranking.product import Coordinate, ProductRanking, joined

_MOST_PIECES = 10
_MOST_TURNS = 2**24


class PiecesRanking(ProductRanking):
    """The arrangement and the turns of the pieces of each orbit, as independent coordinates.

    Made by `pieces_ranking`, which knows whether they are independent.
    """

    puzzle: PermutationPuzzle

    def __init__(self, puzzle: PermutationPuzzle, kinds: list[PieceKind]) -> None:
        self.puzzle, self._kinds = puzzle, kinds
        self._pieces = Pieces(puzzle.table.numpy, puzzle.goal)
        coordinates = [c for kind in kinds for c in (kind.arrangement, kind.turns)]
        # Two coordinates of about the same size: the table of the inner one stays in the cache.
        halves: tuple[list[int], list[int]] = ([], [])
        for i in sorted(range(len(coordinates)), key=lambda i: -coordinates[i].size):
            sizes = [math.prod(coordinates[j].size for j in half) for half in halves]
            halves[int(sizes[1] < sizes[0])].append(i)
        self._digits = halves[0] + halves[1]
        self._radices = np.array([coordinates[i].size for i in self._digits])
        tables = [joined([coordinates[i].table for i in half], puzzle.moves) for half in halves]
        self._set_tables("pieces 1", *tables)

    def _rank(self, states: NDArray[Any]) -> Numbers:
        permutations = self._pieces.permutations(states)
        good = np.ones(len(states), bool)
        values: list[Numbers] = []
        for kind in self._kinds:
            values += kind.read(permutations)
            good &= kind.whole(permutations)
        digits = np.stack(values, axis=1)[:, self._digits]
        self.reject(states, good & (digits >= 0).all(1))
        return pack(digits, self._radices)

    def unrank(self, numbers: Numbers) -> NDArray[Any]:
        digits = unpack(numbers, self._radices)
        values = digits[:, np.argsort(self._digits)]
        permutations = np.tile(np.arange(self.puzzle.cells), (len(values), 1))
        for i, kind in enumerate(self._kinds):
            kind.write(permutations, values[:, 2 * i], values[:, 2 * i + 1])
        states: NDArray[Any] = self.puzzle.goal[permutations]
        return states


class PieceKind:
    """The pieces of one orbit of cells, and of the orbits that go along with it.

    Every cell of a piece can serve as its mark. `Orbit.together` numbers the cells of a piece as
    seen from each of them, in an order that moves keep: cell c seen from itself is c·0, the next
    c·1, and a permutation p that moves make has p(c·k) = p(c)·k. So with a mark on each place X,
    the piece there is turned by t where p(mark of X) = (mark of Y)·t, and a move m that brings to
    X what is at Z, m(mark of X) = (mark of Z)·s, turns it further to t·s, wherever it came from.
    """

    def __init__(self, table: NDArray[np.int64], orbit: Orbit, along: list[NDArray[Any]]) -> None:
        self._cells, self._along = orbit.cells, along
        inside = np.isin(orbit.together[0], orbit.cells)
        seen = np.zeros((table.shape[1], int(inside.sum())), np.int64)
        seen[orbit.cells] = orbit.together[:, inside]
        self._seen = seen
        self._marks = orbit.cells[orbit.blocks]
        self._piece = np.zeros(table.shape[1], np.int64)
        self._turn = np.zeros(table.shape[1], np.int64)
        for piece, mark in enumerate(self._marks):
            self._piece[seen[mark]] = piece
            self._turn[seen[mark]] = np.arange(seen.shape[1])
        # From the first mark: ·a and then ·b is ·(after[a, b]).
        after = self._turn[seen[seen[self._marks[0]]]]
        brought = table[:, self._marks]
        self.arrangement = _arrangement(self._piece[brought])
        self.turns = _turns(self._piece[brought], self._turn[brought], after)
        self._radices = np.arange(len(self._marks), 0, -1)
        self._turn_radices = np.full(len(self._marks), len(after))

    def read(self, permutations: NDArray[np.int64]) -> list[Numbers]:
        """The values `[B]` of both coordinates, -1 where they cannot be reached."""
        brought = permutations[:, self._marks]
        codes = pack(digits_of(self._piece[brought]), self._radices)
        turns = pack(self._turn[brought], self._turn_radices)
        return [self.arrangement.values[codes], self.turns.values[turns]]

    def whole(self, permutations: NDArray[np.int64]) -> NDArray[np.bool_]:
        """`[B]`: whether each piece, and what goes along with it, has stayed together."""
        targets = permutations[:, self._cells]
        good: NDArray[np.bool_] = np.ones(len(permutations), bool)
        for k in range(self._seen.shape[1]):
            good &= (permutations[:, self._seen[self._cells, k]] == self._seen[targets, k]).all(1)
        for image in self._along:
            good &= (permutations[:, image[self._cells]] == image[targets]).all(1)
        return good

    def write(self, permutations: NDArray[np.int64], places: Numbers, turns: Numbers) -> None:
        """Fills in the columns of these pieces, given the values `[B]` of both coordinates."""
        pieces = orders_of(unpack(self.arrangement.codes[places], self._radices))
        turned = unpack(self.turns.codes[turns], self._turn_radices)
        brought = self._seen[self._marks[pieces], turned]
        for k in range(self._seen.shape[1]):
            permutations[:, self._seen[self._marks, k]] = self._seen[brought, k]
        targets = permutations[:, self._cells]
        for image in self._along:
            permutations[:, image[self._cells]] = image[targets]


def _arrangement(moves: NDArray[np.int64]) -> Coordinate:
    """Which piece is where; `moves` is `[moves, pieces]`."""
    from homeward.puzzles.ranking.kernels import arrangement_table

    table = np.empty((math.factorial(moves.shape[1]), len(moves)), np.uint32)
    arrangement_table(moves.astype(np.uint8), table)
    return Coordinate.reached(table, 0)


def _turns(
    moves: NDArray[np.int64], turns: NDArray[np.int64], after: NDArray[np.int64]
) -> Coordinate:
    """How the piece in each place is turned: `moves[m]` brings it there, `turns[m]` turns it."""
    radices = np.full(moves.shape[1], len(after))
    digits = unpack(np.arange(math.prod(radices.tolist())), radices)
    columns = [
        pack(after[digits[:, move], turn], radices) for move, turn in zip(moves, turns, strict=True)
    ]
    return Coordinate.reached(np.stack(columns, axis=1), 0)


def pieces_ranking(puzzle: PermutationPuzzle, states: int) -> PiecesRanking | None:
    """The ranking by pieces, or None where it is not one.

    The coordinates are independent just when they make no more combinations than the puzzle has
    `states`. There is a table of all arrangements, so the pieces of one kind must be few, and a
    cell must tell how its piece is turned.
    """
    table = puzzle.table.numpy
    kinds = []
    for orbit, along in _leading_orbits(table, Pieces(table, puzzle.goal).orbits):
        pieces, turns = len(orbit.blocks), int(np.isin(orbit.together[0], orbit.cells).sum())
        turns_about_a_cell = len(np.unique(orbit.cells)) < len(orbit.cells)
        if pieces > _MOST_PIECES or turns**pieces > _MOST_TURNS or turns_about_a_cell:
            return None
        kinds.append(PieceKind(table, orbit, along))
    combinations = math.prod(kind.arrangement.size * kind.turns.size for kind in kinds)
    return PiecesRanking(puzzle, kinds) if combinations == states else None


def _leading_orbits(
    table: NDArray[np.int64], orbits: list[Orbit]
) -> list[tuple[Orbit, list[NDArray[np.int64]]]]:
    """The orbits that decide where all others are, each with the maps of its cells to theirs."""
    leading: list[tuple[Orbit, list[NDArray[np.int64]]]] = []
    for orbit in sorted(orbits, key=lambda o: -len(o.cells)):
        for leader, along in leading:
            image = _image(table, leader, orbit)
            if image is not None:
                along.append(image)
                break
        else:
            leading.append((orbit, []))
    return leading


def _image(table: NDArray[np.int64], leader: Orbit, orbit: Orbit) -> NDArray[np.int64] | None:
    """`[cells]`: a map from the cells of one orbit onto another's that moves keep, if any."""
    start = int(leader.cells[0])
    for target in orbit.cells.tolist():
        image = np.full(table.shape[1], -1)
        image[start] = target
        queue = [start]
        for cell in queue:  # grows while it is read
            for there, wanted in zip(table[:, cell], table[:, image[cell]], strict=True):
                if image[there] < 0:
                    image[there] = wanted
                    queue.append(int(there))
        if (image[table[:, leader.cells]] == table[:, image[leader.cells]]).all():
            return image
    return None
