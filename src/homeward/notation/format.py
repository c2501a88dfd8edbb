"""How one family of puzzles is written and drawn; the base class is for permutation puzzles."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

_FORMATS = {
    "cube": "homeward.notation.cube:CubeFormat",
    "sliding": "homeward.notation.sliding:SlidingFormat",
    "lightsout": "homeward.notation.lightsout:LightsOutFormat",
    "sokoban": "homeward.notation.sokoban:SokobanFormat",
    "permutation": "homeward.notation.permutation:PermutationFormat",
}


class ParseError(PuzzleError):
    """Text that cannot be read: `position` is the character (from 0) where it went wrong.

    The message ends with the position, a caret line under long texts, and a suggestion if any.
    """

    def __init__(self, message: str, text: str, position: int, suggestion: str = "") -> None:
        hint = f" ({suggestion})" if suggestion else ""
        super().__init__(f"{message} at character {position + 1}{hint}")
        self.text, self.position, self.suggestion = text, position, suggestion


class Format:
    """Reads and writes states and moves of one family. Every reader has its writer."""

    def read_state(self, puzzle: Puzzle, text: str) -> tuple[Puzzle, NDArray[Any]]:
        """The state that `text` describes, not yet checked, and its puzzle.

        The puzzle is the given one, except for Sokoban, whose board fixes its size.
        """
        raise NotImplementedError

    def write_state(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        """Text that `read_state` turns back into `state`."""
        raise NotImplementedError

    def read_moves(self, puzzle: Puzzle, text: str) -> list[int]:
        """Move numbers of a sequence such as `R U2 R'`; raises `ParseError`."""
        raise NotImplementedError

    def write_moves(self, puzzle: Puzzle, moves: Sequence[int]) -> str:
        """Moves in the family's usual notation."""
        raise NotImplementedError

    def write_solution(self, puzzle: Puzzle, state: NDArray[Any], moves: Sequence[int]) -> str:
        """Moves from `state` `[cells]`, for families whose notation tells more than the moves."""
        return self.write_moves(puzzle, moves)

    def draw(self, puzzle: Puzzle, state: NDArray[Any], colour: bool = False) -> str:
        """A picture for the terminal; with `colour`, ANSI colours."""
        raise NotImplementedError

    def svg(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        """A picture for notebooks and documents: one `<svg>` element."""
        raise NotImplementedError


def format_of(puzzle: Puzzle) -> Format:
    """The format of a puzzle's family."""
    module, _, name = _FORMATS[puzzle.family].partition(":")
    made: Format = getattr(import_module(module), name)()
    return made


def as_row(puzzle: Puzzle, values: Sequence[int]) -> NDArray[Any]:
    """Numbers as a state row; raises `PuzzleError` if they are too many, too few or too large."""
    if len(values) != puzzle.cells:
        raise PuzzleError(
            f"a state of {puzzle.name} has {puzzle.cells} entries, this one has {len(values)}"
        )
    row = np.array(values)
    if row.size and (row.min() < 0 or row.max() > np.iinfo(puzzle.dtype).max):
        raise PuzzleError(f"entries must lie between 0 and {puzzle.symbols - 1}")
    return row.astype(puzzle.dtype)
