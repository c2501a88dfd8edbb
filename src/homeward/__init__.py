"""homeward learns the way home: it solves puzzles from nothing but their rules."""

import sys
from typing import TYPE_CHECKING, Any

from homeward.notation import State
from homeward.puzzles import Puzzle, PuzzleError, puzzle

if TYPE_CHECKING:
    from homeward.search.base import Budget, Solution
    from homeward.solvers import solve

__version__ = "0.1.0"
__all__ = ["Budget", "Puzzle", "PuzzleError", "Solution", "State", "puzzle", "solve"]

_LAZY = {
    "Budget": "homeward.search.base",
    "Solution": "homeward.search.base",
    "solve": "homeward.solvers",
}


def __getattr__(name: str) -> Any:
    """What needs more than puzzles and notation is imported when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'homeward' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


if "gymnasium" in sys.modules:
    import homeward.envs  # noqa: F401 - registers the environments
