"""A cube of loose stickers in space, written apart from the package to check it.

Stickers are points on the surface: a cubie's place and the direction its sticker faces. A turn
rotates the points; reading the colours face by face gives facelets.
"""

from __future__ import annotations

from collections.abc import Callable

Vector = tuple[int, int, int]

# x to the right, y up, z to the viewer; the vectors by which facelets run over each face.
FACES: dict[str, Callable[[int, int, int], tuple[Vector, Vector]]] = {
    "U": lambda n, row, column: ((column, n - 1, row), (0, 1, 0)),
    "R": lambda n, row, column: ((n - 1, n - 1 - row, n - 1 - column), (1, 0, 0)),
    "F": lambda n, row, column: ((column, n - 1 - row, n - 1), (0, 0, 1)),
    "D": lambda n, row, column: ((column, 0, n - 1 - row), (0, -1, 0)),
    "L": lambda n, row, column: ((0, n - 1 - row, column), (-1, 0, 0)),
    "B": lambda n, row, column: ((n - 1 - column, n - 1 - row, 0), (0, 0, -1)),
}


def _quarter(face: str, v: Vector) -> Vector:
    """A direction after a clockwise quarter turn as seen from a face."""
    x, y, z = v
    return {
        "U": (-z, y, x),
        "D": (z, y, -x),
        "R": (x, z, -y),
        "L": (x, -z, y),
        "F": (y, -x, z),
        "B": (-y, x, z),
    }[face]


def _depth(face: str, place: Vector, n: int) -> int:
    """The layer of a place, 1 at the face."""
    axis = "RUF".find(face) if face in "RUF" else "LDB".find(face)
    return n - place[axis] if face in "RUF" else place[axis] + 1


class Stickers:
    """A solved cube of `n` layers that can be turned."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.colour = {
            spot(n, row, column): face
            for face, spot in FACES.items()
            for row in range(n)
            for column in range(n)
        }

    def turn(self, face: str, first: int, last: int, quarters: int) -> Stickers:
        """Layers `first` to `last` from a face, clockwise; changes this cube and returns it."""
        for _ in range(quarters % 4):
            turned = {}
            for (place, facing), colour in self.colour.items():
                if first <= _depth(face, place, self.n) <= last:
                    twice: Vector = tuple(2 * c - self.n + 1 for c in place)  # type: ignore
                    moved = _quarter(face, twice)
                    place = tuple((c + self.n - 1) // 2 for c in moved)  # type: ignore
                    facing = _quarter(face, facing)
                turned[place, facing] = colour
            self.colour = turned
        return self

    @property
    def facelets(self) -> str:
        return "".join(
            self.colour[spot(self.n, row, column)]
            for spot in FACES.values()
            for row in range(self.n)
            for column in range(self.n)
        )

    def orientations(self) -> set[str]:
        """The facelets of this cube held in each of 24 ways."""
        found = set()
        for tip in ("", "R", "RR", "RRR", "F", "FFF"):
            for face in tip:
                self.turn(face, 1, self.n, 1)
            for _ in range(4):
                self.turn("U", 1, self.n, 1)
                found.add(self.facelets)
            for face in tip:
                self.turn(face, 1, self.n, 3)
        return found
