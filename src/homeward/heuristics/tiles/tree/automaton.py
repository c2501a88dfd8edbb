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

LONGEST = 10
"""Moves of the longest words looked at; there are three times as many with each move more."""


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
    side = 2 * longest + 1  # as far as the blank can go; it begins in the middle
    steps = np.array([side, -side, 1, -1])  # where the blank goes when a tile goes U, D, L, R
    boards = np.arange(1, side * side + 1, dtype=np.uint16)[None]
    blanks = np.array([side * side // 2])
    boards[0, blanks] = 0
    boxes = np.full((1, 4), longest)
    words = np.zeros(1, np.int64)  # their moves are the digits of a number to the base four
    seen: dict[bytes, list[list[int]]] = {boards[0].tobytes(): boxes.tolist()}
    forbidden: dict[int, list[int]] = {}
    for length in range(1, longest + 1):
        parents, moves = np.divmod(np.arange(4 * len(words)), 4)
        made = 4 * words[parents] + moves
        fresh = np.ones(len(made), dtype=bool)
        for size, ends in forbidden.items():
            fresh &= ~np.isin(made % 4**size, ends)
        parents, moves, words = parents[fresh], moves[fresh], made[fresh]
        before = blanks[parents]
        blanks = before + steps[moves]
        boards, rows = boards[parents], np.arange(len(parents))
        boards[rows, before] = boards[rows, blanks]
        boards[rows, blanks] = 0
        boxes = _around(boxes[parents], *np.divmod(blanks, side))
        kept, needless = [], []
        for row, (board, box) in enumerate(zip(boards, boxes.tolist(), strict=True)):
            others = seen.setdefault(board.tobytes(), [])
            if any(_within(other, box) for other in others):
                needless.append(int(words[row]))
            else:
                others.append(box)
                kept.append(row)
        forbidden[length] = needless
        boards, blanks, boxes, words = boards[kept], blanks[kept], boxes[kept], words[kept]
    return frozenset(_digits(word, n) for n, found in forbidden.items() for word in found)


def _around(
    boxes: NDArray[np.int64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The boxes `[n, 4]` (top, bottom, left, right), so wide that they hold these cells as well."""
    top, bottom, left, right = boxes.T
    above, beneath = np.minimum(top, rows), np.maximum(bottom, rows)
    return np.column_stack([above, beneath, np.minimum(left, columns), np.maximum(right, columns)])


def _within(inner: list[int], outer: list[int]) -> bool:
    return (
        inner[0] >= outer[0]
        and inner[1] <= outer[1]
        and inner[2] >= outer[2]
        and inner[3] <= outer[3]
    )


def _digits(word: int, length: int) -> Word:
    return tuple(word // 4**place % 4 for place in reversed(range(length)))
