"""Cubes by name, and pieces taken out and put back wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.cube import coordinates
from homeward.notation import State
from homeward.puzzles import puzzle
from homeward.puzzles.cube import Cube
from homeward.puzzles.cube_pieces import Kind

Row = NDArray[np.uint8]


def cube(name: str) -> Cube:
    found = puzzle(name)
    assert isinstance(found, Cube)
    return found


def turned(kind: Kind, state: Row, place: str, times: int) -> Row:
    """A state with one piece taken out and put back turned clockwise."""
    out, cells = state.copy(), kind.cells[kind.names.index(place)]
    out[cells] = np.roll(state[cells], times)
    return out


def swapped(kind: Kind, state: Row, one: str, other: str) -> Row:
    """A state with two pieces exchanged, sticker for sticker."""
    out = state.copy()
    a, b = (kind.cells[kind.names.index(place)] for place in (one, other))
    out[a], out[b] = state[b], state[a]
    return out


def scrambled(moves: str, name: str = "cube3") -> np.ndarray:
    return State.solved(name).moved(moves).cells


def applied(
    tables: coordinates.Tables, number: int, corner: np.ndarray, edge: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates after an action, by its tables."""
    sets, twists = np.divmod(corner, coordinates.TWISTS)
    slices, flips = np.divmod(edge, coordinates.FLIPS)
    corner = tables.sets[sets, number].astype(int) * coordinates.TWISTS
    corner += tables.twists[twists, number]
    return corner, tables.edges[slices, number].astype(int) ^ tables.flips[flips, number]
