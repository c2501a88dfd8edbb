"""What can be wrong with a state: every problem at once, as flags with sentences."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass


class Status(enum.Flag):
    """Why a state cannot be solved; `Status.VALID` (no flag) when nothing is wrong."""

    VALID = 0
    SHAPE = enum.auto()
    SYMBOL = enum.auto()
    COLOUR_COUNT = enum.auto()
    CENTRES = enum.auto()
    IMPOSSIBLE_PIECE = enum.auto()
    DUPLICATE_PIECE = enum.auto()
    TWISTED_CORNER = enum.auto()
    FLIPPED_EDGE = enum.auto()
    SWAPPED_PIECES = enum.auto()
    UNREACHABLE = enum.auto()
    UNSOLVABLE_LIGHTS = enum.auto()
    TILES = enum.auto()
    AGENT = enum.auto()
    BOXES = enum.auto()
    OPEN_BOARD = enum.auto()


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a state: its flag, a sentence for a person, and the piece or place."""

    status: Status
    sentence: str
    where: str = ""


class PuzzleError(ValueError):
    """Bad input of any kind: text that cannot be read, a state that cannot be, a broken file.

    `problems` holds every problem that was found; `status` is their flags together.
    """

    def __init__(self, message: str, problems: Iterable[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    @property
    def status(self) -> Status:
        """The flags of all problems together."""
        return combined(self.problems)


def combined(problems: Iterable[Problem]) -> Status:
    """The flags of `problems` in one value."""
    status = Status.VALID
    for problem in problems:
        status |= problem.status
    return status


def times(count: int) -> str:
    """A number of times in words.

    >>> times(1), times(2), times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(int(count), f"{count} times")
