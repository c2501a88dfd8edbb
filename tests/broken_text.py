"""What tests of readers share: damaging a text, and what must come of it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from homeward.puzzles import PermutationPuzzle, PuzzleError

Reader = Callable[[str], PermutationPuzzle]
_SCRAPS = [
    *"0123456789'\"[](),=:;#\n .-_MABCé\0",
    *("99999999999", "[moves]", "Gen:=", "ip:=", "goal", "()"),
]


def said(reader: Reader, text: str) -> str:
    """The message of the error that reading a text raises."""
    with pytest.raises(PuzzleError) as caught:
        reader(text)
    return str(caught.value)


def damaged(text: str, chance: random.Random) -> str:
    """A text with some pieces cut out and others put in."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 1, 2, 5, 20)))
        text = text[:start] + "".join(chance.choices(_SCRAPS, k=chance.randint(0, 2))) + text[end:]
    return text


def require_puzzle_or_error(reader: Reader, text: str) -> None:
    """Anything but a `PuzzleError` or a puzzle whose moves can be undone fails the test."""
    try:
        p = reader(text)
    except PuzzleError:
        return
    assert isinstance(p, PermutationPuzzle)
    assert p.is_solved(p.apply(p.goal, [0, int(p.inverses[0])])[None])[0]
