"""Second opinions: other states whose solutions are solutions of this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.base import Puzzle
from homeward.puzzles.facing import facing as facing_of
from homeward.puzzles.permutation import PermutationPuzzle


@dataclass(frozen=True)
class View:
    """A state `[cells]` to solve instead, and how its solution becomes one of the original."""

    start: NDArray[Any]
    restore: Callable[[Sequence[int]], list[int]]


def views(puzzle: Puzzle, start: NDArray[Any], facing: bool = False) -> Iterator[View]:
    """The state itself, its inverse where that is a state, then both under each symmetry.

    With `facing` only those that are different once they face one way.
    """
    row = np.asarray(start)[None]
    way = facing_of(puzzle) if facing else None
    seen: set[bytes] = set()
    for symmetry in puzzle.symmetries():
        image = symmetry.image(row)
        if way is not None:
            looks = way.face(image)[0].tobytes()
            if looks in seen:
                continue
            seen.add(looks)
        renamed = symmetry.moves

        def restore(moves: Sequence[int], renamed: NDArray[np.intp] = renamed) -> list[int]:
            return [int(renamed[m]) for m in moves]

        yield View(image[0], restore)
        if isinstance(puzzle, PermutationPuzzle) and puzzle.invertible:

            def restore_inverse(
                moves: Sequence[int], renamed: NDArray[np.intp] = renamed
            ) -> list[int]:
                return [int(renamed[puzzle.inverses[m]]) for m in reversed(moves)]

            yield View(puzzle.inverted(image)[0], restore_inverse)
