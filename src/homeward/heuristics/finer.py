"""Which inputs of a net's matrices 8 bits are too few for."""

from __future__ import annotations

import dataclasses

import numpy as np

from homeward.heuristics.cpu_net import CpuNet
from homeward.heuristics.models import Model
from homeward.heuristics.ranges import typical_states
from homeward.puzzles.base import Puzzle

_WORTH = 0.19
"""Moves by which the error of the 8-bit pass must fall for a matrix that takes twice as long.

That of an earlier net of the 48-puzzle fell by 0.29, and its solutions became shorter; Sokoban's
falls by 0.18, and its beams find no more than before; those of all other nets by less than 0.08.
"""


def finer(puzzle: Puzzle, model: Model) -> tuple[int, ...]:
    """The matrices of a net that should read 16 bits where it runs in 8, for its card.

    Few units may carry the distance of far states, all of it; then a step of 8 bits is a move. An
    earlier net of the 48-puzzle had 0.3 of 0.7 moves of error less with the last block's input in
    16 bits, for 4 % more time, and beams of 768 solutions that were 2 of 266 moves shorter.
    """
    if not model.card.refinable:
        return ()
    states = typical_states(puzzle, n=512)
    exact = CpuNet(puzzle, model, "float32").answers(states)

    def error(chosen: tuple[int, ...]) -> float:
        card = dataclasses.replace(model.card, finer=chosen)
        said = CpuNet(puzzle, dataclasses.replace(model, card=card), "int8").answers(states)
        return float(np.sqrt(np.square(said - exact).mean()))

    chosen: tuple[int, ...] = ()
    least = error(chosen)
    while True:
        more = [(*chosen, i) for i in model.card.refinable if i not in chosen]
        found = min(((error(those), those) for those in more), default=(least, chosen))
        if least - found[0] < _WORTH:
            return tuple(sorted(chosen))
        least, chosen = found
