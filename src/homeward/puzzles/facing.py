"""One way to face: of states that are equally far from home a net need know only one.

A square board and its mirror image in the main diagonal are equally far from home, and a move of
the one is a move of the other. So a board whose blank is below the diagonal can be mirrored before
a net is asked, and what it says of the mirrored moves is what it says of the board's own. An even
cube has no centre that says which way it is held, so that each of its states looks 24 ways: it can
be turned as a whole until one corner is at home.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.base import Puzzle
from homeward.puzzles.symmetry import Symmetry

Tables = Mapping[str, Array]
"""The tables of a `Facing` beside the states: arrays, or tensors on their device."""


class Facing(ABC):
    """Takes one image of each state. Made by `facing`, which knows what a puzzle allows."""

    tables: dict[str, Table]
    """What `faced` and `own` read."""

    @staticmethod
    @abstractmethod
    def faced(states: Array, tables: Tables) -> tuple[Array, Array]:
        """The images that are taken of states `[B, cells]`, and which ones these are `[B]`."""

    @staticmethod
    @abstractmethod
    def own(answers: Array, which: Array, tables: Tables) -> Array:
        """`[B, n]`: answers about images, for the states themselves.

        One for each move is given back in the order of the state's own moves; a value is the same.
        """

    def face(self, states: Array) -> tuple[Array, Array]:
        """The states as they face `[B, cells]`, and which image of each that is `[B]`."""
        return self.faced(states, self.beside(states))

    def back(self, states: Array, answers: Array) -> Array:
        """`[B, n]`: answers about states as they face, as answers about the states themselves."""
        tables = self.beside(states)
        return self.own(answers, self.faced(states, tables)[1], tables)

    def beside(self, states: Array) -> Tables:
        """The tables on the device of `states`."""
        return {name: table.on(states) for name, table in self.tables.items()}


class Mirrored(Facing):
    """Mirrors the states `[B, cells]` whose symbol 0 then lies in an earlier cell.

    Where it stays in its cell, the state or its image is taken, whichever comes first cell by cell:
    so both become the same.

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

    @staticmethod
    def faced(states: Array, tables: Tables) -> tuple[Array, Array]:
        image = tables["symbols"][arrays.indices(states[:, tables["cells"]])]
        here = tables["side"][_first(states == 0)]
        differing = _first(image != states)[:, None]
        sooner = arrays.gather(image, differing) < arrays.gather(states, differing)
        mirrored = (here > 0) | ((here == 0) & sooner[:, 0])
        return arrays.namespace(states).where(mirrored[:, None], image, states), mirrored

    @staticmethod
    def own(answers: Array, which: Array, tables: Tables) -> Array:
        if answers.shape[1] == 1:
            return answers
        there = answers[:, tables["moves"]]
        return arrays.namespace(answers).where(which[:, None], there, answers)


class Turned(Facing):
    """Turns states as a whole until the cells `mark` hold what they hold in `goal` `[cells]`.

    `turns` are images that change nothing but cells, one for each way in which the piece at `mark`
    can lie.

    >>> from homeward.puzzles import puzzle
    >>> cube = puzzle("cube4")
    >>> facing(cube).face(cube.goals)[0].tolist() == [cube.goal.tolist()] * 24
    True
    """

    def __init__(self, turns: Sequence[Symmetry], mark: NDArray[Any], goal: NDArray[Any]) -> None:
        self.tables = {
            "marks": Table(np.array([turn.cells[mark] for turn in turns])),
            "wanted": Table(goal[mark]),
            "cells": Table(np.array([turn.cells for turn in turns])),
            "moves": Table(np.array([np.argsort(turn.moves) for turn in turns])),
        }
        """By turns: the cells that come to `mark`, the cell that each cell then shows, and the
        moves of the image; and what `mark` should hold."""

    @staticmethod
    def which(states: Array, tables: Tables) -> Array:
        """`[B]`: the turn that each of the states needs."""
        return _first((states[:, tables["marks"]] == tables["wanted"]).all(-1))

    @staticmethod
    def faced(states: Array, tables: Tables) -> tuple[Array, Array]:
        which = Turned.which(states, tables)
        return arrays.gather(states, tables["cells"][which]), which

    @staticmethod
    def own(answers: Array, which: Array, tables: Tables) -> Array:
        if answers.shape[1] == 1:
            return answers
        return arrays.gather(answers, tables["moves"][which])


def facing(puzzle: Puzzle) -> Facing | None:
    """How a puzzle's states can face one way, None if they cannot."""
    return turned(puzzle) or _mirrored(puzzle)


def turned(puzzle: Puzzle) -> Turned | None:
    """How states are turned that may be held in several ways; None if there is but one."""
    turns = puzzle.turns()
    return Turned(turns, puzzle.mark, puzzle.goal) if len(turns) > 1 else None


def _mirrored(puzzle: Puzzle) -> Mirrored | None:
    # Only where all symbols are different: else the cell of symbol 0 would tell nothing.
    if not all(len(np.unique(goal)) == puzzle.symbols == puzzle.cells for goal in puzzle.goals):
        return None
    mirrors = [each for each in puzzle.symmetries()[1:] if each.symbols[0] == 0]
    return Mirrored(mirrors[0]) if len(mirrors) == 1 else None


def _first(flags: Array) -> Array:
    """`[B]`: the first column that is true."""
    return (flags.int() if arrays.is_torch(flags) else flags).argmax(1)
