"""IDA*: depth-first search to one length after the other, cut off by an estimate.

It takes hardly any memory. With an admissible estimate the first solution is shortest, and every
length that was searched in vain is a proof that solutions are longer.

A heuristic may bring compiled code that searches its own tree (`Tree`), which then runs on all
cores. Any other heuristic is asked about batches of nodes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.batches import Batches
from homeward.workers import Crew

_UNKNOWN = 2.0
"""Seconds that a depth of unknown cost may take before there is any solution."""
_HASTE = 0.25
"""The same as a share of the time that is left, if that is less."""
_LONG = 60.0
"""What such a depth is said to take."""
_HOPELESS = 15
"""With as many digits a number of nodes says nothing."""
_ENOUGH = 1000
"""Nodes of a depth that tell how many a deeper one will have."""


class Tree(Protocol):
    """The sequences of moves from one state that an admissible estimate leaves to be tried.

    `bound` is the least length that a solution can have, and lengths differ by multiples of `step`.
    """

    @property
    def bound(self) -> int: ...

    @property
    def step(self) -> int: ...

    def parts(self, depth: int) -> Sequence[Any]:
        """Parts of the tree that can be searched apart, for sequences of `depth` moves."""
        ...

    def search(
        self, part: Any, depth: int, stop: NDArray[np.uint8], counts: NDArray[np.int64]
    ) -> list[int] | None:
        """A solution of just `depth` moves in a part, None if there is none or `stop[0]` is set.

        `counts` `[2]` grows by the nodes expanded and generated. Lets go of the interpreter.
        """
        ...


@runtime_checkable
class Worded(Tree, Protocol):
    """A tree whose parts are beginnings of sequences, which can be made longer."""

    def words(self, depth: int, moves: int) -> Sequence[tuple[int, ...]]:
        """The beginnings of so many moves, at most `depth`, in which all sequences begin."""
        ...


@runtime_checkable
class Planted(Heuristic, Protocol):
    """A heuristic that has a tree for every state."""

    def tree(self, start: NDArray[Any]) -> Tree:
        """The tree below `start` `[cells]`."""
        ...


@dataclass(frozen=True)
class IDAStar:
    """Iterative deepening with any heuristic; proves its solutions if that is admissible."""

    threads: int = 0
    """How many threads search a compiled tree, 0 for one on each core."""
    batch: int = 1000
    """How many nodes another heuristic is asked about together."""

    def __post_init__(self) -> None:
        if self.threads < 0 or self.batch < 1:
            raise PuzzleError("threads must be at least 0 and batch at least 1")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a path from `start` `[cells]` to a goal."""
        if heuristic is None:
            raise PuzzleError("IDA* needs a heuristic")
        moves: Sequence[int] | None = None
        status = Outcome.SOLVED
        try:
            if isinstance(heuristic, Planted):
                moves = deepen(heuristic.tree(start), meter, self.threads)
            else:
                moves = Batches(puzzle, heuristic, meter, self.batch).run(start)
                if moves is None:  # cut off everywhere, which only a true bound makes a proof
                    status = Outcome.UNSOLVABLE if heuristic.admissible else Outcome.OUT_OF_TIME
        except Interrupted as stop:
            status = stop.status
        return meter.solution(status, moves, meter.progress.lower_bound)


Shorten: TypeAlias = Callable[[float], int | None]
"""Told the seconds that the next depth will take (0 if nobody knows); a solution's length."""


def deepen(
    tree: Tree,
    meter: Meter,
    threads: int = 0,
    shorter_than: int | None = None,
    shorten: Shorten | None = None,
) -> list[int] | None:
    """The shortest solution of a tree; None if there is none shorter than `shorter_than`.

    `meter.progress.lower_bound` always holds what is proved so far, and what is proved already is
    not proved again. Before each depth `shorten` may look elsewhere for a solution, whose length is
    then what has to be beaten. The meter may raise `Interrupted`.
    """
    crew = Crew(threads)
    work = _Work(meter)
    looking = shorten
    while True:
        depth = _possible(tree, meter)
        if shorten is not None and (shorter_than is None or depth < shorter_than):
            length = shorten(work.next_seconds())
            shorter_than = shorter_than if length is None else length
            depth = _possible(tree, meter)
        if shorter_than is not None and depth >= shorter_than:
            return None
        meter.progress.doing = work.forecast(depth, tree.step, shorter_than)
        # A depth that takes far longer than anybody could know is left for a first solution.
        usual = max(_UNKNOWN, 4 * work.next_seconds())
        patience = math.inf
        if looking is not None and shorter_than is None:
            left = meter.seconds_left
            patience = usual if left is None else min(usual, _HASTE * left)
        try:
            found = _search(tree, depth, crew, meter, work, patience)
        except _Endless:
            assert looking is not None
            shorter_than, looking = looking(_LONG), None
            continue
        if found is not None:
            return found
        meter.progress.lower_bound = depth + tree.step


