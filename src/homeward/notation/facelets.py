"""Cubes by their stickers: facelets in any six colours, and the numbering of the public sets.

Facelets are read face by face in the order U R F D L B, each row by row as seen from outside. The
letters U R F D L B are colours by the face they belong to, and such a cube is turned as a whole
until its fixed centres, or the held corner of cube2, are home. Any other six characters name the
colours of the cube as it is held: an odd cube's centres say which is which; an even cube's corners
do, so that the corner at DBL is at home.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.notation.format import ParseError
from homeward.puzzles import cube_pieces, registry
from homeward.puzzles.cube import FACES, Cube
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.status import Problem, PuzzleError, Status


def write_facelets(cube: Cube, state: NDArray[Any]) -> str:
    """The letters of a state `[6N²]` without spaces, such as `UUUURRRR…` for cube2."""
    row = np.asarray(state)
    if row.shape != (cube.cells,) or row.dtype.kind not in "iu" or row.min() < 0 or row.max() > 5:
        raise PuzzleError(f"a state of {cube.name} is {cube.cells} colours from 0 to 5")
    return "".join(FACES[colour] for colour in row)


def read_facelets(cube: Cube, text: str) -> NDArray[Any]:
    """`[6N²]`: the state that facelets describe, held upright; the 3×3×3 may also be numbered.

    Whether the state can be solved is not checked here.
    """
    if cube.size == 3 and _is_numbering(text):
        row = _read_numbering(text)
    else:
        places = [i for i, c in enumerate(text) if not c.isspace()]
        row = _colours(cube, text, places).astype(cube.dtype)
    turned = cube_pieces.upright(cube, row)
    return row if turned is None else turned


# --- colours


def _colours(cube: Cube, text: str, places: list[int]) -> NDArray[np.int64]:
    """`[6N²]`: the face whose colour each sticker shows."""
    letters = _letters(cube, text, places)
    if set(_upper(letters)) <= set(FACES):
        return np.array([FACES.index(letter) for letter in _upper(letters)])
    used = list(dict.fromkeys(letters))
    shown = np.array([used.index(letter) for letter in letters])
    if cube.size % 2:
        face_of = _by_centres(cube, letters)
    elif len(used) < 6:
        raise PuzzleError(f"a cube has six colours, this text has {len(used)}: {' '.join(used)}")
    else:
        face_of = dict(zip(used, _by_corners(cube, shown), strict=True))
    colours: NDArray[np.int64] = np.array([face_of[letter] for letter in used])[shown]
    return colours


def _letters(cube: Cube, text: str, places: list[int]) -> str:
    """The stickers without the white space between them, at most six different ones."""
    if len(places) != cube.cells:
        side = round((len(places) / 6) ** 0.5)
        fits = side > 1 and 6 * side * side == len(places)
        hint = f"; so many belong to cube{side}" if fits else ""
        size = "×".join([str(cube.size)] * 3)
        message = f"a {size} cube has {cube.cells} facelets, this text has {len(places)}{hint}"
        raise PuzzleError(message, [Problem(Status.SHAPE, message)])
    letters = "".join(text[i] for i in places)
    if len(set(letters)) > 6:
        letters = _upper(letters)
    if len(set(letters)) > 6:
        rarest, count = Counter(letters).most_common()[-1]
        where = places[letters.index(rarest)]
        message = (
            f"a cube has six colours, this text has {len(set(letters))}: {text[where]!r} appears "
        )
        message += "only" if count == 1 else f"{count} times, first"
        raise ParseError(message, text, where)
    return letters


def _upper(letters: str) -> str:
    """Capitals, letter by letter: some signs, such as ﬂ, have capitals of two letters."""
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in letters)


def _by_centres(cube: Cube, letters: str) -> dict[str, int]:
    """The face of each colour on an odd cube: the one whose centre shows it."""
    face_of: dict[str, int] = {}
    for face, cell in enumerate(cube_pieces.fixed_centres(cube.size).tolist()):
        first = face_of.setdefault(letters[cell], face)
        if first != face:
            message = f"the centres of {FACES[first]} and {FACES[face]} both show {letters[cell]!r}"
            message += ": every face has a colour of its own"
            where = f"{FACES[first]} {FACES[face]}"
            raise PuzzleError(message, [Problem(Status.CENTRES, message, where)])
    return face_of


def _by_corners(cube: Cube, shown: NDArray[np.int64]) -> list[int]:
    """The face of each of six colours on an even cube: those that give the most real corners.

    On a real cube 24 choices give all eight corners, one for each way to hold it; the one with
    the corner at DBL in its home is taken.
    """
    corners = cube_pieces.corners(cube.size)
    choices = np.array(list(itertools.permutations(range(6))))
    seen = choices[:, shown[corners.cells]]  # [720, 8, 3]
    pieces = np.full((6, 6, 6), -1)
    for colours, (piece, _) in corners.looks.items():
        pieces[colours] = piece
    found = pieces[tuple(np.moveaxis(seen, -1, 0))]  # [720, 8]
    different = (found[:, :, None] == np.arange(8)).any(1).sum(1)
    held = corners.names.index("DBL")
    at_home = (seen[:, held] == corners.faces[held]).all(1)
    best: list[int] = choices[int((2 * different + at_home).argmax())].tolist()
    return best


# --- the numbering of the public sets: 54 sticker numbers, faces U D L R B F, up the columns

_NUMBERED_FACES = "UDLRBF"


def _cell(position: int) -> int:
    """The cell of a position: column from the left, row from the bottom of its face."""
    face, rest = divmod(position, 9)
    column, row = divmod(rest, 3)
    return 9 * FACES.index(_NUMBERED_FACES[face]) + 3 * (2 - row) + column


CELLS = np.array([_cell(position) for position in range(54)])
"""`[54]`: the cell of each position; a sticker's number is the position where it is at home."""
_POSITIONS = np.argsort(CELLS)


