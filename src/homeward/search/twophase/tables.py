"""The coordinates of the two phases, what moves do to them, and how far each pair is from home.

The first phase brings the cube into the group that U, D, R2, L2, F2 and B2 generate: no corner is
twisted, no edge flipped, and the four edges between U and D are between U and D. The second phase
solves it with those turns.

All tables have a column for each of the 18 turns of `cube3-htm`. `cost` says what a turn counts: 1
each where half turns count one, 1 or 2 quarter turns otherwise.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.cube.pieces import Action, move_actions, read_pieces
from homeward.puzzles.cube import Cube
from homeward.puzzles.cube_pieces import corners, edges
from homeward.puzzles.ranking.orders import digits_of, orders_of, pack, unpack

_CORNERS, _EDGES = corners(3), edges(3)
_BETWEEN = np.array([not set(name) & set("UD") for name in _EDGES.names])
_MIDDLE, _OUTER = np.flatnonzero(_BETWEEN), np.flatnonzero(~_BETWEEN)
_LAYERS = tuple(np.array([i for i, n in enumerate(_EDGES.names) if face in n]) for face in "UD")
_SLICES = np.array(sorted(sum(1 << p for p in places) for places in combinations(range(12), 4)))
_FOUR_OF_TWELVE = np.array([12, 11, 10, 9])


class Phases(NamedTuple):
    """Move tables `[values, 18]`, and distances of pairs of coordinates.

    First phase: `twists`, `flips`, and `slices`, which places hold the middle edges. Kept for the
    second: `corners`, their order, and `fours`, where four edges are, with `places` `[11880, 4]`.
    Second phase: `outers`, the order of the eight edges of U and D, and `middles`, that of the
    other four. `twist_slices`, `flip_slices`, `corner_middles` and `outer_middles` are the
    distances of pairs. `cost` `[18]` is what turns count and `second` `[18]` says which ones the
    second phase has. `number` `[12]` numbers the outer edges and the middle ones; `fours_of`
    `[3, 4]` are the numbers of the edges of U, of D and of the middle.
    """

    twists: NDArray[np.uint16]
    flips: NDArray[np.uint16]
    slices: NDArray[np.uint16]
    corners: NDArray[np.uint16]
    fours: NDArray[np.uint16]
    places: NDArray[np.uint8]
    outers: NDArray[np.uint16]
    middles: NDArray[np.uint16]
    twist_slices: NDArray[np.uint8]
    flip_slices: NDArray[np.uint8]
    corner_middles: NDArray[np.uint8]
    outer_middles: NDArray[np.uint8]
    cost: NDArray[np.uint8]
    second: NDArray[np.bool_]
    number: NDArray[np.uint8]
    fours_of: NDArray[np.uint8]


@lru_cache(maxsize=2)
def phases(half_turns: bool) -> Phases:
    """The tables for answers counted in half turns, or in quarter turns."""
    from homeward.search.twophase.kernels import distances_of_pairs

    cube = Cube(3, half_turns=True)
    everything = np.ones(18, bool)
    on_corners, on_edges = (move_actions(cube, kind) for kind in (_CORNERS, _EDGES))
    twists = _turns_table(on_corners, 3)
    flips = _turns_table(on_edges, 2)
    slices = _columns([_slice_column(one) for one in on_edges])
    second = np.array([name[0] in "UD" or name.endswith("2") for name in cube.move_names])
    outers = _orders_table([one.comes_from[_OUTER] for one in on_edges], _OUTER, second)
    middles = _orders_table([one.comes_from[_MIDDLE] for one in on_edges], _MIDDLE, second)
    corner_orders = _orders_table([one.comes_from for one in on_corners], np.arange(8), everything)
    places = orders_of(unpack(np.arange(math.perm(12, 4)), _FOUR_OF_TWELVE))
    fours = _columns([_four_number(one.goes_to[places]) for one in on_edges])
    halves = np.array([name.endswith("2") for name in cube.move_names])
    cost = np.where(halves & (not half_turns), 2, 1).astype(np.uint8)
    home = int(np.searchsorted(_SLICES, (1 << _MIDDLE).sum()))

    def pairs(outer: NDArray[Any], inner: NDArray[Any], start: int, moves: Any) -> NDArray[Any]:
        table = np.full(len(outer) * len(inner), 255, np.uint8)
        distances_of_pairs(outer, inner, start, cost, moves, table)
        return table

    number = np.empty(12, np.uint8)
    number[_OUTER], number[_MIDDLE] = np.arange(8), np.arange(4)
    return Phases(
        twists,
        flips,
        slices,
        corner_orders,
        fours,
        places.astype(np.uint8),
        outers,
        middles,
        pairs(twists, slices, home, everything),
        pairs(flips, slices, home, everything),
        pairs(corner_orders, middles, 0, second),
        pairs(outers, middles, 0, second),
        cost,
        second,
        number,
        np.stack([number[layer] for layer in (*_LAYERS, _MIDDLE)]),
    )


def read_start(states: NDArray[Any]) -> NDArray[np.int64]:
    """`[B, 7]`: twist, flip, slice, corners and the three fours (U, D, middle) of states."""
    piece, turn = read_pieces(_CORNERS, states)
    twist = pack(turn[:, :7], np.full(7, 3))
    order = pack(digits_of(piece), np.arange(8, 0, -1))
    piece, turn = read_pieces(_EDGES, states)
    flip = pack(turn[:, :11], np.full(11, 2))
    slice_ = np.searchsorted(_SLICES, _BETWEEN[piece] @ (1 << np.arange(12)))
    place = np.argsort(piece, axis=1)
    fours = [_four_number(place[:, four]) for four in (*_LAYERS, _MIDDLE)]
    return np.stack([twist, flip, slice_, order, *fours], axis=1)


def _columns(columns: list[NDArray[Any]]) -> NDArray[np.uint16]:
    return np.ascontiguousarray(np.stack(columns, axis=1).astype(np.uint16))


def _turns_table(actions: list[Action], turns: int) -> NDArray[np.uint16]:
    """How the pieces in all places are turned, but for the last, whose turn follows."""
    count = len(actions[0].comes_from)
    radix = np.full(count - 1, turns)
    digits = unpack(np.arange(turns ** (count - 1)), radix)
    digits = np.hstack([digits, -digits.sum(1, keepdims=True) % turns])
    columns = []
    for one in actions:
        after = one.turns[np.arange(count), 0, digits[:, one.comes_from]]
        columns.append(pack(after[:, :-1], radix))
    return _columns(columns)


def _slice_column(one: Action) -> NDArray[Any]:
    """`[495]`: which places hold the middle edges after a turn."""
    held = (_SLICES[:, None] >> one.comes_from) & 1
    after: NDArray[Any] = np.searchsorted(_SLICES, held @ (1 << np.arange(12)))
    return after


def _four_number(places: NDArray[Any]) -> NDArray[np.int64]:
    return pack(digits_of(places), _FOUR_OF_TWELVE)


def _orders_table(
    come_from: list[NDArray[np.int64]], places: NDArray[np.int64], moves: NDArray[np.bool_]
) -> NDArray[np.uint16]:
    """The order of the pieces in some places; only by `moves` that leave them there."""
    from homeward.puzzles.ranking.kernels import arrangement_table

    number = {int(place): i for i, place in enumerate(places)}
    rows = [
        [number[int(place)] for place in row] if moves[move] else range(len(places))
        for move, row in enumerate(come_from)
    ]
    table = np.empty((math.factorial(len(places)), len(rows)), np.uint32)
    arrangement_table(np.array(rows, np.uint8), table)
    return table.astype(np.uint16)
