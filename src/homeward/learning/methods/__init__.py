"""How a net learns: each method turns walks into a loss. One module per method."""

from __future__ import annotations

from homeward.learning.methods.base import Method
from homeward.learning.methods.diffusion import Diffusion
from homeward.learning.methods.qlearning import QLearning

METHODS: dict[str, type[Method]] = {m.name: m for m in (Diffusion, QLearning)}

__all__ = ["METHODS", "Method"]
