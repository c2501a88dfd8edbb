"""Lights Out by elimination: which lamps to press follows from the first row.

Once the presses of a row and of the one above are chosen, only the row below can still darken it;
so the first row decides everything, down to the row below the last, which must stay unpressed.
That is one linear equation over GF(2) for each column, solved by elimination once for a size.
Where several first rows do, their solutions differ by quiet patterns, sets of presses that change
nothing, and the shortest is found by trying them all. A row or a set of presses is one integer,
lamp i its bit i.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.lightsout import LightsOut
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Interrupted, Meter, Outcome, Solution

_TOGETHER = 12
"""Quiet patterns whose sums are all tried at once, 2^12 solutions in a cache's worth of memory."""
_MANY = 20
"""Quiet patterns whose sums are all tried within a fraction of a second."""


@dataclass(frozen=True)
class Elimination:
    """Solves the linear equations, then takes the shortest solution there is.

    Trying all solutions proves the answer. Where they are very many, sums of a few patterns at a
    time come first, so that a good solution is at hand when the budget ends.
    """

    rounds: int = 200
    """How often in vain a few patterns, drawn at random, are tried before all are."""

    def __post_init__(self) -> None:
        if self.rounds < 0:
            raise PuzzleError(f"rounds must be at least 0, not {self.rounds}")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Solves `start` `[cells]`; asks no heuristic."""
        if not isinstance(puzzle, LightsOut):
            raise PuzzleError(f"elimination is for Lights Out, not {puzzle.name}")
        lit = np.asarray(start) ^ puzzle.goal
        equations = _equations(puzzle.size)
        presses = equations.solve(lit)
        if presses is None:
            return meter.solution(Outcome.UNSOLVABLE)
        meter.progress.lower_bound = -(-int(lit.sum()) // 5)  # a press flips five lamps at most
        meter.progress.generated += 1
        search = _Coset(presses, equations.quiet, puzzle.cells, meter)
        status = Outcome.SOLVED
        try:
            if len(equations.quiet) > _MANY:
                search.try_some(self.rounds)
            search.try_all()
            meter.progress.lower_bound = len(search.presses())
        except Interrupted as stop:
            status = stop.status
        return meter.solution(status, search.presses(), meter.progress.lower_bound)


@dataclass(frozen=True)
class _Equations:
    """What the first row must be so that no press is due below the last row.

    `steps` are `(pivot, row, first)`: pressing `first` in the first row makes presses `row` due
    below the last, whose highest lamp is `pivot`. `quiet` are the quiet patterns of the board.
    """

    size: int
    steps: tuple[tuple[int, int, int], ...]
    quiet: tuple[int, ...]

    def solve(self, lit: NDArray[Any]) -> int | None:
        """Presses that darken the lit lamps `[cells]`, None if none do."""
        packed = np.packbits(lit.reshape(self.size, self.size), axis=1, bitorder="little")
        rows = [int.from_bytes(row.tobytes(), "little") for row in packed]
        _, due = _chase(rows, 0)
        first = 0
        for pivot, row, source in self.steps:
            if due >> pivot & 1:
                due ^= row
                first ^= source
        return _chase(rows, first)[0] if due == 0 else None


@lru_cache(maxsize=32)
def _equations(size: int) -> _Equations:
    """The elimination for a size of board."""
    dark = [0] * size
    steps: list[tuple[int, int, int]] = []
    quiet = []
    for lamp in range(size):
        first = 1 << lamp
        _, due = _chase(dark, first)
        for pivot, row, source in steps:
            if due >> pivot & 1:
                due ^= row
                first ^= source
        if due:
            steps.append((due.bit_length() - 1, due, first))
        else:
            quiet.append(_chase(dark, first)[0])
    return _Equations(size, tuple(steps), tuple(quiet))


def _chase(rows: list[int], first: int) -> tuple[int, int]:
    """Presses the first row as given and each row below so that the one above it gets dark.

    All presses of the board, and those that would be due below the last row.
    """
    size = len(rows)
    mask = (1 << size) - 1
    presses, above, here = 0, 0, first
    for number, lit in enumerate(rows):
        presses |= here << number * size
        above, here = here, lit ^ above ^ here ^ (here << 1 & mask) ^ here >> 1
    return presses, here


class _Coset:
    """The best of the solutions that differ from a first one by quiet patterns."""

    def __init__(self, presses: int, quiet: tuple[int, ...], cells: int, meter: Meter) -> None:
        self.cells, self.meter = cells, meter
        self._words = -(-cells // 64)
        self.best = self._packed([presses])[0]
        self.quiet = self._packed(quiet)

    def _packed(self, sets: list[int] | tuple[int, ...]) -> NDArray[np.uint64]:
        """`[n, words]`: sets of presses, 64 lamps to a word."""
        data = b"".join(s.to_bytes(self._words * 8, "little") for s in sets)
        return np.frombuffer(data, dtype="<u8").astype(np.uint64).reshape(-1, self._words)

    def presses(self) -> list[int]:
        """The lamps to press, in order."""
        found = self.best.astype("<u8").view(np.uint8)
        pressed: list[int] = np.flatnonzero(np.unpackbits(found, bitorder="little")).tolist()
        return pressed

    def try_all(self) -> None:
        """Every sum of quiet patterns."""
        near, far = _sums(self.quiet[:_TOGETHER]), self.quiet[_TOGETHER:]
        here, patterns = self.best, 2.0 ** len(self.quiet)
        self.meter.progress.doing = f"trying {patterns:,.0f} solutions"
        for change in _gray(len(far)):
            here = here if change < 0 else here ^ far[change]
            self._try(near ^ here)

    def try_some(self, rounds: int) -> None:
        """Sums of a few patterns at a time, drawn at random, until so many draws were in vain."""
        self.meter.progress.doing = "trying sums of a few quiet patterns"
        rng = np.random.default_rng(0)
        vain = 0
        while vain < rounds:
            drawn = rng.permutation(len(self.quiet))[:_TOGETHER]
            vain = 0 if self._try(_sums(self.quiet[drawn]) ^ self.best) else vain + 1

    def _try(self, sets: NDArray[np.uint64]) -> bool:
        """Whether one of the sets of presses `[n, words]` is smaller than the best, now it."""
        counts = np.bitwise_count(sets).sum(1, dtype=np.uint32)
        number = int(counts.argmin())
        better = bool(counts[number] < np.bitwise_count(self.best).sum(dtype=np.uint32))
        if better:
            self.best = sets[number]
            self.meter.progress.best = int(counts[number])
        self.meter.progress.generated += len(sets)
        self.meter.check()
        return better


def _sums(patterns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`[2^n, words]`: all sums of patterns `[n, words]`."""
    sums = np.zeros((1, patterns.shape[1]), np.uint64)
    for pattern in patterns:
        sums = np.concatenate([sums, sums ^ pattern])
    return sums


def _gray(bits: int) -> Iterator[int]:
    """Which bit to change, one after the other, to come through all numbers; -1 for none at first.

    >>> list(_gray(2))
    [-1, 0, 1, 0]
    """
    yield -1
    for number in range(1, 1 << bits):
        yield (number & -number).bit_length() - 1
