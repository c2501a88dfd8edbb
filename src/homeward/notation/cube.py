"""How cubes are written and drawn: facelets, WCA notation, nets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.notation import turns
from homeward.notation.algorithm import parse
from homeward.notation.facelets import read_facelets, write_facelets
from homeward.notation.format import Format
from homeward.puzzles.base import Puzzle
from homeward.puzzles.cube import FACES, Cube
from homeward.puzzles.status import PuzzleError

# Column and row of each face in the net, in faces.
_NET = {"U": (1, 0), "L": (0, 1), "F": (1, 1), "R": (2, 1), "B": (3, 1), "D": (1, 2)}
_TERMINAL = {"U": 231, "R": 160, "F": 34, "D": 220, "L": 208, "B": 26}
_LIGHT = "UDL"
"""Colours on which a letter is black; on the others it is white."""
_PAINT = {
    "U": "#f8f9fa",
    "R": "#d62839",
    "F": "#12a150",
    "D": "#ffd43b",
    "L": "#ff8c1a",
    "B": "#1f6feb",
}
_PLASTIC = "#1b1e23"


class CubeFormat(Format):
    """Facelets U R F D L B and algorithms in WCA notation, for cubes of any size."""

    def read_state(self, puzzle: Puzzle, text: str) -> tuple[Puzzle, NDArray[Any]]:
        return puzzle, read_facelets(_cube(puzzle), text)

    def write_state(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        return write_facelets(_cube(puzzle), state)

    def read_moves(self, puzzle: Puzzle, text: str) -> list[int]:
        cube = _cube(puzzle)
        return turns.to_moves(cube, parse(text, cube.size))

    def write_moves(self, puzzle: Puzzle, moves: Sequence[int]) -> str:
        return turns.to_text(_cube(puzzle), moves)

    def draw(self, puzzle: Puzzle, state: NDArray[Any], colour: bool = False) -> str:
        return draw_net(_cube(puzzle), state, colour)

    def svg(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        return draw_svg(_cube(puzzle), state)


def _cube(puzzle: Puzzle) -> Cube:
    if not isinstance(puzzle, Cube):
        raise PuzzleError(f"{puzzle.name} is no cube")
    return puzzle


def _faces(cube: Cube, state: NDArray[Any]) -> NDArray[np.str_]:
    """`[6, N, N]`: the letter of every sticker."""
    letters = np.array(list(write_facelets(cube, state)))
    return letters.reshape(6, cube.size, cube.size)


def draw_net(cube: Cube, state: NDArray[Any], colour: bool = False) -> str:
    """The cube unfolded: U above F, D below it, and L F R B side by side.

    >>> print(draw_net(Cube(2), Cube(2).goal))
         U U
         U U
    <BLANKLINE>
    L L  F F  R R  B B
    L L  F F  R R  B B
    <BLANKLINE>
         D D
         D D
    """
    faces = dict(zip(FACES, _faces(cube, state), strict=True))
    width = 3 * cube.size if colour else 2 * cube.size - 1
    gap = "" if colour else "  "
    blocks = []
    for band in range(3):
        lines = []
        for row in range(cube.size):
            beside = {_NET[f][0]: faces[f][row] for f in FACES if _NET[f][1] == band}
            parts = [
                _terminal_row(beside[column], colour) if column in beside else " " * width
                for column in range(4)
            ]
            lines.append(gap.join(parts).rstrip(" "))
        blocks.append("\n".join(lines))
    return ("\n" if colour else "\n\n").join(blocks)


def _terminal_row(letters: Sequence[str], colour: bool) -> str:
    if not colour:
        return " ".join(letters)
    return (
        "".join(
            f"\x1b[48;5;{_TERMINAL[c]};38;5;{16 if c in _LIGHT else 231}m {c} " for c in letters
        )
        + "\x1b[0m"
    )


# --- SVG

_SIDE = 100.0
_GAP = 8.0
_ISOMETRIC = 135.0
"""The side of the cube seen from its corner."""

_Vector = tuple[float, float]


def draw_svg(cube: Cube, state: NDArray[Any]) -> str:
    """The cube seen from its URF corner, and beside it the net with all six faces."""
    faces = dict(zip(FACES, _faces(cube, state), strict=True))
    across, along = _ISOMETRIC * 3**0.5 / 2, _ISOMETRIC / 2
    height = 3 * _SIDE + 4 * _GAP
    left, top = _GAP, height / 2 - _ISOMETRIC
    middle = (left + across, top + 2 * along)
    right, down, back = (across, along), (0.0, _ISOMETRIC), (across, -along)
    views = [
        ("U", (left + across, top), right, (-across, along)),
        ("F", (left, top + along), right, down),
        ("R", middle, back, down),
    ]
    start = left + 2 * across + 5 * _GAP
    for face, (column, row) in _NET.items():
        corner = (start + column * (_SIDE + _GAP), _GAP + row * (_SIDE + _GAP))
        views.append((face, corner, (_SIDE, 0.0), (0.0, _SIDE)))
    width = start + 4 * (_SIDE + _GAP)
    shapes = "".join(_svg_face(faces[face], *view) for face, *view in views)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width * 0.8:.0f}" role="img" stroke-linejoin="round">'
        f"<title>{cube.name}</title>{shapes}</svg>"
    )


def _svg_face(letters: NDArray[np.str_], corner: _Vector, right: _Vector, down: _Vector) -> str:
    """One face as a parallelogram from its upper left corner along its rows and columns."""
    size = len(letters)

    def outline(column: float, row: float, side: float) -> str:
        ends = ((0.0, 0.0), (side, 0.0), (side, side), (0.0, side))
        spots = [((column + u) / size, (row + v) / size) for u, v in ends]
        return " ".join(
            f"{corner[0] + u * right[0] + v * down[0]:.1f},"
            f"{corner[1] + u * right[1] + v * down[1]:.1f}"
            for u, v in spots
        )

    # A stroke in the fill's colour with round joins makes the corners round.
    edge = 0.16 * _SIDE / size
    parts = [
        f'<polygon points="{outline(0, 0, size)}" fill="{_PLASTIC}" '
        f'stroke="#5c636e" stroke-width="2"/>'
    ]
    for (row, column), letter in np.ndenumerate(letters):
        paint = _PAINT[str(letter)]
        parts.append(
            f'<polygon points="{outline(column + 0.15, row + 0.15, 0.7)}" fill="{paint}" '
            f'stroke="{paint}" stroke-width="{edge:.1f}"/>'
        )
    return "".join(parts)
