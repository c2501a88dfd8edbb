"""How a net learns: each method turns walks into a loss. One module per method."""

from __future__ import annotations

from homeward.learning.methods.adi import Adi
from homeward.learning.methods.base import Method
from homeward.learning.methods.davi import Davi
from homeward.learning.methods.diffusion import Diffusion
from homeward.learning.methods.distil import Distil
from homeward.learning.methods.qlearning import QLearning
from homeward.learning.methods.supervised import Supervised

METHODS: dict[str, type[Method]] = {
    method.name: method for method in (Diffusion, QLearning, Davi, Adi, Supervised, Distil)
}

__all__ = ["METHODS", "Method"]
