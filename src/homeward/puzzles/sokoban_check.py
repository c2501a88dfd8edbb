"""What can be wrong with a Sokoban board, and with a set of levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.sokoban import (
    AGENT,
    AGENT_ON_TARGET,
    BOX,
    BOX_ON_TARGET,
    LEFT,
    TARGET,
    WALL,
    Sokoban,
    is_box,
)
from homeward.puzzles.status import Problem, PuzzleError, Status


def board_problems(puzzle: Sokoban, row: NDArray[Any]) -> list[Problem]:
    """Every problem of one board `[cells]` of known symbols.

    A box stuck in a corner is none: the board is a legal one, and a search finds it unsolvable.
    """
    found = _counts(puzzle, row)
    gaps = np.flatnonzero((row != WALL) & puzzle.border)
    if len(gaps):
        more = f" and {len(gaps) - 1} more" if len(gaps) > 1 else ""
        text = f"the board is open at {_place(puzzle, gaps[0])}{more}: walls must go all round"
        found.append(_problem(puzzle, Status.OPEN_BOARD, text, gaps[0]))
    if (row >= AGENT).any():
        outside = ~puzzle.reachable(row[None])[0]
        for code, what in ((BOX, "the box"), (TARGET, "the target")):
            for cell in np.flatnonzero(outside & (row == code)):
                text = f"walls part {what} at {_place(puzzle, cell)} from the agent"
                found.append(_problem(puzzle, Status.UNREACHABLE, text, cell))
    if puzzle.box_places is not None:
        found += _differences(puzzle, row)
    return found


def _counts(puzzle: Sokoban, row: NDArray[Any]) -> list[Problem]:
    """One agent, and as many boxes as targets."""
    found = []
    agents = np.flatnonzero(row >= AGENT)
    boxes = int(is_box(row).sum())
    targets = int(np.isin(row, (TARGET, BOX_ON_TARGET, AGENT_ON_TARGET)).sum())
    if len(agents) == 0:
        found.append(Problem(Status.AGENT, "there is no agent on the board"))
    if len(agents) > 1:
        places = " and ".join(_place(puzzle, cell) for cell in agents)
        text = f"there are {len(agents)} agents, at {places}: there must be one"
        found.append(_problem(puzzle, Status.AGENT, text, agents[1]))
    if boxes != targets:
        text = f"there must be as many boxes as targets: boxes {boxes}, targets {targets}"
        found.append(Problem(Status.BOXES, text))
    elif boxes == 0:
        found.append(Problem(Status.BOXES, "there are no boxes on the board"))
    return found


def _differences(puzzle: Sokoban, row: NDArray[Any]) -> list[Problem]:
    """What parts a board from the one that `with_goal` was given: its room or its boxes."""
    goal = puzzle.goal
    differs = np.flatnonzero(LEFT.numpy[row] != LEFT.numpy[goal])
    if len(differs):
        text = f"the room differs from the goal's at {_place(puzzle, differs[0])}"
        return [_problem(puzzle, Status.UNREACHABLE, text, differs[0])]
    boxes, wanted = int(is_box(row).sum()), int(is_box(goal).sum())
    if boxes != wanted:
        return [Problem(Status.BOXES, f"boxes {boxes}, but the goal has {wanted}")]
    return []


def checked_levels(puzzle: Sokoban, levels: NDArray[Any]) -> NDArray[Any]:
    """`[L, cells]`: levels as states; raises `PuzzleError` for the first one that cannot be.

    All are looked at together, since there may be hundreds of thousands.
    """
    given = np.asarray(levels)
    if given.ndim < 2 or len(given) == 0 or given[0].size != puzzle.cells:
        shape = "x".join(str(side) for side in given.shape)
        raise PuzzleError(f"levels of {puzzle.name} have {puzzle.cells} cells each, not {shape}")
    boards = given.reshape(len(given), puzzle.cells)
    counts = np.stack([(boards == code).sum(1) for code in range(puzzle.symbols)], 1)
    wrong = counts.sum(1) != puzzle.cells
    wrong |= ((boards != WALL) & puzzle.border).any(1)
    wrong |= counts[:, AGENT] + counts[:, AGENT_ON_TARGET] != 1
    wrong |= counts[:, BOX] != counts[:, TARGET] + counts[:, AGENT_ON_TARGET]
    wrong |= counts[:, BOX] + counts[:, BOX_ON_TARGET] == 0
    wrong |= (~puzzle.reachable(boards) & ((boards == BOX) | (boards == TARGET))).any(1)
    if wrong.any():
        number = int(wrong.argmax())
        sentences = "; ".join(problem.sentence for problem in puzzle.problems(boards[number]))
        raise PuzzleError(f"level {number + 1}: {sentences}")
    return boards.astype(puzzle.dtype)


def _place(puzzle: Sokoban, cell: int | np.intp) -> str:
    return f"row {cell // puzzle.columns + 1}, column {cell % puzzle.columns + 1}"


def _problem(puzzle: Sokoban, status: Status, text: str, cell: int | np.intp) -> Problem:
    return Problem(status, text, f"{cell // puzzle.columns + 1},{cell % puzzle.columns + 1}")
