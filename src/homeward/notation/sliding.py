"""Sliding boards as numbers row by row, and pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.notation import pictures
from homeward.notation.format import Format, ParseError, as_row
from homeward.notation.reading import read_letters, require_count
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.status import PuzzleError

_ENTRY = re.compile(r"[^\s,;/|\[\]]+")
_BLANKS = {"0", "_", ".", "x"}
_SIZE = 48


class SlidingFormat(Format):
    """Numbers row by row; `0`, `_`, `.` or `x` is the blank.

    Spaces, commas, slashes and new lines part them. Boards of up to 16 cells may also be written
    with one character for each cell, in hexadecimal: `123456780`, `1234/5678/9abc/def0`.
    """

    def read_state(self, puzzle: Puzzle, text: str) -> tuple[Puzzle, NDArray[Any]]:
        entries = [(match.group().lower(), match.start()) for match in _ENTRY.finditer(text)]
        characters = [(c, start + i) for word, start in entries for i, c in enumerate(word)]
        base = 10
        if len(entries) != puzzle.cells == len(characters) and puzzle.cells <= 16:
            entries, base = characters, 16
        tiles = [_tile(puzzle, word, base, text, start) for word, start in entries]
        require_count(puzzle.name, puzzle.cells, [start for _, start in entries], text)
        return puzzle, as_row(puzzle, tiles)

    def write_state(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        return " ".join(str(tile) for tile in state)

    def read_moves(self, puzzle: Puzzle, text: str) -> list[int]:
        return read_letters(puzzle.move_names, text)

    def write_moves(self, puzzle: Puzzle, moves: Sequence[int]) -> str:
        return " ".join(puzzle.move_names[move] for move in moves)

    def draw(self, puzzle: Puzzle, state: NDArray[Any], colour: bool = False) -> str:
        board = _sliding(puzzle)
        wide = len(str(board.cells - 1))
        home = np.asarray(state) == board.goal

        def cell(number: int) -> str:
            label = str(state[number]) if state[number] else ""
            marked = colour and label and home[number]
            return pictures.ansi("32" if marked else "", f"{label:>{wide}}")

        bar = "─" * (wide + 2)
        rows = [
            "│" + "│".join(f" {cell(r * board.columns + c)} " for c in range(board.columns)) + "│"
            for r in range(board.rows)
        ]
        top, middle, bottom = (
            left + join.join([bar] * board.columns) + right
            for left, join, right in ("┌┬┐", "├┼┤", "└┴┘")
        )
        return "\n".join([top, f"\n{middle}\n".join(rows), bottom])

    def svg(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        board = _sliding(puzzle)
        width, height = board.columns * _SIZE + 8, board.rows * _SIZE + 8
        shapes = [pictures.rect(0, 0, width, height, "#3f4a57", 8)]
        for number, tile in enumerate(int(t) for t in state):
            if tile == 0:
                continue
            row, column = divmod(number, board.columns)
            x, y = 4 + column * _SIZE, 4 + row * _SIZE
            fill = "#5b9a68" if tile == board.goal[number] else "#d9a441"
            shapes.append(pictures.rect(x + 2, y + 2, _SIZE - 4, _SIZE - 4, fill, 6))
            shapes.append(pictures.text(x + _SIZE / 2, y + _SIZE / 2, 20, str(tile), "#ffffff"))
        return pictures.svg(width, height, puzzle.name, shapes)


def _sliding(puzzle: Puzzle) -> Sliding:
    if not isinstance(puzzle, Sliding):
        raise PuzzleError(f"{puzzle.name} is no sliding board")
    return puzzle


def _tile(puzzle: Puzzle, word: str, base: int, text: str, position: int) -> int:
    """The number of a tile; `ParseError` if there is no such tile on the board."""
    if word in _BLANKS:
        return 0
    known = "0123456789abcdef"[:base]
    tile = int(word, base) if len(word) < 9 and set(word) <= set(known) else -1
    if not 0 <= tile < puzzle.cells:
        hint = f"tiles are 1 to {puzzle.cells - 1}, the blank is 0"
        raise ParseError(f"there is no tile {word[:20]!r}", text, position, hint)
    return tile
