"""An order of moves that keeps a depth-first search from going the same way twice.

Around a square of four cells the blank comes to the same board by six moves one way and by six the
other. Of all such words (sequences of moves) with one effect the first is enough, the others are
forbidden: a shortest path whose word comes first of all has no forbidden part, so it is still
found. A word may only stand for another if it keeps the blank within the same rows and columns;
then it is possible wherever the other is.
"""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward import cache
from homeward.heuristics.tiles.tree.records import FORBIDDEN

Word: TypeAlias = tuple[int, ...]
_Cell: TypeAlias = tuple[int, int]
_Box: TypeAlias = tuple[int, int, int, int]

LONGEST = 10
"""Moves of the longest words looked at; there are three times as many with each move more."""

_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
"""Where the blank goes when a tile goes up, down, left or right."""


@lru_cache(maxsize=2)
def automaton(coiled: bool = False) -> NDArray[np.uint16]:
    """`[states, moves]`: the state after each move, `FORBIDDEN` where a word would end that is.

    State 0 is the start, where every move is possible. Read from the cache folder, or made.
    """
    name, facts = f"tiles-words-{4 + coiled}", {"moves": 4 + coiled, "longest": LONGEST}
    stored = cache.recall(name, facts)
    if stored is not None:
        return stored[0]
    words = forbidden_words(LONGEST) | ({(4, 4)} if coiled else set())
    table = table_of(words, 4 + coiled)
    cache.keep(name, table, facts)
    table.setflags(write=False)  # as it comes from the cache, which code is compiled for
    return table


def table_of(words: Set[Word], moves: int) -> NDArray[np.uint16]:
    """The automaton that has forbidden the last move of every one of these words."""
    prefixes = sorted({word[:i] for word in words for i in range(len(word))}, key=len)
    numbers = {prefix: number for number, prefix in enumerate(prefixes)}
    table = np.empty((len(prefixes), moves), np.uint16)
    for prefix, number in numbers.items():
        for move in range(moves):
            word = (*prefix, move)
            while word not in words and word not in numbers:
                word = word[1:]
            table[number, move] = FORBIDDEN if word in words else numbers[word]
    return table


@lru_cache(maxsize=4)
def forbidden_words(longest: int) -> frozenset[Word]:
    """The words of at most so many moves `U D L R` that are needless and have no needless part.

    >>> sorted(forbidden_words(6))[:4]
    [(0, 1), (1, 0), (2, 0, 3, 1, 2, 0), (2, 1, 3, 0, 2, 1)]
    """
    forbidden: set[Word] = set()
    level: list[tuple[Word, _Cell, dict[_Cell, _Cell], _Box]] = [((), (0, 0), {}, (0, 0, 0, 0))]
    seen: dict[tuple[_Cell, frozenset[tuple[_Cell, _Cell]]], list[_Box]] = {}
    seen[(0, 0), frozenset()] = [(0, 0, 0, 0)]
    for _ in range(longest):
        made = []
        for before, blank, board, box in level:
            for move in range(len(_STEPS)):
                word = (*before, move)
                if any(word[i:] in forbidden for i in range(1, len(word) - 1)):
                    continue
                cell, changed = _slid(board, blank, move)
                wider = _around(box, cell)
                boxes = seen.setdefault((cell, frozenset(changed.items())), [])
                if any(_within(other, wider) for other in boxes):
                    forbidden.add(word)
                else:
                    boxes.append(wider)
                    made.append((word, cell, changed, wider))
        level = made
    return frozenset(forbidden)


def _slid(board: dict[_Cell, _Cell], blank: _Cell, move: int) -> tuple[_Cell, dict[_Cell, _Cell]]:
    """The blank's new cell, and the tiles that are not where they were, by the cell they are on."""
    cell = blank[0] + _STEPS[move][0], blank[1] + _STEPS[move][1]
    changed = dict(board)
    tile = changed.pop(cell, cell)
    if tile != blank:
        changed[blank] = tile
    return cell, changed


def _around(box: _Box, cell: _Cell) -> _Box:
    top, bottom, left, right = box
    return min(top, cell[0]), max(bottom, cell[0]), min(left, cell[1]), max(right, cell[1])


def _within(inner: _Box, outer: _Box) -> bool:
    return (
        inner[0] >= outer[0]
        and inner[1] <= outer[1]
        and inner[2] >= outer[2]
        and inner[3] <= outer[3]
    )
