"""The pieces of the 3×3×3 cube: where each is, and what moves and symmetries do to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.base import Puzzle
from homeward.puzzles.cube import Cube
from homeward.puzzles.cube_pieces import Kind, corners, edges
from homeward.puzzles.status import PuzzleError
from homeward.puzzles.symmetry import Symmetry

KINDS = (corners(3), edges(3))


@dataclass(frozen=True)
class Action:
    """What a move or a symmetry does to the pieces of one kind.

    The piece that comes to place p stood at `comes_from[p]`. If it was piece q, turned t times, it
    is now piece `becomes[q]`, turned `turns[p, q, t]` times. A move makes no piece another one.
    """

    comes_from: NDArray[np.int64]
    becomes: NDArray[np.int64]
    turns: NDArray[np.int64]

    @property
    def goes_to(self) -> NDArray[np.int64]:
        """`[places]`: where the piece in each place goes."""
        return np.argsort(self.comes_from)


def action(kind: Kind, cells: NDArray[Any], symbols: NDArray[Any]) -> Action:
    """What `image[c] = symbols[state[cells[c]]]` does to pieces of a kind."""
    owner = {cell: place for place, row in enumerate(kind.cells.tolist()) for cell in row}
    places = len(kind.names)
    comes_from = np.array([owner[int(cells[row[0]])] for row in kind.cells])
    becomes = np.empty(places, np.int64)
    turns = np.empty((places, places, kind.turns), np.int64)
    for place, row in enumerate(kind.cells):
        there = kind.cells[comes_from[place]].tolist()
        seen = [there.index(int(cell)) for cell in cells[row]]
        for piece, turn in np.ndindex(places, kind.turns):
            shown = symbols[np.roll(kind.faces[piece], turn)[seen]]
            becomes[piece], turns[place, piece, turn] = kind.looks[tuple(shown.tolist())]
    return Action(comes_from, becomes, turns)


def move_actions(cube: Cube, kind: Kind) -> list[Action]:
    """The action of every move on the pieces of a kind."""
    same = np.arange(6)
    return [action(kind, row, same) for row in cube.table.numpy]


@lru_cache(maxsize=2)
def turns_and_mirrors(half_turns: bool) -> tuple[Symmetry, ...]:
    """The 48 symmetries of the cube, 16 for each axis that they make the one through U and D.

    The identity comes first; entries 16 and 32 serve to look at a cube along the other two axes.
    """
    found = Cube(3, half_turns).symmetries()
    return tuple(sorted(found, key=lambda s: [s.symbols[face] % 3 for face in range(3)].index(0)))


def read_pieces(kind: Kind, states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """`[B, places]` twice: the piece in each place and how it is turned; -1 for what is none."""
    weights = 6 ** np.arange(kind.cells.shape[1])
    meaning = np.full(6 ** len(weights), -1)
    for shown, (piece, turn) in kind.looks.items():
        meaning[np.array(shown) @ weights] = piece * kind.turns + turn
    found = meaning[states[:, kind.cells].astype(np.int64) @ weights]
    return np.where(found < 0, -1, found // kind.turns), np.where(found < 0, -1, found % kind.turns)


def as_cube(puzzle: Puzzle) -> Cube:
    """The puzzle, if it is a 3×3×3 cube; else `PuzzleError`."""
    if isinstance(puzzle, Cube) and puzzle.size == 3:
        return puzzle
    raise PuzzleError(f"these tables are for cube3, not for {puzzle.name}")


def from_goal(cube: Cube, states: NDArray[Any]) -> NDArray[Any]:
    """`[B, 54]`: the states as seen from the usual goal, for a cube that may have another one."""
    solved = np.repeat(np.arange(6, dtype=np.uint8), 9)
    if np.array_equal(cube.goal, solved):
        return np.asarray(states)
    seen: NDArray[Any] = solved[cube.permutations(states)]
    return seen
