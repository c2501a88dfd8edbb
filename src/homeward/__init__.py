"""homeward learns the way home: it solves puzzles from nothing but their rules."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from homeward.notation import State
    from homeward.puzzles import Puzzle, PuzzleError, puzzle
    from homeward.search.base import Budget, Solution
    from homeward.solvers import solve

__version__ = "0.1.0"
__all__ = ["Budget", "Puzzle", "PuzzleError", "Solution", "State", "puzzle", "solve"]

_LAZY = {
    "Budget": "homeward.search.base",
    "Puzzle": "homeward.puzzles",
    "PuzzleError": "homeward.puzzles",
    "Solution": "homeward.search.base",
    "State": "homeward.notation",
    "puzzle": "homeward.puzzles",
    "solve": "homeward.solvers",
}


def __getattr__(name: str) -> Any:
    """Everything is imported when it is first asked for: the command line begins at once."""
    if name not in _LAZY:
        raise AttributeError(f"module 'homeward' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


if "gymnasium" in sys.modules:
    import homeward.envs  # noqa: F401 - registers the environments
