"""Who changes the weights: Adam, AdamW, RMSProp, or Muon for the matrices in the middle.

And how the nets follow that are averages of the one that learns.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from homeward.learning.settings import Settings

_NEWTON_SCHULZ = 3.4445, -4.7750, 2.0315
"""Coefficients of an odd quintic polynomial that takes singular values nearer to 1."""
_ROUNDS = 5
_LIKE_ADAM = 0.2
"""The root mean square of AdamW's usual step, in units of the rate."""


def orthogonal(matrices: Tensor) -> Tensor:
    """`[n, rows, columns]`: matrices with the same singular vectors and all singular values near 1.

    Half precision on a GPU: the errors are smaller than what the polynomial leaves.
    """
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    a, b, c = _NEWTON_SCHULZ
    for _ in range(_ROUNDS):
        square = x @ x.mT
        mixed = torch.baddbmm(square, square, square, beta=b, alpha=c)
        x = torch.baddbmm(x, mixed, x, beta=a)
    done: Tensor = x.mT if tall else x
    return done.to(matrices.dtype)


class Muon(torch.optim.Optimizer):
    """Steps along the momentum made orthogonal (Jordan and others, 2024), for matrices.

    A step changes every direction of a matrix alike, also those that gradients seldom point to. It
    is as large as AdamW's usual step, so that one rate serves both.
    """

    def __init__(
        self, matrices: Iterable[Tensor], lr: float, momentum: float = 0.95, decay: float = 0.0
    ) -> None:
        defaults = {"lr": lr, "momentum": momentum, "weight_decay": decay, "capturable": True}
        super().__init__(matrices, defaults)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One step of every matrix; matrices of one shape are made orthogonal together."""
        for group in self.param_groups:
            given = sorted((p for p in group["params"] if p.grad is not None), key=_shape)
            for (rows, columns), same in itertools.groupby(given, _shape):
                weights = list(same)
                ahead = orthogonal(torch.stack(self._ahead(weights, group["momentum"])))
                if group["weight_decay"]:  # as AdamW does it, of the weights before the step
                    torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
                size = group["lr"] * _LIKE_ADAM * math.sqrt(max(rows, columns))
                torch._foreach_add_(weights, list(ahead * -size))

    def _ahead(self, weights: list[Tensor], momentum: float) -> tuple[Tensor, ...]:
        """Nesterov's momentum: where the running sums of gradients will point to."""
        gradients = [weight.grad for weight in weights if weight.grad is not None]
        means = [self._mean(weight) for weight in weights]
        torch._foreach_lerp_(means, gradients, 1 - momentum)
        return torch._foreach_lerp(gradients, means, momentum)

    def _mean(self, weight: Tensor) -> Tensor:
        """The running mean of a weight's gradients, to be written."""
        state = self.state[weight]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(weight)
        mean: Tensor = state["momentum"]
        return mean


def _shape(weight: Tensor) -> tuple[int, int]:
    return weight.shape[0], weight.shape[1]


def hidden_matrices(net: nn.Module) -> list[Tensor]:
    """The matrices of layers that read a hidden layer and write one."""
    return [each.weight for each in _unanswering(net)[1:] if isinstance(each, nn.Linear)]


def _unanswering(net: nn.Module) -> list[nn.Linear | nn.Conv2d]:
    """The layers that write a hidden layer.

    A net's first layer reads the state and its last one answers; so does one with a single output,
    the value of a net with two heads.
    """
    layers = [each for each in net.modules() if isinstance(each, nn.Linear | nn.Conv2d)][:-1]
    return [each for each in layers if each.weight.shape[0] > 1]


def optimisers(
    net: nn.Module, settings: Settings, device: torch.device
) -> list[torch.optim.Optimizer]:
    """Those that together change all weights of a net.

    `muon` takes the matrices between two hidden layers and leaves all else to AdamW. `decay` is for
    the weights of layers that write hidden ones: a norm makes their size mean nothing but how much
    a step turns them, while answers would be drawn to the middle.
    """
    rate, decay, gpu = settings.rate, settings.decay, device.type == "cuda"
    decayed = {id(layer.weight) for layer in _unanswering(net)} if decay else set()

    def groups(parameters: Iterable[Tensor]) -> list[dict[str, Any]]:
        """Those that decay and the others, where there are any."""
        split: tuple[list[Tensor], list[Tensor]] = [], []
        for each in parameters:
            split[id(each) not in decayed].append(each)
        both = zip(split, (decay, 0.0), strict=True)
        return [{"params": part, "weight_decay": much} for part, much in both if part]

    if settings.optimiser == "rmsprop":
        return [torch.optim.RMSprop(groups(net.parameters()), lr=rate)]
    kind = torch.optim.Adam if settings.optimiser == "adam" else torch.optim.AdamW
    hidden = hidden_matrices(net) if settings.optimiser == "muon" else []
    taken = {id(p) for p in hidden}
    others = [p for p in net.parameters() if id(p) not in taken]
    first = kind(groups(others), lr=rate, fused=gpu, capturable=gpu)
    return [first, Muon(hidden, lr=rate, decay=decay)] if hidden else [first]


@torch.no_grad()
def follow(follower: nn.Module, net: nn.Module, share: Tensor | float) -> None:
    """Moves the weights and norms of another net by a share of the way to those of `net`."""
    new, old = _floats(net), _floats(follower)
    if isinstance(share, float):
        torch._foreach_lerp_(old, new, share)
        return
    way = torch._foreach_sub(new, old)  # lerp would take one by one what is a tensor's share
    torch._foreach_mul_(way, share)
    torch._foreach_add_(old, way)


def _floats(net: nn.Module) -> list[Tensor]:
    return [*net.parameters(), *(b for b in net.buffers() if b.is_floating_point())]
