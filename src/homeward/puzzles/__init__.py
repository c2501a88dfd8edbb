"""What a state is and what a move does. This room imports no other."""

from homeward.puzzles.base import Puzzle, Walks
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.registry import names, puzzle
from homeward.puzzles.status import Problem, PuzzleError, Status

__all__ = [
    "PermutationPuzzle",
    "Problem",
    "Puzzle",
    "PuzzleError",
    "Status",
    "Walks",
    "names",
    "puzzle",
]
