"""From named permutations to a puzzle: what the readers of puzzle files have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.permutation import PermutationPuzzle, closed_under_inverses
from homeward.puzzles.status import PuzzleError, times

MOST_CELLS = 30_000
"""More cells than any file needs; a larger number is a slip of the pen."""
_MOST_MOVES = 1_000


def permutation_of_list(values: Sequence[Any], cells: int, index: int) -> NDArray[np.int64]:
    """`[cells]`: the row `p` with `new[c] = old[p[c]]` from a list that counts from `index`.

    >>> permutation_of_list([2, 3, 1], cells=3, index=1)
    array([1, 2, 0])
    """
    for number, value in enumerate(values, 1):
        if isinstance(value, bool) or not isinstance(value, int):
            raise PuzzleError(f"entry {number} is {shown(value)}, not the number of a cell")
        _require_cell(value, cells, index)
    if len(values) != cells:
        raise PuzzleError(f"{len(values)} numbers for {cells} cells")
    row = np.array(values, dtype=np.int64) - index
    counts = np.bincount(row, minlength=cells)
    if (counts != 1).any():
        often, missing = int(counts.argmax()), int(counts.argmin())
        raise PuzzleError(
            f"not a permutation: {often + index} appears {times(counts[often])} "
            f"and {missing + index} is missing"
        )
    return row


def permutation_of_cycles(
    cycles: Sequence[Sequence[int]], cells: int, index: int
) -> NDArray[np.int64]:
    """`[cells]`: the row `p` with `new[c] = old[p[c]]` from cycles that count from `index`.

    What lies in each cell of a cycle goes to the next.

    >>> permutation_of_cycles([[0, 1, 2]], cells=3, index=0)
    array([2, 0, 1])
    """
    row = np.arange(cells)
    seen: set[int] = set()
    for cycle in cycles:
        for cell, onward in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True):
            _require_cell(cell, cells, index)
            if cell in seen:
                raise PuzzleError(f"not a permutation: {cell} appears twice in the cycles")
            seen.add(cell)
            if len(cycle) > 1:
                _require_cell(onward, cells, index)
                row[onward - index] = cell - index
    return row


def puzzle_of_moves(
    name: str,
    rows: Mapping[str, NDArray[np.int64]],
    goal: NDArray[np.int64] | None,
    where: Callable[[str], str],
) -> PermutationPuzzle:
    """The puzzle of these moves and their inverses; all cells differ unless there is a `goal`.

    `where` says for a move's name where it stands, for messages.
    """
    if len(rows) > _MOST_MOVES:
        raise PuzzleError(f"{len(rows)} moves are too many; {_MOST_MOVES} are possible")
    if not name.isprintable():
        raise PuzzleError(f"name holds characters that cannot be printed: {shown(name)}")
    known: dict[bytes, str] = {}
    for move, row in rows.items():
        _require_name(move, where)
        if np.array_equal(row, np.arange(len(row))):
            raise PuzzleError(f"{where(move)}: it moves nothing")
        twin = known.setdefault(row.tobytes(), move)
        if twin != move:
            raise PuzzleError(f"{where(move)}: it is the same permutation as {twin}")
        plain = rows.get(move.removesuffix("'"))
        if move.endswith("'") and plain is not None and (row[plain] != np.arange(len(row))).any():
            raise PuzzleError(
                f"{where(move)}: by its name it should undo {move[:-1]}, but does not"
            )
    names, table = closed_under_inverses(list(rows), np.array(list(rows.values())))
    central = np.arange(table.shape[1]) if goal is None else goal
    if len(central) > 1 and (central == central[0]).all():
        raise PuzzleError("the goal shows one symbol everywhere, so every state would be solved")
    return PermutationPuzzle(name, names, table, central[None])


def _require_cell(cell: int, cells: int, index: int) -> None:
    if not index <= cell < cells + index:
        raise PuzzleError(
            f"there is no cell {shown(cell)}: the {cells} cells are {index} to {cells + index - 1}"
        )


def _require_name(move: str, where: Callable[[str], str]) -> None:
    if not re.fullmatch(r"[^\s(),'’]+'?", move) or not move.isprintable():
        raise PuzzleError(
            f"{where(move)}: a name is one word without commas, brackets and quotation marks; "
            "only a prime may stand at its end"
        )


def shown(value: object) -> str:
    """A value as a file has it, shortened for a message."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**30:
        return "a huge number"  # Python refuses to write thousands of digits
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
