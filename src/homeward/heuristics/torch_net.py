"""A learned net on a GPU (or wherever torch runs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from homeward.heuristics.inputs import net_input
from homeward.heuristics.layers import MATRICES
from homeward.heuristics.models import Model
from homeward.puzzles.base import Puzzle

_AFTER: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "elu": functional.elu,
    "tanh": torch.tanh,
    "": lambda x: x,
}
_ALIGNED = 16
"""Inputs come in multiples of so many: GPUs are slow with rows that begin at odd addresses."""
_CHUNK = 1 << 17


class TorchNet:
    """A model's net as a heuristic on a torch device; `PuzzleError` if it is for another puzzle.

    Passes are made in chunks so that memory stays bounded.
    """

    admissible = False

    def __init__(self, puzzle: Puzzle, model: Model, device: str = "cuda") -> None:
        model.require_fits(puzzle)
        card = model.card
        self.puzzle, self.head, self.name = puzzle, card.head, model.name
        self.device = torch.device(device)
        self.recordable = self.device.type == "cuda" and puzzle.recordable
        """Whether a pass never waits for the GPU, so that a search may record it."""
        self.layers, self.board = card.layers, card.board
        half = torch.float16 if self.device.type == "cuda" else torch.float32
        self._matrices = [self._placed(matrix, half) for matrix in model.matrices[:-1]]
        # The answer itself is made in float32.
        self._matrices.append(self._placed(model.matrices[-1], torch.float32))
        if self.layers[0].startswith("dense"):
            weight, bias = self._matrices[0]
            self._matrices[0] = functional.pad(weight, (0, 0, 0, -len(weight) % _ALIGNED)), bias
        self._input = net_input(puzzle, card.input)
        self.facing = card.input == "facing"
        small = torch.uint8 if self._input.symbols <= 256 else torch.int16
        self._symbols = torch.arange(self._input.symbols, device=self.device, dtype=small)

    def _placed(
        self, matrix: tuple[NDArray[Any], NDArray[Any]], kind: torch.dtype
    ) -> tuple[Tensor, Tensor]:
        weight, bias = (torch.as_tensor(values).to(self.device, kind) for values in matrix)
        return weight, bias

    # --- what every heuristic answers

    def place(self, states: NDArray[Any]) -> Tensor:
        """The states on this net's device."""
        return torch.tensor(states, device=self.device)

    def children(self, states: Tensor) -> Tensor:
        """`[B, moves]`: estimated distance of each child, +inf where illegal."""
        direct = self.head == "children"
        scores = self.answers(states) if direct else self._values_of_children(states)
        if not self.puzzle.always_legal:
            scores = scores.masked_fill(~self.puzzle.legal(states), torch.inf)
        return scores

    def values(self, states: Tensor) -> Tensor:
        """`[B]`: estimated distance of the states themselves, 0 at a goal."""
        if self.head == "children":
            found = 1 + self.children(states).amin(1)
        else:
            found = self.answers(states)[:, 0]
        return found.masked_fill(self.puzzle.is_solved(states), 0.0)

    def _values_of_children(self, states: Tensor) -> Tensor:
        children = self.puzzle.expand(states).flatten(0, 1)
        return self.values(children).view(len(states), self.puzzle.moves)

    # --- passes of the net

    @torch.no_grad()
    def answers(self, states: Tensor) -> Tensor:
        """`[B, outputs]` float32: what the net says of states `[B, cells]`."""
        if len(states) <= _CHUNK:
            return self._forward(states)
        return torch.cat([self._forward(part) for part in torch.split(states, _CHUNK)])

    def _forward(self, states: Tensor) -> Tensor:
        x: Tensor = self._input.encode(states)
        if not x.is_floating_point():
            x = (x.unsqueeze(-1) == self._symbols).flatten(1)
        first = self._matrices[0][0]
        if self.layers[0].startswith("conv"):
            assert self.board is not None
            x = x.to(first.dtype).view(len(x), *self.board, -1).permute(0, 3, 1, 2)
        else:
            x = _widened(x, len(first), first.dtype)
        number = 0
        for layer in self.layers:
            kind, _, name = layer.partition(" ")
            after = _AFTER[name]
            y = _apply(kind, x, *self._matrices[number])
            if MATRICES[kind] == 2:
                y = x + _apply(kind, after(y), *self._matrices[number + 1])
            x = after(y)
            number += MATRICES[kind]
        answers: Tensor = self._input.decode(states, x)
        return answers


def _widened(x: Tensor, width: int, dtype: torch.dtype) -> Tensor:
    """`[B, width]`: `x` `[B, n]` as numbers of this type, with zeros behind."""
    wide = torch.empty((len(x), width), device=x.device, dtype=dtype)
    wide[:, : x.shape[1]] = x
    wide[:, x.shape[1] :] = 0
    return wide


def _apply(kind: str, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    if kind.startswith("conv"):
        kernel = weight.view(3, 3, -1, weight.shape[1]).permute(3, 2, 0, 1)
        return functional.conv2d(x, kernel, bias, padding=1)
    if x.ndim == 4:  # behind convolutions: cell by cell, each with all channels
        x = x.permute(0, 2, 3, 1).flatten(1)
    return torch.addmm(bias, x.to(weight.dtype), weight)
