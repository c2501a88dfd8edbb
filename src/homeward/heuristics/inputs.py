"""How a net reads the states of a puzzle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from homeward.puzzles.arrays import Array
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError


@dataclass(frozen=True)
class NetInput:
    """How a net reads states: `encode` makes `[B, positions]` of `[B, cells]`, below `symbols`.

    Features are float32 instead, and `symbols` is 1.
    """

    positions: int
    symbols: int
    encode: Callable[[Array], Array]
    decode: Callable[[Array, Array], Array] = lambda states, answers: answers
    """What the answers `[B, outputs]` about encoded states are for the states themselves."""


def net_input(puzzle: Puzzle, kind: str) -> NetInput:
    """What a card's `input` means for a puzzle: its cells, facing one way, its pieces, features."""
    if kind == "cells":
        return NetInput(puzzle.cells, puzzle.symbols, lambda states: states)
    if kind == "facing":
        from homeward.puzzles.facing import facing

        found = facing(puzzle)
        if found is None:
            raise PuzzleError(f"states of {puzzle.name} cannot face one way, as this model needs")
        return NetInput(puzzle.cells, puzzle.symbols, lambda s: found.face(s)[0], found.back)
    if kind == "cube-features":
        from homeward.heuristics.cube.features import COUNT, features

        if puzzle.name != "cube3":
            raise PuzzleError(f"{puzzle.name} has no {kind}, which this model needs")
        return NetInput(COUNT, 1, features)
    from homeward.puzzles.codes import piece_codes

    codes = piece_codes(puzzle)
    if codes is None:
        raise PuzzleError(f"{puzzle.name} cannot be read as pieces, which this model needs")
    return NetInput(codes.pieces, codes.symbols, codes.encode)
