"""Why a solver cannot do a puzzle: one sentence, empty if it can."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from homeward.puzzles.base import Puzzle


def why_no_cube(puzzle: Puzzle) -> str:
    """Whether it is a 3×3×3 cube."""
    from homeward.puzzles.cube import Cube

    known = isinstance(puzzle, Cube) and puzzle.size == 3
    return "" if known else f"{puzzle.name} is no 3×3×3 cube"


def why_no_features(puzzle: Puzzle) -> str:
    """Whether it is the cube that the features are for, in quarter turns and with its own goal."""
    from homeward.puzzles.registry import puzzle as named

    known = puzzle.name == "cube3" and np.array_equal(puzzle.goals, named("cube3").goals)
    return "" if known else f"the features are those of cube3, not of {puzzle.name}"


def why_no_stickers(puzzle: Puzzle) -> str:
    """Whether it is a cube with a colour for each face."""
    from homeward.heuristics.cube.features.stickers import why_not_solid

    return why_not_solid(puzzle)


def why_no_board(puzzle: Puzzle) -> str:
    """Whether it is a sliding board."""
    return "" if puzzle.family == "sliding" else f"{puzzle.name} is no sliding board"


def why_no_conflicts(puzzle: Puzzle) -> str:
    """Whether it is a board where linear conflicts hold."""
    if getattr(puzzle, "coiled", False):
        return f"{puzzle.name}: linear conflicts do not hold on a coiled board"
    return why_no_board(puzzle)


def why_no_lights(puzzle: Puzzle) -> str:
    """Whether it is Lights Out."""
    return "" if puzzle.family == "lightsout" else f"{puzzle.name} is no Lights Out board"


def why_no_sokoban(puzzle: Puzzle) -> str:
    """Whether it is Sokoban."""
    return "" if puzzle.family == "sokoban" else f"{puzzle.name} is not Sokoban"


def why_no_databases(puzzle: Puzzle) -> str:
    """Whether it is a board that is small enough for pattern databases."""
    from homeward.heuristics.tiles.layout import MOST_CELLS

    if puzzle.family != "sliding" or puzzle.cells <= MOST_CELLS:
        return why_no_board(puzzle)
    return f"pattern databases are for boards of at most {MOST_CELLS} cells, not {puzzle.cells}"


def why_no_net(puzzle: Puzzle) -> str:
    """Whether a model ships for it, with its goal and its moves."""
    from homeward.heuristics.models import read_card, shipped_models

    if puzzle.name not in shipped_models():
        return f"there is no model for {puzzle.name}; train one and name it with --model"
    if read_card(puzzle.name).digest != _digest(puzzle):
        return f"the model of {puzzle.name} is for another goal or other moves than this one's"
    return ""


@lru_cache(maxsize=16)
def _digest(puzzle: Puzzle) -> str:
    from homeward.puzzles.digest import puzzle_digest

    return puzzle_digest(puzzle)


def why_no_table(puzzle: Puzzle) -> str:
    """Whether its whole graph can be numbered."""
    from homeward.puzzles.ranking import why_no_ranking

    return why_no_ranking(puzzle)


def why_no_estimate(puzzle: Puzzle) -> str:
    """Whether there is a model or a table for it."""
    return why_no_net(puzzle) if why_no_table(puzzle) else ""
