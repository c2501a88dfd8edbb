"""Lights Out boards as 0 and 1, presses as `row,column`, and pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from homeward.notation import pictures
from homeward.notation.format import Format, ParseError, as_row
from homeward.notation.reading import require_count
from homeward.puzzles.base import Puzzle
from homeward.puzzles.lightsout import LightsOut
from homeward.puzzles.status import PuzzleError

_LAMPS = {"0": 0, ".": 0, "1": 1, "#": 1, "o": 1, "O": 1}
_SEPARATORS = " \t\r\n,;/|[]"
_WORD = re.compile(r"[^\s;,]+(?:\s*,\s*[^\s;,]+)*|,")
_PRESS = re.compile(r"([0-9]{1,4})\s*,\s*([0-9]{1,4})")
_SIZE = 40


class LightsOutFormat(Format):
    """Lamps row by row, `0` or `.` dark and `1`, `#` or `o` lit; separators as you like.

    Presses are `row,column` from 1, parted by spaces or semicolons. A single number is refused:
    it could be a cell as well as a row that lost its column.
    """

    def read_state(self, puzzle: Puzzle, text: str) -> tuple[Puzzle, NDArray[Any]]:
        lamps: list[int] = []
        positions: list[int] = []
        for position, character in enumerate(text):
            if character in _LAMPS:
                lamps.append(_LAMPS[character])
                positions.append(position)
            elif character not in _SEPARATORS:
                hint = "0 or . is dark; 1, # or o is lit"
                raise ParseError(f"{character!r} is no lamp", text, position, hint)
        require_count(puzzle.name, puzzle.cells, positions, text)
        return puzzle, as_row(puzzle, lamps)

    def write_state(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        return " ".join("".join(str(lamp) for lamp in row) for row in _rows(puzzle, state))

    def read_moves(self, puzzle: Puzzle, text: str) -> list[int]:
        size = _lights(puzzle).size
        moves = []
        for word in _WORD.finditer(text):
            press = _PRESS.fullmatch(word.group())
            if press is None:
                message = f"{word.group()[:20]!r} is no press"
                raise ParseError(message, text, word.start(), "write row,column such as 2,3")
            row, column = int(press[1]), int(press[2])
            if not (1 <= row <= size and 1 <= column <= size):
                message = f"there is no lamp at row {row}, column {column}"
                raise ParseError(message, text, word.start(), f"both go from 1 to {size}")
            moves.append((row - 1) * size + column - 1)
        return moves

    def write_moves(self, puzzle: Puzzle, moves: Sequence[int]) -> str:
        return " ".join(puzzle.move_names[move] for move in moves)

    def draw(self, puzzle: Puzzle, state: NDArray[Any], colour: bool = False) -> str:
        lit = pictures.ansi("38;5;220" if colour else "", "●")
        dark = pictures.ansi("38;5;240" if colour else "", "·")
        rows = _rows(puzzle, state)
        return "\n".join(" ".join(lit if lamp else dark for lamp in row) for row in rows)

    def svg(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        size = _lights(puzzle).size
        side = size * _SIZE + 8
        shapes = [pictures.rect(0, 0, side, side, "#262b33", 8)]
        for r, row in enumerate(_rows(puzzle, state)):
            for c, lamp in enumerate(row):
                x, y = 4 + c * _SIZE, 4 + r * _SIZE
                fill = "#ffd23f" if lamp else "#434c59"
                shapes.append(pictures.rect(x + 3, y + 3, _SIZE - 6, _SIZE - 6, fill, 6))
        return pictures.svg(side, side, puzzle.name, shapes)


def _lights(puzzle: Puzzle) -> LightsOut:
    if not isinstance(puzzle, LightsOut):
        raise PuzzleError(f"{puzzle.name} is no Lights Out board")
    return puzzle


def _rows(puzzle: Puzzle, state: NDArray[Any]) -> list[list[int]]:
    size = _lights(puzzle).size
    rows: list[list[int]] = as_row(puzzle, list(state)).reshape(size, size).tolist()
    return rows
