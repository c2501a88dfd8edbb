"""The big table of the cube: distances along one axis, 1.9 thousand million of them in 944 MB.

A state seen along the axis through U and D has a corner and an edge coordinate (`coordinates.py`).
The moves it takes to bring both home are a lower bound on the moves it takes to solve the cube. The
16 symmetries that keep the axis make the 153,090 corner coordinates 9,930 classes, and the table
has a row for each class with an entry for each of the 190,080 edge coordinates. The other two axes
are looked up in the same table, after turning the cube.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward import cache
from homeward.heuristics.cube import coordinates
from homeward.heuristics.cube.pieces import as_cube, from_goal, turns_and_mirrors
from homeward.heuristics.cube.tree import CubeTree
from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array
from homeward.puzzles.base import Puzzle
from homeward.workers import Crew

CLASSES = 9930
BYTES = CLASSES * coordinates.EDGES // 2
"""What the table takes, in memory and on disk."""
_PART = 30
"""Rows that one thread takes at a time: a few hundredths of a second."""
_UNKNOWN = 15

Progress: TypeAlias = Callable[[list[int], float], None]
"""Told the counts by distance so far and which part of the table is known; may raise to stop."""


class Lookup(NamedTuple):
    """What it takes to look coordinates up; compiled loops take these arrays one by one.

    `table` `[classes, 11880]` has words of 16 distances. `class_of` `[153090]` is
    `class * 16 + symmetry` of a corner coordinate; `symmetries` `[16, 11880]` and `flips`
    `[16, 16]` say what the symmetry makes of an edge coordinate.
    """

    table: NDArray[np.uint64]
    class_of: NDArray[np.uint32]
    symmetries: NDArray[np.uint32]
    flips: NDArray[np.uint8]


class BigTable:
    """A lower bound for the 3×3×3 cube: the largest of its distances along the three axes.

    For `cube3` the largest distance is 14 and the mean 11.55, for `cube3-htm` 12 and 10.05. The
    table is read from the cache folder or else worked out on all cores (`threads` of them), which
    takes minutes; `progress` is told about it 20 times a second. With `in_memory` it is read to
    where looking up is fastest, otherwise it stays a mapped file. With `depth` only distances up to
    that are worked out, and all others are taken to be one more; such a table is not kept.
    """

    name = "cube table"
    admissible = True

    def __init__(
        self,
        puzzle: Puzzle,
        progress: Progress | None = None,
        use_cache: bool = True,
        in_memory: bool = True,
        depth: int | None = None,
        threads: int = 0,
    ) -> None:
        started = time.perf_counter()
        self.puzzle = as_cube(puzzle)
        use_cache = use_cache and depth is None
        # numpy asks for large pages, which a mapped file does not have: 1.4 times as fast.
        found = self._recall(not in_memory) if use_cache else None
        self.kept = found is not None
        if found is None:
            work = _Building(self.puzzle.half_turns, threads)
            found = work.table, work.run(progress or (lambda counts, part: None), depth)
            if use_cache:
                cache.keep(self._cache_name, found[0], {**_FACTS, "counts": list(found[1])})
        self.counts = found[1]
        found[0].setflags(write=False)  # one kind of array, for which loops are compiled once
        symmetries = coordinates.symmetry_tables()
        self.lookup = Lookup(
            found[0],
            coordinates.classes().of,
            np.ascontiguousarray(symmetries.edges.T),
            np.ascontiguousarray(symmetries.flips.T),
        )
        self.seconds = time.perf_counter() - started

    @classmethod
    def is_kept(cls, puzzle: Puzzle) -> bool:
        """Whether the table of a puzzle lies in the cache folder; its data is not looked at."""
        return (cache.cache_dir() / f"{_cache_name(as_cube(puzzle).half_turns)}.npy").is_file()

    @property
    def mean(self) -> float:
        """The mean distance of all entries."""
        return float(np.average(np.arange(len(self.counts)), weights=self.counts))

    def place(self, states: NDArray[Any]) -> Array:
        """The states as they are: tables live beside the CPU."""
        return np.asarray(states)

    def values(self, states: Array) -> Array:
        """`[B]` float32: the largest distance of each state along the three axes."""
        from homeward.heuristics.cube.kernels import look_up

        rows = from_goal(self.puzzle, _on_cpu(states))
        found = np.zeros(len(rows), np.float32)
        for symmetry in turns_and_mirrors(self.puzzle.half_turns)[::16]:
            look_up(*self.lookup, *coordinates.read_coordinates(symmetry.image(rows)), found)
        if arrays.is_torch(states):
            return arrays.namespace(states).as_tensor(found, device=states.device)
        return found

    def children(self, states: Array) -> Array:
        """`[B, moves]` float32: the same for each child."""
        flat = self.puzzle.expand(states).reshape(-1, self.puzzle.cells)
        return self.values(flat).reshape(len(states), self.puzzle.moves)

    def tree(self, start: NDArray[Any]) -> CubeTree:
        """The sequences of moves from `start` `[cells]` that this bound leaves to be tried."""
        return CubeTree(self.puzzle, from_goal(self.puzzle, start[None])[0], self.lookup)

    @property
    def _cache_name(self) -> str:
        return _cache_name(self.puzzle.half_turns)

    def _recall(self, mapped: bool) -> tuple[NDArray[np.uint64], tuple[int, ...]] | None:
        stored = cache.recall(self._cache_name, _FACTS, mapped)
        if stored is None:
            return None
        counts = stored[1].get("counts")
        if not isinstance(counts, list) or stored[0].shape != (CLASSES, coordinates.SLICES):
            return None
        return stored[0], tuple(counts)


_FACTS = {"version": 1}
"""To be raised when the numbering of the table changes."""


def _cache_name(half_turns: bool) -> str:
    return f"cube-{'half' if half_turns else 'quarter'}-turns"


def _on_cpu(states: Array) -> NDArray[Any]:
    return states.cpu().numpy() if arrays.is_torch(states) else np.asarray(states)


class _Building:
    """Works the table out, one distance after the other."""

    def __init__(self, half_turns: bool, threads: int) -> None:
        moves, symmetries = coordinates.move_tables(half_turns), coordinates.symmetry_tables()
        classes = coordinates.classes()
        sets, twists = np.divmod(classes.first, coordinates.TWISTS)
        corners = moves.sets[sets].astype(np.int64) * coordinates.TWISTS + moves.twists[twists]
        self.neighbours = classes.of[corners]
        self.moves = np.ascontiguousarray(moves.edges.T)
        self.symmetries = np.ascontiguousarray(symmetries.edges.T)
        self.flips = np.ascontiguousarray(symmetries.flips.T)
        self.inverse_moves, self.inverse_symmetries = coordinates.inverses(half_turns)
        self.table = np.empty((CLASSES, coordinates.SLICES), np.uint64)
        self.crew = Crew(threads)

    def run(self, progress: Progress, depth: int | None) -> tuple[int, ...]:
        """Fills `table`; the counts by distance."""
        self._share(self._forget, lambda: progress([], 0.0))
        in_row = np.zeros(CLASSES, np.int64)
        in_row[self._set_home()] = 1
        counts = [1]
        unknown = CLASSES * coordinates.EDGES - 1
        while unknown and (depth is None or len(counts) <= depth):
            found = np.zeros(CLASSES, np.int64)

            def tell(found: NDArray[np.int64] = found, unknown: int = unknown) -> None:
                known = 1 - (unknown - int(found.sum())) / (CLASSES * coordinates.EDGES)
                progress([*counts, int(found.sum())], known)

            # Entries that are visited in vain cost less than pushing every entry 12 times.
            self._level(len(counts) - 1, counts[-1] > unknown // 6, in_row, found, tell)
            counts.append(int(found.sum()))
            unknown -= counts[-1]
            in_row = found
        if unknown:
            from homeward.heuristics.cube.kernels import fill_unknown

            counts.append(unknown)
            self._share(lambda rows: fill_unknown(self.table, rows, len(counts) - 1), lambda: None)
        return tuple(counts)

    def _forget(self, rows: NDArray[np.int64]) -> None:
        """Makes all of some rows unknown. It takes memory, so that it is a long step as well."""
        self.table[rows[0] : rows[-1] + 1] = ~np.uint64(0)

    def _set_home(self) -> int:
        """Writes distance 0 and returns its row. Every symmetry leaves the solved cube solved."""
        solved = np.repeat(np.arange(6, dtype=np.uint8), 9)[None]
        corner, edge = (int(number[0]) for number in coordinates.read_coordinates(solved))
        row = int(coordinates.classes().of[corner] >> 4)
        slice_, flips = divmod(edge, coordinates.FLIPS)
        self.table[row, slice_] ^= np.uint64(_UNKNOWN) << np.uint64(4 * flips)
        return row

    def _level(
        self,
        depth: int,
        pull: bool,
        in_row: NDArray[np.int64],
        found: NDArray[np.int64],
        tell: Callable[[], None],
    ) -> None:
        from homeward.heuristics.cube.kernels import pull_level, push_level

        def work(rows: NDArray[np.int64]) -> None:
            edges = (self.moves, self.symmetries, self.flips)
            if pull:
                pull_level(self.table, rows, self.neighbours, *edges, depth, found)
            else:
                back = (self.inverse_moves, self.inverse_symmetries)
                push_level(self.table, rows, self.neighbours, *edges, *back, in_row, depth, found)

        self._share(work, tell)

    def _share(self, work: Callable[[NDArray[np.int64]], None], tell: Callable[[], None]) -> None:
        rows = np.arange(CLASSES)
        parts = [rows[start : start + _PART] for start in range(0, CLASSES, _PART)]
        self.crew.run(parts, lambda part, hand: work(part), tell)
