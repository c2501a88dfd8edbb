"""The tree of move sequences from one state, seen as placements in several databases."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.patterns.database import MaxOf, PatternDatabase
from homeward.puzzles.canonical import MoveOrder, canonical_order
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.status import PuzzleError

_PREFIX = 3
_MOST = 15
"""The largest distance that half a byte holds; larger ones count as this, which is never wrong."""


class Placed(NamedTuple):
    """Several databases and their move tables, end to end in flat arrays.

    A line of `firsts` `[databases, 9]` says where a database begins in `entries`, two entries a
    byte, and where its tables begin in `sets`, `order_codes`, `turn_codes`, `orders` and `turns`;
    then its numbers of orders, of turns and of moves. Databases may share tables.
    """

    entries: NDArray[np.uint8]
    firsts: NDArray[np.uint64]
    sets: NDArray[np.uint32]
    order_codes: NDArray[np.uint32]
    turn_codes: NDArray[np.uint32]
    orders: NDArray[np.uint32]
    turns: NDArray[np.uint16]


class PatternMax(MaxOf):
    """The largest of several pattern databases, with a compiled search of its own.

    The patterns must hold every piece of the puzzle, so that a state at distance 0 in all of them
    is solved.
    """

    heuristics: tuple[PatternDatabase, ...]
    puzzle: PermutationPuzzle

    def __init__(
        self,
        puzzle: PermutationPuzzle,
        databases: Sequence[PatternDatabase],
        name: str = "patterns",
    ) -> None:
        super().__init__(puzzle, databases, name)
        placed = {cell for database in databases for cell in database.placements.cells}
        missing = set(puzzle.pieces.in_order) - placed
        if missing:
            raise PuzzleError(
                f"the patterns leave out cell {min(missing)}: together they must hold every piece"
            )

    def tree(self, start: NDArray[Any]) -> PatternTree:
        """The sequences of moves from `start` `[cells]` that these databases leave to be tried."""
        return PatternTree(self, start)

    @cached_property
    def order(self) -> MoveOrder:
        """The move order of the puzzle."""
        return canonical_order(self.puzzle.table.numpy)

    @cached_property
    def odd_orbits(self) -> list[NDArray[np.int64]] | None:
        """Cells that every move permutes oddly, orbit by orbit; None if there are none."""
        orbits = [np.unique(orbit.cells) for orbit in self.puzzle.pieces.orbits]
        moves = self.puzzle.table.numpy
        signs = np.array([[_sign(move, cells) for cells in orbits] for move in moves])
        for count in range(1, len(orbits) + 1):
            for chosen in combinations(range(len(orbits)), count):
                if (signs[:, chosen].sum(1) % 2 == 1).all():
                    return [orbits[i] for i in chosen]
        return None

    @cached_property
    def placed(self) -> Placed:
        """The tables as a compiled search takes them."""
        fingerprints = [database.placements.kind for database in self.heuristics]
        kinds = {print_: i for i, print_ in enumerate(dict.fromkeys(fingerprints))}
        firsts = [self.heuristics[fingerprints.index(print_)].placements for print_ in kinds]
        columns = list(zip(*(placements.moves for placements in firsts), strict=True))
        starts = [np.cumsum([0, *(table.size for table in column[:-1])]) for column in columns]
        entries = [_halves(database) for database in self.heuristics]
        begin = np.cumsum([0, *(len(entry) for entry in entries[:-1])])
        kind = np.array([kinds[print_] for print_ in fingerprints])
        shapes = np.array([(*placements.shape[1:], self.puzzle.moves) for placements in firsts])
        flat: Any = [np.concatenate([table.ravel() for table in column]) for column in columns]
        lines = np.column_stack([begin, np.stack(starts, axis=1)[kind], shapes[kind]])
        return Placed(np.concatenate(entries), lines.astype(np.uint64), *flat)


class PatternTree:
    """Move sequences in canonical order, cut off where a database says that moves do not suffice.

    `bound` is the least length that a solution can have, and `step` what lengths differ by: 2 where
    every move is an odd permutation of some pieces.
    """

    def __init__(self, patterns: PatternMax, start: NDArray[Any]) -> None:
        self._patterns = patterns
        rows = np.asarray(start)[None]
        self._start = np.zeros((len(patterns.heuristics), 4), np.uint32)
        for node, database in zip(self._start, patterns.heuristics, strict=True):
            _, orders, turns = database.placements.shape
            rest, node[2] = np.divmod(database.placements.numbers(rows)[0], turns)
            node[0], node[1] = np.divmod(rest, orders)
            node[3] = min(int(database.values(rows)[0]), _MOST)
        self.bound = int(self._start[:, 3].max())
        odd = patterns.odd_orbits
        self.step = 1 if odd is None else 2
        if odd is not None:
            permutation = patterns.puzzle.permutations(rows)[0]
            parity = sum(_sign(permutation, cells) for cells in odd)
            self.bound += (self.bound - parity) % 2

    def parts(self, depth: int) -> Sequence[tuple[int, ...]]:
        """Beginnings of all sequences of `depth` moves, to be searched apart."""
        return self.words(depth, _PREFIX)

    def words(self, depth: int, moves: int) -> Sequence[tuple[int, ...]]:
        """The beginnings of so many moves, at most `depth`, in which all sequences begin."""
        return list(self._patterns.order.words(min(moves, depth)))

    def search(
        self,
        part: tuple[int, ...],
        depth: int,
        stop: NDArray[np.uint8],
        counts: NDArray[np.int64],
    ) -> list[int] | None:
        """A solution of `depth` moves that begins with `part`, None if there is none."""
        from homeward.heuristics.patterns.tree.kernels import dive

        path = np.zeros(depth, np.uint8)
        path[: len(part)] = part
        order = self._patterns.order
        where = (self._patterns.placed, order.follow, order.follows, self._start)
        given: Any = (*where, path, len(part), stop, counts)
        found: bool = dive(*given)
        return path.tolist() if found else None


def _halves(database: PatternDatabase) -> NDArray[np.uint8]:
    """The table of a database with two entries a byte."""
    if database.packed:
        return database.table
    from homeward.heuristics.patterns.kernels import pack_halves

    packed = np.empty((database.placements.size + 1) // 2, np.uint8)
    pack_halves(np.minimum(database.table, _MOST), packed)
    return packed


def _sign(permutation: NDArray[Any], cells: NDArray[np.int64]) -> int:
    """0 if a permutation exchanges some of its cells an even number of times, else 1."""
    left = set(cells.tolist())
    swaps = 0
    while left:
        first = here = left.pop()
        while (here := int(permutation[here])) != first:
            left.discard(here)
            swaps += 1
    return swaps % 2
