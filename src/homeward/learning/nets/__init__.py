"""Nets that read a state as small integers and answer with estimated distances."""

from __future__ import annotations

from homeward.learning.nets.convolutional import ConvolutionalNet, board_of
from homeward.learning.nets.parts import Folded, Net
from homeward.learning.nets.residual import ResidualNet
from homeward.learning.nets.rounded import RoundedNet
from homeward.learning.nets.tanh import Features, TanhNet, named_features
from homeward.learning.nets.two_headed import HIGHEST, TwoHeadedNet
from homeward.learning.settings import Settings
from homeward.puzzles.base import Puzzle
from homeward.puzzles.facing import facing
from homeward.puzzles.status import PuzzleError

__all__ = [
    "HIGHEST",
    "ConvolutionalNet",
    "Features",
    "Folded",
    "Net",
    "ResidualNet",
    "RoundedNet",
    "TanhNet",
    "TwoHeadedNet",
    "make_net",
]


def make_net(
    kind: str,
    puzzle: Puzzle,
    settings: Settings,
    outputs: int,
    offset: float = 0.0,
    scale: float = 1.0,
) -> Net:
    """A fresh net of one of the kinds that `Settings.net` names, of the settings' size."""
    s = settings
    if kind in ("residual", "rounded"):
        way = facing(puzzle) if s.facing else None
        if s.facing and way is None:
            raise PuzzleError(
                f"states of {puzzle.name} cannot face one way: square boards and even cubes can"
            )
        size = s.first, s.width, s.blocks
        if kind == "rounded":
            return RoundedNet(puzzle.cells, puzzle.symbols, outputs, *size, way)
        return ResidualNet(puzzle.cells, puzzle.symbols, outputs, *size, offset, scale, way)
    if s.facing:
        raise PuzzleError(f"only a residual net can have facing, not a {kind} one")
    if kind == "convolutional":
        board = board_of(puzzle)
        if board is None:
            raise PuzzleError(f"{puzzle.name} is no board: it cannot have a convolutional net")
        return ConvolutionalNet(
            board, puzzle.symbols, outputs, s.channels, s.width, s.blocks, offset, scale
        )
    if kind == "tanh":
        return TanhNet(puzzle, outputs, named_features(s.features), offset, scale)
    assert kind == "two-headed"
    return TwoHeadedNet(puzzle, s.first, s.width, s.own_width)
