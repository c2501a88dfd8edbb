"""The tree of move sequences from one cube state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.cube import coordinates
from homeward.heuristics.cube.pieces import read_pieces, turns_and_mirrors
from homeward.puzzles.canonical import MoveOrder, canonical_order
from homeward.puzzles.cube import Cube
from homeward.puzzles.cube_pieces import corners

if TYPE_CHECKING:
    from homeward.heuristics.cube.bigtable import Lookup

_PREFIX = 3
"""Moves that a part begins with: about a thousand parts, so that no thread waits for another."""


class CubeTree:
    """Move sequences in canonical order, cut off where the table says that moves do not suffice.

    `bound` is the least length that a solution can have and `step` what lengths differ by: every
    quarter turn is an odd permutation of the corners, so all solutions of a state are alike.
    A cube with symmetries of its own has equally good first moves, of which one is tried.
    """

    def __init__(self, cube: Cube, start: NDArray[Any], lookup: Lookup) -> None:
        """`start` `[54]` is a state as seen from the usual goal."""
        from homeward.heuristics.cube.kernels import look_up

        self._half_turns, self._lookup = cube.half_turns, tuple(lookup)
        self._start = np.zeros((3, 4), np.uint32)
        best = np.zeros(1, np.float32)
        for row, symmetry in zip(self._start, turns_and_mirrors(False)[::16], strict=True):
            corner, edge = coordinates.read_coordinates(symmetry.image(start[None]))
            row[:2] = np.divmod(corner[0], coordinates.TWISTS)
            row[2] = edge[0]
            look_up(*lookup, corner, edge, best)
        self.step = 1 if cube.half_turns else 2
        self.bound = int(best[0])
        if self.step == 2:
            self.bound += (self.bound - _parity(start)) % 2
        self._first = _first_moves(cube.half_turns, start)

    def parts(self, depth: int) -> Sequence[tuple[int, ...]]:
        """Beginnings of all sequences of `depth` moves, to be searched apart."""
        return self.words(depth, _PREFIX)

    def words(self, depth: int, moves: int) -> Sequence[tuple[int, ...]]:
        """The beginnings of so many moves, at most `depth`, in which all sequences begin."""
        words = _order(self._half_turns).words(min(moves, depth))
        return [word for word in words if not word or word[0] in self._first]

    def search(
        self,
        part: tuple[int, ...],
        depth: int,
        stop: NDArray[np.uint8],
        counts: NDArray[np.int64],
    ) -> list[int] | None:
        """A solution of `depth` moves that begins with `part`, None if there is none.

        Ends early, with None, once `stop[0]` is not 0. `counts` `[2]` grows by the nodes expanded
        and generated.
        """
        from homeward.heuristics.cube.tree.kernels import dive

        path = np.zeros(depth, np.uint8)
        path[: len(part)] = part
        where = (*self._lookup, *_arrays(self._half_turns), self._start)
        given: Any = (*where, path, len(part), stop, counts)
        found: bool = dive(*given)
        return path.tolist() if found else None


@lru_cache(maxsize=2)
def _order(half_turns: bool) -> MoveOrder:
    return canonical_order(Cube(3, half_turns).table.numpy)


@lru_cache(maxsize=2)
def _arrays(half_turns: bool) -> tuple[NDArray[Any], ...]:
    """What `dive` takes between the table and the start."""
    tables, order = coordinates.move_tables(half_turns), _order(half_turns)
    # Move m of the image is move `moves[m]` here.
    views = np.stack([np.argsort(s.moves) for s in turns_and_mirrors(half_turns)[::16]])
    views = views.astype(np.uint8)
    follow = np.ascontiguousarray(views[:, order.follow].transpose(1, 0, 2))
    return tables.sets, tables.twists, tables.edges, views, follow, order.follows


def _parity(start: NDArray[Any]) -> int:
    """0 if the corners are exchanged an even number of times, 1 if an odd number."""
    order = read_pieces(corners(3), start[None])[0][0]
    return int(sum((order[i] > order[i + 1 :]).sum() for i in range(8))) % 2


def _first_moves(half_turns: bool, start: NDArray[Any]) -> set[int]:
    """One first move of each kind that the symmetries of a state make alike.

    The smallest number stands for all. Then its face is the one that canonical order turns first,
    and clockwise if it makes a half turn, so that a solution and its images have one whose
    canonical form begins with such a move.
    """
    rows = start[None]
    own = [s for s in turns_and_mirrors(half_turns) if np.array_equal(s.image(rows), rows)]
    return {min(int(s.moves[move]) for s in own) for move in range(len(own[0].moves))}
