"""Compiling is no searching: what a budget leaves out."""

from __future__ import annotations

import time

import pytest

from homeward import compiling
from homeward.search.base import Budget, Interrupted, Meter


def test_compiling_is_counted_once() -> None:
    @compiling.njit
    def doubled(x: int) -> int:
        return 2 * x

    before = compiling.seconds()
    assert doubled(4) == 8
    after = compiling.seconds()
    assert after > before
    assert doubled(5) == 10
    assert compiling.seconds() == after


def test_a_budget_leaves_compiling_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "seconds", lambda: 50.0)
    meter = Meter(Budget(seconds=10.0))
    meter.started = time.perf_counter() - 100.0
    monkeypatch.setattr(compiling, "seconds", lambda: 145.0)
    meter.check()
    assert meter.seconds_left == pytest.approx(5.0, abs=2.0)
    assert meter.progress.seconds > 99  # what is shown is the time that has passed
    monkeypatch.setattr(compiling, "seconds", lambda: 130.0)
    assert meter.seconds_left == 0
    with pytest.raises(Interrupted):
        meter.check()
