"""Sliding boards the way people solve them: row by row, then column by column.

It never fails and looks at hardly anything, but its solutions are long. Tiles are put in place one
after the other and not touched again; the last two of a line go in together, by way of a small
window at its end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Interrupted, Meter, Outcome, Solution


@dataclass(frozen=True)
class RowByRow:
    """Rows from the top until two are left, columns from the left, and the last square by trial."""

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Solves `start` `[cells]`; asks no heuristic."""
        if not isinstance(puzzle, Sliding):
            raise PuzzleError(f"row by row is for sliding boards, not {puzzle.name}")
        try:
            moves = _solve(puzzle, start, meter)
        except Interrupted as stop:
            return meter.solution(stop.status)
        if moves is None:
            return meter.solution(Outcome.UNSOLVABLE)
        return meter.solution(Outcome.SOLVED, moves)


def _solve(puzzle: Sliding, start: NDArray[Any], meter: Meter) -> list[int] | None:
    """The moves, None if no moves lead home."""
    last = puzzle.cells - 1
    # Home with the blank in the last cell, and from there the blank's way to its own home.
    goal = _Board(puzzle, puzzle.goal)
    goal.bring_blank(last, ())
    home = [int(puzzle.inverses[move]) for move in reversed(goal.moves)]
    board = _Board(puzzle, start)
    ends = np.array([start, goal.tiles])
    if puzzle.coiled and len(set(puzzle.parities(ends).tolist())) == 2:
        board.bring_blank(0, ())
        board.slide(last)  # the wrap, which changes the parity
    if len(set(puzzle.parities(np.array([board.tiles, goal.tiles])).tolist())) == 2:
        return None
    fixed: set[int] = set()
    for line, inward in _lines(puzzle):
        for done in _fill_line(board, goal.tiles, line, inward, fixed):
            meter.progress.generated = meter.progress.expanded = len(board.moves)
            meter.progress.doing = f"{done} of {puzzle.cells} cells done"
            meter.check()
        fixed.update(line)
    square = [cell for cell in range(puzzle.cells) if cell not in fixed]
    board.arrange(square, {goal.tiles[cell]: cell for cell in square if goal.tiles[cell]})
    moves = [*board.moves, *home]
    meter.progress.generated = meter.progress.expanded = len(moves)
    return _without_detours(puzzle, moves)


def _lines(puzzle: Sliding) -> Iterator[tuple[list[int], int]]:
    """The cells of each line in the order in which they are filled, and the step to the next line.

    Rows from the top until two are left, then columns from the left until two are left.
    """
    board = np.arange(puzzle.cells).reshape(puzzle.rows, puzzle.columns)
    for row in range(puzzle.rows - 2):
        yield board[row].tolist(), puzzle.columns
    for column in range(puzzle.columns - 2):
        yield board[-2:, column].tolist(), 1


def _fill_line(
    board: _Board, goal: Sequence[int], line: Sequence[int], inward: int, fixed: Collection[int]
) -> Iterator[int]:
    """Puts the tiles of one line in place without touching what is `fixed`.

    After each tile it says how many cells are done.
    """
    *first, before, corner = line
    done = set(fixed)
    for cell in first:
        board.bring(goal[cell], cell, done)
        done.add(cell)
        yield len(done)
    if board.tiles[before] == goal[before] and board.tiles[corner] == goal[corner]:
        return
    # Both into the window at the end of the line, the first one into the corner, where it leaves
    # the other a way in; the window has two lines more, so they can be exchanged within it.
    window = [cell + inward * step for cell in (before, corner) for step in range(3)]
    board.bring(goal[before], corner, done)
    if board.tiles.index(goal[corner]) not in window:
        board.bring(goal[corner], corner + 2 * inward, done | {corner})
    pair = {board.tiles.index(goal[before]), board.tiles.index(goal[corner])}
    if board.blank not in window:
        board.bring_blank(set(window) - pair, done | pair)
    board.arrange(window, {goal[before]: before, goal[corner]: corner})


class _Board:
    """A board that notes every move."""

    def __init__(self, puzzle: Sliding, state: NDArray[Any]) -> None:
        self.tiles: list[int] = np.asarray(state).tolist()
        self.blank = self.tiles.index(0)
        self.moves: list[int] = []
        slides = puzzle.slides.numpy.tolist()
        self._moves = [{cell: m for m, cell in enumerate(row) if cell >= 0} for row in slides]
        # The wrap of a coiled board is only ever taken on purpose.
        self._near = [[cell for cell in row[:4] if cell >= 0] for row in slides]

    def slide(self, cell: int) -> None:
        """Slides the tile on a neighbouring cell to the blank's."""
        self.moves.append(self._moves[self.blank][cell])
        self.tiles[self.blank], self.tiles[cell] = self.tiles[cell], 0
        self.blank = cell

    def bring_blank(
        self, there: int | Collection[int], fixed: Collection[int], tile: int = -1
    ) -> None:
        """Brings the blank to a cell, or to the nearest of several.

        It goes around what is `fixed` and the cell of a `tile` that is on its way.
        """
        goals = {there} if isinstance(there, int) else there
        for cell in self._way(self.blank, goals.__contains__, fixed, tile):
            self.slide(cell)

    def bring(self, tile: int, there: int, fixed: Collection[int]) -> None:
        """Brings a tile to a cell around what is `fixed`."""
        here = self.tiles.index(tile)
        for cell in self._way(here, lambda c: c == there, fixed):
            self.bring_blank(cell, fixed, here)
            self.slide(here)
            here = cell

    def _way(
        self, here: int, arrived: Callable[[int], bool], fixed: Collection[int], tile: int = -1
    ) -> list[int]:
        """The cells of a shortest way, without the first."""
        came = {here: here, tile: tile}
        queue = deque([here])
        while queue:
            cell = queue.popleft()
            if arrived(cell):
                way = []
                while cell != here:
                    way.append(cell)
                    cell = came[cell]
                return way[::-1]
            for near in self._near[cell]:
                if near not in came and near not in fixed:
                    came[near] = cell
                    queue.append(near)
        raise AssertionError(f"there is no way from cell {here}")

    def arrange(self, window: Collection[int], wanted: Mapping[int, int]) -> None:
        """Brings each tile to its `wanted` cell with as few moves within a window as can be."""
        tiles = list(wanted)
        goal = tuple(wanted.values())
        start = (self.blank, *(self.tiles.index(tile) for tile in tiles))
        ways: dict[tuple[int, ...], list[int]] = {start: []}
        queue = deque([start])
        while queue:
            state = queue.popleft()
            blank, *places = state
            if tuple(places) == goal:
                for cell in ways[state]:
                    self.slide(cell)
                return
            for cell in self._near[blank]:
                after = (cell, *(blank if place == cell else place for place in places))
                if cell in window and after not in ways:
                    ways[after] = [*ways[state], cell]
                    queue.append(after)
        raise AssertionError("the tiles cannot be arranged there")


def _without_detours(puzzle: Sliding, moves: Sequence[int]) -> list[int]:
    """The same without moves that are taken back at once."""
    kept: list[int] = []
    for move in moves:
        if kept and puzzle.inverses[move] == kept[-1]:
            kept.pop()
        else:
            kept.append(move)
    return kept
