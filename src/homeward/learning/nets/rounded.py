"""A residual net without norms that learns to be kept and read in 8 bits."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

from homeward.learning.nets.facing import FacingNet
from homeward.learning.nets.parts import Folded, named, one_hot
from homeward.learning.nets.residual import require_same_layers
from homeward.puzzles.facing import Facing

_FORGETTING = 0.999
"""How much of a range stays at each step, so that it follows numbers that become smaller."""


class RoundedNet(FacingNet):
    """The folded layers of a residual model, rounded as its 8-bit pass rounds them.

    Weights are kept in 8 bits, and on a CPU the numbers between matrices too. A net that knows
    nothing of it may have units whose smallest step moves its answer by several moves. Here weights
    are always rounded, with the gradient of what is not; and in training every second state of a
    batch has its numbers rounded too, while the others stay exact, as on a GPU. The last layer is
    small and stays precise.
    """

    exact = False
    """Whether it answers with its weights as they are: they are a model's, or rounded already."""

    def __init__(
        self,
        cells: int,
        symbols: int,
        outputs: int,
        first: int = 2048,
        width: int = 512,
        blocks: int = 3,
        facing: Facing | None = None,
    ) -> None:
        super().__init__(facing)
        self._cells: Tensor
        self._symbols: Tensor
        self.register_buffer("_cells", torch.arange(cells), persistent=False)
        self.register_buffer("_symbols", torch.arange(symbols), persistent=False)
        sizes = [first, *[width] * (1 + 2 * blocks)]
        self.entry = nn.Linear(cells * symbols, first)
        self.matrices = nn.ModuleList(nn.Linear(n, width) for n in sizes[:-1])
        self.last = nn.Linear(width, outputs)
        self.tops: Tensor
        self.register_buffer("tops", torch.ones(len(self.matrices)))
        """The largest numbers that enter each of the matrices."""

    @property
    def layers(self) -> list[str]:
        blocks = (len(self.matrices) - 1) // 2
        return ["dense relu", "dense relu", *["block relu"] * blocks, "dense"]

    @property
    def ranges(self) -> tuple[float, ...]:
        return tuple(self.tops.tolist())

    @property
    def scales(self) -> list[Tensor]:
        return [entry_units(self.entry.weight), *(column_units(m.weight) for m in self._hidden)]

    def _answers(self, states: Tensor) -> Tensor:
        first, *weights = self._weights()
        x = functional.relu(self._summed(states, first) + self.entry.bias)
        if not self.training:
            return self._rest(x, weights, rounded=False)
        answers = x.new_empty((len(x), self.last.out_features))
        answers[0::2] = self._rest(x[0::2], weights, rounded=True)
        answers[1::2] = self._rest(x[1::2], weights, rounded=False)
        return answers

    def _summed(self, states: Tensor, weight: Tensor) -> Tensor:
        """`[B, first]`: for each state the weights `[first, cells * symbols]` that it picks."""
        if states.is_cuda:  # where gradients of picked rows would wait for the GPU
            return functional.linear(one_hot(states, self._symbols).to(weight.dtype), weight)
        rows = states.long() + self._symbols.numel() * self._cells
        return functional.embedding_bag(rows, weight.T, mode="sum")

    def _weights(self) -> list[Tensor]:
        """The weights of all layers but the last, `[out, in]`, as they are kept."""
        weights = [self.entry.weight, *(matrix.weight for matrix in self._hidden)]
        if self.exact:
            return weights
        units = [scale.detach()[:, None] for scale in self.scales]
        return [on_steps(weight, unit) for weight, unit in zip(weights, units, strict=True)]

    def _rest(self, x: Tensor, weights: list[Tensor], rounded: bool) -> Tensor:
        """`[B, outputs]` from what the first layer gave `[B, first]`."""

        def passed(number: int, x: Tensor) -> Tensor:
            if rounded:
                x = self._rounded(number, x)
            return functional.linear(x, weights[number], self._hidden[number].bias)

        x = functional.relu(passed(0, x))
        for number in range(1, len(weights), 2):
            inner = functional.relu(passed(number, x))
            x = functional.relu(x + passed(number + 1, inner))
        answers: Tensor = self.last(x)
        return answers

    def _rounded(self, number: int, x: Tensor) -> Tensor:
        """The numbers that enter a matrix as 8 bits keep them."""
        top = self.tops[number]
        top.copy_(torch.maximum(top * _FORGETTING, x.detach().max()))
        step = top.clone().clamp(min=1e-6) / 255
        return on_steps(torch.minimum(x, 255 * step), step)

    @property
    def _hidden(self) -> list[nn.Linear]:
        return [matrix for matrix in self.matrices if isinstance(matrix, nn.Linear)]

    @torch.no_grad()
    def settled(self) -> RoundedNet:
        net = copy.deepcopy(self)
        for matrix, weight in zip((net.entry, *net._hidden), self._weights(), strict=True):
            matrix.weight.copy_(weight)
        net.exact = True
        return net

    def folded(self) -> Folded:
        weights = [*self._weights(), self.last.weight]
        biases = [self.entry.bias, *(m.bias for m in self._hidden), self.last.bias]
        return named([(w.T, b) for w, b in zip(weights, biases, strict=True)])

    @torch.no_grad()
    def unfold(self, tensors: Folded, states: Tensor) -> None:
        """Takes over a model's folded weights, with ranges as wide as `states` need them.

        Raises `PuzzleError` if the net is not the model's.
        """
        require_same_layers(self.folded(), tensors)
        for i, matrix in enumerate((self.entry, *self._hidden, self.last)):
            matrix.weight.copy_(tensors[f"layer{i}.weight"].T)
            matrix.bias.copy_(tensors[f"layer{i}.bias"])
        self.tops.zero_()
        was_training = self.training
        self.train()
        self(states)
        self.train(was_training)


def on_steps(x: Tensor, step: Tensor) -> Tensor:
    """The nearest multiples of `step`; gradients pass as if nothing were rounded.

    >>> on_steps(torch.tensor([0.3, 0.8, 1.9]), torch.tensor(0.5))
    tensor([0.5000, 1.0000, 2.0000])
    """
    rounded = torch.round(x.detach() / step) * step
    return rounded if not x.requires_grad else x + (rounded - x).detach()


def entry_units(weight: Tensor) -> Tensor:
    """`[out]`: the unit of each row of `weight` `[out, in]` in a model's file."""
    return (weight.detach().abs().amax(1) / 127).clamp(min=1e-12)


def column_units(weight: Tensor) -> Tensor:
    """The same for a matrix that is multiplied in 8 bits.

    As `homeward.heuristics.tail.column_scales`, which says why pairs of inputs are added.
    """
    even = functional.pad(weight.detach(), (0, weight.shape[1] % 2))
    pairs = [(sign * even).clamp(min=0).view(len(even), -1, 2).sum(2) for sign in (1, -1)]
    return (torch.maximum(*pairs).amax(1) / 127).clamp(min=1e-12)
