"""The arrays that searches of sliding boards work on, by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NOWHERE = 65535
"""In `Rules.slides`: no tile can come from there."""
FORBIDDEN = 65535
"""In `Rules.automaton`: a move that another way makes needless."""
EXPANDED, GENERATED = range(2)
"""Places in the counts `[2]`: boards whose children were made, and children made."""
NOT_FOUND = -1
"""What a search answers instead of the depth of a solution."""


class Rules(NamedTuple):
    """How a board moves.

    `slides` `[cells, moves]` is the cell from which a move takes its tile to the blank's cell.
    `automaton` `[states, moves]` is the state of the move order after each move.
    """

    slides: NDArray[np.uint16]
    automaton: NDArray[np.uint16]


class Tables(NamedTuple):
    """What is looked up in an `AdditiveDatabase`, one entry of `starts` … for each pattern.

    `entries` holds the tables, from `starts` on with `columns` to a row; `numbers` gives the row
    of a set of cells (see `set_numbers`). `shifts` holds, from `shift_starts` on, a column for
    each old slot, new slot and old column, with `tiles` slots. `maps`, `owners` and `places` are
    the views'.
    """

    entries: NDArray[np.uint8]
    starts: NDArray[np.uint64]
    columns: NDArray[np.uint64]
    numbers: NDArray[np.int32]
    shifts: NDArray[np.uint16]
    shift_starts: NDArray[np.uint64]
    tiles: NDArray[np.uint64]
    maps: NDArray[np.uint8]
    owners: NDArray[np.uint8]
    places: NDArray[np.uint8]


class Patterns(NamedTuple):
    """Where the patterns are, `[views, patterns]` each: sets of cells, columns, table entries."""

    sets: NDArray[np.uint64]
    columns: NDArray[np.uint32]
    costs: NDArray[np.int32]

    @classmethod
    def room(cls, views: int, patterns: int) -> Patterns:
        kinds = np.uint64, np.uint32, np.int32
        return cls(*(np.zeros((views, patterns), kind) for kind in kinds))


class Path(NamedTuple):
    """The path of a search; index 0 is where it starts.

    At each depth: the blank's cell, the state of the move order, how many children are left to
    visit, which ones in which order, and the moves that lead to all of them.
    """

    blanks: NDArray[np.uint16]
    states: NDArray[np.uint16]
    lefts: NDArray[np.int64]
    order: NDArray[np.uint8]
    moves: NDArray[np.uint8]

    @classmethod
    def room(cls, depth: int, ways: int) -> Path:
        return cls(
            np.zeros(depth, np.uint16),
            np.zeros(depth, np.uint16),
            np.zeros(depth, np.int64),
            np.zeros((depth, ways), np.uint8),
            np.zeros((depth, ways), np.uint8),
        )


class Kept(NamedTuple):
    """What searches with pattern databases keep at each depth.

    For each child and view `[depth, moves, views]` the set, column and cost of the pattern whose
    tile moves: those of the child until it is visited, the parent's own while it is. `sums`
    `[depth, views]` are the estimates.
    """

    sets: NDArray[np.uint64]
    columns: NDArray[np.uint32]
    costs: NDArray[np.int32]
    sums: NDArray[np.int32]

    @classmethod
    def room(cls, depth: int, ways: int, views: int) -> Kept:
        shape = (depth, ways, views)
        return cls(
            np.zeros(shape, np.uint64),
            np.zeros(shape, np.uint32),
            np.zeros(shape, np.int32),
            np.zeros((depth, views), np.int32),
        )
