"""Small nets with random weights for tests of models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from homeward.heuristics.models import Model, make_card, write_model
from homeward.puzzles.base import Puzzle

LAYERS = ("dense relu", "dense relu", "block relu", "dense")


def random_tensors(sizes: list[tuple[int, int]], seed: int = 0) -> dict[str, np.ndarray]:
    """Weights that keep numbers near 1 from layer to layer; the first reads a one-hot code."""
    rng = np.random.default_rng(seed)
    tensors = {}
    for i, (inputs, outputs) in enumerate(sizes):
        scale = (2 / (inputs if i else 20)) ** 0.5
        tensors[f"layer{i}.weight"] = rng.normal(0, scale, (inputs, outputs)).astype(np.float32)
        tensors[f"layer{i}.bias"] = rng.normal(0, 0.5, outputs).astype(np.float32)
    return tensors


def residual_tensors(
    puzzle: Puzzle, outputs: int, first: int = 64, width: int = 32
) -> dict[str, np.ndarray]:
    """The weights of a residual net with one block, `LAYERS` in words."""
    hot = puzzle.cells * puzzle.symbols
    inner = [(width, width)] * 2
    return random_tensors([(hot, first), (first, width), *inner, (width, outputs)])


def small_model(puzzle: Puzzle, path: Path, head: str = "children", **facts: Any) -> Model:
    """A model of random weights for a puzzle, written to `path`."""
    outputs = {"children": puzzle.moves, "value": 1, "policy_value": 1 + puzzle.moves}[head]
    tensors = residual_tensors(puzzle, outputs)
    return write_model(path, tensors, make_card(puzzle, tensors, LAYERS, head=head, **facts))
