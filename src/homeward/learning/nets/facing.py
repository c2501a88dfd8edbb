"""Nets to which a state and its mirror images or turns are one."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor, nn

from homeward.learning.nets.parts import Net
from homeward.puzzles.facing import Facing


class FacingNet(Net):
    """A net that reads cells.

    With `facing` it looks at each state as that makes it face, and answers about the state itself.
    """

    def __init__(self, facing: Facing | None) -> None:
        super().__init__()
        self.input = "cells" if facing is None else "facing"
        self._way = Way(facing) if facing else None

    def forward(self, states: Tensor) -> Tensor:
        if self._way is None:
            return self._answers(states)
        faced, which = self._way.face(states)
        return self._way.back(self._answers(faced), which)

    @abstractmethod
    def _answers(self, states: Tensor) -> Tensor:
        """`[B, outputs]` of states `[B, cells]` that face as they should."""


class Way(nn.Module):
    """A `Facing` with its tables beside the weights, where a compiled net can read them."""

    def __init__(self, facing: Facing) -> None:
        super().__init__()
        self._facing, self._names = facing, tuple(facing.tables)
        for name, table in facing.tables.items():
            self.register_buffer(name, torch.from_numpy(table.numpy.copy()), persistent=False)

    @property
    def _tables(self) -> dict[str, Tensor]:
        return {name: self.get_buffer(name) for name in self._names}

    def face(self, states: Tensor) -> tuple[Tensor, Tensor]:
        faced, which = self._facing.faced(states, self._tables)
        return faced, which

    def back(self, answers: Tensor, which: Tensor) -> Tensor:
        own: Tensor = self._facing.own(answers, which, self._tables)
        return own
