"""Puzzles whose moves permute cells: cubes, pyraminx, TopSpin, anything given by generators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.base import Puzzle
from homeward.puzzles.group import PermutationGroup
from homeward.puzzles.pieces import Pieces
from homeward.puzzles.status import Problem, PuzzleError, Status, times


class PermutationPuzzle(Puzzle):
    """Moves as a table `[moves, cells]`: `new[c] = old[table[move, c]]`.

    The set of moves must be closed under inverses (`closed_under_inverses` makes it so). The goal
    is the central state: all numbers different, or equal where pieces look alike.
    """

    letters: tuple[str, ...] = ()
    """`[symbols]`: how people write each symbol; empty where they write its number."""
    description: str = ""
    """A sentence or two about the puzzle, from its file."""

    def __init__(
        self,
        name: str,
        move_names: Sequence[str],
        table: NDArray[Any],
        goals: NDArray[Any],
        family: str = "permutation",
        symbols: int | None = None,
    ) -> None:
        count = int(np.max(goals)) + 1 if symbols is None else symbols
        super().__init__(name, family, count, move_names, goals)
        self.table = Table(np.asarray(table, dtype=np.int64))
        self._moved = moved_cells(self.table.numpy)
        self.inverses = inverse_moves(self.table.numpy, self.move_names)
        self._prepare()

    def step(self, states: Array, moves: Array | int) -> Array:
        table = self.table.on(states)
        if isinstance(moves, int):
            return states[:, table[moves]]
        return arrays.gather(states, table[arrays.as_moves(moves, states)])

    def expand(self, states: Array) -> Array:
        if arrays.is_torch(states):
            return states[:, self.table.on(states)]
        from homeward.puzzles.kernels import permute_all

        return permute_all(states, *self._moved)

    def with_goal(self, state: NDArray[Any]) -> Self:
        other = super().with_goal(state)
        for read_off_goal in ("pieces", "fixed_parity"):
            vars(other).pop(read_off_goal, None)
        return other

    # --- the group behind the puzzle

    @cached_property
    def group(self) -> PermutationGroup:
        """The group that the moves generate, on cells."""
        return PermutationGroup(self.table.numpy, self.pieces.in_order)

    @cached_property
    def pieces(self) -> Pieces:
        """Which cells always travel together, and how a state reads as places and turns."""
        return Pieces(self.table.numpy, self.goal)

    def random_states(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        states: NDArray[Any] = self.goal[self.group.random_elements(n, rng)]
        return states

    @property
    def uniform(self) -> bool:
        return self._known_group is not None

    @cached_property
    def _known_group(self) -> PermutationGroup | None:
        """The group, None where it would take too much memory."""
        try:
            return self.group
        except PuzzleError:
            return None

    def permutations(self, states: NDArray[Any]) -> NDArray[np.int64]:
        """`[B, cells]`: for each state the permutation `p` with `state = goal[p]`.

        Raises `PuzzleError` where pieces look alike, so that there are several, or where a
        state holds a piece that the goal does not have.
        """
        return self.pieces.permutations(states)

    @cached_property
    def commuting(self) -> NDArray[np.bool_]:
        table = self.table.numpy
        agree = np.empty((self.moves, self.moves), dtype=bool)
        # The order of two moves can matter only on cells that one of them moves.
        for move, row in enumerate(table):
            moved = np.flatnonzero(row != np.arange(self.cells))
            agree[move] = (table[:, row[moved]] == row[table[:, moved]]).all(1)
        return agree & agree.T

    @cached_property
    def fixed_parity(self) -> bool:
        if not self.pieces.distinct or self._known_group is None:
            return False
        # Two moves a, b are a, first and first', b: so these generate what even numbers of them do.
        table, first = self.table.numpy, self.table.numpy[0]
        undone = np.argsort(first)
        even = PermutationGroup(np.concatenate([table[:, first], undone[table]]))
        if 2 * even.order != self.group.order:
            return False  # some state is reached by an odd and by an even number of moves
        return all(p in even for p in self.permutations(self.goals))

    @property
    def invertible(self) -> bool:
        """Whether `inverted` works: a single goal, and no two pieces that look alike."""
        return len(self.goals) == 1 and self.pieces.distinct

    def inverted(self, states: NDArray[Any]) -> NDArray[Any]:
        """`[B, cells]`: the inverse of each state, solved by the inverse solution."""
        permutations = self.permutations(states)
        result: NDArray[Any] = self.goal[np.argsort(permutations, axis=1)]
        return result

    def problems(self, state: NDArray[Any]) -> list[Problem]:
        found = super().problems(state)
        if found:
            return found
        row = np.asarray(state)
        if not np.array_equal(np.sort(row), np.sort(self.goal)):
            have, want = (
                np.bincount(x.astype(np.int64), minlength=self.symbols) for x in (row, self.goal)
            )
            return [
                Problem(
                    Status.COLOUR_COUNT,
                    f"symbol {name} appears {times(have[s])} and should appear {times(want[s])}",
                    name,
                )
                for s in np.flatnonzero(have != want)
                for name in [self.letters[s] if self.letters else str(s)]
            ]
        group = self._known_group
        try:
            if self.pieces.distinct:
                permutation = self.permutations(row[None])[0]
                reached = group is None or permutation in group
            else:
                rng = np.random.default_rng(0)
                self.pieces.matchings(row, 1, rng)  # names the piece that cannot be
                reached = group is None or group.carrying(self.goal, row, rng) is not None
        except PuzzleError as error:
            return list(error.problems)
        if reached:
            return []
        return [Problem(Status.UNREACHABLE, f"no sequence of moves of {self.name} leads there")]


def moved_cells(table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """`[moves, moved]` twice: the cells that each move changes, and the cells they come from.

    Moves that change fewer cells than others are filled up with cell 0.

    >>> to, come_from = moved_cells(np.array([[1, 2, 0, 3], [0, 1, 3, 2]]))
    >>> to.tolist(), come_from.tolist()
    ([[0, 1, 2], [2, 3, 0]], [[1, 2, 0], [3, 2, 0]])
    """
    moved = [np.flatnonzero(row != np.arange(len(row))) for row in table]
    to = np.zeros((len(table), max(len(cells) for cells in moved)), np.intp)
    for line, cells in zip(to, moved, strict=True):
        line[: len(cells)] = cells
    narrow = np.uint16 if table.shape[1] <= 2**16 else np.uint32
    return to.astype(narrow), np.take_along_axis(table, to, axis=1).astype(narrow)


def inverse_moves(table: NDArray[Any], names: Sequence[str]) -> NDArray[np.intp]:
    """`[moves]`: the number of each move's inverse; raises `PuzzleError` if one is missing."""
    numbers = {row.tobytes(): i for i, row in enumerate(table)}
    inverses = np.empty(len(table), dtype=np.intp)
    for i, row in enumerate(table):
        number = numbers.get(np.argsort(row).astype(table.dtype).tobytes())
        if number is None:
            raise PuzzleError(f"move {names[i]} has no inverse among the moves")
        inverses[i] = number
    return inverses


def closed_under_inverses(
    names: Sequence[str], table: NDArray[Any]
) -> tuple[tuple[str, ...], NDArray[Any]]:
    """The moves with every missing inverse added right after its move, named with a prime.

    >>> names, table = closed_under_inverses(["R"], np.array([[1, 2, 0]]))
    >>> names
    ('R', "R'")
    """
    present = {row.tobytes() for row in table}
    out_names: list[str] = []
    out_rows: list[NDArray[Any]] = []
    for name, row in zip(names, table, strict=True):
        out_names.append(name)
        out_rows.append(row)
        inverse = np.argsort(row).astype(table.dtype)
        if inverse.tobytes() not in present:
            present.add(inverse.tobytes())
            out_names.append(name[:-1] if name.endswith("'") else name + "'")
            out_rows.append(inverse)
    return tuple(out_names), np.array(out_rows)
