"""Additive pattern databases: what each group of tiles costs, whatever the others do."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from homeward import cache
from homeward.heuristics.tiles.board import BoardHeuristic
from homeward.heuristics.tiles.building import Progress, build
from homeward.heuristics.tiles.layout import entries, set_numbers
from homeward.heuristics.tiles.partitions import BEST, Partition, partition
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.symmetry import square_maps

if TYPE_CHECKING:
    from homeward.heuristics.tiles.tree import BoardTree


@dataclass(frozen=True)
class Views:
    """A board turned or mirrored so that its blank belongs on the `home` cell of the tables.

    Where two ways do that, both are looked up. `maps` `[views, cells]` is where each cell comes to
    lie, `owners` and `places` `[views, symbols]` the pattern of each tile and its place in it.
    """

    home: int
    maps: NDArray[np.uint8]
    owners: NDArray[np.uint8]
    places: NDArray[np.uint8]


class AdditiveDatabase(BoardHeuristic):
    """The sum over groups of tiles of the moves that each group needs at least.

    A table holds, for every placement of its group, the fewest moves of the group's own tiles that
    take it home, whatever the other tiles do. No move counts twice, so the sums are admissible;
    the estimate is the larger of the sum and, on a square board, the sum of the board mirrored.

    `patterns` names the groups (see `partition`). Tables are read from the cache folder, or made
    on all cores first; `progress` is told how it goes.
    """

    name = "databases"

    def __init__(
        self,
        puzzle: Puzzle,
        patterns: str = BEST,
        progress: Progress | None = None,
        use_cache: bool = True,
    ) -> None:
        super().__init__(puzzle)
        board, blank = self.puzzle, int(self.homes[0])
        maps = _symmetries(board)
        home = max(int(m[blank]) for m in maps)
        self.patterns = partition(board.rows, board.columns, home, patterns)
        self.sizes = np.array([len(pattern) for pattern in self.patterns])
        self.starts = np.cumsum([0] + [entries(board.cells, k) for k in self.sizes.tolist()])
        self.views = _views([m for m in maps if m[blank] == home], self.homes, self.patterns)
        self.numbers = set_numbers(board.cells, int(self.sizes.max()))
        self.tables = _tables(board, home, self.patterns, progress, use_cache)
        """`[entries]`: the tables of all patterns, that of pattern p from `starts[p]` on."""

    def estimate(self, boards: NDArray[Any]) -> NDArray[np.int32]:
        from homeward.heuristics.tiles.kernels import look_up_sums

        found = np.empty(len(boards), np.int32)
        look_up_sums(
            boards,
            self.views.maps,
            self.views.owners,
            self.views.places,
            self.sizes,
            self.numbers,
            self.tables,
            self.starts,
            found,
        )
        return found

    def tree(self, start: NDArray[Any]) -> BoardTree:
        """The tree below `start` `[cells]`, for IDA*."""
        from homeward.heuristics.tiles.tree import BoardTree
        from homeward.heuristics.tiles.tree.dives import PatternDive

        return BoardTree(self.puzzle, start, self.estimate, PatternDive(self))


def _symmetries(board: Sliding) -> list[NDArray[np.intp]]:
    """The ways to turn and mirror a board that keep neighbours together, the identity first."""
    maps = square_maps(board.rows, board.columns)
    return [m for m in maps if not board.coiled or sorted(m[[0, -1]].tolist()) == [0, len(m) - 1]]


def _views(maps: list[NDArray[np.intp]], homes: NDArray[np.intp], patterns: Partition) -> Views:
    kept = np.array(maps[:2])
    owner, place = np.zeros(len(homes), np.uint8), np.zeros(len(homes), np.uint8)
    for number, pattern in enumerate(patterns):
        owner[list(pattern)] = number
        place[list(pattern)] = np.arange(len(pattern))
    there = np.ascontiguousarray(kept[:, homes])
    return Views(int(there[0, 0]), kept.astype(np.uint8), owner[there], place[there])


def _tables(
    board: Sliding, home: int, patterns: Partition, progress: Progress | None, use_cache: bool
) -> NDArray[np.uint8]:
    """The tables from the cache folder, or made now and kept there."""
    facts = {
        "board": [board.rows, board.columns],
        "coiled": board.coiled,
        "home": home,
        "patterns": [list(pattern) for pattern in patterns],
        "version": 1,
    }
    sizes = "-".join(str(len(pattern)) for pattern in patterns)
    kind = "coiled" if board.coiled else "tiles"
    digest = zlib.crc32(repr(sorted(facts.items())).encode())
    name = f"{kind}-{board.rows}x{board.columns}-{sizes}-{digest:08x}"
    stored = cache.recall(name, facts) if use_cache else None
    if stored is not None:
        return stored[0]
    made = build(board, home, patterns, progress)
    made.setflags(write=False)  # as it comes from the cache, which code is compiled for
    if not use_cache:
        return made
    cache.keep(name, made, facts)
    stored = cache.recall(name, facts)  # from the file, so that processes share the memory
    return made if stored is None else stored[0]
