"""Every heuristic by its name, made when it is first asked for.

`--set heuristic=NAME` gives any of them to a solver whose search asks whatever it is given. A new
one is one entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from homeward.heuristics.base import Heuristic
from homeward.options import choices
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Meter
from homeward.solvers import fitness

Maker: TypeAlias = Callable[[Puzzle, Meter], Heuristic]
"""Makes a heuristic for a puzzle, within a meter's budget."""

NET, BOUND, PROOF = "net", "bound", "proof"
"""Names that stand for a learned net, and for the first of `_BOUNDS` or of `_PROOFS` that fits."""


@dataclass(frozen=True)
class Estimate:
    """A heuristic by name: `admissible` if it is never too large, `why_not` as for a solver.

    `model` is the shipped model that it asks, if it asks one.
    """

    name: str
    help: str
    make: Maker
    why_not: Callable[[Puzzle], str]
    admissible: bool = True
    model: str | None = None


def estimate(name: str) -> Estimate:
    """The estimate of that name; `PuzzleError` with the nearest one if there is none."""
    if name not in ESTIMATES:
        raise PuzzleError(f"there is no heuristic named {name!r}{choices(name, [NET, *ESTIMATES])}")
    return ESTIMATES[name]


def _distances(puzzle: Puzzle, meter: Meter) -> Heuristic:
    from homeward.heuristics.graph import distances
    from homeward.heuristics.table import DistanceTable

    def tell(counts: list[int], states: int) -> None:
        meter.progress.doing = f"working out {states:,} distances, {sum(counts) / states:.0%}"
        meter.check(states)

    return DistanceTable(puzzle, distances(puzzle, tell))


def _databases(patterns: str) -> Maker:
    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        from homeward.heuristics.tiles.additive import AdditiveDatabase

        def tell(done: int, total: int) -> None:
            meter.progress.doing = f"making pattern databases, {done / total:.0%}"
            meter.check(3 * total)  # with what is needed on the way
            meter.expect(done / total)

        return AdditiveDatabase(puzzle, patterns, tell)

    return make


def _manhattan(puzzle: Puzzle, meter: Meter) -> Heuristic:
    from homeward.heuristics.tiles.manhattan import Manhattan

    meter.check(8 * (2 + 3 * puzzle.moves) * puzzle.cells**2)  # tables for each pair of cells
    return Manhattan(puzzle)


def _conflicts(puzzle: Puzzle, meter: Meter) -> Heuristic:
    from homeward.heuristics.tiles.conflicts import LinearConflicts

    return LinearConflicts(puzzle)


def _matching(puzzle: Puzzle, meter: Meter) -> Heuristic:
    from homeward.heuristics.sokoban.matching import MatchingBound

    return MatchingBound(puzzle)


def _cube_table(puzzle: Puzzle, meter: Meter) -> Heuristic:
    from homeward.heuristics.cube.bigtable import BYTES, BigTable

    def tell(counts: list[int], part: float) -> None:
        meter.progress.doing = f"making the table of {puzzle.name}, {part:.0%}"
        meter.check(BYTES)

    if not BigTable.is_kept(puzzle):
        meter.check(BYTES)
    fits = meter.budget.bytes is None or meter.budget.bytes >= BYTES
    return BigTable(puzzle, tell, in_memory=fits)


def _cube_patterns(name: str, summed: bool = False) -> Maker:
    """A named set of the cube's pattern databases: the largest of them, or their sum."""

    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        from homeward.heuristics.cube.korf import pattern_set
        from homeward.heuristics.patterns import SumOf

        def tell(counts: list[int], placements: int) -> None:
            meter.progress.doing = f"making pattern databases, {sum(counts) / placements:.0%}"
            meter.check(2 * placements)

        largest = pattern_set(puzzle, name, lambda pattern: tell)
        return SumOf(puzzle, largest.heuristics, f"{name}-sum") if summed else largest

    return make


def _stickers(name: str) -> Maker:
    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        from homeward.heuristics.cube.features import stickers

        return stickers.named(puzzle, name)

    return make


