"""What the readers of boards share: moves as letters, and boards with the right number of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from homeward.notation.format import ParseError

_MOST_MOVES = 100_000
"""Moves in one sequence, so that a slip such as `99999999U` does not fill the memory."""

_WORD = re.compile(r"[^\s,]+")


def read_letters(names: Sequence[str], text: str) -> list[int]:
    """Move numbers of letters in any case, with repetitions: `3U L`, `U3 L` or `uuul`.

    Spaces and commas are optional. In a word that starts with a number, numbers belong to the
    letter after them, in all other words to the letter before.

    >>> read_letters("UDLR", "2UR l3d")
    [0, 0, 3, 2, 2, 2, 1]
    """
    moves: list[int] = []
    for word in _WORD.finditer(text):
        counts_first = word.group()[0] in "0123456789"
        pattern = r"([0-9]*)(.)()" if counts_first else r"()(.)([0-9]*)"
        for match in re.finditer(pattern, word.group(), re.DOTALL):
            before, letter, after = match.groups()
            position = word.start() + match.start(2)
            if letter in "0123456789":
                raise ParseError("a number without a move", text, position, "write 3U or U3")
            if letter.upper() not in names:
                hint = f"moves are {' '.join(names)}"
                raise ParseError(f"there is no move {letter!r}", text, position, hint)
            count = int((before + after)[:9] or 1)
            if len(moves) + count > _MOST_MOVES:
                raise ParseError(f"more than {_MOST_MOVES:,} moves", text, position)
            moves += [names.index(letter.upper())] * count
    return moves


def require_count(name: str, wanted: int, positions: Sequence[int], text: str) -> None:
    """Raises `ParseError` at the first entry too many, or at the end if there are too few."""
    found = len(positions)
    if found != wanted:
        where = positions[wanted] if found > wanted else len(text)
        message = f"a board of {name} has {wanted} entries, this one has {found}"
        raise ParseError(message, text, where)
