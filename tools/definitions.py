"""Writes the puzzle files that ship with homeward from the puzzles' geometry.

python tools/definitions.py      rewrites src/homeward/puzzles/definitions/*.toml
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

FOLDER = Path(__file__).resolve().parents[1] / "src" / "homeward" / "puzzles" / "definitions"

_T = TypeVar("_T", bound=Hashable)

_HEAD = """\
# {title}
# {conventions}
# Written by tools/definitions.py.
"""
_CYCLES = (
    "Cells count from 0; the cycle (a b c) takes what lies in cell a to b, in b to c, in c to a."
)
_LISTS = "A list shows what the row 1 2 3 … looks like after the move."


def cycles(stickers: Sequence[_T], turned: Callable[[_T], _T]) -> str:
    """The move that takes each sticker `s` to the place of `turned(s)`, in cycles."""
    place = {sticker: i for i, sticker in enumerate(stickers)}
    onward = [place[turned(sticker)] for sticker in stickers]
    seen: set[int] = set()
    text = ""
    for start in range(len(stickers)):
        cycle = []
        cell = start
        while cell not in seen:
            seen.add(cell)
            cycle.append(cell)
            cell = onward[cell]
        if len(cycle) > 1:
            text += "(" + " ".join(map(str, cycle)) + ")"
    return text


# --- pyraminx: corners of the tetrahedron are U L R B, a face is named by where it lies

# Each face with its corners as seen from outside: top, left, right.
_FACES = {"F": "ULR", "L": "UBL", "R": "URB", "D": "BRL"}
_Sticker = tuple[str, frozenset[str], str]
# Clockwise about each corner, seen from outside, the first corner goes to the second and so on.
_TURNS = {"U": "LBR", "L": "URB", "R": "BLU", "B": "RUL"}


def _pyraminx_stickers(tips: bool) -> list[_Sticker]:
    """The kind of piece, its corners, and the corner opposite the sticker's face, row by row."""
    stickers = []
    for corners in _FACES.values():
        top, left, right = list(corners)
        (opposite,) = set("ULRB") - {top, left, right}
        rows = [
            [("tip", top)],
            [("edge", top + left), ("axial", top), ("edge", top + right)],
            [
                ("tip", left),
                ("axial", left),
                ("edge", left + right),
                ("axial", right),
                ("tip", right),
            ],
        ]
        stickers += [
            (kind, frozenset(where), opposite)
            for kind, where in itertools.chain(*rows)
            if tips or kind != "tip"
        ]
    return stickers


def _turned(sticker: _Sticker, corner: str, kinds: tuple[str, ...]) -> _Sticker:
    """Where a clockwise turn of a corner takes a sticker of a piece of these kinds."""
    kind, corners, face = sticker
    if corner not in corners or kind not in kinds:
        return sticker
    ring = _TURNS[corner]
    sent = {one: ring[(i + 1) % 3] for i, one in enumerate(ring)} | {corner: corner}
    return kind, frozenset(sent[c] for c in corners), sent[face]


def _pyraminx(tips: bool) -> str:
    stickers = _pyraminx_stickers(tips)
    moves = {}
    for corner in _TURNS:
        layer = partial(_turned, corner=corner, kinds=("tip", "axial", "edge"))
        moves[corner] = cycles(stickers, layer)
        if tips:
            moves[corner.lower()] = cycles(
                stickers, partial(_turned, corner=corner, kinds=("tip",))
            )
    width = len(stickers) // 4
    title = "The pyraminx with its tips." if tips else "The pyraminx without its tips."
    lines = [
        _HEAD.format(title=title, conventions=_CYCLES).rstrip(),
        "# Faces F, L, R, D, each row by row from the top as seen from outside; the top of D is",
        "# the corner at the back. U, L, R, B turn a corner clockwise with the layer below it"
        + (";\n# u, l, r, b turn only its tip." if tips else "."),
        f'description = "Tetrahedron of four colours{", tips included" if tips else ""}."',
        f'goal = "{" ".join(face * width for face in _FACES)}"',
        "",
        "[moves]",
        *(f'{name} = "{text}"' for name, text in moves.items()),
    ]
    return "\n".join(lines) + "\n"


# --- the 2×2×2×2 cube: places are corners of [-1, 1]^4, axes are x y z w

_CELLS = ("RL", "UD", "FB", "OI")  # on each axis the cell at +1 and at -1


