"""The heuristics that solvers ask, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.search.base import Meter


def distance_table(puzzle: Puzzle, meter: Meter) -> Heuristic:
    """The distances of a whole graph, read from disk or worked out now."""
    from homeward.heuristics.graph import distances
    from homeward.heuristics.table import DistanceTable

    def tell(counts: list[int], states: int) -> None:
        meter.progress.doing = f"working out {states:,} distances, {sum(counts) / states:.0%}"
        meter.check(states)

    return DistanceTable(puzzle, distances(puzzle, tell))


def databases(patterns: str) -> Callable[[Puzzle, Meter], Heuristic]:
    """Additive pattern databases of a sliding board, read from disk or made now."""

    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        from homeward.heuristics.tiles.additive import AdditiveDatabase

        def tell(done: int, total: int) -> None:
            meter.progress.doing = f"making pattern databases, {done / total:.0%}"
            meter.check(3 * total)  # with what is needed on the way

        return AdditiveDatabase(puzzle, patterns, tell)

    return make


def manhattan(puzzle: Puzzle, meter: Meter) -> Heuristic:
    """How far the tiles of a sliding board are from home, each by itself."""
    from homeward.heuristics.tiles.manhattan import Manhattan

    return Manhattan(puzzle)


def cube_table(puzzle: Puzzle, meter: Meter) -> Heuristic:
    """The cube's big table, read from disk or made now."""
    from homeward.heuristics.cube.bigtable import BYTES, BigTable

    def tell(counts: list[int], part: float) -> None:
        meter.progress.doing = f"making the table of {puzzle.name}, {part:.0%}"
        meter.check(BYTES)

    if not BigTable.is_kept(puzzle):
        meter.check(BYTES)
    fits = meter.budget.bytes is None or meter.budget.bytes >= BYTES
    return BigTable(puzzle, tell, in_memory=fits)


def cube_patterns(name: str) -> Callable[[Puzzle, Meter], Heuristic]:
    """A named set of the cube's pattern databases, read from disk or made now."""

    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        from homeward.heuristics.cube.korf import pattern_set

        def tell(counts: list[int], placements: int) -> None:
            meter.progress.doing = f"making pattern databases, {sum(counts) / placements:.0%}"
            meter.check(2 * placements)

        return pattern_set(puzzle, name, lambda pattern: tell)

    return make