def _judged(plus: bool) -> Maker:
    """The learned heuristic on features of the cube, whose databases are made first."""

    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        from homeward.heuristics.cube.features.learned import JudgedFeatures

        _cube_patterns("eight")(puzzle, meter)
        return JudgedFeatures(puzzle, plus)

    return make


def _first_of(names: Sequence[str]) -> Maker:
    """The first of some estimates that a puzzle has."""

    def make(puzzle: Puzzle, meter: Meter) -> Heuristic:
        fitting = (ESTIMATES[name] for name in names if not ESTIMATES[name].why_not(puzzle))
        return next(fitting).make(puzzle, meter)

    return make


def _why_none_of(names: Sequence[str], what: str) -> Callable[[Puzzle], str]:
    def why_not(puzzle: Puzzle) -> str:
        reasons = [ESTIMATES[name].why_not(puzzle) for name in names]
        return f"no {what} is known for {puzzle.name}" if all(reasons) else ""

    return why_not


_BOUNDS = ("distances", "matching", "databases-light", "manhattan", "korf")
_PROOFS = ("cube-table", "databases", "manhattan")
"""Those with a compiled search of their own, the strongest first."""

ESTIMATES = {
    one.name: one
    for one in (
        Estimate(
            BOUND,
            "the best of these that is soon made",
            _first_of(_BOUNDS),
            _why_none_of(_BOUNDS, "lower bound"),
        ),
        Estimate(
            PROOF,
            "the best of these that has a compiled search",
            _first_of(_PROOFS),
            _why_none_of(_PROOFS, "compiled search"),
        ),
        Estimate("distances", "the distances of the whole graph", _distances, fitness.why_no_table),
        Estimate("manhattan", "each tile by itself", _manhattan, fitness.why_no_board),
        Estimate(
            "conflicts", "manhattan with linear conflicts", _conflicts, fitness.why_no_conflicts
        ),
        Estimate(
            "databases",
            "additive pattern databases of boards",
            _databases("best"),
            fitness.why_no_databases,
        ),
        Estimate(
            "databases-light",
            "the same, small and soon made",
            _databases("light"),
            fitness.why_no_databases,
        ),
        Estimate("cube-table", "the big table of the 3×3×3 cube", _cube_table, fitness.why_no_cube),
        Estimate(
            "korf",
            "Korf's three databases of the cube",
            _cube_patterns("korf"),
            fitness.why_no_cube,
        ),
        Estimate(
            "korf7",
            "the same with seven edges each",
            _cube_patterns("korf7"),
            fitness.why_no_cube,
        ),
        Estimate(
            "eight",
            "the largest of the eight databases of the heuristic-learning paper",
            _cube_patterns("eight"),
            fitness.why_no_cube,
        ),
        Estimate(
            "eight-sum",
            "their sum",
            _cube_patterns("eight", summed=True),
            fitness.why_no_cube,
            admissible=False,
        ),
        *(
            Estimate(f"sticker-{name}", help, _stickers(name), fitness.why_no_stickers)
            for name, help in (
                ("errors", "stickers on a wrong face"),
                ("distance", "the same, twice for the opposite face"),
                ("pairs-different", "neighbours of different colours"),
                ("face-different", "stickers of one face of different colours"),
                ("face-error", "stickers of the first face that are wrong"),
            )
        ),
        Estimate(
            "stickers", "the largest of these five", _stickers("largest"), fitness.why_no_stickers
        ),
        Estimate(
            "stickers-sum",
            "their sum",
            _stickers("sum"),
            fitness.why_no_stickers,
            admissible=False,
        ),
        Estimate(
            "hnn",
            "what a small net makes of 22 features, as in the heuristic-learning paper",
            _judged(plus=False),
            fitness.why_no_features,
            admissible=False,
            model="cube3-features",
        ),
        Estimate(
            "hnn+",
            "the same, and at least the eight databases",
            _judged(plus=True),
            fitness.why_no_features,
            admissible=False,
            model="cube3-features",
        ),
        Estimate("matching", "boxes to targets, each by itself", _matching, fitness.why_no_sokoban),
    )
}
