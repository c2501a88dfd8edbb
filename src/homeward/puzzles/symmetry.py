"""Symmetries: relabellings of cells, symbols and moves that leave a puzzle as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Symmetry:
    """`image[c] = symbols[state[cells[c]]]`; move m there is move `moves[m]` here.

    A state and its image are equally far from the goal, and a solution of the image becomes one of
    the state by renaming its moves.
    """

    cells: NDArray[np.intp]
    symbols: NDArray[Any]
    moves: NDArray[np.intp]

    def image(self, states: NDArray[Any]) -> NDArray[Any]:
        """`[B, cells]`: the images of states."""
        images: NDArray[Any] = self.symbols[states[:, self.cells]]
        return images


def identity(cells: int, symbols: int, moves: int, dtype: Any) -> Symmetry:
    """The symmetry that changes nothing."""
    return Symmetry(np.arange(cells), np.arange(symbols).astype(dtype), np.arange(moves))


def relabelling(goal: NDArray[Any], cells: NDArray[np.intp], symbols: int) -> NDArray[Any] | None:
    """The renaming of symbols that makes the goal its own image, None if there is none."""
    names = np.full(symbols, -1)
    for there, here in zip(goal[cells].tolist(), goal.tolist(), strict=True):
        if names[there] not in (-1, here):
            return None
        names[there] = here
    unused = sorted(set(range(symbols)) - set(names.tolist()))
    names[names < 0] = unused
    return names.astype(goal.dtype)


def conjugate_moves(table: NDArray[Any], cells: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """`[moves]`: the renaming of moves under a relabelling of cells, None if it is no symmetry."""
    numbers = {row.tobytes(): i for i, row in enumerate(table)}
    renamed = []
    for row in table:
        conjugate = np.empty_like(row)
        conjugate[cells] = cells[row]
        number = numbers.get(conjugate.tobytes())
        if number is None:
            return None
        renamed.append(number)
    return np.array(renamed)


def square_maps(rows: int, columns: int) -> list[NDArray[np.intp]]:
    """The relabellings of a board's cells by turning and mirroring it, the identity first.

    Eight for a square board, four for an oblong one.
    """
    board = np.arange(rows * columns).reshape(rows, columns)
    maps = [board, board[::-1], board[:, ::-1], board[::-1, ::-1]]
    if rows == columns:
        maps += [m.T for m in maps]
    return [np.ascontiguousarray(m).reshape(-1) for m in maps]
