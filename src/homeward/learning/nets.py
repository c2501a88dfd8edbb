"""Nets that read a state as small integers and answer with estimated distances."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


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
        hot = states.unsqueeze(-1).eq(self._symbols).flatten(1)
        return functional.linear(hot.to(self.weight.dtype), self.weight, self.bias)


class Normed(nn.Module):
    """A linear layer and its batch norm, which export folds into one."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.linear = linear
        self.norm = nn.BatchNorm1d(linear.out_features)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.norm(self.linear(x))
        return y

    @torch.no_grad()
    def folded(self) -> tuple[Tensor, Tensor]:
        """Weight `[out, in]` and bias `[out]` of the one linear layer that does the same."""
        norm = self.norm
        assert norm.running_var is not None
        assert norm.running_mean is not None
        gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        weight = self.linear.weight * gain[:, None]
        return weight, (self.linear.bias - norm.running_mean) * gain + norm.bias


class Block(nn.Module):
    """Two layers and a short cut around them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = Normed(nn.Linear(width, width))
        self.outer = Normed(nn.Linear(width, width))

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.outer(functional.relu(self.inner(x))))


class ResidualNet(nn.Module):
    """One-hot → `first` → `width` → `blocks` residual blocks → `outputs`.

    Answers float32 `[B, outputs]` in moves: `offset + scale * (last layer)`, so that the last
    layer works with numbers near 1 whatever the puzzle's distances are.
    """

    def __init__(
        self,
        cells: int,
        symbols: int,
        outputs: int,
        first: int = 2048,
        width: int = 512,
        blocks: int = 3,
        offset: float = 0.0,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.entry = Normed(OneHotLinear(cells, symbols, first))
        self.second = Normed(nn.Linear(first, width))
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.last = nn.Linear(width, outputs)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)
        # Buffers, not Python numbers: another puzzle's net then needs no second compilation.
        self.offset: Tensor
        self.scale: Tensor
        self.register_buffer("offset", torch.tensor(float(offset)))
        self.register_buffer("scale", torch.tensor(float(scale)))

    def forward(self, states: Tensor) -> Tensor:
        x = functional.relu(self.entry(states))
        x = functional.relu(self.second(x))
        for block in self.blocks:
            x = block(x)
        # Half precision cannot tell 100 from 100.4: the answer itself is made in float32.
        with torch.autocast(x.device.type, enabled=False):
            distances: Tensor = self.last(x.float()) * self.scale + self.offset
            return distances

    @torch.no_grad()
    def folded(self) -> dict[str, Tensor]:
        """The tensors of a model file: `layerN.weight` `[in, out]` and `layerN.bias`, in order."""
        layers = [self.entry.folded(), self.second.folded()]
        for block in self.blocks:
            assert isinstance(block, Block)
            layers += [block.inner.folded(), block.outer.folded()]
        layers.append((self.last.weight * self.scale, self.last.bias * self.scale + self.offset))
        tensors: dict[str, Tensor] = {}
        for i, (weight, bias) in enumerate(layers):
            tensors[f"layer{i}.weight"] = weight.T.contiguous()
            tensors[f"layer{i}.bias"] = bias
        return tensors

    @torch.no_grad()
    def unfold(self, tensors: dict[str, Tensor], states: Tensor) -> None:
        """Takes over a model's folded weights, with norms fitted to `states` so that they agree.

        Training then goes on from the model: each norm's gain and shift are set to the deviation
        and mean of what passes through it.
        """
        layers = [
            (tensors[f"layer{i}.weight"], tensors[f"layer{i}.bias"])
            for i in range(100)
            if f"layer{i}.weight" in tensors
        ]
        normed = [self.entry, self.second]
        for block in self.blocks:
            assert isinstance(block, Block)
            normed += [block.inner, block.outer]
        hooks = [module.linear.register_forward_hook(_fit_norm(module)) for module in normed]
        for module, (weight, bias) in zip(normed, layers, strict=False):
            module.linear.weight.copy_(weight.T)
            module.linear.bias.copy_(bias)
        weight, bias = layers[-1]
        self.last.weight.copy_(weight.T / self.scale)
        self.last.bias.copy_((bias - self.offset) / self.scale)
        was_training = self.training
        self.eval()
        self(states)
        for hook in hooks:
            hook.remove()
        self.train(was_training)


def _fit_norm(module: Normed) -> Any:
    def fit(_module: nn.Module, _inputs: object, output: Tensor) -> None:
        norm = module.norm
        assert norm.running_var is not None
        assert norm.running_mean is not None
        var, mean = torch.var_mean(output.float(), 0, correction=0)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(var)
        norm.weight.copy_(torch.sqrt(var + norm.eps))
        norm.bias.copy_(mean)

    return fit
