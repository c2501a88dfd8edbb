"""Compiled loops that count stickers and pieces of cubes. Imported only where they are used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homeward.compiling import njit


@njit(cache=True, nogil=True)
def count_stickers(
    states: NDArray[np.uint8],
    home: NDArray[np.uint8],
    apart: NDArray[np.uint8],
    pairs: NDArray[np.int64],
    most: NDArray[np.float32],
    found: NDArray[np.float32],
) -> None:  # pragma: no cover - compiled
    """Writes the five counts of `stickers.py`, each over what a move can mend, `[B, 5]`."""
    on_face = states.shape[1] // 6
    shown = np.empty(6, np.int64)
    for row in range(len(states)):
        state = states[row]
        errors = distance = differ = together = wrong = 0
        for cell in range(len(state)):
            errors += state[cell] != home[cell]
            distance += apart[state[cell], home[cell]]
            wrong += cell < on_face and state[cell] != home[cell]
        for i in range(len(pairs)):
            differ += state[pairs[i, 0]] != state[pairs[i, 1]]
        for face in range(6):
            shown[:] = 0
            for cell in range(face * on_face, (face + 1) * on_face):
                shown[state[cell]] += 1
            together += on_face * on_face
            for colour in range(6):
                together -= shown[colour] * shown[colour]
        found[row, 0] = errors / most[0]
        found[row, 1] = distance / most[1]
        found[row, 2] = differ / most[2]
        found[row, 3] = together // 2 / most[3]
        found[row, 4] = wrong / most[4]


@njit(cache=True, nogil=True)
def count_relations(
    states: NDArray[np.uint8],
    cells: NDArray[np.int64],
    pieces: NDArray[np.int64],
    relations: NDArray[np.int64],
    found: NDArray[np.float32],
) -> None:  # pragma: no cover - compiled
    """Adds 1 to `found` `[B, relations]` for each piece, by where it is from its home.

    `cells` `[places, stickers]` are read as a number in base 6, `pieces` says which piece that is,
    `relations` `[places, pieces]` how its place and its home lie to each other.
    """
    for row in range(len(states)):
        for place in range(len(cells)):
            look = 0
            for sticker in range(cells.shape[1]):
                look = look * 6 + states[row, cells[place, sticker]]
            found[row, relations[place, pieces[look]]] += 1
