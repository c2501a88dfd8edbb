"""What nets are built of: one-hot input, layers with norms that fold away, residual blocks."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor, nn
from torch.nn import functional

Folded = dict[str, Tensor]


class Net(nn.Module):
    """A net that can be kept as a model: `homeward.heuristics.layers` reads what `folded` gives.

    It answers states `[B, cells]` with float32 `[B, outputs]`.
    """

    input = "cells"
    """What the first layer reads, in the words of a model's card; `features` if it has none."""
    board: tuple[int, int] | None = None
    """Rows and columns that convolutions see."""

    @property
    def ranges(self) -> tuple[float, ...]:
        """The largest numbers that enter its matrices, where it has learned to be rounded."""
        return ()

    @property
    def scales(self) -> list[Tensor]:
        """`[out]` of each matrix: the units that it is kept in as 8-bit integers, if it is."""
        return []

    def settled(self) -> Net:
        """Itself as it stands, for many answers: what each would do again is done once."""
        return self

    @property
    @abstractmethod
    def layers(self) -> list[str]:
        """The folded layers, in the words of a model's card."""

    @abstractmethod
    def folded(self) -> Folded:
        """The tensors of a model file: `layerN.weight` `[in, out]` and `layerN.bias`, in order."""


def named(layers: list[tuple[Tensor, Tensor]]) -> Folded:
    """Matrices `[in, out]` and biases under the names that model files use."""
    tensors: Folded = {}
    for i, (weight, bias) in enumerate(layers):
        tensors[f"layer{i}.weight"] = weight.detach().clone(memory_format=torch.contiguous_format)
        tensors[f"layer{i}.bias"] = bias.detach().clone()
    return tensors


def one_hot(codes: Tensor, symbols: Tensor) -> Tensor:
    """`[B, positions * symbols]` bool: the one-hot code; `symbols` is 0, 1, 2 and so on."""
    return codes.unsqueeze(-1).eq(symbols).flatten(1)


class OneHotLinear(nn.Linear):
    """A linear layer on the one-hot code of states `[B, cells]`: input `cell * symbols + s`."""

    def __init__(self, cells: int, symbols: int, width: int) -> None:
        super().__init__(cells * symbols, width)
        self.cells, self.symbols = cells, symbols
        # Each state switches on `cells` inputs and no more: scale by those, not by all of them.
        nn.init.normal_(self.weight, std=(2.0 / cells) ** 0.5)
        nn.init.zeros_(self.bias)
        self._symbols: Tensor
        self.register_buffer("_symbols", torch.arange(symbols), persistent=False)

    def forward(self, states: Tensor) -> Tensor:
        hot = one_hot(states, self._symbols)
        return functional.linear(hot.to(self.weight.dtype), self.weight, self.bias)


class Normed(nn.Module):
    """A linear layer or a convolution and its batch norm, which export folds into one."""

    def __init__(self, linear: nn.Linear | nn.Conv2d) -> None:
        super().__init__()
        self.linear = linear
        self.norm: nn.BatchNorm1d | nn.BatchNorm2d
        if isinstance(linear, nn.Conv2d):
            self.norm = nn.BatchNorm2d(linear.out_channels)
        else:
            self.norm = nn.BatchNorm1d(linear.out_features)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.norm(self.linear(x))
        return y

    @torch.no_grad()
    def folded(self) -> tuple[Tensor, Tensor]:
        """Matrix `[in, out]` and bias `[out]` of the one layer that does the same."""
        norm, linear = self.norm, self.linear
        assert norm.running_var is not None
        assert norm.running_mean is not None
        assert linear.bias is not None
        gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        matrix = linear.weight.flatten(1).T
        if isinstance(linear, nn.Conv2d):  # the nine cells row by row, each with all channels
            matrix = linear.weight.permute(2, 3, 1, 0).flatten(0, 2)
        return matrix * gain, (linear.bias - norm.running_mean) * gain + norm.bias


class Block(nn.Module):
    """Two layers and a short cut around them."""

    def __init__(self, inner: nn.Linear | nn.Conv2d, outer: nn.Linear | nn.Conv2d) -> None:
        super().__init__()
        self.inner, self.outer = Normed(inner), Normed(outer)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.outer(functional.relu(self.inner(x))))


class Answer(nn.Linear):
    """The last layer: float32 `offset + scale * (a linear layer)`, all zeros at first.

    So the layer works with numbers near 1 whatever the puzzle's distances are.
    """

    def __init__(self, width: int, outputs: int, offset: float = 0.0, scale: float = 1.0) -> None:
        super().__init__(width, outputs)
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)
        # Buffers, not Python numbers: another puzzle's net then needs no second compilation.
        self.offset: Tensor
        self.scale: Tensor
        self.register_buffer("offset", torch.tensor(float(offset)))
        self.register_buffer("scale", torch.tensor(float(scale)))

    def forward(self, x: Tensor) -> Tensor:
        # Half precision cannot tell 100 from 100.4: the answer itself is made in float32.
        with torch.autocast(x.device.type, enabled=False):
            return super().forward(x.float()) * self.scale + self.offset

    @torch.no_grad()
    def folded(self) -> tuple[Tensor, Tensor]:
        """Matrix `[in, out]` and bias `[out]` of the one layer that does the same."""
        return self.weight.T * self.scale, self.bias * self.scale + self.offset
