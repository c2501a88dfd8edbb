"""Levels drawn in text, as the tests of Sokoban write them."""

from __future__ import annotations

import numpy as np

from homeward.puzzles.sokoban import Sokoban

CORRIDOR = ("#######", "#.$ @ #", "#######")
CODES = {symbol: code for code, symbol in enumerate(" #.$*@+")}


def board(*rows: str) -> np.ndarray:
    return np.array([CODES[c] for row in rows for c in row], dtype=np.uint8)


def small(*rows: str) -> tuple[Sokoban, np.ndarray]:
    cells = board(*rows)
    return Sokoban(len(rows), len(rows[0])), cells
