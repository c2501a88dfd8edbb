"""Turns of a cube as people name them, and the moves of a puzzle that do the same.

A puzzle turns single layers and never its middle layer, or its held corner. A turn that includes
those is a rotation of the whole cube together with the opposite turn of the other layers; since
rotations are free, only the frame in which later turns are read changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from homeward.notation.algorithm import Turn
from homeward.puzzles.cube import FACES, Cube

_OPPOSITE = dict(zip("URFDLB", "DLBURF", strict=True))
_AXIS = dict(zip("URFDLB", "URFURF", strict=True))
# The faces around each face in the order in which its clockwise turn carries one to the next.
_AROUND = {"U": "FLBR", "R": "FUBD", "F": "URDL", "D": "RBLF", "L": "DBUF", "B": "LDRU"}
_SUFFIX = {1: "", 2: "2", 3: "'"}

_Layer = tuple[str, int, int]
"""One layer's turn: face, layer from 1, quarters."""


@lru_cache(maxsize=32)
def _layer_turns(names: tuple[str, ...]) -> tuple[_Layer, ...]:
    """What each move of a cube turns, from its name."""
    found = []
    for name in names:
        match = re.fullmatch(r"(\d*)([URFDLB])(['2]?)", name)
        assert match is not None
        quarters = {"": 1, "2": 2, "'": 3}[match[3]]
        found.append((match[2], int(match[1] or 1), quarters))
    return tuple(found)


@lru_cache(maxsize=32)
def _numbers(names: tuple[str, ...]) -> dict[_Layer, list[int]]:
    """The move numbers of each layer's turn: one move, or two quarter turns for a half turn."""
    singles = {layer: [move] for move, layer in enumerate(_layer_turns(names))}
    quarters = [layer for layer in singles if layer[2] == 1]
    halves = {(face, depth, 2): singles[face, depth, 1] * 2 for face, depth, _ in quarters}
    return halves | singles


# --- from turns to moves


def to_moves(cube: Cube, turns: Iterable[Turn]) -> list[int]:
    """Move numbers with the effect of `turns`, up to a rotation of the whole cube."""
    numbers = _numbers(cube.move_names)
    frame = {face: face for face in FACES}  # the puzzle's face that is now on each side
    moves: list[int] = []
    for turn in turns:
        face = frame[turn.face]
        layers = set(range(turn.first, turn.last + 1))
        quarters = turn.quarters
        if _keeps_still(cube, face) & layers or (cube.free and 2 * len(layers) > cube.size):
            layers = set(range(1, cube.size + 1)) - layers
            quarters = 4 - quarters
            frame = _rotated(frame, turn.face, turn.quarters)
        for layer in sorted(layers):
            moves += numbers[_named(cube, face, layer, quarters)]
    return moves


def _keeps_still(cube: Cube, face: str) -> set[int]:
    """The layers, counted from `face`, that the puzzle has no moves for."""
    if cube.held:
        return {2 if face in "URF" else 1}
    return {(cube.size + 1) // 2} if cube.size % 2 else set()


def _named(cube: Cube, face: str, layer: int, quarters: int) -> _Layer:
    """A layer counted from the nearer face, as the puzzle's moves are named."""
    if layer <= max(1, cube.size // 2) and not (cube.held and face not in "URF"):
        return face, layer, quarters
    return _OPPOSITE[face], cube.size + 1 - layer, 4 - quarters


def _rotated(frame: dict[str, str], face: str, quarters: int) -> dict[str, str]:
    turned = dict(frame)
    around = _AROUND[face]
    for i, side in enumerate(around):
        turned[around[(i + quarters) % 4]] = frame[side]
    return turned


# --- from moves to text


def _runs(cube: Cube, moves: Iterable[int]) -> list[dict[tuple[str, int], int]]:
    """Moves about one axis commute: each run of them as quarters by face and layer, 1 to 3."""
    runs: list[dict[tuple[str, int], int]] = []
    turns = _layer_turns(cube.move_names)
    for move in moves:
        face, layer, quarters = turns[move]
        if not runs or _AXIS[next(iter(runs[-1]))[0]] != _AXIS[face]:
            runs.append({})
        run = runs[-1]
        run[face, layer] = (run.get((face, layer), 0) + quarters) % 4
        if not run[face, layer]:
            del run[face, layer]
        if not run:
            runs.pop()
    return runs


def simplified(cube: Cube, moves: Iterable[int]) -> list[int]:
    """Moves of the same effect in which no layer turns twice in a row about one axis.

    >>> cube = Cube(3, half_turns=True)
    >>> names = cube.move_names
    >>> [names[m] for m in simplified(cube, [names.index(n) for n in ("R", "L", "R", "L'")])]
    ['R2']
    """
    numbers = _numbers(cube.move_names)
    return [
        move
        for run in _runs(cube, moves)
        for (face, layer), quarters in run.items()
        for move in numbers[face, layer, quarters]
    ]


def lengths(cube: Cube, moves: Sequence[int]) -> tuple[int, int]:
    """The length of a sequence in quarter turns and in half turns, after `simplified`.

    A half turn is two quarter turns, and one turn where half turns count one. Every layer's turn
    counts by itself, as it does in the puzzle's moves.

    >>> cube = Cube(3)
    >>> names = cube.move_names
    >>> lengths(cube, [names.index("R"), names.index("R"), names.index("U'")])
    (3, 2)
    """
    quarters = [q for run in _runs(cube, moves) for q in run.values()]
    return sum(min(q, 4 - q) for q in quarters), len(quarters)


def to_text(cube: Cube, moves: Iterable[int]) -> str:
    """Moves in WCA notation: `R`, `R2`, `R'`, wide turns `Rw`, `3Rw`.

    WCA has no inner layers of their own: `2R` is written `Rw R'`.
    """
    return " ".join(word for run in _runs(cube, moves) for word in _words(run))


def _words(run: dict[tuple[str, int], int]) -> Iterator[str]:
    """One run as outer and wide turns, the widest of each face first."""
    for face in dict.fromkeys(face for face, _ in run):
        deepest = max(layer for side, layer in run if side == face)
        for layer in range(deepest, 0, -1):
            # A wide turn brings the layers outside it along; they turn by the difference.
            quarters = (run.get((face, layer), 0) - run.get((face, layer + 1), 0)) % 4
            if quarters:
                wide = {1: face, 2: f"{face}w"}.get(layer, f"{layer}{face}w")
                yield wide + _SUFFIX[quarters]
