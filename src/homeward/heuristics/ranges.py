"""How large the numbers within a net become, which its 8-bit pass must know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.card import Card
from homeward.heuristics.inputs import net_input
from homeward.heuristics.layers import Tensors, forward
from homeward.puzzles.base import Puzzle

_WHOLE = (("dense", "relu"), ("block", "relu"))
_CHUNK = 512
_WALKS, _DEPTH = 64, 1000
"""Typical states come from so many walks of so many moves."""


def ranges(puzzle: Puzzle, card: Card, tensors: Tensors) -> tuple[float, ...]:
    """The largest number that enters each matrix after the first, over states of all depths.

    Empty for nets that cannot run in 8 bits: those with convolutions, or with numbers below 0.
    """
    if not runs_in_8_bits(card.layers):
        return ()
    found = largest_inputs(puzzle, card.layers, tensors, card.input)
    return tuple(float(x.max()) for x in found)


def runs_in_8_bits(layers: Sequence[str]) -> bool:
    """Whether a net has only layers that the 8-bit pass knows."""
    return all(layer.partition(" ")[::2] in _WHOLE for layer in layers[:-1])


def largest_inputs(
    puzzle: Puzzle, layers: Sequence[str], tensors: Tensors, reads: str = "cells"
) -> list[NDArray[np.float32]]:
    """For each matrix after the first the largest numbers that enter its rows, `[in]`."""
    reading = net_input(puzzle, reads)
    codes = reading.encode(typical_states(puzzle))
    found: list[NDArray[np.float32]] = []
    for start in range(0, len(codes), _CHUNK):
        entering: list[NDArray[np.float32]] = []
        forward(layers, tensors, codes[start : start + _CHUNK], reading.symbols, inputs=entering)
        tops = [x.max(0) for x in entering[1:]]
        found = [np.maximum(*two) for two in zip(found, tops, strict=True)] if found else tops
    return found


def typical_states(puzzle: Puzzle, n: int = 2048) -> NDArray[Any]:
    """`[at most 3 * n, cells]`: states near the goal, from all of long walks, and to be solved.

    None that is solved, if there are others: nobody asks about its children, and a net may have
    units for it and boards like it, with numbers far beyond all others.
    """
    rng = np.random.default_rng(0)
    states = puzzle.walks(_WALKS, _DEPTH, rng).states
    lengths = np.concatenate([rng.integers(50, size=n), rng.integers(_DEPTH + 1, size=n)])
    walked = states[lengths, rng.integers(_WALKS, size=2 * n)]
    states = np.concatenate([walked, puzzle.start_states(n, rng)])
    unsolved = ~puzzle.is_solved(states)
    return states[unsolved] if unsolved.any() else states
