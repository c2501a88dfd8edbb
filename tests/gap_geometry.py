"""GAP files of puzzles in space, derived from their geometry, laid out as puzzle-geometry does.

A piece is a set of directions (the faces it touches), a sticker one of them. A turn rotates every
direction of the pieces that it grips.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float64]
Piece = tuple[int, ...]


def rotation(axis: Vectors, turns: float) -> Vectors:
    """`[3, 3]`: clockwise about `axis`, seen from its tip, by a part of a full turn."""
    x, y, z = axis / np.linalg.norm(axis)
    angle = -2 * np.pi * turns
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def permuted(directions: Vectors, turn: Vectors) -> list[int]:
    """Where a rotation takes each direction."""
    distances = np.linalg.norm((directions @ turn.T)[:, None] - directions[None], axis=2)
    assert (distances.min(1) < 1e-6).all()
    return distances.argmin(1).tolist()


def gap_text(
    pieces: Sequence[Piece],
    turns: dict[str, tuple[list[int], Callable[[Piece], bool]]],
    alike: Sequence[Sequence[int]] = (),
) -> str:
    """A GAP file; `turns` has for each name where faces go and which pieces are gripped.

    `alike` are sets of pieces, by number, that look alike.
    """
    stickers = [(frozenset(piece), face) for piece in pieces for face in piece]
    point = {sticker: i + 1 for i, sticker in enumerate(stickers)}
    lines = ["# A puzzle in space", ""]
    for name, (sent, gripped) in turns.items():
        onward = {}
        for piece, face in stickers:
            if gripped(tuple(piece)):
                target = (frozenset(sent[f] for f in piece), sent[face])
                onward[point[piece, face]] = point[target]
        lines.append(f"M_{name}:={_cycles(onward)};")
    first = np.cumsum([1, *(len(piece) for piece in pieces)])[:-1].tolist()
    single = [[i] for i in range(len(pieces)) if not any(i in group for group in alike)]
    groups = [[first[i] for i in group] for group in [*alike, *single]]
    lines += ["Gen:=[", ",".join(f"M_{name}" for name in turns), "];"]
    lines += [f"ip:={groups};".replace(" ", ""), "# Size(Group(Gen));", ""]
    return "\n".join(lines)


def _cycles(onward: dict[int, int]) -> str:
    text, seen = "", set()
    for start in onward:
        cycle = []
        while start not in seen:
            seen.add(start)
            cycle.append(start)
            start = onward[start]
        if len(cycle) > 1:
            text += "(" + ",".join(map(str, cycle)) + ")"
    return text


def skewb() -> str:
    """Eight corners and six centres, cut in half across four of the corners."""
    faces = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], float)
    corners = [
        piece
        for piece in itertools.combinations(range(6), 3)
        if np.abs(faces[list(piece)].sum(0)).min() > 0.5
    ]
    pieces: list[Piece] = [*corners, *((face,) for face in range(6))]
    turns = {}
    for name, x, y, z in (("A", 1, 1, 1), ("B", 1, -1, -1), ("C", -1, 1, -1), ("D", -1, -1, 1)):
        axis = np.array([x, y, z], float)

        def gripped(piece: Piece, axis: Vectors = axis) -> bool:
            return bool(faces[list(piece)].sum(0) @ axis > 0)

        turns[name] = permuted(faces, rotation(axis, 1 / 3)), gripped
    return gap_text(pieces, turns)


def megaminx() -> str:
    """A dodecahedron with twenty corners and thirty edges, a fifth of a turn about each face."""
    golden = (1 + 5**0.5) / 2
    faces = np.array(
        [
            np.roll((0.0, one, other * golden), shift)
            for shift in range(3)
            for one in (1, -1)
            for other in (1, -1)
        ]
    )
    faces /= np.linalg.norm(faces[0])
    near = faces @ faces.T > 0.4
    edges = [pair for pair in itertools.combinations(range(12), 2) if near[pair]]
    corners = [
        triple
        for triple in itertools.combinations(range(12), 3)
        if all(near[pair] for pair in itertools.combinations(triple, 2))
    ]
    turns = {
        name: (permuted(faces, rotation(faces[face], 1 / 5)), lambda piece, f=face: f in piece)
        for face, name in enumerate("ABCDEFGHIJKL")
    }
    return gap_text([*corners, *edges], turns)


def pyraminx(alike: Sequence[Sequence[int]] = ()) -> str:
    """A tetrahedron without tips: edges 0 to 5, then the four axial pieces."""
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)
    faces = -corners  # face i lies opposite corner i
    edges = list(itertools.combinations(range(4), 2))  # touches two faces, lies at the other two
    axials = list(itertools.combinations(range(4), 3))  # lies at the corner of the fourth
    turns = {
        name: (permuted(faces, rotation(corners[c], 1 / 3)), lambda piece, c=c: c not in piece)
        for c, name in enumerate("ULRB")
    }
    return gap_text([*edges, *axials], turns, alike)
