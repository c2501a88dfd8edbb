"""The N×N×N cube, built from its geometry.

A state lists the colours of the stickers face by face in the order U R F D L B, each face row by
row as seen from outside: the order in which people write facelets. Colours are 0 … 5 in the same
order. x points to R, y to U, z to F.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.status import Problem, PuzzleError
from homeward.puzzles.symmetry import Symmetry, conjugate_moves, relabelling

FACES = "URFDLB"
_LARGEST = 70
"""Layers: a cube has as many moves as layers, and each is a row of all stickers."""

# For each face: outward normal, then the directions of a row's columns and of the rows.
_AXES = {
    "U": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "R": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "F": ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    "D": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    "L": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "B": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
}


def normal(face: str) -> NDArray[np.int64]:
    """`[3]`: the outward direction of a face."""
    return np.array(_AXES[face][0])


@lru_cache(maxsize=32)
def stickers(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`[6N², 3]` twice: the place of each sticker's cubie, in steps of 2, and its normal."""
    places, normals = [], []
    for face in FACES:
        out, right, down = (np.array(v) for v in _AXES[face])
        for row, column in itertools.product(range(size), repeat=2):
            places.append(
                (size - 1) * out + (2 * column - size + 1) * right + (2 * row - size + 1) * down
            )
            normals.append(out)
    return np.array(places), np.array(normals)


@lru_cache(maxsize=32)
def _cube_turn(size: int, face: str) -> NDArray[np.int64]:
    """`[6N²]`: the permutation of a quarter turn of the whole cube, clockwise seen from `face`."""
    places, normals = stickers(size)
    axis = normal(face)

    # v -> (v·a)a + a×v turns by +90° about a, counterclockwise seen from outside: each place
    # receives what stands 90° counterclockwise of it.
    def turned(v: NDArray[np.int64]) -> NDArray[np.int64]:
        result: NDArray[np.int64] = np.outer(v @ axis, axis) + np.cross(axis, v)
        return result

    number = {tuple(row): i for i, row in enumerate(np.hstack([places, normals]).tolist())}
    sources = np.hstack([turned(places), turned(normals)]).tolist()
    return np.array([number[tuple(source)] for source in sources])


def layer_turn(size: int, face: str, layers: range | list[int]) -> NDArray[np.int64]:
    """`[6N²]`: the permutation of a clockwise quarter turn of layers counted from 1 at `face`."""
    places, _ = stickers(size)
    depth = (size + 1 - places @ normal(face)) // 2  # 1 at the face, size at the opposite one
    turn = _cube_turn(size, face)
    return np.where(np.isin(depth, list(layers)), turn, np.arange(len(turn)))


@lru_cache(maxsize=32)
def rotations(size: int) -> NDArray[np.int64]:
    """`[24, 6N²]`: the turns of the whole cube, the identity first."""
    everything = range(1, size + 1)
    x, y = layer_turn(size, "R", everything), layer_turn(size, "U", everything)
    found = {np.arange(6 * size * size).tobytes(): np.arange(6 * size * size)}
    frontier = list(found.values())
    while frontier:
        fresh = []
        for old, turn in itertools.product(frontier, (x, y)):
            new = old[turn]
            if new.tobytes() not in found:
                found[new.tobytes()] = new
                fresh.append(new)
        frontier = fresh
    return np.array(list(found.values()))


def mirrored(size: int) -> NDArray[np.int64]:
    """`[6N²]`: left and right exchanged."""
    places, normals = stickers(size)
    rows = np.hstack([places, normals]).tolist()
    number = {tuple(row): i for i, row in enumerate(rows)}
    flip = np.array([-1, 1, 1, -1, 1, 1])
    return np.array([number[tuple(row)] for row in (np.array(rows) * flip).tolist()])


class Cube(PermutationPuzzle):
    """`cubeN`: quarter turns of single layers.

    Odd cubes turn every layer but the middle one, so their centres stay. The 2×2×2 holds its DBL
    corner and turns U, R and F. Larger even cubes have no fixed piece: they turn every layer and
    are solved in any of 24 orientations, and so is the 2×2×2 with `free=True` (`cube2-free`).
    Inner layers are named by their number from the face: `2R` is the slice next to R.
    """

    def __init__(self, size: int, half_turns: bool = False, free: bool = False) -> None:
        if size < 2:
            raise PuzzleError(f"a cube has at least 2 layers, not {size}")
        if size > _LARGEST:
            raise PuzzleError(f"a cube has at most {_LARGEST} layers here, not {size}")
        if free and size != 2:
            raise PuzzleError("only the 2×2×2 has a free form of its own: cube2-free")
        self.size, self.half_turns = size, half_turns
        self.held = size == 2 and not free
        self.free = size % 2 == 0 and not self.held
        names, table = [], []
        for face in "URF" if self.held else FACES:
            for layer in range(1, max(1, size // 2) + 1):
                turn = layer_turn(size, face, [layer])
                label = face if layer == 1 else f"{layer}{face}"
                names += [label, label + "'"]
                table += [turn, np.argsort(turn)]
                if half_turns:
                    names.append(label + "2")
                    table.append(turn[turn])
        solved = np.repeat(np.arange(6, dtype=np.uint8), size * size)
        goals = solved[rotations(size)] if self.free else solved[None]
        name = f"cube{size}" + "-free" * (free and size == 2) + "-htm" * half_turns
        super().__init__(name, names, np.array(table), goals, family="cube", symbols=6)

    @property
    def mixing(self) -> int:
        return 10 * self.size

    @property
    def rotations(self) -> NDArray[np.int64]:
        """`[24, cells]`: the turns of the whole cube as permutations of cells."""
        return rotations(self.size)

    def with_goal(self, state: NDArray[Any]) -> Self:
        other = super().with_goal(state)
        if self.free:
            turned = np.unique(np.asarray(state, dtype=self.dtype)[self.rotations], axis=0)
            other.goals_table = Table(turned)
        return other

    def symmetries(self) -> list[Symmetry]:
        found = []
        for cells in self._turns_and_mirrors:
            symbols = relabelling(self.goal, cells, self.symbols)
            moves = conjugate_moves(self.table.numpy, cells)
            if symbols is not None and moves is not None:
                found.append(Symmetry(cells, symbols, moves))
        return found

    def turns(self) -> list[Symmetry]:
        if not self.free:
            return super().turns()
        symbols = np.arange(self.symbols).astype(self.dtype)
        renamed = (conjugate_moves(self.table.numpy, cells) for cells in self.rotations)
        return [
            Symmetry(cells, symbols, moves)
            for cells, moves in zip(self.rotations, renamed, strict=True)
            if moves is not None
        ]

    @property
    def mark(self) -> NDArray[np.intp]:
        if not self.free:
            return super().mark
        places, _ = stickers(self.size)
        return np.flatnonzero((places == places[0]).all(1))

    @property
    def _turns_and_mirrors(self) -> NDArray[np.int64]:
        """`[48, cells]`: the whole cube turned, and turned in a mirror."""
        mirror = mirrored(self.size)
        return np.concatenate([self.rotations, self.rotations[:, mirror]])

    def is_solved(self, states: Array) -> Array:
        if len(self.goals) == 1:
            return (states == self.goals_table.on(states)[0]).all(-1)
        return super().is_solved(states)

    def problems(self, state: NDArray[Any]) -> list[Problem]:
        from homeward.puzzles.cube_check import cube_problems

        return cube_problems(self, np.asarray(state))
