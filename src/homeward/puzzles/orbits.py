"""Which cells always travel together, worked out for one orbit of cells at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.partition import Partition, orbits_of
from homeward.puzzles.status import PuzzleError

_MOST_TURNS = 8
"""Pieces with more cells than this are not looked at in every turn."""
_MOST_FRAMES = 2000
_MOST_ENTRIES = 2**24
"""Of the table that says where moves take cells: it has a row for each place of a frame."""


@dataclass(frozen=True)
class Orbit:
    """Cells that moves carry into one another.

    `cells` is `[n]`. `together` is `[n, k]`: row i lists the cells that travel with `cells[i]`,
    itself first, in an order that moves preserve: a move that takes row i's first cells to row j's
    takes the whole row i to row j. A cell has one row, except where a piece can turn about it, as
    the pieces of a four-dimensional cube can: then it has one for every such turn.
    """

    cells: NDArray[np.int64]
    together: NDArray[np.int64]

    @cached_property
    def blocks(self) -> NDArray[np.int64]:
        """`[pieces]`: the row of one cell (the first) of each piece."""
        seen: set[int] = set()
        first = []
        for row, cell in enumerate(self.cells.tolist()):
            if cell not in seen:
                first.append(row)
                seen.update(self.together[row].tolist())
        return np.array(first)


@dataclass(frozen=True)
class _Frames:
    """Every place that moves take some cells to, the frame, each with moves that do it.

    `places` is `[F, k]`, in order. `movers` is `[F, watched]`: where those moves take the cells
    `watched`, among which are all of the orbit. `onward` is `[F, moves]`: the number of the place
    that one more move leads to, for those `moves` that do anything to the orbit.
    """

    places: NDArray[np.int64]
    watched: NDArray[np.int64]
    movers: NDArray[np.int32]
    moves: NDArray[np.intp]
    onward: NDArray[np.intp]


class OrbitFinder:
    """Finds the orbits of a move table `[moves, cells]`."""

    def __init__(self, table: NDArray[np.int64]) -> None:
        self.table = table
        self._moved = table != np.arange(table.shape[1])
        self.sets = orbits_of(table)
        """The cells of each orbit, in order."""
        self._sizes = np.ones(table.shape[1], dtype=np.int64)
        for cells in self.sets:
            self._sizes[cells] = len(cells)

    def orbit(self, cells: NDArray[np.int64]) -> Orbit:
        """What travels with each cell of one of `sets`."""
        start = int(cells[0])
        frame = [start]
        while True:
            frames = self._frames(frame, cells)
            fixed = self._fixed(frames)
            mate = self._turning_mate(start, cells, self._parts(frames, cells))
            if mate is None or len(frames.places) > _MOST_FRAMES:
                break
            frame.append(mate)
        others = fixed[(fixed != start) & (self._sizes[fixed] == len(cells))]
        order = np.concatenate([[start], others])
        rows = frames.movers[:, np.searchsorted(frames.watched, order)].astype(np.int64)
        return Orbit(rows[:, 0].copy(), rows)

    def _frames(self, frame: list[int], cells: NDArray[np.int64]) -> _Frames:
        # What always stays when the frame stays, stays by single moves at least.
        staying = ~self._moved[:, frame].any(1)
        watched = ~self._moved[staying].any(0) & (self._sizes == len(cells))
        watched[cells] = True
        columns = np.flatnonzero(watched)
        if len(cells) * len(columns) > _MOST_ENTRIES:
            raise PuzzleError(
                f"moves carry {len(cells)} cells into one another, too many to find out which of "
                "them belong to one piece"
            )
        moves = np.flatnonzero(self._moved[:, cells].any(1))
        table, numbers = self.table[moves], {tuple(frame): 0}
        movers = [columns.astype(np.int32)]
        onward = []
        queue: list[tuple[int, ...]] = [tuple(frame)]
        for places in queue:  # grows while it is read
            row = []
            here = movers[numbers[places]]
            targets = table[:, list(places)].tolist()
            for move, target in zip(table, map(tuple, targets), strict=True):
                if target not in numbers:
                    numbers[target] = len(movers)
                    movers.append(move[here].astype(np.int32))
                    queue.append(target)
                row.append(numbers[target])
            onward.append(row)
        order = sorted(range(len(queue)), key=queue.__getitem__)
        renumbered = np.argsort(order)
        return _Frames(
            np.array(queue)[order],
            columns,
            np.array(movers)[order],
            moves,
            renumbered[np.array(onward)[order]],
        )

    def _fixed(self, frames: _Frames) -> NDArray[np.int64]:
        """The cells among those watched that stay whenever the frame stays.

        The movers are a transversal, so Schreier's generators generate all moves that fix the
        frame: a mover, one more move, and back from where that leads.
        """
        idle = np.ones(len(self.table), dtype=bool)
        idle[frames.moves] = False
        elsewhere = self._moved[idle].any(0)
        kept = np.flatnonzero(~elsewhere[frames.movers].any(0))
        for here, onward in zip(frames.movers, frames.onward, strict=True):
            images = self.table[np.ix_(frames.moves, here[kept])]
            kept = kept[(images == frames.movers[np.ix_(onward, kept)]).all(0)]
        fixed: NDArray[np.int64] = frames.watched[kept]
        return fixed

    def _parts(self, frames: _Frames, cells: NDArray[np.int64]) -> list[list[int]]:
        """How an orbit falls into orbits when the frame stays."""
        number = np.zeros(self.table.shape[1], dtype=np.int32)
        number[cells] = np.arange(len(cells))
        movers = number[frames.movers[:, np.searchsorted(frames.watched, cells)]]
        back = np.argsort(movers, axis=1).astype(np.int32)
        table = number[self.table[np.ix_(frames.moves, cells)]]
        parts = Partition(len(cells))
        labels = parts.labels()
        for here, onward in zip(movers, frames.onward, strict=True):
            images = np.take_along_axis(back[onward], table[:, here], axis=1)
            apart = labels[images] != labels
            if apart.any():
                _, columns = np.nonzero(apart)
                parts.join_all(zip(columns.tolist(), images[apart].tolist(), strict=True))
                labels = parts.labels()
        return [cells[part].tolist() for part in parts.groups()]

    def _turning_mate(
        self, start: int, cells: NDArray[np.int64], parts: list[list[int]]
    ) -> int | None:
        """A cell of the same piece as `start` that can still turn about it, if there is one.

        Two cells belong to one piece if the smallest block that holds both, a set that every move
        takes to itself or away from itself, is small.
        """
        for part in parts:
            if 1 < len(part) < _MOST_TURNS:
                block = Partition(self.table.shape[1])
                block.join(start, part[0])
                pairs = [(start, part[0])]
                for one, other in pairs:  # grows while it is read
                    for a, b in self.table[:, [one, other]].tolist():
                        if block.join(a, b):
                            pairs.append((a, b))
                size = sum(block.find(c) == block.find(start) for c in cells.tolist())
                if size <= _MOST_TURNS and size < len(cells):
                    return part[0]
        return None
