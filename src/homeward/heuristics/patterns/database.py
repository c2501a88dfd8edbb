"""Pattern databases: the exact distances of a puzzle in which most pieces do not matter."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward import cache
from homeward.heuristics.base import Heuristic
from homeward.heuristics.graph import Progress
from homeward.heuristics.patterns.placements import Placements
from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array
from homeward.puzzles.base import Puzzle
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.ranking import Distances, flood, unknown, unreached
from homeward.puzzles.status import PuzzleError

_HALF = 16
"""Distances below this take half a byte each."""


class PatternDatabase:
    """How many moves it takes to bring the pieces of some cells home, whatever the others do.

    No solution can be shorter, so the answer is admissible. The table is read from the cache folder
    or worked out on all cores; `progress` is told the counts after each level, and may raise to
    stop. `counts[d]` is the number of placements at distance d, `seconds` the time it took.

    >>> from homeward.puzzles import puzzle
    >>> database = PatternDatabase(puzzle("cube2"), [0, 1], use_cache=False)
    >>> database.counts
    (1, 4, 13, 44, 108, 148, 58, 2)
    """

    admissible = True

    def __init__(
        self,
        puzzle: Puzzle,
        cells: Sequence[int],
        name: str = "pattern",
        progress: Progress | None = None,
        use_cache: bool = True,
    ) -> None:
        started = time.perf_counter()
        self.puzzle, self.name = _permutations(puzzle), name
        self.placements = Placements(self.puzzle, cells)
        found = self._recall() if use_cache else None
        self.kept = found is not None
        self.table, self.counts = found or self._work_out(progress)
        self.seconds = time.perf_counter() - started
        if use_cache and not self.kept:
            cache.keep(self._cache_name, self.table, {**self._facts, "counts": list(self.counts)})

    @property
    def packed(self) -> bool:
        """Whether two distances share a byte of `table`."""
        return len(self.counts) <= _HALF

    @property
    def largest(self) -> int:
        """The largest distance."""
        return len(self.counts) - 1

    @property
    def mean(self) -> float:
        """The mean distance of all placements."""
        return float(np.average(np.arange(len(self.counts)), weights=self.counts))

    def place(self, states: NDArray[Any]) -> Array:
        """The states as they are: tables live beside the CPU."""
        return np.asarray(states)

    def values(self, states: Array) -> Array:
        """`[B]` float32: the distance of the pattern in each state."""
        from homeward.heuristics.patterns.kernels import look_up_halves

        on_torch = arrays.is_torch(states)
        numbers = self.placements.numbers(states.cpu().numpy() if on_torch else np.asarray(states))
        found = np.empty(len(numbers), np.float32)
        if self.packed:
            look_up_halves(self.table, numbers, found)
        else:
            found[:] = self.table[numbers]
        if on_torch:
            return arrays.namespace(states).as_tensor(found, device=states.device)
        return found

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the distance of the pattern in each child."""
        return _of_children(self, self.puzzle, states)

    # --- making and keeping the table

    def _work_out(self, progress: Progress | None) -> tuple[Distances, tuple[int, ...]]:
        from homeward.heuristics.patterns.kernels import pack_halves, placement_level

        size, turns = self.placements.size, self.placements.shape[2]
        moves = self.placements.moves
        table = unreached(size)
        table[self.placements.home] = 0
        tell = None if progress is None else lambda counts: progress(counts, size)

        def spread(distances: Distances, depth: int, pull: bool) -> None:
            placement_level(distances.reshape(-1, turns), *moves, depth, pull)

        table, found = flood(spread, table, tell)
        counts = tuple(found)
        if sum(counts) < size:
            table[table == unknown(table)] = 0  # never asked for; 0 is never wrong
        if len(counts) > _HALF:
            return table, counts
        packed = np.empty((size + 1) // 2, np.uint8)
        pack_halves(table, packed)
        return packed, counts

    @property
    def _cache_name(self) -> str:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "_", self.puzzle.name)
        return f"pattern-{plain[-60:]}-{self.placements.fingerprint[:12]}"

    @property
    def _facts(self) -> dict[str, Any]:
        return {"fingerprint": self.placements.fingerprint}

    def _recall(self) -> tuple[Distances, tuple[int, ...]] | None:
        stored = cache.recall(self._cache_name, self._facts)
        if stored is None:
            return None
        counts = stored[1].get("counts")
        if not isinstance(counts, list) or not all(isinstance(n, int) for n in counts):
            return None
        size = self.placements.size
        wanted = (size + 1) // 2 if len(counts) <= _HALF else size
        return (stored[0], tuple(counts)) if len(stored[0]) == wanted else None


class MaxOf:
    """The largest of several estimates: admissible if all of them are."""

    def __init__(self, puzzle: Puzzle, heuristics: Sequence[Heuristic], name: str = "max") -> None:
        if not heuristics:
            raise PuzzleError("the largest of no estimates is none: give at least one heuristic")
        self.puzzle, self.heuristics, self.name = puzzle, tuple(heuristics), name
        self.admissible = all(heuristic.admissible for heuristic in heuristics)

    def place(self, states: NDArray[Any]) -> Array:
        """States as the first of the heuristics wants them."""
        return self.heuristics[0].place(states)

    def values(self, states: Array) -> Array:
        """`[B]` float32: the largest estimate of each state."""
        best = self.heuristics[0].values(states)
        for heuristic in self.heuristics[1:]:
            best = arrays.namespace(best).maximum(best, heuristic.values(states))
        return best

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the largest estimate of each child, +inf where illegal."""
        best = self.heuristics[0].children(states)
        for heuristic in self.heuristics[1:]:
            best = arrays.namespace(best).maximum(best, heuristic.children(states))
        return best


class SumOf(MaxOf):
    """The sum of several estimates: no lower bound unless their moves are different ones."""

    def __init__(self, puzzle: Puzzle, heuristics: Sequence[Heuristic], name: str = "sum") -> None:
        super().__init__(puzzle, heuristics, name)
        self.admissible = len(heuristics) == 1 and heuristics[0].admissible

    def values(self, states: Array) -> Array:
        """`[B]` float32: the sum of the estimates of each state."""
        return sum(heuristic.values(states) for heuristic in self.heuristics)

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the sum of the estimates of each child, +inf where illegal."""
        return sum(heuristic.children(states) for heuristic in self.heuristics)


def _permutations(puzzle: Puzzle) -> PermutationPuzzle:
    if not isinstance(puzzle, PermutationPuzzle) or len(puzzle.goals) > 1:
        raise PuzzleError(
            f"patterns are known for puzzles whose moves permute cells towards one goal; "
            f"{puzzle.name} is none"
        )
    return puzzle


def _of_children(heuristic: Heuristic, puzzle: Puzzle, states: Array) -> Array:
    children = puzzle.expand(states)
    flat = children.reshape(-1, puzzle.cells)
    return heuristic.values(flat).reshape(len(states), puzzle.moves)
