"""Where some pieces of a puzzle are and how they are turned, as one number.

The pieces of an orbit stand in n places, each turned in one of T ways. A *placement* of k of them
has three independent digits:

- the *set* of places that they occupy, one of n over k;
- their *order*, the piece in the first occupied place, in the second, and so on, one of k!;
- their *turns*, again by occupied place, one of T^k.

A move takes a set to a set. How it changes the order and the turns depends only on the set, and is
the same change for many sets, so small tables tell everything and nothing is ever ranked anew.
Digits that no sequence of moves reaches, such as the turns of all corners of a cube that do not add
up, are left out.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.orbits import Orbit
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.ranking import LIMIT
from homeward.puzzles.ranking.orders import digits_of, orders_of, pack, unpack
from homeward.puzzles.ranking.product import Coordinate
from homeward.puzzles.status import PuzzleError

_MOST_KEYS = 2**22
_MOST_ORDERS = 2**22
_MOST_TURNS = 2**16


class MoveTables(NamedTuple):
    """What moves do to the digits of a placement.

    `sets` `[sets, moves]` is the set after a move; `order_codes` and `turn_codes`, of the same
    shape, say which rows of `orders` `[codes, orders]` and `turns` `[codes, turns]` hold the new
    order and the new turns.
    """

    sets: NDArray[np.uint32]
    order_codes: NDArray[np.uint32]
    turn_codes: NDArray[np.uint32]
    orders: NDArray[np.uint32]
    turns: NDArray[np.uint16]


class Placements:
    """The placements of the pieces of a puzzle that the given cells belong to.

    Numbers are `(set * orders + order) * turns + turn`; the goal has the number `home`. Raises
    `PuzzleError` if no piece is given, if pieces look alike, or if there are too many placements.

    >>> from homeward.puzzles import puzzle
    >>> cube = puzzle("cube2")
    >>> placements = Placements(cube, [0, 1])
    >>> placements.size  # two of seven corners: 21 sets, 2 orders, 9 turns
    378
    >>> bool(placements.numbers(cube.goals)[0] == placements.home)
    True
    """

    def __init__(self, puzzle: PermutationPuzzle, cells: Sequence[int]) -> None:
        self.puzzle = puzzle
        found = _pieces_of(puzzle, list(cells))
        self.cells = frozenset(cell for _, pieces in found for piece in pieces for cell in piece)
        self._parts = [_Part(puzzle, orbit, pieces) for orbit, pieces in found]
        self.shape = tuple(math.prod(p.shape[i] for p in self._parts) for i in range(3))
        self.size = math.prod(self.shape)
        if self.size > LIMIT:
            raise PuzzleError(
                f"these pieces of {puzzle.name} can be placed in {self.size:,} ways, too many for "
                f"a table: at most {LIMIT:,} are"
            )
        if self.shape[2] > _MOST_TURNS:
            raise PuzzleError(
                f"these pieces of {puzzle.name} can be turned in {self.shape[2]:,} ways, too many "
                f"for a table: at most {_MOST_TURNS:,} are"
            )
        home = np.array([[part.home[i] for part in self._parts] for i in range(3)])
        self.home = self._joined_number([column[None] for column in home])[0]

    @cached_property
    def moves(self) -> MoveTables:
        """The move tables of all parts together."""
        tables = self._parts[0].moves
        for part in self._parts[1:]:
            tables = _joined(tables, part.moves)
        return tables

    @cached_property
    def kind(self) -> str:
        """A hash of the move tables: other pieces of the same orbit move in the same way."""
        digest = hashlib.sha256(b"placements 1")
        for table in self.moves:
            digest.update(f"{table.dtype}{table.shape}".encode())
            digest.update(np.ascontiguousarray(table).tobytes())
        return digest.hexdigest()

    @property
    def fingerprint(self) -> str:
        """Differs between placements that have other distances."""
        return hashlib.sha256(f"{self.kind} {self.home}".encode()).hexdigest()

    def numbers(self, states: NDArray[Any]) -> NDArray[np.int64]:
        """`[B]`: the numbers of the placements in states `[B, cells]`."""
        rows = np.ascontiguousarray(states)
        if rows.ndim != 2 or rows.shape[1] != self.puzzle.cells:
            raise PuzzleError(
                f"states of {self.puzzle.name} are rows of {self.puzzle.cells} numbers; "
                f"these have the shape {list(rows.shape)}"
            )
        found = [part.digits(rows) for part in self._parts]
        bad = np.stack([digits.min(0) < 0 for digits in found]).any(0)
        if bad.any():
            self.puzzle.require_valid(rows[int(bad.argmax())])
            raise PuzzleError(f"no sequence of moves of {self.puzzle.name} leads there")
        return self._joined_number([np.stack([d[i] for d in found], axis=1) for i in range(3)])

    def _joined_number(self, digits: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """`[B]`: one number from sets, orders and turns, each `[B, parts]`."""
        radices = np.array([part.shape for part in self._parts]).T
        whole = [pack(column, sizes) for column, sizes in zip(digits, radices, strict=True)]
        return (whole[0] * self.shape[1] + whole[1]) * self.shape[2] + whole[2]


def _pieces_of(
    puzzle: PermutationPuzzle, cells: list[int]
) -> list[tuple[Orbit, list[frozenset[int]]]]:
    """The orbits that the cells lie in, each with the pieces, as sets of cells, to be placed."""
    if not cells:
        raise PuzzleError("a pattern needs at least one cell")
    for cell in cells:
        if not 0 <= cell < puzzle.cells:
            raise PuzzleError(f"{puzzle.name} has no cell {cell}; they are 0 to {puzzle.cells - 1}")
    found: list[tuple[Orbit, list[frozenset[int]]]] = []
    left = set(cells)
    for orbit in puzzle.pieces.orbits:
        pieces = []
        for row in orbit.blocks:
            piece = frozenset(orbit.together[row].tolist())
            if piece & left & set(orbit.cells.tolist()):
                pieces.append(piece)
                left -= piece
        if pieces:
            found.append((orbit, pieces))
    if left:
        raise PuzzleError(f"no move of {puzzle.name} moves cell {min(left)}")
    return found


@dataclass(frozen=True)
class _Frames:
    """The rows of an orbit as places and turns.

    Each piece has a mark, one of its rows. `rows` `[places, turns, k]` are the cells of each row
    and `change` `[turns, k]` how they are those of the mark in another order, the same for all
    places. `places` and `turns`, `[moves, places, turns]`, say where moves take a row.
    """

    rows: NDArray[np.int64]
    change: NDArray[np.int64]
    places: NDArray[np.int64]
    turns: NDArray[np.int64]

    @classmethod
    def of(cls, orbit: Orbit, table: NDArray[np.int64]) -> _Frames:
        together = orbit.together
        marks = together[orbit.blocks]
        alike = [row for row in together if set(row.tolist()) == set(marks[0].tolist())]
        changes = [np.argsort(marks[0])[_ranks(row[None])[0]] for row in alike]
        changes.sort(key=lambda change: (change != np.arange(len(change))).any())  # mark first
        change = np.array(changes)
        rows = marks[:, change]
        number = {tuple(row): i for i, row in enumerate(rows.reshape(-1, rows.shape[2]).tolist())}
        brought = np.argsort(table, axis=1)[:, rows].reshape(-1, rows.shape[2])
        to = np.array([number[tuple(row)] for row in brought.tolist()])
        places, turns = np.divmod(to.reshape(len(table), *rows.shape[:2]), len(change))
        return cls(rows, change, places, turns)


def _ranks(rows: NDArray[Any]) -> NDArray[np.int64]:
    """`[B, k]`: how many numbers of the same row are smaller than each."""
    ranks: NDArray[np.int64] = np.argsort(np.argsort(rows, axis=1), axis=1)
    return ranks


class _Part:
    """The placed pieces of one orbit."""

    def __init__(
        self, puzzle: PermutationPuzzle, orbit: Orbit, pieces: list[frozenset[int]]
    ) -> None:
        frames = _Frames.of(orbit, puzzle.table.numpy)
        self.places, self.turns = frames.rows.shape[:2]
        marks = [frozenset(row.tolist()) for row in frames.rows[:, 0]]
        wanted = np.array([place for place, mark in enumerate(marks) if mark in pieces])
        self.pieces = len(wanted)
        ways = math.perm(self.places, self.pieces) * self.turns ** (self.pieces - 1)
        if ways > LIMIT or math.factorial(self.pieces) > _MOST_ORDERS:
            raise PuzzleError(
                f"{self.pieces} pieces of {puzzle.name} in {self.places} places can be placed in "
                f"about {ways:,} ways, too many for a table: at most {LIMIT:,} are"
            )
        self._read_keys(puzzle, frames, wanted)
        self._make_tables(frames, wanted)

    def _read_keys(self, puzzle: PermutationPuzzle, frames: _Frames, wanted: Any) -> None:
        """How colours tell pieces: `keys` gives `piece * turns + turn`, -2 others, -1 none."""
        goal, rows = puzzle.goal.astype(np.int64), frames.rows
        for width in range(1, rows.shape[2] + 1):
            weights = puzzle.symbols ** np.arange(width)
            keys = goal[rows[:, :, :width]] @ weights
            if len(np.unique(keys)) == keys.size:
                break
        else:
            raise PuzzleError(f"some pieces of {puzzle.name} look alike: no table can tell them")
        if puzzle.symbols**width > _MOST_KEYS:
            raise PuzzleError(f"{puzzle.name} has too many symbols to tell its pieces by a table")
        # A place shows row (piece, t) in its mark's cells when the piece's mark is turned t back.
        inverses = np.argsort(frames.change, axis=1)
        numbers = {tuple(row): i for i, row in enumerate(frames.change.tolist())}
        back = np.array([numbers[tuple(row)] for row in inverses.tolist()])
        numbering = np.full(self.places, -1)
        numbering[wanted] = np.arange(len(wanted))
        meaning = np.where(numbering[:, None] < 0, -2, numbering[:, None] * self.turns + back)
        self._keys = np.full(puzzle.symbols**width, -1, np.int32)
        self._keys[keys] = meaning
        self._weights = weights
        self._cells = np.ascontiguousarray(rows[:, 0, :width])

    def _make_tables(self, frames: _Frames, wanted: NDArray[np.int64]) -> None:
        k, turns = self.pieces, self.turns
        occupied = np.array(sorted(combinations(range(self.places), k), key=lambda s: s[::-1]))
        self._binomials = np.array(
            [[math.comb(place, i + 1) for i in range(k)] for place in range(self.places)]
        )
        moved = frames.places[:, occupied, 0].transpose(1, 0, 2)  # [sets, moves, k]
        flat = moved.reshape(-1, k)
        after = self._binomials[np.sort(flat, axis=1), np.arange(k)].sum(1).reshape(moved.shape[:2])
        sets = Coordinate.reached(after, int(self._binomials[wanted, np.arange(k)].sum()))
        ranks = _ranks(flat)
        kinds, kind = np.unique(frames.turns.reshape(-1, turns), axis=0, return_inverse=True)
        kind = kind.reshape(frames.turns.shape[:2])  # [moves, places]
        turning = kind[np.arange(len(kind))[None, :, None], occupied[:, None, :]].reshape(-1, k)
        new_orders, order_code = np.unique(ranks, axis=0, return_inverse=True)
        changes, turn_code = np.unique(np.hstack([ranks, turning]), axis=0, return_inverse=True)
        orders = Coordinate.reached(_order_table(new_orders).T, 0)
        self._radix = np.full(k, turns)
        turned = Coordinate.reached(_turn_table(changes, kinds, self._radix).T, 0)
        self._digits = (sets, orders, turned)
        self.shape = (sets.size, orders.size, turned.size)
        start = int(self._binomials[wanted, np.arange(k)].sum())
        self.home = (int(sets.values[start]), int(orders.values[0]), int(turned.values[0]))
        self.moves = MoveTables(
            sets.table,
            order_code.reshape(moved.shape[:2])[sets.codes].astype(np.uint32),
            turn_code.reshape(moved.shape[:2])[sets.codes].astype(np.uint32),
            np.ascontiguousarray(orders.table.T),
            np.ascontiguousarray(turned.table.T).astype(np.uint16),
        )

    def digits(self, states: NDArray[Any]) -> NDArray[np.int64]:
        """`[3, B]`: set, order and turn in each state; -1 where a state is none."""
        from homeward.heuristics.patterns.kernels import read_placements

        codes = np.empty((3, len(states)), np.int64)
        read_placements(
            states,
            self._cells,
            self._weights,
            self._keys,
            self._binomials,
            self.turns,
            codes,
        )
        good = codes[0] >= 0
        return np.stack(
            [
                np.where(good, digit.values[np.maximum(code, 0)], -1)
                for digit, code in zip(self._digits, codes, strict=True)
            ]
        )


def _order_table(changes: NDArray[np.int64]) -> NDArray[np.int64]:
    """`[codes, k!]`: the order of k pieces after the i-th of them comes to place `changes[i]`."""
    k = changes.shape[1]
    radices = np.arange(k, 0, -1)
    orders = orders_of(unpack(np.arange(math.factorial(k)), radices))
    table = np.empty((len(changes), len(orders)), np.int64)
    for line, change in zip(table, changes, strict=True):
        line[:] = pack(digits_of(orders[:, np.argsort(change)]), radices)
    return table


def _turn_table(
    changes: NDArray[np.int64], kinds: NDArray[np.int64], radix: NDArray[np.int64]
) -> NDArray[np.int64]:
    """`[codes, T^k]`: the turns after the i-th piece is turned and comes to another place.

    A row of `changes` has the k new places and then the k rows of `kinds` `[kinds, T]` that turn.
    """
    k = len(radix)
    turns = unpack(np.arange(math.prod(radix.tolist())), radix)
    table = np.empty((len(changes), len(turns)), np.int64)
    for line, change in zip(table, changes, strict=True):
        turned = kinds[change[None, k:], turns]
        line[:] = pack(turned[:, np.argsort(change[:k])], radix)
    return table


def _joined(one: MoveTables, other: MoveTables) -> MoveTables:
    """The move tables of two parts side by side; the first part's digits count more."""
    sets = one.sets[:, None] * np.uint32(len(other.sets)) + other.sets[None]
    order_codes, orders = _pairs(one.order_codes, one.orders, other.order_codes, other.orders)
    turn_codes, turns = _pairs(one.turn_codes, one.turns, other.turn_codes, other.turns)
    whole = sets.reshape(-1, one.sets.shape[1])
    return MoveTables(whole, order_codes, turn_codes, orders, turns.astype(np.uint16))


def _pairs(
    codes: NDArray[Any], lines: NDArray[Any], other_codes: NDArray[Any], other_lines: NDArray[Any]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Codes for the pairs that occur, and the table of what they do to pairs of digits."""
    both = np.stack(np.broadcast_arrays(codes[:, None], other_codes[None]), axis=-1)
    pairs, number = np.unique(both.reshape(-1, 2), axis=0, return_inverse=True)
    high = lines[pairs[:, 0], :, None].astype(np.uint32) * np.uint32(other_lines.shape[1])
    joint = (high + other_lines[pairs[:, 1], None, :]).reshape(len(pairs), -1)
    return number.reshape(-1, codes.shape[1]).astype(np.uint32), joint.astype(np.uint32)
