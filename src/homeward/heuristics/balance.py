"""The same net with numbers of one size inside, so that 8 bits are enough for them.

What passes between two matrices is kept in 8 bits on a CPU, with one step for all units of a layer.
A unit with numbers a hundred times those of the others takes nearly all the steps. A relu does not
mind the unit of measurement: a unit's incoming weights can be divided by any positive number and
its outgoing ones multiplied by it. Powers of two change nothing else, not even by rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.layers import MATRICES, Tensors
from homeward.heuristics.ranges import largest_inputs, runs_in_8_bits
from homeward.puzzles.base import Puzzle

_SHARE = 0.75
"""How much of a unit's size goes into the outgoing weights, which have but 8 bits too."""

_QUIETER = 3.0
"""By how many powers of two a unit may be raised above what most of its kind are."""


@dataclass
class _Units:
    """Units that share their measure: which matrices make them, and which read them."""

    made_by: list[int]
    read_by: list[int] = field(default_factory=list)


def balanced(
    puzzle: Puzzle, layers: Sequence[str], tensors: Tensors, reads: str = "cells"
) -> dict[str, NDArray[Any]]:
    """The folded tensors of a net that gives the same answers, its units' sizes made alike.

    `layers` and `reads` are as on a model's card. Nets that cannot run in 8 bits stay as they are.
    """
    made = {name: np.array(values, np.float32) for name, values in tensors.items()}
    if not runs_in_8_bits(layers):
        return made
    tops = largest_inputs(puzzle, layers, tensors, reads)
    last = len(tops)
    for units in _units(layers):
        readers = [i for i in units.read_by if i != last]  # the last matrix is not in 8 bits
        if not readers:
            continue
        largest = np.max([tops[i - 1] for i in readers], 0)
        weight = np.max([np.abs(made[f"layer{i}.weight"]).max(1) for i in readers], 0)
        sizes = _sizes(largest, weight)
        for i in units.made_by:
            made[f"layer{i}.weight"] /= sizes
            made[f"layer{i}.bias"] /= sizes
        for i in units.read_by:
            made[f"layer{i}.weight"] *= sizes[:, None]
    return made


def _units(layers: Sequence[str]) -> list[_Units]:
    """All units between matrices: those that blocks add to, and those inside a block."""
    found: list[_Units] = []
    stream = _Units([])
    number = 0
    for layer in layers:
        kind = layer.partition(" ")[0]
        stream.read_by.append(number)
        if MATRICES[kind] == 2:
            found.append(_Units([number], [number + 1]))
            stream.made_by.append(number + 1)
        else:
            found.append(stream)
            stream = _Units([number])
        number += MATRICES[kind]
    return found[1:]  # what the first matrix reads is given


def _sizes(largest: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """`[n]`: powers of two by which units are divided; 1 for units that are never used."""
    used = (largest > 0) & (weight > 0)
    logs = _SHARE * np.log2(largest, where=used, out=np.zeros_like(largest))
    logs -= (1 - _SHARE) * np.log2(weight, where=used, out=np.zeros_like(weight))
    if used.any():  # a unit that hardly spoke in the sample may yet be loud
        logs = np.maximum(logs, np.median(logs[used]) - _QUIETER)
    sizes: NDArray[np.float32] = np.exp2(np.where(used, np.rint(logs), 0)).astype(np.float32)
    return sizes
