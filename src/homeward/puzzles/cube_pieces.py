"""Which stickers of an N×N×N cube sit on one piece, and what people call the piece's place.

Every kind of piece is an array of cells `[places, stickers]`. The order of a place's stickers is
one that turns preserve or that the usual orientation rules need:

- a corner is read clockwise from its U or D sticker (URF, UFL, …);
- an edge starts with its U or D sticker, or with F or B where it has none (UF, FR, …);
- a wing, an edge piece off the middle of its edge, is read so that the face it lies nearest to
  would come third in a clockwise corner. Turns keep that order, so a wing cannot be flipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.cube import FACES, Cube, normal, stickers

_REFERENCE = "UDFBRL"
"""The first of these on an edge is where its orientation is read."""


@dataclass(frozen=True)
class Kind:
    """All places of one kind of piece.

    `names` says what each place is called and, since every piece has one home, what each piece is
    called. `cells` is `[places, stickers]`, `faces` likewise: the face that each cell lies on,
    which is the colour that it shows when solved. A piece fits a place in `turns` ways.
    """

    word: str
    names: tuple[str, ...]
    cells: NDArray[np.int64]
    faces: NDArray[np.int64]
    turns: int

    @cached_property
    def looks(self) -> dict[tuple[int, ...], tuple[int, int]]:
        """Each row of colours that a piece can show in a place: which piece, turned how often.

        A piece turned once shows its own first colour on the second sticker of the place.
        """
        return {
            tuple(np.roll(row, turn).tolist()): (piece, turn)
            for piece, row in enumerate(self.faces)
            for turn in range(self.turns)
        }


Place: TypeAlias = tuple[str, tuple[int, ...]]
"""A place's name and its cells."""


def _kind(word: str, size: int, found: Sequence[Place], turns: int) -> Kind:
    cells = np.array([place for _, place in found], dtype=np.int64)
    return Kind(word, tuple(name for name, _ in found), cells, cells // (size * size), turns)


def _letters(cells: tuple[int, ...] | list[int], size: int) -> str:
    return "".join(FACES[cell // (size * size)] for cell in cells)


def _handed(one: NDArray[Any], two: NDArray[Any], three: NDArray[Any]) -> bool:
    """Whether three directions follow one another clockwise, seen from outside."""
    return bool(np.dot(np.cross(one, two), three) < 0)


@lru_cache(maxsize=32)
def _cubies(size: int) -> list[tuple[NDArray[np.int64], list[int]]]:
    """The place of every cubie in the outer shell with its cells, in the order of the cells."""
    places, _ = stickers(size)
    found: dict[tuple[int, ...], list[int]] = {}
    for cell, place in enumerate(places.tolist()):
        found.setdefault(tuple(place), []).append(cell)
    return [(np.array(place), cells) for place, cells in found.items()]


@lru_cache(maxsize=32)
def corners(size: int) -> Kind:
    """The 8 corners, `[8, 3]`."""
    found = []
    for _, cells in _cubies(size):
        if len(cells) == 3:
            first, second, third = sorted(cells, key=lambda c: _REFERENCE.index(_face(c, size)))
            normals = (normal(_face(cell, size)) for cell in (first, second, third))
            order = (first, second, third) if _handed(*normals) else (first, third, second)
            found.append((_letters(order, size), order))
    return _kind("corner", size, found, turns=3)


@lru_cache(maxsize=32)
def edges(size: int) -> Kind:
    """The 12 edges in the middle of their side, `[12, 2]`; odd cubes only."""
    found = []
    for place, cells in _cubies(size):
        if len(cells) == 2 and (place == 0).any():
            order = tuple(sorted(cells, key=lambda c: _REFERENCE.index(_face(c, size))))
            found.append((_letters(order, size), order))
    return _kind("edge" if size == 3 else "middle edge", size, found, turns=2)


@lru_cache(maxsize=32)
def wings(size: int) -> tuple[Kind, ...]:
    """The orbits of wings, 24 each, `[24, 2]`: by their layer, 2 first.

    `UFr` lies on the edge UF in the layer next to R; `UF3r` is one layer further from R.
    """
    orbits: dict[int, list[Place]] = {}
    for place, cells in _cubies(size):
        if len(cells) != 2 or (place == 0).any():
            continue
        along = np.where(np.abs(place) < size - 1, np.sign(place), 0)
        layer = (size + 1 - int(np.abs(place).min())) // 2
        one, two = sorted(cells, key=lambda c: _REFERENCE.index(_face(c, size)))
        side = next(face for face in FACES if np.array_equal(normal(face), along)).lower()
        name = _letters([one, two], size) + (f"{layer}" if layer > 2 else "") + side
        right = _handed(normal(_face(one, size)), normal(_face(two, size)), along)
        orbits.setdefault(layer, []).append((name, (one, two) if right else (two, one)))
    return tuple(_kind("wing", size, orbits[layer], turns=1) for layer in sorted(orbits))


@lru_cache(maxsize=32)
def centre_orbits(size: int) -> tuple[NDArray[np.int64], ...]:
    """`[24]` each: centres that turns carry into one another; the fixed ones are left out."""
    orbits: dict[tuple[int, int], list[int]] = {}
    for cell in range(6 * size * size):
        row, column = divmod(cell % (size * size), size)
        spots = [(row, column)]
        for _ in range(3):  # where a turn of the face takes this place
            row, column = column, size - 1 - row
            spots.append((row, column))
        if len(set(spots)) == 4 and 0 < row < size - 1 and 0 < column < size - 1:
            orbits.setdefault(min(spots), []).append(cell)
    return tuple(np.array(cells) for cells in orbits.values())


def fixed_centres(size: int) -> NDArray[np.int64]:
    """`[6]`: the middle cell of each face of an odd cube, in the order of the faces."""
    return np.arange(6) * size * size + (size * size) // 2


def anchors(cube: Cube) -> NDArray[np.int64]:
    """The cells that no move of a cube moves: centres of odd cubes, the held corner of cube2."""
    if cube.held:
        held = corners(2)
        anchor: NDArray[np.int64] = held.cells[held.names.index("DBL")]
        return anchor
    return fixed_centres(cube.size) if cube.size % 2 else np.zeros(0, dtype=np.int64)


def upright(cube: Cube, state: NDArray[Any]) -> NDArray[Any] | None:
    """`[cells]`: a state turned as a whole until its anchors are home; None if none of 24 does.

    A cube without anchors is upright as it is.
    """
    cells = anchors(cube)
    turned = state[cube.rotations]
    home = (turned[:, cells] == cells // (cube.size * cube.size)).all(1)
    return turned[int(home.argmax())] if home.any() else None


def _face(cell: int, size: int) -> str:
    return FACES[cell // (size * size)]
