"""Pattern databases of the 3×3×3 cube by name: Korf's three, and the eight of a later paper.

Korf (1997) took the corners and two complementary sets of six edges; with seven edges each the two
sets overlap and take twelve times the memory. "Heuristic learning" took the corners and seven sets
of six edges, without saying which; these are the four edges of each face with two of the slice
next to it, and a belt of six.
"""

from __future__ import annotations

from collections.abc import Callable

from homeward.heuristics.graph import Progress
from homeward.heuristics.patterns import PatternDatabase, PatternMax
from homeward.puzzles.base import Puzzle
from homeward.puzzles.cube import Cube
from homeward.puzzles.cube_pieces import Kind, corners, edges
from homeward.puzzles.status import PuzzleError

CORNERS = "URF UFL ULB UBR DFR DLF DBL DRB"

PATTERN_SETS = {
    "korf": (CORNERS, "UF UR UB UL FR FL", "DF DR DB DL BR BL"),
    "korf7": (CORNERS, "UF UR UB UL FR FL BR", "DF DR DB DL BR BL FL"),
    "eight": (
        CORNERS,
        "UF UR UB UL FR FL",
        "DF DR DB DL BR BL",
        "UF FR DF FL UR UL",
        "UB BR DB BL DR DL",
        "UR FR DR BR UF UB",
        "UL FL DL BL DF DB",
        "UB UL FL DF DR BR",
    ),
}


def pattern_set(
    puzzle: Puzzle,
    name: str,
    progress: Callable[[str], Progress] | None = None,
) -> PatternMax:
    """The largest value of a named set of databases; `progress` of a database is told its levels.

    Raises `PuzzleError` for other puzzles than `cube3` and `cube3-htm`, and for unknown names.
    """
    if not isinstance(puzzle, Cube) or puzzle.size != 3:
        raise PuzzleError(f"the pattern databases named {name} are for cube3, not {puzzle.name}")
    if name not in PATTERN_SETS:
        known = ", ".join(PATTERN_SETS)
        raise PuzzleError(f"there is no set of pattern databases named {name!r}; there are {known}")
    databases = [
        PatternDatabase(
            puzzle,
            pattern_cells(pieces),
            label(pieces),
            None if progress is None else progress(label(pieces)),
        )
        for pieces in PATTERN_SETS[name]
    ]
    return PatternMax(puzzle, databases, name)


def pattern_cells(pieces: str) -> list[int]:
    """The first cell of each named piece of the 3×3×3.

    >>> pattern_cells("URF UF")
    [8, 7]
    """
    homes = {name: row for kind in (corners(3), edges(3)) for name, row in _homes(kind)}
    return [homes["".join(sorted(piece))] for piece in pieces.split()]


def label(pieces: str) -> str:
    """What a pattern is called: `corners`, or its pieces."""
    return "corners" if pieces == CORNERS else pieces


def _homes(kind: Kind) -> list[tuple[str, int]]:
    """The letters of each piece in alphabetical order, with its first cell."""
    return [
        ("".join(sorted(name)), int(cells[0]))
        for name, cells in zip(kind.names, kind.cells, strict=True)
    ]
