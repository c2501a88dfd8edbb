"""Cubes by name, and pieces taken out and put back wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
