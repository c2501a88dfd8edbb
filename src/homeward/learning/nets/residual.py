"""The residual net: two wide layers, then blocks with a short cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from homeward.learning.nets.facing import FacingNet
from homeward.learning.nets.parts import Answer, Block, Folded, Normed, OneHotLinear, named
from homeward.puzzles.facing import Facing
from homeward.puzzles.status import PuzzleError


class ResidualNet(FacingNet):
    """One-hot → `first` → `width` → `blocks` residual blocks → `outputs`.

    Answers float32 `[B, outputs]` in moves: `offset + scale * (last layer)`.
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
        facing: Facing | None = None,
    ) -> None:
        super().__init__(facing)
        self.entry = Normed(OneHotLinear(cells, symbols, first))
        self.second = Normed(nn.Linear(first, width))
        self.blocks = nn.ModuleList(
            Block(nn.Linear(width, width), nn.Linear(width, width)) for _ in range(blocks)
        )
        self.last = Answer(width, outputs, offset, scale)

    def _answers(self, states: Tensor) -> Tensor:
        x = functional.relu(self.entry(states))
        x = functional.relu(self.second(x))
        for block in self.blocks:
            x = block(x)
        distances: Tensor = self.last(x)
        return distances

    @property
    def layers(self) -> list[str]:
        return ["dense relu", "dense relu", *["block relu"] * len(self.blocks), "dense"]

    @property
    def _normed(self) -> list[Normed]:
        inside = [b for b in self.blocks if isinstance(b, Block)]
        return [self.entry, self.second, *(n for b in inside for n in (b.inner, b.outer))]

    def folded(self) -> Folded:
        return named([*(layer.folded() for layer in self._normed), self.last.folded()])

    @torch.no_grad()
    def unfold(self, tensors: Folded, states: Tensor) -> None:
        """Takes over a model's folded weights, with norms fitted to `states` so that they agree.

        Training then goes on from the model: each norm's gain and shift are set to the deviation
        and mean of what passes through it. Blocks beyond the model's add nothing at first. Raises
        `PuzzleError` if the net is not the model's, or the model's with more blocks.
        """
        own = self.folded()
        last = len(tensors) // 2 - 1
        taken = [*range(last), len(self._normed)]
        fitting = 2 <= last <= len(self._normed) and (len(self._normed) - last) % 2 == 0
        if not fitting:
            raise _of_another_size(own, tensors)
        require_same_layers(own, tensors, taken)
        for module in self._normed[last + 1 :: 2]:
            module.norm.weight.zero_()
            module.norm.bias.zero_()
        hooks = []
        for i, module in enumerate(self._normed[:last]):
            assert isinstance(module.linear, nn.Linear)
            module.linear.weight.copy_(tensors[f"layer{i}.weight"].T)
            module.linear.bias.copy_(tensors[f"layer{i}.bias"])
            hooks.append(module.linear.register_forward_hook(_fit_norm(module)))
        self.last.weight.copy_(tensors[f"layer{last}.weight"].T / self.last.scale)
        self.last.bias.copy_((tensors[f"layer{last}.bias"] - self.last.offset) / self.last.scale)
        was_training = self.training
        self.eval()
        self(states)
        for hook in hooks:
            hook.remove()
        self.train(was_training)


def require_same_layers(own: Folded, tensors: Folded, taken: Sequence[int] = ()) -> None:
    """Raises `PuzzleError` unless a model's layers are a net's own, or those `taken` of them."""
    last = len(tensors) // 2 - 1
    mine = taken or range(len(own) // 2)
    if _shapes(own, mine) != _shapes(tensors, range(last + 1)):
        raise _of_another_size(own, tensors)


def _of_another_size(own: Folded, tensors: Folded) -> PuzzleError:
    return PuzzleError(f"the model's layers are {_sizes(tensors)}, but the net's are {_sizes(own)}")


def _shapes(tensors: Folded, layers: Sequence[int]) -> list[torch.Size]:
    return [tensors[f"layer{i}.{part}"].shape for i in layers for part in ("weight", "bias")]


def _sizes(tensors: Folded) -> str:
    weights = [tensors[f"layer{i}.weight"] for i in range(len(tensors) // 2)]
    return "-".join(str(n) for n in (weights[0].shape[0], *(w.shape[1] for w in weights)))


def _fit_norm(module: Normed) -> Callable[[nn.Module, object, Tensor], None]:
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
