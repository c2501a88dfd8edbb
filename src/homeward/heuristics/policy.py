"""A net with two heads as a heuristic that also says which move it would make."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from homeward.puzzles.arrays import Array, is_torch, namespace


class Answering(Protocol):
    """A net as a heuristic whose plain answers can be asked for too."""

    name: str
    admissible: bool

    def place(self, states: NDArray[Any]) -> Array: ...
    def children(self, states: Array) -> Array: ...
    def values(self, states: Array) -> Array: ...
    def answers(self, states: Array) -> Array:
        """`[B, outputs]`: what the net says of states `[B, cells]`."""
        ...


class PolicyNet:
    """A net that answers a distance and then a logit for each move."""

    def __init__(self, net: Answering) -> None:
        self.net, self.name, self.admissible = net, net.name, net.admissible
        self.recordable: bool = getattr(net, "recordable", False)

    def place(self, states: NDArray[Any]) -> Array:
        """The states where the net works."""
        return self.net.place(states)

    def children(self, states: Array) -> Array:
        """`[B, moves]`: the estimated distance of each child, +inf where illegal."""
        return self.net.children(states)

    def values(self, states: Array) -> Array:
        """`[B]`: the estimated distance of the states themselves."""
        return self.net.values(states)

    def policy(self, states: Array) -> Array:
        """`[B, moves]`: how likely the net takes each move for the best; every row sums to 1."""
        logits = self.net.answers(states)[:, 1:]
        if is_torch(logits):
            return logits.softmax(1)
        xp = namespace(logits)
        weights = xp.exp(logits - logits.max(1, keepdims=True))
        return weights / weights.sum(1, keepdims=True)