def _turned_in_4d(
    sticker: tuple[tuple[int, ...], int], cell: int, one: int, two: int
) -> tuple[tuple[int, ...], int]:
    """Clockwise, as on the ordinary cube: axis `two` goes to `one`, and `one` to minus `two`."""
    place, axis = sticker
    if place[cell] != 1:
        return sticker
    moved = list(place)
    moved[one], moved[two] = place[two], -place[one]
    return tuple(moved), {one: two, two: one}.get(axis, axis)


def _hypercube() -> str:
    corners = list(itertools.product((1, -1), repeat=4))
    stickers = [
        (place, axis)
        for axis in range(4)
        for sign in (1, -1)
        for place in corners
        if place[axis] == sign
    ]
    moves = {}
    for cell, about in itertools.permutations(range(4), 2):
        one, two = (a for a in range(4) if a not in (cell, about))
        if not _is_even((cell, about, one, two)):
            one, two = two, one

        turned = partial(_turned_in_4d, cell=cell, one=one, two=two)
        moves[_CELLS[cell][0] + _CELLS[about][0]] = cycles(stickers, turned)
    goal = " ".join(letter * 8 for pair in _CELLS for letter in pair)
    lines = [
        _HEAD.format(title="The 2×2×2×2 cube.", conventions=_CYCLES).rstrip(),
        "# Sixteen pieces with four stickers each, at the corners (x, y, z, w) of [-1, 1]^4. The",
        "# eight cells are R L (x = 1, -1), U D (y), F B (z), O I (w); the file lists their",
        "# stickers in this order, within a cell by place, (1, 1, 1, 1) first.",
        "# RU turns the half of the cube at cell R clockwise about the direction of U. The piece",
        "# at LDBI is held: turning the half at L is the same as turning the half at R the other",
        "# way and then the whole cube, which changes nothing. So 12 turns and their inverses",
        "# suffice, there is one goal, and every state counts once.",
        'description = "Four-dimensional cube of eight colours, one piece held."',
        f'goal = "{goal}"',
        "",
        "[moves]",
        *(f'{name} = "{text}"' for name, text in moves.items()),
    ]
    return "\n".join(lines) + "\n"


def _is_even(order: Sequence[int]) -> bool:
    return sum(a > b for a, b in itertools.combinations(order, 2)) % 2 == 0


# --- rows of numbers


def _row_puzzle(
    title: str, notes: str, description: str, n: int, moves: dict[str, list[int]]
) -> str:
    lines = [
        _HEAD.format(title=title, conventions=_LISTS).rstrip(),
        f"# {notes}",
        f'description = "{description}"',
        f"goal = {list(range(1, n + 1))}",
        "index = 1",
        "",
        "[moves]",
        *(f"{name} = {list(row)}" for name, row in moves.items()),
    ]
    return "\n".join(lines) + "\n"


def _topspin(n: int = 20, k: int = 4) -> str:
    row = list(range(1, n + 1))
    moves = {"L": row[1:] + row[:1], "R": row[-1:] + row[:-1], "F": row[:k][::-1] + row[k:]}
    return _row_puzzle(
        f"TopSpin: a ring of {n} numbers and a turnstile that holds {k}.",
        f"L and R shift the ring by one, F flips the first {k}.",
        f"Ring of {n} numbers, the first {k} can be flipped.",
        n,
        moves,
    )


def _pancake(n: int = 10) -> str:
    row = list(range(1, n + 1))
    moves = {f"F{k}": row[:k][::-1] + row[k:] for k in range(2, n + 1)}
    return _row_puzzle(
        f"The pancake puzzle: {n} pancakes, the smallest on top when sorted.",
        "Fk flips the first k of them; every move is its own inverse.",
        f"Stack of {n} numbers, any number of them from the top can be flipped.",
        n,
        moves,
    )


def definitions() -> dict[str, str]:
    """The text of every shipped file by its name."""
    return {
        "cube2x2x2x2": _hypercube(),
        "pancake": _pancake(),
        "pyraminx": _pyraminx(tips=False),
        "pyraminx-tips": _pyraminx(tips=True),
        "topspin": _topspin(),
    }


if __name__ == "__main__":
    for name, text in definitions().items():
        (FOLDER / f"{name}.toml").write_text(text, encoding="utf-8")
