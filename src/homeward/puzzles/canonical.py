"""Which sequences of moves are worth trying: of those with the same effect, only the first.

Sequences are ordered by length and then by their move numbers. A sequence that has the effect of an
earlier one can be left out wherever it appears in a longer one, and every state still has one
shortest sequence that is tried. On the cube that means: no turn taken back, a half turn only as two
clockwise quarter turns, and opposite faces in one order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_MOST_WORDS = 100_000


class MoveOrder(NamedTuple):
    """The moves that may follow two others.

    The pair (before, last) has the number `(before + 1) * (moves + 1) + last + 1`, with -1 for no
    move. `follow` `[pairs, moves]` lists the moves that may come next and `follows` `[pairs]` is
    how many they are.
    """

    follow: NDArray[np.uint8]
    follows: NDArray[np.uint8]

    def words(self, length: int) -> Iterator[tuple[int, ...]]:
        """Every sequence of that length that is worth trying.

        >>> from homeward.puzzles import puzzle
        >>> order = canonical_order(puzzle("cube3").table.numpy)
        >>> [len(list(order.words(n))) for n in range(5)]
        [1, 12, 114, 1068, 10011]
        """
        moves = self.follow.shape[1]
        pending: list[tuple[tuple[int, ...], int, int]] = [((), 0, 0)]
        while pending:
            word, before, last = pending.pop()
            if len(word) == length:
                yield word
                continue
            pair = before * (moves + 1) + last
            for move in self.follow[pair, : self.follows[pair]][::-1].tolist():
                pending.append(((*word, move), last, move + 1))


def canonical_order(table: NDArray[Any]) -> MoveOrder:
    """The move order of a puzzle given by its table `[moves, cells]`, of at most 254 moves.

    Sequences of up to three moves are compared, or two where there are very many moves.
    """
    moves = len(table)
    longest = 3 if moves**3 <= _MOST_WORDS else 2
    first: dict[bytes, tuple[int, ...]] = {}
    needless: set[tuple[int, ...]] = set()
    for length in range(longest + 1):
        for word in product(range(moves), repeat=length):
            if any(word[i:j] in needless for i in range(length) for j in range(i + 1, length + 1)):
                needless.add(word)
                continue
            effect = np.arange(table.shape[1])
            for move in word:
                effect = effect[table[move]]
            if first.setdefault(effect.tobytes(), word) != word:
                needless.add(word)
    follow = np.zeros(((moves + 1) ** 2, moves), np.uint8)
    follows = np.zeros((moves + 1) ** 2, np.uint8)
    for before, last in product(range(-1, moves), repeat=2):
        past = tuple(move for move in (before, last) if move >= 0)
        allowed = [
            move
            for move in range(moves)
            if not any((*past[i:], move) in needless for i in range(len(past) + 1))
        ]
        pair = (before + 1) * (moves + 1) + last + 1
        follow[pair, : len(allowed)] = allowed
        follows[pair] = len(allowed)
    return MoveOrder(follow, follows)
