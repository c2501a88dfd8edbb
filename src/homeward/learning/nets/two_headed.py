"""DeepCube's net: one trunk, and a value and a policy on top of it. ELU, no norms."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from homeward.learning.nets.parts import Folded, Net, OneHotLinear, named
from homeward.puzzles.base import Puzzle
from homeward.puzzles.codes import piece_codes

HIGHEST = 2.0
"""A state that needs d moves has the value `HIGHEST` - d: d - 1 rewards of -1 and one of +1."""


class TwoHeadedNet(Net):
    """One-hot → `first` → `width`, then for value and policy each → `own_width` → output.

    Answers `[B, 1 + moves]`: the value, which is a return and not a distance, then a logit for
    each move. It reads pieces (20 × 24 on the cube) where pieces can be told apart, else cells.

    Folded, the two heads are one layer of double width and one answer with zeros between what
    does not belong together; the value comes out as a distance, `HIGHEST` - value.
    """

    def __init__(
        self, puzzle: Puzzle, first: int = 4096, width: int = 2048, own_width: int = 512
    ) -> None:
        super().__init__()
        self.codes = piece_codes(puzzle)
        self.input = "cells" if self.codes is None else "pieces"
        positions = puzzle.cells if self.codes is None else self.codes.pieces
        symbols = puzzle.symbols if self.codes is None else self.codes.symbols
        self.entry = OneHotLinear(positions, symbols, first)
        self.second = nn.Linear(first, width)
        self.value_own, self.value = nn.Linear(width, own_width), nn.Linear(own_width, 1)
        self.policy_own = nn.Linear(width, own_width)
        self.policy = nn.Linear(own_width, puzzle.moves)
        for layer in (self.second, self.value_own, self.value, self.policy_own, self.policy):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        nn.init.xavier_uniform_(self.entry.weight)

    def forward(self, states: Tensor) -> Tensor:
        x = self._read(states)
        x = functional.elu(self.second(functional.elu(self.entry(x))))
        own_value, own_policy = (functional.elu(f(x)) for f in (self.value_own, self.policy_own))
        with torch.autocast(x.device.type, enabled=False):
            both = self.value(own_value.float()), self.policy(own_policy.float())
            return torch.cat(both, 1)

    @torch.compiler.disable  # type: ignore[untyped-decorator]
    def _read(self, states: Tensor) -> Tensor:
        """`[B, positions]`: pieces or cells; the tables behind pieces are not to be compiled."""
        codes: Tensor = states if self.codes is None else self.codes.encode(states)
        return codes

    @property
    def layers(self) -> list[str]:
        return ["dense elu", "dense elu", "dense elu", "dense"]

    @torch.no_grad()
    def folded(self) -> Folded:
        value, policy = self.value.weight.T, self.policy.weight.T
        own = torch.cat([self.value_own.weight, self.policy_own.weight]).T
        answer = torch.block_diag(-value, policy)  # type: ignore[no-untyped-call]
        return named(
            [
                (self.entry.weight.T, self.entry.bias),
                (self.second.weight.T, self.second.bias),
                (own, torch.cat([self.value_own.bias, self.policy_own.bias])),
                (answer, torch.cat([HIGHEST - self.value.bias, self.policy.bias])),
            ]
        )
