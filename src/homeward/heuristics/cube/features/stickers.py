"""The five sticker heuristics of the heuristic-learning paper (Brunetto and Trunda, 2017).

They count stickers as if each could be taken off and put elsewhere, and divide by the most that one
move can mend:

- `errors`: stickers that are not on their face;
- `distance`: the same, where stickers that belong on the opposite face count twice;
- `pairs-different`: neighbours on a face that differ in colour;
- `face-different`: any two stickers of a face that differ in colour;
- `face-error`: stickers of the U face that are not its own.

What a move can mend is counted from the moves, so each estimate is admissible on every cube and in
both metrics: on the 3×3×3 in quarter turns it is 12, 12, 12, 72 and 3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.heuristics.patterns import MaxOf, SumOf
from homeward.options import choices
from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array
from homeward.puzzles.base import Puzzle
from homeward.puzzles.cube import Cube
from homeward.puzzles.status import PuzzleError

STICKERS = ("errors", "distance", "pairs-different", "face-different", "face-error")


class Counting(NamedTuple):
    """What it takes to count a cube's stickers, and the most that one move can mend.

    `home` `[cells]` is the colour that belongs in each cell, `apart` `[6, 6]` how many faces a
    colour is from another, `pairs` `[n, 2]` the neighbours, `most` `[5]` what a move can mend.
    """

    home: NDArray[np.uint8]
    apart: NDArray[np.uint8]
    pairs: NDArray[np.int64]
    most: NDArray[np.float32]


class StickerHeuristic:
    """One of the five by its name, for any cube: `[B]` the count over what a move can mend.

    >>> from homeward.puzzles import puzzle
    >>> cube = puzzle("cube3")
    >>> turned = cube.apply(cube.goal, [0])[None]
    >>> [float(StickerHeuristic(cube, name).values(turned)[0]) for name in STICKERS]
    [1.0, 1.0, 1.0, 1.0, 0.0]
    """

    admissible = True

    def __init__(self, puzzle: Puzzle, name: str) -> None:
        reason = why_not_solid(puzzle)
        if reason or not isinstance(puzzle, Cube):
            raise PuzzleError(reason)
        if name not in STICKERS:
            raise PuzzleError(f"there is no sticker heuristic {name!r}{choices(name, STICKERS)}")
        self.puzzle, self.name = puzzle, name
        self._column, self._counting = STICKERS.index(name), counting(self.puzzle)

    def place(self, states: NDArray[Any]) -> Array:
        """The states as they are: stickers are counted on the CPU."""
        return np.asarray(states)

    def values(self, states: Array) -> Array:
        """`[B]` float32: the estimate of each state."""
        found = count(self._counting, arrays.to_numpy(states))[:, self._column]
        if not arrays.is_torch(states):
            return found
        return arrays.namespace(states).as_tensor(found, device=states.device)

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the estimate of each child."""
        flat = self.puzzle.expand(states).reshape(-1, self.puzzle.cells)
        return self.values(flat).reshape(len(states), self.puzzle.moves)


def named(puzzle: Puzzle, name: str) -> Heuristic:
    """One of the five, the `largest` of them, or their `sum`, which can be too large."""
    if name not in ("largest", "sum"):
        return StickerHeuristic(puzzle, name)
    five = [StickerHeuristic(puzzle, each) for each in STICKERS]
    return MaxOf(puzzle, five, "stickers") if name == "largest" else SumOf(puzzle, five, name)


def count(how: Counting, states: NDArray[Any]) -> NDArray[np.float32]:
    """`[B, 5]`: the five estimates of states `[B, cells]`."""
    from homeward.heuristics.cube.features.kernels import count_stickers

    found = np.empty((len(states), len(STICKERS)), np.float32)
    count_stickers(np.ascontiguousarray(states), how.home, how.apart, how.pairs, how.most, found)
    return found


def counting(cube: Cube) -> Counting:
    """What it takes to count the stickers of a cube."""
    faces = np.arange(6)
    apart = np.where(faces[:, None] == faces, 0, np.where((faces[:, None] - faces) % 3 == 0, 2, 1))
    pairs = _neighbours(cube.size)
    table = cube.table.numpy
    return Counting(
        np.asarray(cube.goal, np.uint8),
        apart.astype(np.uint8),
        pairs,
        np.array(_most(table, cube.size**2, apart, pairs), np.float32),
    )


def _neighbours(size: int) -> NDArray[np.int64]:
    """`[n, 2]`: cells of one face that touch by an edge."""
    cells = np.arange(6 * size * size).reshape(6, size, size)
    beside = np.stack([cells[:, :, :-1].ravel(), cells[:, :, 1:].ravel()], axis=1)
    below = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], axis=1)
    return np.concatenate([beside, below])


def _most(
    table: NDArray[Any], on_face: int, apart: NDArray[Any], pairs: NDArray[np.int64]
) -> list[int]:
    """How much of each count a move can change at most.

    A sticker that stays on its face, and two that stay a pair, count as before, wherever they go.
    """
    cells = np.arange(table.shape[1])
    here, there = cells // on_face, table // on_face  # cell c gets what was in table[m, c]
    known = np.zeros((len(cells), len(cells)), bool)
    known[pairs[:, 0], pairs[:, 1]] = known[pairs[:, 1], pairs[:, 0]] = True
    parted = ~known[table[:, pairs[:, 0]], table[:, pairs[:, 1]]]
    one, other = np.nonzero(np.triu(here[:, None] == here, 1))
    split = there[:, one] != there[:, other]
    changed = (there != here, apart[there, here], parted, split, (there != here)[:, here == 0])
    return [int(change.sum(1).max()) for change in changed]


def why_not_solid(puzzle: Puzzle) -> str:
    """Why a puzzle is no cube whose one goal has a colour for each face; empty if it is."""
    if isinstance(puzzle, Cube) and len(puzzle.goals) == 1:
        faces = np.asarray(puzzle.goal).reshape(6, -1)
        if (faces == np.arange(6)[:, None]).all():
            return ""
    return f"stickers are counted on cubes solved to six colours, which {puzzle.name} is not"
