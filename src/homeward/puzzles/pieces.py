"""Which cells of a permutation puzzle always travel together, found from the moves alone.

A sticker of a corner fixes the place of the corner's other stickers: wherever moves bring the one,
the others follow. So the colours on those cells tell which piece stands in a place and how it is
turned, and a state given by colours can be read back as a permutation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.status import Problem, PuzzleError, Status

_MOST_TURNS = 8
"""Pieces with more cells than this are not looked at in every turn."""
_MOST_FRAMES = 2000


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


class Pieces:
    """The pieces of a puzzle given by its move table `[moves, cells]` and goal `[cells]`."""

    def __init__(self, table: NDArray[Any], goal: NDArray[Any]) -> None:
        self.table = np.asarray(table, dtype=np.int64)
        self.goal = np.asarray(goal, dtype=np.int64)
        self.symbols = int(self.goal.max()) + 1

    @cached_property
    def in_order(self) -> list[int]:
        """The cells that move, piece by piece."""
        rows = [orbit.together[row] for orbit in self.orbits for row in orbit.blocks]
        return list(dict.fromkeys(np.concatenate(rows).tolist())) if rows else []

    @cached_property
    def orbits(self) -> list[Orbit]:
        """Every orbit of cells that some move moves."""
        found: list[Orbit] = []
        seen: set[int] = set()
        moved = np.flatnonzero((self.table != np.arange(self.table.shape[1])).any(0))
        for cell in moved.tolist():
            if cell not in seen:
                orbit = self._orbit(cell)
                found.append(orbit)
                seen.update(orbit.cells.tolist())
        return found

    def _orbit(self, start: int) -> Orbit:
        reach = self._reach(start)
        frame = [start]
        while True:
            # Where moves take the cells of the frame, each with a permutation that does it.
            movers = {tuple(frame): np.arange(self.table.shape[1])}
            queue = [tuple(frame)]
            for places in queue:  # grows while it is read
                for move in self.table:
                    target = tuple(move[list(places)].tolist())
                    if target not in movers:
                        movers[target] = move[movers[places]]
                        queue.append(target)
            fixed, parts = self._stabiliser(movers, reach)
            mate = self._turning_mate(start, reach, parts)
            if mate is None or len(movers) > _MOST_FRAMES:
                break
            frame.append(mate)
        others = [c for c in fixed if c != start and len(self._reach(c)) == len(reach)]
        order = np.array([start, *others], dtype=np.int64)
        rows = np.array([movers[places][order] for places in sorted(movers)])
        return Orbit(rows[:, 0].copy(), rows)

    def _stabiliser(
        self, movers: dict[tuple[int, ...], NDArray[np.int64]], reach: list[int]
    ) -> tuple[list[int], list[list[int]]]:
        """What stays when a frame stays: the cells that do, and how `reach` falls into orbits.

        `movers` are a transversal, so Schreier's generators generate all moves that fix the frame.
        """
        numbers = np.arange(self.table.shape[1])
        fixed = np.ones(self.table.shape[1], dtype=bool)
        back = {places: np.argsort(mover) for places, mover in movers.items()}
        parts = Partition(self.table.shape[1])
        for places, mover in movers.items():
            for move in self.table:
                generator = back[tuple(move[list(places)].tolist())][move[mover]]
                fixed &= generator == numbers
                for cell, image in zip(reach, generator[reach].tolist(), strict=True):
                    parts.join(cell, image)
        return np.flatnonzero(fixed).tolist(), parts.groups()

    def _turning_mate(self, start: int, reach: list[int], parts: list[list[int]]) -> int | None:
        """A cell of the same piece as `start` that can still turn about it, if there is one.

        Two cells belong to one piece if the smallest block that holds both, a set that every move
        takes to itself or away from itself, is small.
        """
        for part in parts:
            if 1 < len(part) < _MOST_TURNS and part[0] in reach:
                block = Partition(self.table.shape[1])
                block.join(start, part[0])
                pairs = [(start, part[0])]
                for one, other in pairs:  # grows while it is read
                    for a, b in self.table[:, [one, other]].tolist():
                        if block.join(a, b):
                            pairs.append((a, b))
                size = sum(block.find(c) == block.find(start) for c in reach)
                if size <= _MOST_TURNS and size < len(reach):
                    return part[0]
        return None

    def _reach(self, start: int) -> list[int]:
        """The cells that moves take `start` to."""
        seen = {start}
        queue = [start]
        for place in queue:
            for target in self.table[:, place].tolist():
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
        return queue

    # --- reading states

    def _keys(self, orbit: Orbit, states: NDArray[Any]) -> NDArray[np.int64]:
        """`[B, n]`: the colours that travel with each cell of an orbit, as one number."""
        width = orbit.together.shape[1]
        if width * math.log2(max(2, self.symbols)) <= 62:
            weights = np.array([self.symbols**i for i in range(width)])
        else:  # too many colours to be the digits of one number: a hash of them
            weights = np.random.default_rng(0).integers(2**62, size=(width,))
        keys: NDArray[np.int64] = states[:, orbit.together].astype(np.int64) @ weights
        return keys

    @cached_property
    def distinct(self) -> bool:
        """Whether no two pieces look alike, so that a state is one permutation."""
        return all(
            len(np.unique(self._keys(orbit, self.goal[None]))) == len(orbit.cells)
            for orbit in self.orbits
        )

    def permutations(self, states: NDArray[Any]) -> NDArray[np.int64]:
        """`[B, cells]`: `p` with `state = goal[p]`; `PuzzleError` where there is not just one."""
        if not self.distinct:
            raise PuzzleError("pieces that look alike: a state has no single permutation")
        states = np.asarray(states)
        result = np.tile(np.arange(states.shape[1]), (len(states), 1))
        for orbit in self.orbits:
            known = self._keys(orbit, self.goal[None])[0]
            order = np.argsort(known)
            keys = self._keys(orbit, states)
            at = np.minimum(np.searchsorted(known[order], keys), len(known) - 1)
            self._require_known(known[order][at] == keys, orbit)
            result[:, orbit.cells] = orbit.cells[order][at]
        self._require_once(np.sort(result, axis=1) == np.arange(states.shape[1]))
        fixed = (states == self.goal[result]).all(0)
        self._require_unmoved(fixed)
        return result

    def matchings(self, state: NDArray[Any], n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """`[n, cells]`: random permutations `p` with `state = goal[p]` that keep pieces whole.

        For puzzles with pieces that look alike; raises `PuzzleError` if there is none.
        """
        row = np.asarray(state)[None]
        result = np.tile(np.arange(row.shape[1]), (n, 1))
        for orbit in self.orbits:
            blocks = orbit.blocks
            want = self._keys(orbit, row)[0][blocks]
            have = self._keys(orbit, self.goal[None])[0]
            for p in result:
                self._match(orbit, want, have, p, rng)
        self._require_unmoved((row == self.goal[result[:1]]).all(0))
        return result

    def _match(
        self,
        orbit: Orbit,
        want: NDArray[np.int64],
        have: NDArray[np.int64],
        permutation: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> None:
        """Gives each place of one orbit a random piece of the goal that looks as it should."""
        taken: set[int] = set()
        for block, key in zip(orbit.blocks.tolist(), want.tolist(), strict=True):
            alike = np.flatnonzero(have == key)
            fits = [r for r in alike if int(orbit.cells[r]) not in taken]
            self._require_known(np.arange(len(have)) != (-1 if len(alike) else block), orbit)
            if not fits:
                cells = ", ".join(str(c) for c in sorted(orbit.together[block].tolist()))
                text = f"there are too many pieces like the one in cells {cells}"
                raise PuzzleError(text, [Problem(Status.DUPLICATE_PIECE, text, cells)])
            row = fits[int(rng.integers(len(fits)))]
            taken.update(orbit.together[row].tolist())
            permutation[orbit.together[block]] = orbit.together[row]

    def _require_known(self, known: NDArray[np.bool_], orbit: Orbit) -> None:
        if not known.all():
            column = int(np.argwhere(~np.atleast_2d(known))[0][1])
            cells = ", ".join(str(c) for c in sorted(orbit.together[column].tolist()))
            text = f"the symbols in cells {cells} belong to no piece of this puzzle"
            raise PuzzleError(text, [Problem(Status.IMPOSSIBLE_PIECE, text, cells)])

    def _require_once(self, once: NDArray[np.bool_]) -> None:
        if not once.all():
            cell = int(np.argwhere(~once)[0][1])
            text = f"a piece appears twice and the one of cell {cell} or one before it is missing"
            raise PuzzleError(text, [Problem(Status.DUPLICATE_PIECE, text, str(cell))])

    def _require_unmoved(self, right: NDArray[np.bool_]) -> None:
        if not right.all():
            cell = int(np.flatnonzero(~right)[0])
            text = f"cell {cell} never moves and does not show what it shows in the goal"
            raise PuzzleError(text, [Problem(Status.IMPOSSIBLE_PIECE, text, str(cell))])


class Partition:
    """Sets of cells that can be joined."""

    def __init__(self, cells: int) -> None:
        self._parent = list(range(cells))

    def find(self, cell: int) -> int:
        while self._parent[cell] != cell:
            self._parent[cell] = self._parent[self._parent[cell]]
            cell = self._parent[cell]
        return cell

    def join(self, one: int, other: int) -> bool:
        """Whether they were apart before."""
        one, other = self.find(one), self.find(other)
        self._parent[max(one, other)] = min(one, other)
        return one != other

    def groups(self) -> list[list[int]]:
        """Every set, its cells in order."""
        found: dict[int, list[int]] = {}
        for cell in range(len(self._parent)):
            found.setdefault(self.find(cell), []).append(cell)
        return list(found.values())
