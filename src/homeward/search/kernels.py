"""Compiled loops over packed states. Imported only where they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@njit(cache=True, nogil=True)
def pack(
    states: NDArray[Any], bits: int, words: NDArray[np.uint64]
) -> None:  # pragma: no cover - compiled
    """Writes each row of `states` `[B, cells]` into `words` `[B, W]`, `bits` a symbol."""
    per_word = 64 // bits
    for b in range(len(states)):
        for w in range(words.shape[1]):
            word = np.uint64(0)
            first = w * per_word
            for c in range(first, min(first + per_word, states.shape[1])):
                word |= np.uint64(states[b, c]) << np.uint64((c - first) * bits)
            words[b, w] = word


@njit(cache=True, nogil=True)
def unpack(
    words: NDArray[np.uint64], bits: int, states: NDArray[Any]
) -> None:  # pragma: no cover - compiled
    """The inverse of `pack`."""
    per_word = 64 // bits
    mask = np.uint64((1 << bits) - 1)
    for b in range(len(words)):
        for c in range(states.shape[1]):
            shift = np.uint64((c % per_word) * bits)
            states[b, c] = (words[b, c // per_word] >> shift) & mask


@njit(cache=True, nogil=True, inline="always")
def _slot(
    words: NDArray[np.uint64], row: int, store: NDArray[np.uint64], slots: NDArray[np.int32]
) -> int:  # pragma: no cover - compiled
    """The slot that holds the state `words[row]`, or the empty one where it belongs."""
    mask = len(slots) - 1
    mixed = _MIX
    for w in range(words.shape[1]):
        mixed = (mixed ^ words[row, w]) * _MIX
        mixed ^= mixed >> _HALF
    at = np.int64(mixed & np.uint64(mask))
    while slots[at] >= 0:
        known = slots[at]
        same = True
        for w in range(words.shape[1]):
            if store[known, w] != words[row, w]:
                same = False
                break
        if same:
            break
        at = (at + 1) & mask
    return int(at)


@njit(cache=True, nogil=True)
def insert(
    words: NDArray[np.uint64],
    store: NDArray[np.uint64],
    slots: NDArray[np.int32],
    count: int,
    numbers: NDArray[np.int64],
) -> int:  # pragma: no cover - compiled
    """Adds `words` `[B, W]` to a `store` of `count` states; returns the new count.

    `numbers` `[B]` receives the number of each state. `store` must have room for all.
    """
    for b in range(len(words)):
        at = _slot(words, b, store, slots)
        if slots[at] < 0:
            slots[at] = count
            for w in range(words.shape[1]):
                store[count, w] = words[b, w]
            count += 1
        numbers[b] = slots[at]
    return count


@njit(cache=True, nogil=True)
def look_up(
    words: NDArray[np.uint64],
    store: NDArray[np.uint64],
    slots: NDArray[np.int32],
    numbers: NDArray[np.int64],
) -> None:  # pragma: no cover - compiled
    """Writes the number of each state of `words` `[B, W]` into `numbers`, -1 if absent."""
    for b in range(len(words)):
        numbers[b] = slots[_slot(words, b, store, slots)]


@njit(cache=True, nogil=True)
def fill_slots(
    store: NDArray[np.uint64], count: int, slots: NDArray[np.int32]
) -> None:  # pragma: no cover - compiled
    """Puts the first `count` states of `store` into empty `slots`."""
    for number in range(count):
        slots[_slot(store, number, store, slots)] = number


# --- Monte Carlo tree search (see `mcts.py` for the arrays of a tree)


@njit(cache=True, nogil=True)
def walk_down(
    children: NDArray[np.int32],
    closed: NDArray[np.bool_],
    prior: NDArray[np.float32],
    best: NDArray[np.float32],
    visits: NDArray[np.int32],
    waiting: NDArray[np.int32],
    c: float,
    nu: float,
    nodes: NDArray[np.int64],
    moves: NDArray[np.int64],
) -> None:  # pragma: no cover - compiled
    """Walks `len(nodes)` times from the root to an edge without a child: `nodes[i]`, `moves[i]`.

    The root must have an open edge, and so must every child of an open edge.
    """
    for i in range(len(nodes)):
        node = 0
        while True:
            total = 0
            for move in range(children.shape[1]):
                total += visits[node, move]
            # The first choice at a node, before any visit has been counted, follows the prior.
            spread = c * np.sqrt(max(total, 1))
            chosen, top = -1, -np.inf
            for move in range(children.shape[1]):
                if closed[node, move]:
                    continue
                score = best[node, move] - nu * waiting[node, move]
                score += spread * prior[node, move] / (1 + visits[node, move])
                if chosen < 0 or score > top:
                    chosen, top = move, score
            waiting[node, chosen] += 1
            if children[node, chosen] < 0:
                nodes[i], moves[i] = node, chosen
                break
            node = children[node, chosen]


@njit(cache=True, nogil=True)
def back_up(
    links: NDArray[np.int64],
    best: NDArray[np.float32],
    visits: NDArray[np.int32],
    waiting: NDArray[np.int32],
    nodes: NDArray[np.int64],
    moves: NDArray[np.int64],
    values: NDArray[np.float32],
) -> None:  # pragma: no cover - compiled
    """Tells every edge from `nodes[i]`, `moves[i]` up to the root what was found below it."""
    for i in range(len(nodes)):
        node, move = nodes[i], moves[i]
        while True:
            best[node, move] = max(best[node, move], values[i])
            visits[node, move] += 1
            waiting[node, move] -= 1
            if node == 0:
                break
            node, move = links[node] // best.shape[1], links[node] % best.shape[1]


@njit(cache=True, nogil=True)
def close_edges(
    links: NDArray[np.int64],
    closed: NDArray[np.bool_],
    nodes: NDArray[np.int64],
    moves: NDArray[np.int64],
) -> None:  # pragma: no cover - compiled
    """Closes edges, and each edge whose child has no open edge left."""
    for i in range(len(nodes)):
        node, move = nodes[i], moves[i]
        while True:
            closed[node, move] = True
            if node == 0 or not closed[node].all():
                break
            node, move = links[node] // closed.shape[1], links[node] % closed.shape[1]
