"""One state with its puzzle: what people read, write and look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.notation.format import format_of
from homeward.puzzles import registry
from homeward.puzzles.base import Puzzle


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """A state `[cells]` of a puzzle. `str` draws it, `text` writes it, `repr` reads back in.

    >>> State.read("puzzle8", "1 2 3 4 5 6 7 0 8").moved("L").is_solved
    True
    """

    puzzle: Puzzle
    cells: NDArray[Any]

    @classmethod
    def read(cls, puzzle: Puzzle | str | Path, text: str) -> State:
        """Reads and checks a state; `PuzzleError` with every problem if it cannot be solved."""
        given = registry.puzzle(puzzle)
        found, cells = format_of(given).read_state(given, text)
        found.require_valid(cells)
        return cls(found, cells)

    @classmethod
    def solved(cls, puzzle: Puzzle | str | Path) -> State:
        """The goal."""
        given = registry.puzzle(puzzle)
        return cls(given, given.goal.copy())

    @property
    def text(self) -> str:
        """The state as people write it: facelets, numbers, a board."""
        return format_of(self.puzzle).write_state(self.puzzle, self.cells)

    @property
    def is_solved(self) -> bool:
        """Whether this is a goal."""
        return bool(self.puzzle.is_solved(self.cells[None])[0])

    def moved(self, moves: str | Sequence[int]) -> State:
        """The state after moves, given as text or as numbers."""
        if isinstance(moves, str):
            moves = format_of(self.puzzle).read_moves(self.puzzle, moves)
        return State(self.puzzle, self.puzzle.apply(self.cells, moves))

    def draw(self, colour: bool = False) -> str:
        """A picture for the terminal."""
        return format_of(self.puzzle).draw(self.puzzle, self.cells, colour)

    def __str__(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"State.read({self.puzzle.path or self.puzzle.name!r}, {self.text!r})"

    def _repr_svg_(self) -> str:
        return format_of(self.puzzle).svg(self.puzzle, self.cells)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.puzzle.name == other.puzzle.name
            and np.array_equal(self.cells, other.cells)
        )

    def __hash__(self) -> int:
        return hash((self.puzzle.name, self.cells.tobytes()))
