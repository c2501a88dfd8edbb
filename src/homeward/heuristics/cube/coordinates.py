"""Parts of a 3×3×3 cube as small numbers, and tables of what moves and symmetries do to them.

All are taken along the axis through U and D:

- the *set*, which four places hold the corners of the U layer: 70;
- the *twist* of the corners by place, the last one following from the others: 3^7 = 2,187;
- the *slice*, where the four edges between the two layers are, in order: 12·11·10·9 = 11,880;
- the *flips* of those four edges: 16.

The first two make the corner coordinate, `set * 2187 + twist`, the last two the edge coordinate,
`slice * 16 + flips`. Turns of U and D change neither when both are at home.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.cube.pieces import Action, action, read_pieces, turns_and_mirrors
from homeward.puzzles.cube import Cube
from homeward.puzzles.cube_pieces import corners, edges
from homeward.puzzles.ranking.orders import digits_of, orders_of, pack, unpack

SETS, TWISTS, SLICES, FLIPS = 70, 3**7, 12 * 11 * 10 * 9, 16
CORNERS, EDGES = SETS * TWISTS, SLICES * FLIPS

_CORNERS, _EDGES = corners(3), edges(3)
_UPPER = np.array(["U" in name for name in _CORNERS.names])
_BETWEEN = np.array([i for i, name in enumerate(_EDGES.names) if not set(name) & set("UD")])
_MASKS = np.array(
    sorted(sum(1 << place for place in places) for places in combinations(range(8), 4))
)
_THREES = np.full(7, 3)
_FOUR_OF_TWELVE = np.array([12, 11, 10, 9])
_BITS = 1 << np.arange(8)


class Tables(NamedTuple):
    """What each of A actions (moves, or symmetries) does to the coordinates.

    `sets` `[70, A]`, `twists` `[2187, A]` and `flips` `[16, A]` hold new values. `edges`
    `[11880, A]` holds the edge coordinate `slice * 16 + change`: the new flips are those of `flips`
    with the bits of `change` turned over.
    """

    sets: NDArray[np.uint8]
    twists: NDArray[np.uint16]
    edges: NDArray[np.uint32]
    flips: NDArray[np.uint8]


@lru_cache(maxsize=2)
def move_tables(half_turns: bool) -> Tables:
    """The tables of the moves of `cube3`, or of `cube3-htm`."""
    same = np.arange(6)
    return _tables([(row, same) for row in Cube(3, half_turns).table.numpy])


@lru_cache(maxsize=1)
def symmetry_tables() -> Tables:
    """The tables of the 16 symmetries that keep the axis through U and D."""
    return _tables([(s.cells, s.symbols) for s in turns_and_mirrors(False)[:16]])


@lru_cache(maxsize=2)
def inverses(half_turns: bool) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """`[moves]` and `[16]`: the numbers of the inverse moves and symmetries."""
    upright = turns_and_mirrors(half_turns)[:16]
    number = {symmetry.cells.tobytes(): i for i, symmetry in enumerate(upright)}
    back = [number[np.argsort(symmetry.cells).tobytes()] for symmetry in upright]
    return Cube(3, half_turns).inverses.astype(np.uint8), np.array(back, np.uint8)


def read_coordinates(states: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`[B]` twice: the corner and the edge coordinate of states `[B, 54]` that are cubes."""
    piece, turn = read_pieces(_CORNERS, states)
    sets = np.searchsorted(_MASKS, _UPPER[piece] @ _BITS)
    corner = sets * TWISTS + pack(turn[:, :7], _THREES)
    piece, turn = read_pieces(_EDGES, states)
    places = np.argsort(piece, axis=1)[:, _BETWEEN]
    flips = np.take_along_axis(turn, places, axis=1) @ _BITS[:4]
    edge = pack(digits_of(places), _FOUR_OF_TWELVE) * FLIPS + flips
    return corner, edge


def _tables(actions: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> Tables:
    on_corners = [action(_CORNERS, *given) for given in actions]
    on_edges = [action(_EDGES, *given) for given in actions]
    pairs = [_edge_columns(one) for one in on_edges]
    return Tables(
        np.stack([_set_column(one) for one in on_corners], axis=1).astype(np.uint8),
        np.stack([_twist_column(one) for one in on_corners], axis=1).astype(np.uint16),
        np.stack([pair[0] for pair in pairs], axis=1).astype(np.uint32),
        np.stack([pair[1] for pair in pairs], axis=1).astype(np.uint8),
    )


def _set_column(one: Action) -> NDArray[Any]:
    """`[70]`: each set after an action; one that exchanges U and D leaves the complement."""
    held = (_MASKS[:, None] >> one.comes_from) & 1 == 1  # [70, places]
    if not _UPPER[one.becomes[_UPPER]].all():
        held = ~held
    after: NDArray[Any] = np.searchsorted(_MASKS, held @ _BITS)
    return after


def _twist_column(one: Action) -> NDArray[np.int64]:
    """`[2187]`: each twist after an action. It does not depend on which pieces are twisted."""
    assert (one.turns == one.turns[:, :1]).all()
    twists = unpack(np.arange(TWISTS), _THREES)
    last = -twists.sum(1) % 3
    before = np.hstack([twists, last[:, None]])[:, one.comes_from]
    after = one.turns[np.arange(8), 0, before]
    return pack(after[:, :7], _THREES)


def _edge_columns(one: Action) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`[11880]`, `[16]`: each slice after an action with the change of flips, and the flips."""
    places = orders_of(unpack(np.arange(SLICES), _FOUR_OF_TWELVE))  # [slices, pieces]
    number = {int(piece): i for i, piece in enumerate(_BETWEEN)}
    new = np.array([number[int(one.becomes[piece])] for piece in _BETWEEN])
    moved = np.empty_like(places)
    moved[:, new] = one.goes_to[places]
    turned = np.empty_like(places)
    turned[:, new] = one.turns[one.goes_to[places], _BETWEEN, 0]
    bits = (np.arange(FLIPS)[:, None] >> np.arange(4)) & 1
    flips = bits @ (1 << new)
    return pack(digits_of(moved), _FOUR_OF_TWELVE) * FLIPS + turned @ _BITS[:4], flips


class Classes(NamedTuple):
    """Corner coordinates that the 16 symmetries make alike, numbered as classes.

    `first` `[classes]` is the smallest corner coordinate of each. `of` `[153090]` is
    `class * 16 + symmetry`, with a symmetry that takes the coordinate to that first one.
    """

    first: NDArray[np.int64]
    of: NDArray[np.uint32]


@lru_cache(maxsize=1)
def classes() -> Classes:
    """The 9,930 classes of corner coordinates."""
    tables = symmetry_tables()
    sets, twists = tables.sets.astype(np.int64), tables.twists.astype(np.int64)
    images = (sets[:, None] * TWISTS + twists[None]).reshape(CORNERS, 16)
    symmetry = images.argmin(1)
    smallest = images[np.arange(CORNERS), symmetry]
    first, number = np.unique(smallest, return_inverse=True)
    return Classes(first, (number * 16 + symmetry).astype(np.uint32))
