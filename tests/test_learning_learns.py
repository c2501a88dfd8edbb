"""Methods: each of them learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from homeward.heuristics.graph import distances
from homeward.learning.methods import METHODS
from homeward.learning.settings import Settings, preset
from homeward.learning.trainer import Trainer
from homeward.puzzles import puzzle

SMALL = {"batch": 128, "first": 64, "width": 32, "blocks": 1, "own_width": 32, "greedy": 0}

LEARNING: dict[str, tuple[str, dict[str, Any]]] = {
    "diffusion": ("cube2", {"depth": 10}),
    "diffusion, choosing": ("cube2", {"depth": 10, "choice": 0.1}),
    "qlearning": ("sliding-2x3", {"depth": 30, "refresh": 20}),
    "qlearning, played": ("sliding-2x3", {"depth": 30, "refresh": 20, "play": 0.5}),
    "davi": ("sliding-2x3", {"depth": 30, "check_every": 10, "threshold": 0.2}),
    "adi": ("cube2", {"depth": 8, "refresh": 1, "optimiser": "rmsprop", "rate": 1e-3}),
    "supervised": ("sliding-2x3", {"depth": 21, "source": "table"}),
}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # numba's loops on all cores set it to all


def small(name: str, method: str, **changes: Any) -> Settings:
    return Settings(name, method).changed(**{"depth": 12, **SMALL, **changes})


@pytest.mark.parametrize("method", LEARNING)
def test_learns(method: str, tmp_path: Path) -> None:
    """The loss falls, and greedy play gets farther than with an untrained net."""
    name, changes = LEARNING[method]
    method = method.partition(",")[0]
    settings = small(name, method, steps=400, report_every=0, **changes)
    trainer = Trainer(puzzle(name), settings, tmp_path)
    before = trainer.greedy(100)
    rows: list[dict[str, Any]] = []
    trainer.run(rows.append)
    after = trainer.greedy(100)
    assert sum(after.values()) > sum(before.values()) + 1
    if method == "davi":  # its loss starts near 0, when its targets say nothing yet
        assert trainer.refreshes >= 5
    else:
        losses = [row["loss"] for row in rows]  # one for each step
        assert sum(losses[-20:]) < 0.8 * sum(losses[:20])


def test_adi_at_its_papers_width_does_not_run_away(tmp_path: Path) -> None:
    """Its targets are its own answers: a rate too high for the width feeds on itself."""
    settings = preset("cube2", "adi").changed(batch=32, steps=12, greedy=0, report_every=0)
    rows: list[dict[str, Any]] = []
    Trainer(puzzle("cube2"), settings, tmp_path).run(rows.append)
    assert max(row["loss"] for row in rows) < 100  # values are between -12 and 1


def test_every_method_is_tested() -> None:
    learning = {name.partition(",")[0] for name in LEARNING}
    assert learning == set(METHODS) - {"distil"}  # which has tests/test_learning_distil.py


def test_convolutional_net_learns_sokoban(tmp_path: Path) -> None:
    settings = small(
        "sokoban-6x6", "qlearning", depth=20, net="convolutional", channels=8, steps=150
    )
    trainer = Trainer(puzzle("sokoban-6x6"), settings, tmp_path)
    before = trainer.greedy(100)
    trainer.run()
    after = trainer.greedy(100)
    assert sum(after.values()) > sum(before.values()) + 0.5


def test_tanh_net_learns(tmp_path: Path) -> None:
    settings = small(
        "sliding-2x3", "supervised", depth=21, source="table", net="tanh", steps=400, rate=1e-2
    )
    trainer = Trainer(puzzle("sliding-2x3"), settings, tmp_path)
    trainer.run()
    board = puzzle("sliding-2x3")
    table = distances(board, use_cache=False)
    states = torch.as_tensor(table.ranking.unrank(np.arange(table.states)))
    error = (trainer.average(states)[:, 0] - torch.as_tensor(table.distances)).abs().mean()
    assert float(error) < 1.5  # always saying the mean is wrong by 2.9 moves
