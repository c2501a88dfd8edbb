"""Beams that end with their time."""

from __future__ import annotations

import pytest

from homeward.search import pace
from homeward.search.pace import Pace


class Clock:
    """A clock that goes on when a level is made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(pace.time, "perf_counter", lambda: self.now)

    def run(self, keeper: Pace, costs: list[float]) -> list[int]:
        """The widths of a beam with so many levels, which grow fourfold until they are full."""
        states, widths = 1, list[int]()
        for done, cost in enumerate(costs):
            widths.append(keeper.width(states, len(costs) - done))
            assert self.now < keeper.until
            self.now += 0.01 + cost * states
            states = min(4 * states, widths[-1])
        return widths


@pytest.mark.parametrize("guessed", [0.2, 1.0, 5.0])
def test_a_beam_takes_its_time_whatever_was_reckoned(
    guessed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    widths = clock.run(Pace(110.0, 500, guessed * 0.5), [0.001] * 100)
    assert 109.5 < clock.now < 110.0
    assert widths[50] == pytest.approx(90, rel=0.15)  # 9 s for 100 levels at 1,000 states a second


def test_levels_become_narrow_where_a_machine_becomes_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    widths = clock.run(Pace(110.0, 100, 0.1), [0.001] * 50 + [0.004] * 50)
    assert widths[45] > 3 * widths[60] > 0
    assert 109.5 < clock.now < 110.0


def test_time_that_is_over_leaves_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    assert Pace(99.0, 10, 1.0).width(10, 5) == 1
    assert Pace(101.6, 10, 1.0).width(10, 0) == 10  # no level is reckoned as one


def test_levels_that_are_still_small_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    widths = clock.run(Pace(110.0, 90, 0.1), [0.001] * 100)
    assert min(widths) > 80
