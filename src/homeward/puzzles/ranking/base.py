"""What every ranking is: states as numbers without gaps, and what moves do to the numbers."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

Numbers: TypeAlias = NDArray[np.int64]
Distances: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Bytes, or wider numbers where there are more than 254 moves from the goal."""

LIMIT = 2**30
"""States that a ranking may have at most: a table of distances takes a byte for each."""
_WIDER = {1: np.uint16, 2: np.uint32}
"""The next wider numbers, by the bytes of a distance."""


class Ranking(ABC):
    """Numbers the reachable states of `puzzle` 0 … `size` - 1.

    Every number belongs to exactly one state, so a table of `size` bytes holds a distance for each
    and nothing is hashed. Rankings exist for puzzles whose moves all have inverses.
    """

    puzzle: Puzzle
    size: int
    """How many states can be reached."""
    fingerprint: str
    """Differs between rankings that number states, move or have goals in different ways."""

    def rank(self, states: NDArray[Any]) -> Numbers:
        """`[B]`: the numbers of states `[B, cells]`; `PuzzleError` if one cannot be reached."""
        rows = np.asarray(states)
        if rows.ndim != 2 or rows.shape[1] != self.puzzle.cells:
            raise PuzzleError(
                f"states of {self.puzzle.name} are rows of {self.puzzle.cells} numbers; "
                f"these have the shape {list(rows.shape)}"
            )
        return self._rank(rows)

    @abstractmethod
    def _rank(self, states: NDArray[Any]) -> Numbers:
        """The same for states of the right shape."""

    @abstractmethod
    def unrank(self, numbers: Numbers) -> NDArray[Any]:
        """`[B, cells]`: the states with these numbers `[B]`."""

    @abstractmethod
    def neighbours(self, numbers: Numbers) -> Numbers:
        """`[B, moves]`: the number of the child by each move, -1 where the move is illegal."""

    @abstractmethod
    def spread(self, distances: Distances, depth: int, pull: bool) -> None:
        """Writes `depth + 1` for every `unknown` neighbour of a state at `depth`, on all cores.

        It visits the states at `depth` and looks for unknown neighbours or, with `pull`, visits
        the unknown ones and looks for a neighbour at `depth`: cheaper once few are unknown.
        """

    def reject(self, states: NDArray[Any], good: NDArray[np.bool_]) -> None:
        """Raises `PuzzleError` with the reason for the first of `states` that is not `good`."""
        if not good.all():
            row = states[int(np.argmin(good))]
            self.puzzle.require_valid(row)
            raise PuzzleError(f"no sequence of moves of {self.puzzle.name} leads there")


def fingerprint(kind: str, puzzle: Puzzle, tables: Sequence[NDArray[Any]]) -> str:
    """A hash of all that decides what a table of distances means."""
    digest = hashlib.sha256(kind.encode())
    for table in (puzzle.goals, *tables):
        digest.update(f"{table.dtype}{table.shape}".encode())
        digest.update(np.ascontiguousarray(table).tobytes())
    return digest.hexdigest()


def unreached(size: int) -> Distances:
    """`[size]`: distances of which none is known, as `flood` needs them."""
    return np.full(size, np.iinfo(np.uint8).max, np.uint8)


def unknown(distances: Distances) -> int:
    """The distance of a state that has not been reached: the largest number there can be."""
    return int(np.iinfo(distances.dtype).max)


def flood(
    spread: Callable[[Distances, int, bool], None],
    distances: Distances,
    progress: Callable[[list[int]], None] | None = None,
) -> tuple[Distances, list[int]]:
    """Fills `distances` `[size]` from the zeros in it, a level at a time; the counts by distance.

    `spread` is a ranking's; `progress` is told the counts so far after each level. The distances
    come back as another array where they are too large for bytes.
    """
    from homeward.puzzles.ranking.kernels import count

    counts = [int(count(distances, 0))]
    left = len(distances) - counts[0]
    while left:
        depth = len(counts) - 1
        if depth + 1 == unknown(distances):
            wider = distances.astype(_WIDER[distances.itemsize])
            wider[distances == unknown(distances)] = unknown(wider)
            distances = wider
        spread(distances, depth, counts[-1] > left)
        # Threads may find the same state at once, so it is counted when all have finished.
        found = int(count(distances, depth + 1))
        if not found:
            break
        counts.append(found)
        left -= found
        if progress is not None:
            progress(counts)
    return distances, counts
