"""Which cells of a permutation puzzle always travel together, found from the moves alone.

A sticker of a corner fixes the place of the corner's other stickers: wherever moves bring the one,
the others follow. So the colours on those cells tell which piece stands in a place and how it is
turned, and a state given by colours can be read back as a permutation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.orbits import Orbit, OrbitFinder
from homeward.puzzles.status import Problem, PuzzleError, Status


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
        return list(self._each_orbit())

    def _each_orbit(self) -> Iterator[Orbit]:
        """The same one after the other, as far as they are asked for: some have many."""
        if "orbits" in vars(self):
            yield from self.orbits
            return
        finder = OrbitFinder(self.table)
        for cells in finder.sets:
            yield finder.orbit(cells)

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
            for orbit in self._each_orbit()
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
