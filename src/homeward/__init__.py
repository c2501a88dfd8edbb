"""homeward learns the way home: it solves puzzles from nothing but their rules."""

from homeward.notation import State
from homeward.puzzles import Puzzle, PuzzleError, puzzle

__version__ = "0.1.0"
__all__ = ["Puzzle", "PuzzleError", "State", "puzzle"]