@lru_cache(maxsize=1)
def _neighbours() -> NDArray[np.int64]:
    """`[54]`: the next cell on the same piece, in the order that moves preserve."""
    following = np.arange(54)
    for kind in (cube_pieces.corners(3), cube_pieces.edges(3)):
        following[kind.cells] = np.roll(kind.cells, -1, axis=1)
    return following


def from_numbering(rows: NDArray[Any]) -> NDArray[np.uint8]:
    """`[n, 54]`: states of cube3 from rows `[n, 54]` of sticker numbers 0 … 53 by position.

    Raises `PuzzleError` for a row that lacks a sticker or tears a piece apart.
    """
    given = np.asarray(rows)
    if given.ndim != 2 or given.shape[1] != 54 or given.dtype.kind not in "iu":
        kind = f"{given.dtype} of shape {list(given.shape)}"
        raise PuzzleError(f"numbered cubes are whole numbers of shape [n, 54], not {kind}")
    once = (np.sort(given, axis=1) == np.arange(54)).all(1)
    if not once.all():
        row = int((~once).argmax())
        raise PuzzleError(f"each of the stickers 0 to 53 must be there once (row {row})")
    homes = CELLS[given.astype(np.int64)[:, _POSITIONS]]  # by cell, the home cell of its sticker
    following = _neighbours()
    torn = homes[:, following] != following[homes]
    if torn.any():
        row, cell = np.argwhere(torn)[0].tolist()
        one, other = (int(given[row, _POSITIONS[c]]) for c in (cell, following[cell]))
        what = f"stickers {one} and {other} on one piece" if one != other else f"{one} as a centre"
        raise PuzzleError(f"the cube has not {what} (row {row})")
    colours: NDArray[np.uint8] = (homes // 9).astype(np.uint8)
    return colours


def to_numbering(rows: NDArray[Any]) -> NDArray[np.uint8]:
    """`[n, 54]`: the sticker numbers of cube3 states `[n, 54]`; the way back of `from_numbering`.

    Raises `PuzzleError` for states whose stickers are not those of the cube's pieces.
    """
    cube3 = registry.puzzle("cube3")
    assert isinstance(cube3, PermutationPuzzle)
    homes = cube3.permutations(np.asarray(rows))
    numbers: NDArray[np.uint8] = _POSITIONS[homes[:, CELLS]].astype(np.uint8)
    return numbers


def _is_numbering(text: str) -> bool:
    """Whether a text is a list of many numbers rather than single digits for colours."""
    if not re.fullmatch(r"[\d\s,;\[\]()]*", text, re.ASCII):
        return False
    numbers = re.findall(r"\d+", text, re.ASCII)
    return len(numbers) > 18 and sum(map(len, numbers)) != 54


def _read_numbering(text: str) -> NDArray[np.uint8]:
    found = list(re.finditer(r"\d+", text, re.ASCII))
    if len(found) != 54:
        raise PuzzleError(f"a numbered cube is 54 numbers, this text has {len(found)}")
    seen: set[int] = set()
    for match in found:
        number = int(match[0]) if len(match[0]) <= 2 else 54
        if number > 53:
            raise ParseError("stickers are numbered from 0 to 53", text, match.start())
        if number in seen:
            raise ParseError(f"sticker {number} for the second time", text, match.start())
        seen.add(number)
    row: NDArray[np.uint8] = from_numbering(np.array([[int(match[0]) for match in found]]))[0]
    return row
