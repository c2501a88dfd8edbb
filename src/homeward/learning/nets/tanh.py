"""A very small net on a vector of features: layers of 40, 36, 36 and 10 with tanh."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import torch
from torch import Tensor, nn
from torch.nn import functional

from homeward.learning.nets.parts import Answer, Folded, Net, named, one_hot
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

Features = Callable[[Tensor], Tensor]
"""From states `[B, cells]` to float features `[B, count]`."""

SIZES = (40, 36, 36, 10)


class TanhNet(Net):
    """Features → 40 → 36 → 36 → 10 → `outputs`; without features it reads the one-hot code.

    A norm without weights shifts and scales the features, which may be of any size.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        outputs: int = 1,
        features: Features | None = None,
        offset: float = 0.0,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        symbols = torch.arange(puzzle.symbols)
        self.input = "cells" if features is None else getattr(features, "input", "features")
        self.features = features or (lambda x: one_hot(x, symbols.to(x.device)).float())
        count = _count(self.features, torch.as_tensor(puzzle.goals.copy()))
        self.norm = nn.BatchNorm1d(count, affine=False)
        sizes = (count, *SIZES)
        self.inner = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, SIZES, strict=False))
        for layer in self.inner:
            assert isinstance(layer, nn.Linear)
            nn.init.xavier_uniform_(layer.weight)
        self.last = Answer(SIZES[-1], outputs, offset, scale)

    def forward(self, states: Tensor) -> Tensor:
        x = self.norm(self.features(states))
        for layer in self.inner:
            x = functional.tanh(layer(x))
        distances: Tensor = self.last(x)
        return distances

    @property
    def layers(self) -> list[str]:
        return [*["dense tanh"] * len(SIZES), "dense"]

    @torch.no_grad()
    def folded(self) -> Folded:
        norm = self.norm
        assert norm.running_var is not None
        assert norm.running_mean is not None
        first, *others = [layer for layer in self.inner if isinstance(layer, nn.Linear)]
        weight = first.weight / torch.sqrt(norm.running_var + norm.eps)
        entry = weight.T, first.bias - weight @ norm.running_mean
        return named([entry, *((f.weight.T, f.bias) for f in others), self.last.folded()])


def named_features(path: str) -> Features | None:
    """The function that `MODULE:FUNCTION` names; None for an empty name."""
    if not path:
        return None
    module, _, name = path.partition(":")
    try:
        found: Features = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise PuzzleError(f"there is no feature function {path!r}: {error}") from error
    return found


def _count(features: Features, states: Tensor) -> int:
    """How many features there are; `PuzzleError` if the function does not give them of states."""
    try:
        found: object = features(states)
    except Exception as error:  # the function is the user's, and may raise anything
        raise PuzzleError(f"the feature function fails on states: {error}") from error
    if isinstance(found, Tensor) and found.is_floating_point() and found.ndim == 2:
        rows, count = found.shape
        if rows == len(states) and count:
            return count
    raise PuzzleError("the feature function gives no floats [B, count] of states [B, cells]")
