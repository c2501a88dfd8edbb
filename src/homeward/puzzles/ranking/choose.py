"""Which ranking a puzzle gets."""

from __future__ import annotations

import math
from functools import lru_cache

from homeward.puzzles.base import Puzzle
from homeward.puzzles.lightsout import LightsOut
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.pieces import Pieces
from homeward.puzzles.ranking.base import LIMIT, Ranking
from homeward.puzzles.ranking.boards import BoardRanking
from homeward.puzzles.ranking.chain import ChainRanking
from homeward.puzzles.ranking.pieces import pieces_ranking
from homeward.puzzles.ranking.product import LightsRanking
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.status import PuzzleError


def ranking(puzzle: Puzzle) -> Ranking:
    """A ranking of a puzzle's states; `PuzzleError` if it has too many or none is known.

    >>> from homeward.puzzles import puzzle
    >>> ranking(puzzle("cube2")).size
    3674160
    """
    reason = why_no_ranking(puzzle)
    if reason:
        raise PuzzleError(reason)
    if isinstance(puzzle, Sliding):
        return BoardRanking(puzzle)
    if isinstance(puzzle, LightsOut):
        return LightsRanking(puzzle)
    assert isinstance(puzzle, PermutationPuzzle)
    return pieces_ranking(puzzle, count_states(puzzle)) or ChainRanking(puzzle)


def why_no_ranking(puzzle: Puzzle) -> str:
    """Why the states of a puzzle cannot be numbered; empty if they can. Quickly found out.

    >>> from homeward.puzzles import puzzle
    >>> why_no_ranking(puzzle("sokoban"))
    'no numbering is known for the states of sokoban'
    """
    try:
        states = count_states(puzzle)
    except PuzzleError as error:
        return str(error)
    if states > LIMIT:
        many = f"{states:,}" if states < 10**30 else f"about 10^{math.log10(states):.0f}"
        return f"{puzzle.name} has {many} states, too many to number: at most {LIMIT:,} are"
    if isinstance(puzzle, Sliding) and puzzle.coiled:
        return f"no numbering is known for the states of {puzzle.name}, a coiled board"
    return ""


def count_states(puzzle: Puzzle) -> int:
    """How many states can be reached; `PuzzleError` where no formula is known.

    >>> from homeward.puzzles import puzzle
    >>> count_states(puzzle("cube3"))
    43252003274489856000
    """
    if isinstance(puzzle, Sliding):
        # Each slide is one exchange, so on a chequered board the blank's colour tells the parity
        # of the arrangement, unless the coil joins two cells of the same colour.
        mixed = puzzle.coiled and (puzzle.rows + puzzle.columns) % 2 == 0
        return math.factorial(puzzle.cells) // (1 if mixed else 2)
    if isinstance(puzzle, LightsOut):
        return 1 << (puzzle.cells - len(puzzle.quiet_patterns))
    if isinstance(puzzle, PermutationPuzzle):
        if _distinct(puzzle):
            return puzzle.group.order
        raise PuzzleError(f"no numbering is known for {puzzle.name}: some of its pieces look alike")
    raise PuzzleError(f"no numbering is known for the states of {puzzle.name}")


@lru_cache(maxsize=64)
def _distinct(puzzle: PermutationPuzzle) -> bool:
    """Whether no two pieces look alike; every solver asks, and large cubes take a second."""
    return Pieces(puzzle.table.numpy, puzzle.goal).distinct
