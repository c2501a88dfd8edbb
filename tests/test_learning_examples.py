"""Examples of a whole graph: listed where the training is, or made of their numbers."""

from __future__ import annotations

import pytest
import torch

from homeward.learning import examples
from homeward.learning.examples import Listed, WholeGraph, examples_for
from homeward.learning.settings import Settings
from homeward.puzzles import puzzle


@pytest.mark.parametrize("at_once", [1 << 20, 100])
def test_a_graph_that_fits_is_listed_and_drawn_alike(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, settings = puzzle("sliding-2x3"), Settings("sliding-2x3").changed(source="table")
    monkeypatch.setattr(examples, "_AT_ONCE", at_once)
    listed = examples_for(board, settings, torch.Generator())
    monkeypatch.setattr(examples, "_KEPT", 360 * 6 - 1)
    numbered = examples_for(board, settings, torch.Generator())
    assert isinstance(listed, Listed)
    assert isinstance(numbered, WholeGraph)
    drawn = [each.draw(1000, torch.Generator().manual_seed(7)) for each in (listed, numbered)]
    for one, other in zip(*drawn, strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(one, other)
