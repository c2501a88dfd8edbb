"""One way to face: of all states that symmetries make alike, a net need know only one.

A square board and its mirror image in the main diagonal are equally far from home, and a move of
the one is a move of the other. So a board whose blank is below the diagonal can be mirrored before
a net is asked, and what it says of the mirrored moves is what it says of the board's own.
"""

from __future__ import annotations

import numpy as np

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.base import Puzzle


class Facing:
    """Turns states `[B, cells]` so that symbol 0 lies in the first cell that symmetries allow.

    Made by `facing`, which knows whether a puzzle has such symmetries. Tables have a row for each
    symmetry: `cells` and `symbols` make its image of a state, `moves` says which of the image's
    moves each move is. `choice` `[cells]` is the symmetry to take by the cell of symbol 0.

    >>> from homeward.puzzles import puzzle
    >>> board = puzzle("puzzle8")
    >>> below = np.array([[1, 2, 3, 4, 5, 6, 0, 7, 8]], np.uint8)
    >>> facing(board).face(below)[0].tolist()
    [[1, 4, 0, 2, 5, 7, 3, 6, 8]]
    """

    def __init__(self, puzzle: Puzzle) -> None:
        kept = [s for s in puzzle.symmetries() if s.symbols[0] == 0]
        # The image's cell c shows cell `cells[c]`, so what lies in a cell moves to the inverse.
        goes_to = np.stack([np.argsort(symmetry.cells) for symmetry in kept])
        self.choice = Table(goes_to.argmin(0))
        self.cells = Table(np.stack([symmetry.cells for symmetry in kept]))
        self.symbols = Table(np.stack([symmetry.symbols for symmetry in kept]))
        self.moves = Table(np.stack([np.argsort(symmetry.moves) for symmetry in kept]))

    @property
    def tables(self) -> dict[str, Table]:
        """What `face` and `back` read, for those who keep tables of their own."""
        return {name: getattr(self, name) for name in ("choice", "cells", "symbols", "moves")}

    def face(self, states: Array) -> tuple[Array, Array]:
        """The images `[B, cells]`, and the number `[B]` of the symmetry that made each."""
        tables = (table.on(states) for table in (self.choice, self.cells, self.symbols))
        return face(states, *tables)

    def back(self, states: Array, answers: Array) -> Array:
        """`[B, n]`: answers about the images of states, as answers about the states themselves."""
        return back(answers, self.choice.on(states)[_first(states)], self.moves.on(states))


def facing(puzzle: Puzzle) -> Facing | None:
    """How a puzzle's states can face one way; None if no symmetry of it keeps symbol 0.

    Only where symbol 0 is once in every state: else its cell would not tell one image from another.
    """
    once = ((puzzle.goals == 0).sum(1) == 1).all()
    found = sum(symmetry.symbols[0] == 0 for symmetry in puzzle.symmetries())
    return Facing(puzzle) if once and found > 1 else None


def face(states: Array, choice: Array, cells: Array, symbols: Array) -> tuple[Array, Array]:
    """`Facing.face` with tables that lie beside the states."""
    numbers = choice[_first(states)]
    shown = arrays.gather(states, cells[numbers])
    return symbols[numbers[:, None], arrays.indices(shown)], numbers


def back(answers: Array, numbers: Array, moves: Array) -> Array:
    """`[B, n]`: answers about images by the symmetries `numbers` `[B]`, for the states themselves.

    One for each move is given back in the order of the state's own moves; a value is the same.
    """
    return answers if answers.shape[1] == 1 else arrays.gather(answers, moves[numbers])


def _first(states: Array) -> Array:
    """`[B]`: the cell of symbol 0."""
    empty = states == 0
    return (empty.int() if arrays.is_torch(states) else empty).argmax(1)
