"""Sokoban boards as XSB text, solutions as LURD letters, and pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.notation import pictures
from homeward.notation.format import Format, as_row
from homeward.notation.reading import read_letters
from homeward.notation.xsb import is_open, read_grid, write_grid
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sokoban import (
    AGENT,
    AGENT_ON_TARGET,
    BOX,
    BOX_ON_TARGET,
    TARGET,
    WALL,
    Sokoban,
    is_box,
)
from homeward.puzzles.status import PuzzleError

_NUMBERS = re.compile(r"[\s,\[\]]*[0-9][0-9\s,\[\]]*")

# Terminal colour and two characters for each code.
_TERMINAL = (
    ("", "  "),
    ("48;5;240", "  "),
    ("38;5;203", "<>"),
    ("38;5;220", "[]"),
    ("38;5;77", "[]"),
    ("38;5;81;1", "@)"),
    ("38;5;203;1", "@)"),
)
_SIZE = 32


class SokobanFormat(Format):
    """XSB boards and files, or the codes 0 … 6 as digits; moves as `u d l r` in either case."""

    def read_state(self, puzzle: Puzzle, text: str) -> tuple[Puzzle, NDArray[Any]]:
        """The board that `text` describes or names (`levels.xsb#3`), and its puzzle.

        A board that fits into the given puzzle's is put into its upper left corner, with wall
        for the rest, so that models of that size apply; any other has a puzzle of its own size.
        """
        sokoban = _sokoban(puzzle)
        if _NUMBERS.fullmatch(text):
            return sokoban, _codes(sokoban, text)
        grid = read_grid(text)
        rows, columns = grid.shape
        fits = rows <= sokoban.rows and columns <= sokoban.columns
        if fits and not is_open(grid):
            whole = np.full((sokoban.rows, sokoban.columns), WALL, dtype=sokoban.dtype)
            whole[:rows, :columns] = grid
            return sokoban, whole.reshape(-1)
        if sokoban.box_places is not None and not fits:
            size = f"{sokoban.rows}x{sokoban.columns}"
            raise PuzzleError(f"the board is {rows}x{columns}, but the goal's is {size}")
        if (rows, columns) != (sokoban.rows, sokoban.columns):
            sokoban = Sokoban(rows, columns, pool=sokoban.pool)
        return sokoban, grid.reshape(-1)

    def write_state(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        return write_grid(_grid(puzzle, state))

    def read_moves(self, puzzle: Puzzle, text: str) -> list[int]:
        return read_letters(puzzle.move_names, text)

    def write_moves(self, puzzle: Puzzle, moves: Sequence[int]) -> str:
        return "".join(puzzle.move_names[move] for move in moves)

    def write_solution(self, puzzle: Puzzle, state: NDArray[Any], moves: Sequence[int]) -> str:
        return write_lurd(puzzle, state, moves)

    def draw(self, puzzle: Puzzle, state: NDArray[Any], colour: bool = False) -> str:
        grid = _grid(puzzle, state)
        if not colour:
            return write_grid(grid)
        return "\n".join("".join(pictures.ansi(*_TERMINAL[code]) for code in row) for row in grid)

    def svg(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        grid = _grid(puzzle, state)
        rows, columns = grid.shape
        height, width = rows * _SIZE, columns * _SIZE
        shapes = [pictures.rect(0, 0, width, height, "#f3eee3")]
        for (row, column), code in np.ndenumerate(grid):
            shapes += _shapes(column * _SIZE, row * _SIZE, int(code))
        return pictures.svg(width, height, puzzle.name, shapes)


def write_lurd(puzzle: Puzzle, state: NDArray[Any], moves: Sequence[int]) -> str:
    """Moves from a board `[cells]` as people publish them: pushes upper case, steps lower case.

    Raises `PuzzleError` at a move that is not possible.
    """
    row = np.asarray(state, dtype=puzzle.dtype)
    letters = []
    for number, move in enumerate(moves):
        name = puzzle.move_names[move]
        if not puzzle.legal(row[None])[0, move]:
            raise PuzzleError(f"move {number + 1}, {name}, is not possible there")
        after = puzzle.step(row[None], move)[0]
        pushed = not np.array_equal(is_box(row), is_box(after))
        letters.append(name if pushed else name.lower())
        row = after
    return "".join(letters)


def _sokoban(puzzle: Puzzle) -> Sokoban:
    if not isinstance(puzzle, Sokoban):
        raise PuzzleError(f"{puzzle.name} is no Sokoban puzzle")
    return puzzle


def _grid(puzzle: Puzzle, state: NDArray[Any]) -> NDArray[Any]:
    sokoban = _sokoban(puzzle)
    return as_row(sokoban, list(state)).reshape(sokoban.rows, sokoban.columns)


def _codes(puzzle: Sokoban, text: str) -> NDArray[Any]:
    """Codes 0 … 6, one digit each, with or without separators."""
    digits = [int(character) for character in text if character in "0123456789"]
    return as_row(puzzle, digits)


def _shapes(x: int, y: int, code: int) -> list[str]:
    """The SVG shapes of one cell."""
    middle = _SIZE / 2
    if code == WALL:
        return [pictures.rect(x, y, _SIZE, _SIZE, "#56606b", more='stroke="#4a535d"')]
    shapes = []
    if code in (TARGET, BOX_ON_TARGET, AGENT_ON_TARGET):
        ring = 'stroke="#d1495b" stroke-width="3"'
        radius = 13 if code == AGENT_ON_TARGET else 8  # round the agent, so that it shows
        shapes.append(pictures.circle(x + middle, y + middle, radius, "none", ring))
    if code in (BOX, BOX_ON_TARGET):
        fill, edge = ("#7fb069", "#4f7a3c") if code == BOX_ON_TARGET else ("#e0a95a", "#9c6b24")
        stroke = f'stroke="{edge}" stroke-width="2"'
        shapes.append(pictures.rect(x + 4, y + 4, _SIZE - 8, _SIZE - 8, fill, 3, stroke))
        shapes.append(pictures.rect(x + 9, y + 9, _SIZE - 18, _SIZE - 18, "none", 2, stroke))
    if code in (AGENT, AGENT_ON_TARGET):
        shapes.append(pictures.circle(x + middle, y + middle, 10, "#2e6f9e"))
        shapes += [pictures.circle(x + middle + dx, y + 13, 2, "#ffffff") for dx in (-4, 4)]
    return shapes
