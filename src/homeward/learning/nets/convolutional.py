"""A small convolutional net for boards: what matters there is what lies next to what."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from homeward.learning.nets.parts import Answer, Block, Folded, Net, Normed, named, one_hot
from homeward.puzzles.base import Puzzle

_FIRST_WORD = 0.1
"""How much of a cell's number its output is at first, in units of the answers."""


class ConvolutionalNet(Net):
    """One-hot planes → 3×3 convolution → `blocks` residual blocks of two → `width` → `outputs`.

    Where each cell has its own output, as in Lights Out, a convolution to one number for each cell
    stands for the layer of `width`, and at first every output is its own cell's number: so what is
    learned about one cell is known about all of them.

    Answers float32 `[B, outputs]` in moves: `offset + scale * (last layer)`.
    """

    def __init__(
        self,
        board: tuple[int, int],
        symbols: int,
        outputs: int,
        channels: int = 64,
        width: int = 512,
        blocks: int = 3,
        offset: float = 0.0,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        rows, columns = self.board = board
        self.symbols = symbols
        self._symbols: Tensor
        self.register_buffer("_symbols", torch.arange(symbols), persistent=False)
        self.entry = Normed(_conv(symbols, channels))
        self.blocks = nn.ModuleList(
            Block(_conv(channels, channels), _conv(channels, channels)) for _ in range(blocks)
        )
        self.by_cell = outputs == rows * columns
        self.second = Normed(
            _conv(channels, 1) if self.by_cell else nn.Linear(rows * columns * channels, width)
        )
        self.last = Answer(outputs if self.by_cell else width, outputs, offset, scale)
        if self.by_cell:
            with torch.no_grad():
                self.last.weight.copy_(torch.eye(outputs) * _FIRST_WORD)

    def forward(self, states: Tensor) -> Tensor:
        assert self.board is not None
        hot = one_hot(states, self._symbols).to(self.entry.linear.weight.dtype)
        x = hot.view(-1, *self.board, self.symbols).permute(0, 3, 1, 2)
        x = functional.relu(self.entry(x))
        for block in self.blocks:
            x = block(x)
        if self.by_cell:
            x = torch.tanh(self.second(x)).flatten(1)
        else:
            x = functional.relu(self.second(x.permute(0, 2, 3, 1).flatten(1)))
        distances: Tensor = self.last(x)
        return distances

    @property
    def layers(self) -> list[str]:
        blocks = ["conv-block relu"] * len(self.blocks)
        return ["conv relu", *blocks, "conv tanh" if self.by_cell else "dense relu", "dense"]

    def folded(self) -> Folded:
        inside = [b for b in self.blocks if isinstance(b, Block)]
        normed = [self.entry, *(n for b in inside for n in (b.inner, b.outer)), self.second]
        return named([*(layer.folded() for layer in normed), self.last.folded()])


def _conv(channels: int, outputs: int) -> nn.Conv2d:
    return nn.Conv2d(channels, outputs, 3, padding=1)


def board_of(puzzle: Puzzle) -> tuple[int, int] | None:
    """Rows and columns of a puzzle whose cells are a board row by row; None for others."""
    rows = getattr(puzzle, "rows", None)
    columns = getattr(puzzle, "columns", None)
    if puzzle.family == "lightsout":
        rows = columns = getattr(puzzle, "size", None)
    if isinstance(rows, int) and isinstance(columns, int) and rows * columns == puzzle.cells:
        return rows, columns
    return None
