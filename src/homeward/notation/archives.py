"""The public test sets: NumPy archives of start states with their shortest solutions."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from homeward.notation.facelets import from_numbering
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError


@dataclass(frozen=True)
class InstanceSet:
    """Start states of one puzzle and what is known about them.

    `states` is `[n, cells]`. `optimal_length` and `reference_length` are `[n]`, -1 where a length
    is not known: the shortest there is, and what DeepCubeA found. `optimal_moves` has one list of
    move numbers for each state. What a set does not know is None, and so are lengths and moves
    where it counts in other moves than the puzzle does (`cube3-htm`, `coiled15`).
    `instance_index` is `[n]`: the number of each state in the full set.
    """

    states: NDArray[Any]
    optimal_length: NDArray[np.int64] | None
    optimal_moves: list[list[int]] | None
    reference_length: NDArray[np.int64] | None
    instance_index: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.states)


def load_set(path: str | Path, puzzle: Puzzle) -> InstanceSet:
    """The instances of the archive at `path` as states and moves of `puzzle`.

    Raises `PuzzleError` if the file is missing, broken, or of another puzzle. Whether each state
    can be solved is not checked here.
    """
    archive = _Archive(Path(path), puzzle)
    states = archive.states()
    numbers = archive.move_numbers()
    if sorted(numbers) != list(range(puzzle.moves)):  # lengths in other moves say nothing here
        archive.forget("optimal_length", "optimal_moves", "deepcubea_length")
    index = archive.column("instance_index", len(states))
    if index is not None and len(np.unique(index)) < len(index):
        numbers_there, times = np.unique(index, return_counts=True)
        archive.fail(f"'instance_index' has {numbers_there[times.argmax()]} more than once")
    optimal = archive.column("optimal_length", len(states))
    return InstanceSet(
        states=states,
        optimal_length=optimal,
        optimal_moves=archive.solutions(numbers, len(states), optimal),
        reference_length=archive.column("deepcubea_length", len(states)),
        instance_index=np.arange(len(states)) if index is None else index,
    )


class _Archive:
    """One archive's arrays, read whole, and the puzzle that they should belong to."""

    def __init__(self, path: Path, puzzle: Puzzle) -> None:
        self.path, self.puzzle = path, puzzle
        if not path.is_file():
            raise PuzzleError(f"there is no file {path}")
        if not zipfile.is_zipfile(path):
            self.fail("this is not a NumPy archive (.npz)")
        try:
            with np.load(path, allow_pickle=False) as file:
                self.arrays: dict[str, NDArray[Any]] = {name: file[name] for name in file.files}
        except Exception as error:  # a broken file can raise nearly anything in zip, zlib or NumPy
            raise PuzzleError(f"{path}: this archive cannot be read: {error}") from error

    def fail(self, text: str) -> NoReturn:
        raise PuzzleError(f"{self.path}: {text}")

    def forget(self, *names: str) -> None:
        """Leaves out arrays that do not apply to the puzzle."""
        for name in names:
            self.arrays.pop(name, None)

    def integers(self, name: str) -> NDArray[Any] | None:
        """The array of that name, whole numbers, or None if there is none."""
        found = self.arrays.get(name)
        if found is not None and found.dtype.kind not in "iu":
            self.fail(f"'{name}' holds {found.dtype} instead of whole numbers")
        return found

    # --- states

    def states(self) -> NDArray[Any]:
        """`[n, cells]`: the start states in the puzzle's own order of cells."""
        rows = self.integers("states")
        if rows is None:
            self.fail("there is no array 'states'")
        sokoban = self.puzzle.family == "sokoban"
        if sokoban != ("cell_names" in self.arrays):
            self.fail(f"this is {'not a' if sokoban else 'a'} Sokoban set")
        shapes: list[tuple[int, ...]] = [(self.puzzle.cells,)]
        if isinstance(getattr(self.puzzle, "rows", None), int):
            shapes.append((getattr(self.puzzle, "rows"), getattr(self.puzzle, "columns")))
        if rows.shape[1:] not in shapes:
            shape = list(rows.shape)
            self.fail(f"'states' has shape {shape}, which is not for {self.puzzle.name}")
        states = self._own_cells("states", rows.reshape(len(rows), self.puzzle.cells))
        solved = self.integers("solved")
        if solved is not None:
            home = self._own_cells("solved", solved.reshape(1, -1))
            if home.shape[1] != self.puzzle.cells or not self.puzzle.is_solved(home)[0]:
                self.fail(f"'solved' is not a goal of {self.puzzle.name}")
        return states

    def _own_cells(self, name: str, rows: NDArray[Any]) -> NDArray[Any]:
        """Rows as the puzzle has them: cubes may come as sticker numbers instead of colours."""
        if self.puzzle.family == "cube" and rows.max(initial=0) >= self.puzzle.symbols:
            try:
                return from_numbering(rows)
            except PuzzleError as error:
                self.fail(f"'{name}': {error}")
        bad = np.argwhere((rows < 0) | (rows >= self.puzzle.symbols))
        if len(bad):
            row, cell = bad[0].tolist()
            what = f"'{name}' holds {rows[row, cell]} in row {row}, cell {cell}"
            self.fail(f"{what}; symbols of {self.puzzle.name} are 0 to {self.puzzle.symbols - 1}")
        return rows.astype(self.puzzle.dtype)

    # --- lengths and moves

    def column(self, name: str, rows: int) -> NDArray[np.int64] | None:
        """`[rows]`: one number for each state, or None if none of them is known."""
        found = self.integers(name)
        if found is None:
            return None
        if found.shape != (rows,):
            self.fail(f"'{name}' has shape {list(found.shape)} beside {rows} states")
        return found.astype(np.int64) if (found >= 0).any() else None

    def move_numbers(self) -> list[int]:
        """The puzzle's number of each of the archive's moves; the same where it names none."""
        names = self.arrays.get("move_names")
        if names is None:
            return list(range(self.puzzle.moves))
        numbers = []
        for name in names.ravel().tolist():
            own = str(name)
            if self.puzzle.family == "cube":  # U1 and U-1 are the quarter turns U and U'
                own = own[:-2] + "'" if own.endswith("-1") else own.removesuffix("1")
            if own not in self.puzzle.move_names:
                self.fail(f"{self.puzzle.name} has no move {own!r} ('move_names')")
            numbers.append(self.puzzle.move_names.index(own))
        return numbers

    def solutions(
        self, numbers: list[int], rows: int, optimal: NDArray[np.int64] | None
    ) -> list[list[int]] | None:
        """The shortest solutions in the puzzle's move numbers; rows are padded with -1."""
        found = self.integers("optimal_moves")
        if found is None:
            return None
        if found.ndim != 2 or len(found) != rows:
            self.fail(f"'optimal_moves' has shape {list(found.shape)} beside {rows} states")
        lengths = (found >= 0).sum(1)
        padded = np.arange(found.shape[1]) >= lengths[:, None]
        wrong = (found >= len(numbers)) | (found < -1) | ((found == -1) != padded)
        if wrong.any():
            row = int(wrong.any(1).argmax())
            self.fail(f"'optimal_moves' row {row} is not a row of moves padded with -1")
        stated = lengths if optimal is None else np.where(optimal < 0, lengths, optimal)
        if (lengths != stated).any():
            row = int((lengths != stated).argmax())
            text = f"'optimal_moves' row {row} has {lengths[row]} moves"
            self.fail(f"{text}, but 'optimal_length' says {stated[row]}")
        return [
            [numbers[move] for move in moves[:length]]
            for moves, length in zip(found.tolist(), lengths.tolist(), strict=True)
        ]
