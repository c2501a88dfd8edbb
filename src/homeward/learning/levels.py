"""The levels that Sokoban learns from, as people share them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.notation.archives import load_set
from homeward.notation.xsb import find_levels
from homeward.puzzles.base import Puzzle
from homeward.puzzles.rooms import generate
from homeward.puzzles.sokoban import WALL, Sokoban
from homeward.puzzles.status import PuzzleError


def with_levels(puzzle: Puzzle, path: str, rooms: int = 0, seed: int = 0) -> Puzzle:
    """The puzzle with walks from the levels of a file, XSB or npz.

    Without a path Sokoban gets so many `rooms` of the seed's, if any are asked for, and other
    puzzles stay as they are. A level that is smaller than the board gets walls around it. Raises
    `PuzzleError` if the file cannot be read, or a level does not fit.
    """
    if not isinstance(puzzle, Sokoban):
        if not path:
            return puzzle
        raise PuzzleError(f"levels are for sokoban, not for {puzzle.name}")
    if not path:
        if not rooms:
            return puzzle
        rng = np.random.default_rng(seed)
        return puzzle.with_levels(generate(rooms, rng, puzzle.rows, puzzle.columns))
    file = Path(path)
    if file.suffix == ".npz" or (file.is_file() and zipfile.is_zipfile(file)):
        return puzzle.with_levels(load_set(file, puzzle).states)
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise PuzzleError(f"cannot read {path}: {error.strerror}") from None
    found = find_levels(text)
    if not found:
        raise PuzzleError(f"there is no Sokoban board in {path}")
    boards = [_fitted(level.grid(), puzzle, number) for number, level in enumerate(found, 1)]
    return puzzle.with_levels(np.stack(boards))


def _fitted(grid: NDArray[Any], puzzle: Sokoban, number: int) -> NDArray[Any]:
    """`[cells]`: the level in the upper left corner of the puzzle's board."""
    rows, columns = grid.shape
    if rows > puzzle.rows or columns > puzzle.columns:
        size = f"{rows}x{columns}"
        raise PuzzleError(
            f"level {number} is {size}, which does not fit into {puzzle.rows}x{puzzle.columns}: "
            f"train a larger board, such as sokoban-{size}"
        )
    board = np.full((puzzle.rows, puzzle.columns), WALL, dtype=puzzle.dtype)
    board[:rows, :columns] = grid
    return board.reshape(-1)
