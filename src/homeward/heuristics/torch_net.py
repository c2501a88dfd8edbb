"""A learned net on a GPU (or wherever torch runs)."""

from __future__ import annotations

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from homeward.puzzles.base import Puzzle


class TorchNet:
    """The folded layers of a model as a heuristic on a torch device.

    `tensors` are `layerN.weight` `[in, out]` and `layerN.bias`: entry, second, pairs of block
    layers, last. `head` is `children` (one output per move) or `value`. Passes are made in chunks
    of `chunk` states so that memory stays bounded.
    """

    admissible = False

    def __init__(
        self,
        puzzle: Puzzle,
        tensors: dict[str, Tensor],
        head: str = "children",
        device: str = "cuda",
        name: str = "net",
        chunk: int = 1 << 17,
        compiled: bool = False,
    ) -> None:
        self.puzzle, self.head, self.name, self.chunk = puzzle, head, name, chunk
        self.device = torch.device(device)
        half = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        count = len([k for k in tensors if k.endswith(".weight")])
        kinds = [half] * (count - 1) + [torch.float32]  # the answer itself is made in float32
        self._layers = [
            (
                tensors[f"layer{i}.weight"].to(self.device, kind),
                tensors[f"layer{i}.bias"].to(self.device, kind),
            )
            for i, kind in enumerate(kinds)
        ]
        self._symbols = torch.arange(puzzle.symbols, device=self.device, dtype=torch.uint8)
        run = self._forward
        self._run = torch.compile(run, dynamic=True) if compiled else run

    def place(self, states: NDArray[Any]) -> Tensor:
        return torch.as_tensor(states, device=self.device)

    def _forward(self, states: Tensor) -> Tensor:
        (w0, b0), (w1, b1), *blocks, (w_last, b_last) = self._layers
        hot = (states.unsqueeze(-1) == self._symbols).flatten(1).to(w0.dtype)
        x = functional.relu(torch.addmm(b0, hot, w0))
        x = functional.relu(torch.addmm(b1, x, w1))
        for (wi, bi), (wo, bo) in zip(blocks[::2], blocks[1::2], strict=True):
            inner = functional.relu(torch.addmm(bi, x, wi))
            x = functional.relu(x + torch.addmm(bo, inner, wo))
        return torch.addmm(b_last, x.float(), w_last)

    @torch.no_grad()
    def _pass(self, states: Tensor) -> Tensor:
        if len(states) <= self.chunk:
            return self._run(states)
        return torch.cat([self._run(part) for part in states.split(self.chunk)])

    def children(self, states: Tensor) -> Tensor:
        """`[B, moves]`: estimated distance of each child."""
        direct = self.head == "children"
        scores = self._pass(states) if direct else self._values_of_children(states)
        if not self.puzzle.always_legal:
            scores = scores.masked_fill(~self.puzzle.legal(states), torch.inf)
        return scores

    def values(self, states: Tensor) -> Tensor:
        """`[B]`: estimated distance of the states themselves."""
        if self.head == "value":
            found = self._pass(states)[:, 0]
        else:
            found = 1 + self.children(states).amin(1)
        return found.masked_fill(self.puzzle.is_solved(states), 0.0)

    def _values_of_children(self, states: Tensor) -> Tensor:
        children = self.puzzle.expand(states).flatten(0, 1)
        return self.values(children).view(len(states), self.puzzle.moves)
