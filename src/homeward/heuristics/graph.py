"""Whole graphs: the distance home of every state there is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward import cache
from homeward.puzzles.base import Puzzle
from homeward.puzzles.ranking import Distances, Ranking, flood, ranking, unreached

MOST_HARDEST = 1000
"""Hardest states that are listed; `counts` has their true number."""

Progress: TypeAlias = Callable[[list[int], int], None]
"""Called after each level with the counts by distance so far and the number of all states."""


@dataclass(frozen=True)
class Graph:
    """Every state of a puzzle by its distance home.

    `counts[d]` is the number of states that need d moves. `hardest` `[n, cells]` are the states
    that need the most, in the order of their numbers and at most `MOST_HARDEST` of them.
    `distances` `[states]` is the table, by the numbers of `ranking`. `seconds` is the time it took
    to make the table, or to read it if it was `kept` on disk.
    """

    puzzle: str
    counts: tuple[int, ...]
    hardest: NDArray[Any] = field(repr=False)
    seconds: float
    kept: bool
    distances: Distances = field(repr=False)
    ranking: Ranking = field(repr=False)

    @property
    def states(self) -> int:
        """How many states there are."""
        return sum(self.counts)

    @property
    def diameter(self) -> int:
        """The largest distance: God's number."""
        return len(self.counts) - 1


def distances(puzzle: Puzzle, progress: Progress | None = None, use_cache: bool = True) -> Graph:
    """The distance of every state, from the cache folder or else worked out on all cores.

    Raises `PuzzleError` if there are too many states or they cannot be numbered. With several
    goals the distance is to the nearest one.

    >>> from homeward.puzzles import puzzle
    >>> distances(puzzle("sliding-2x3"), use_cache=False).counts[:8]
    (1, 2, 3, 5, 6, 7, 10, 12)
    """
    started = time.perf_counter()
    numbers = ranking(puzzle)
    found = _recall(puzzle, numbers) if use_cache else None
    table, counts = found or _enumerate(puzzle, numbers, progress)
    hardest = numbers.unrank(_first_at(table, len(counts) - 1))
    seconds = time.perf_counter() - started
    if use_cache and found is None:
        cache.keep(_name(puzzle, numbers), table, {**_facts(puzzle, numbers), "counts": counts})
    return Graph(puzzle.name, tuple(counts), hardest, seconds, found is not None, table, numbers)


def _name(puzzle: Puzzle, numbers: Ranking) -> str:
    """The name in the cache; puzzles read from files may have any name."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", puzzle.name)
    return f"distances-{plain[-60:]}-{numbers.fingerprint[:12]}"


def _facts(puzzle: Puzzle, numbers: Ranking) -> dict[str, Any]:
    return {"puzzle": puzzle.name, "fingerprint": numbers.fingerprint}


def _recall(puzzle: Puzzle, numbers: Ranking) -> tuple[Distances, list[int]] | None:
    """The table and the counts from the cache, if they are there and whole."""
    stored = cache.recall(_name(puzzle, numbers), _facts(puzzle, numbers))
    if stored is None:
        return None
    table, facts = stored
    counts = facts.get("counts")
    if not isinstance(counts, list) or not all(isinstance(n, int) for n in counts):
        return None
    return (table, counts) if sum(counts) == len(table) == numbers.size else None


def _first_at(table: Distances, depth: int) -> NDArray[np.int64]:
    """`[n]`: the first `MOST_HARDEST` numbers at a distance."""
    part = 1 << 24  # a mask of the whole table would take as much memory again
    found: list[int] = []
    for start in range(0, len(table), part):
        here = np.flatnonzero(table[start : start + part] == depth)
        found += (here + start).tolist()
        if len(found) >= MOST_HARDEST:
            break
    return np.array(found[:MOST_HARDEST], dtype=np.int64)


def _enumerate(
    puzzle: Puzzle, numbers: Ranking, progress: Progress | None
) -> tuple[Distances, list[int]]:
    """The table of distances and the counts by distance."""
    table = unreached(numbers.size)
    table[numbers.rank(puzzle.goals)] = 0
    tell = None if progress is None else lambda counts: progress(counts, numbers.size)
    table, counts = flood(numbers.spread, table, tell)
    if sum(counts) != numbers.size:
        raise AssertionError(
            f"{puzzle.name}: {sum(counts):,} of {numbers.size:,} numbered states were reached"
        )
    return table, counts
