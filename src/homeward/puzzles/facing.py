"""One way to face: of a board and its mirror image a net need know only one.

A square board and its mirror image in the main diagonal are equally far from home, and a move of
the one is a move of the other. So a board whose blank is below the diagonal can be mirrored before
a net is asked, and what it says of the mirrored moves is what it says of the board's own.
"""

from __future__ import annotations

import numpy as np

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.base import Puzzle
from homeward.puzzles.symmetry import Symmetry


class Facing:
    """Mirrors the states `[B, cells]` whose symbol 0 then lies in an earlier cell.

    Where it stays in its cell, the state or its image is taken, whichever comes first cell by cell:
    so both become the same. Made by `facing`, which knows whether a puzzle has a mirror.

    >>> from homeward.puzzles import puzzle
    >>> below = np.array([[1, 2, 3, 4, 5, 6, 0, 7, 8]], np.uint8)
    >>> facing(puzzle("puzzle8")).face(below)[0].tolist()
    [[1, 2, 0, 4, 5, 3, 7, 8, 6]]
    """

    def __init__(self, mirror: Symmetry) -> None:
        cells = np.arange(len(mirror.cells))
        self.tables = {
            "side": Table(np.sign(cells - np.argsort(mirror.cells))),
            "cells": Table(mirror.cells),
            "symbols": Table(mirror.symbols),
            "moves": Table(np.argsort(mirror.moves)),
        }
        """By cells: 1 where symbol 0 would go to an earlier cell, 0 where it stays, and the cell
        that the image shows; by symbols: their names there; by moves: those of the image."""

    def face(self, states: Array) -> tuple[Array, Array]:
        """The states as they face `[B, cells]`, and which of them are mirrored `[B]`."""
        side, cells, symbols, _ = (table.on(states) for table in self.tables.values())
        return face(states, side, cells, symbols)

    def back(self, states: Array, answers: Array) -> Array:
        """`[B, n]`: answers about states as they face, as answers about the states themselves."""
        return back(answers, self.face(states)[1], self.tables["moves"].on(states))


def facing(puzzle: Puzzle) -> Facing | None:
    """How a puzzle's states can face one way; None if no symmetry of it keeps symbol 0.

    Only where all symbols are different: else the cell of symbol 0 would tell nothing.
    """
    if not all(len(np.unique(goal)) == puzzle.symbols == puzzle.cells for goal in puzzle.goals):
        return None
    mirrors = [each for each in puzzle.symmetries()[1:] if each.symbols[0] == 0]
    return Facing(mirrors[0]) if len(mirrors) == 1 else None


def face(states: Array, side: Array, cells: Array, symbols: Array) -> tuple[Array, Array]:
    """`Facing.face` with tables that lie beside the states."""
    image = symbols[arrays.indices(states[:, cells])]
    here = side[_first(states == 0)]
    differing = _first(image != states)[:, None]
    sooner = arrays.gather(image, differing) < arrays.gather(states, differing)
    mirrored = (here > 0) | ((here == 0) & sooner[:, 0])
    return arrays.namespace(states).where(mirrored[:, None], image, states), mirrored


def back(answers: Array, mirrored: Array, moves: Array) -> Array:
    """`[B, n]`: answers about images where `mirrored` `[B]`, for the states themselves.

    One for each move is given back in the order of the state's own moves; a value is the same.
    """
    if answers.shape[1] == 1:
        return answers
    return arrays.namespace(answers).where(mirrored[:, None], answers[:, moves], answers)


def _first(flags: Array) -> Array:
    """`[B]`: the first column that is true."""
    return (flags.int() if arrays.is_torch(flags) else flags).argmax(1)