def _possible(tree: Tree, meter: Meter) -> int:
    """The least length that is not proved impossible, which becomes the meter's lower bound."""
    known = meter.progress.lower_bound - tree.bound
    meter.progress.lower_bound = tree.bound + max(0, -(-known // tree.step)) * tree.step
    return meter.progress.lower_bound


class _Endless(Exception):  # noqa: N818 - a signal within a search, not an error
    """A depth has taken longer than it may."""


def _search(
    tree: Tree, depth: int, crew: Crew, meter: Meter, work: _Work, patience: float
) -> list[int] | None:
    """A solution of just `depth` moves, if there is one; `_Endless` after `patience` seconds."""
    counts = np.zeros((crew.threads, 2), np.int64)
    found: list[list[int]] = []

    def search(part: Any, hand: int) -> None:
        moves = tree.search(part, depth, crew.stop, counts[hand])
        if moves is not None:
            found.append(moves)
            crew.stop[0] = 1

    def check() -> None:
        work.count(counts)
        meter.check()
        if time.perf_counter() > end:
            raise _Endless

    meter.check()
    work.begin()
    end = time.perf_counter() + patience
    try:
        crew.run(tree.parts(depth), search, check)
    except _Endless:
        work.count(counts)
        if not found:
            raise
    except Interrupted:
        work.finish(counts)
        if not found:
            raise
    else:
        work.finish(counts)
    return found[0] if found else None


class _Work:
    """Counts nodes in a meter, and says what the next depths will cost."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._before = (0, 0, 0)
        self._sizes: list[int] = []
        self._began = self._seconds = 0.0

    def begin(self) -> None:
        """Notes that a depth begins."""
        p = self._meter.progress
        self._before = (p.expanded, p.generated, p.evaluated)
        self._began = time.perf_counter()

    def count(self, counts: NDArray[np.int64]) -> None:
        """Adds the nodes of the running depth, `[threads, 2]`, to those of the depths before."""
        expanded, generated = (int(n) for n in counts.sum(0))
        p = self._meter.progress
        p.expanded, p.generated = self._before[0] + expanded, self._before[1] + generated
        p.evaluated = self._before[2] + generated

    def finish(self, counts: NDArray[np.int64]) -> None:
        """Notes that a depth has ended."""
        self.count(counts)
        self._sizes.append(int(counts[:, 1].sum()))
        self._seconds = time.perf_counter() - self._began

    def _growth(self) -> float:
        """How many times as many nodes a depth has as the one before; 0 if nobody knows yet."""
        enough = len(self._sizes) >= 2 and self._sizes[-2] >= _ENOUGH
        return self._sizes[-1] / self._sizes[-2] if enough else 0.0

    def next_seconds(self) -> float:
        """How long the next depth will take; 0 if nobody knows yet."""
        return self._growth() * self._seconds

    def forecast(self, depth: int, step: int, shorter_than: int | None) -> str:
        """What is being done, and how long it will take where the last depths tell."""
        doing = f"trying {depth} moves"
        if shorter_than is not None:
            doing = f"proving that {shorter_than} moves are fewest, {doing}"
        growth = self._growth()
        if not growth:
            return doing
        depths = 1 if shorter_than is None else (shorter_than - depth + step - 1) // step
        if depths * math.log10(growth) > _HOPELESS:
            return f"{doing}: longer than anybody can wait"
        times = sum(growth**i for i in range(1, depths + 1))
        nodes, seconds = self._sizes[-1] * times, self._seconds * times
        return f"{doing}: about {_short(nodes)} nodes, {_span(seconds)}"


def _short(number: float) -> str:
    """A large number in words of millions.

    >>> _short(81_200_000), _short(8_700_000_000)
    ('81 million', '8.7 thousand million')
    """
    for size, word in ((1e9, "thousand million"), (1e6, "million"), (1e3, "thousand")):
        if number >= size:
            digits = 1 if number < 10 * size else 0
            return f"{number / size:.{digits}f} {word}"
    return f"{math.ceil(number)}"


def _span(seconds: float) -> str:
    """A time as people say it.

    >>> _span(8.2), _span(300), _span(9000)
    ('8 s', '5 minutes', '2.5 hours')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
