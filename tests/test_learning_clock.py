"""The training's clock: greedy play takes its share of the time, and never what was learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from homeward.learning import checkpoint, log
from homeward.learning.settings import Settings
from homeward.learning.trainer import Trainer
from homeward.puzzles import puzzle

SMALL: dict[str, Any] = {"batch": 16, "first": 8, "width": 8, "blocks": 0, "depth": 12}


class Clock:
    """Shows what it is told: a step takes a second, and so does greedy play for each scramble."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Clocked(Trainer):
    """A training by such a clock, which notes its plays."""

    def __init__(self, folder: Path, clock: Clock, **changes: Any) -> None:
        settings = Settings("cube2", "diffusion").changed(**{**SMALL, **changes})
        super().__init__(puzzle("cube2"), settings, folder)
        self.clock = clock
        self.plays: list[int] = []
        self.stop_at = 0

    def _one_step(self, *arguments: Any) -> Tensor:
        self.clock.now += 1
        if self.step + 1 == self.stop_at:
            self.stop()
        return super()._one_step(*arguments)

    def greedy(self, n: int) -> dict[int, float]:
        self.clock.now += n
        self.plays.append(n)
        return {1: 1.0}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("homeward.learning.trainer.time", made)
    torch.set_num_threads(1)  # numba's loops on all cores set it to all
    return made


def test_greedy_play_takes_a_tenth_of_the_time(tmp_path: Path, clock: Clock) -> None:
    made = Clocked(tmp_path, clock, minutes=10)
    made.run()
    *before, last = made.plays
    assert 40 <= sum(before) <= 60 + 16
    assert last == 60  # in the end a tenth of all of it
    assert clock.now < 600 + 8 + 60 + 2
    assert 600 <= made.seconds < 610


def test_minutes_count_all_runs_together(tmp_path: Path, clock: Clock) -> None:
    made = Clocked(tmp_path, clock, minutes=1, greedy=0)
    made.run()
    assert (made.step, made.seconds) == (60, 60)
    clock.now += 1000  # when it was not running
    resumed = Clocked(tmp_path, clock, minutes=2, greedy=0)
    resumed.resume()
    assert resumed.progress == 0.5
    resumed.run()
    assert (resumed.step, resumed.seconds) == (120, 120)


def test_cheap_plays_are_whole_ones(tmp_path: Path, clock: Clock) -> None:
    made = Clocked(tmp_path, clock, minutes=100, report_every=600, greedy=50)
    made.run()
    assert made.plays == [8, *[50] * 9, 50]
    assert [row["greedy"] for row in log.read(tmp_path)] == [{"1": 1.0}] * 10


def test_the_last_line_has_greedy_play(tmp_path: Path, clock: Clock) -> None:
    """Also where a report was due at the last step, and no time for play."""
    Clocked(tmp_path, clock, steps=50, report_every=1, greedy=9).run()
    rows = log.read(tmp_path)
    assert [row["step"] for row in rows][-2:] == [49, 50]
    assert rows[-1]["greedy"] == {"1": 1.0}
    assert any(row["greedy"] is None for row in rows)


def test_the_last_play_comes_after_the_checkpoint(tmp_path: Path, clock: Clock) -> None:
    made = Clocked(tmp_path, clock, steps=50)

    def killed(n: int) -> dict[int, float]:
        raise KeyboardInterrupt

    made.greedy = killed  # type: ignore[method-assign]
    made.settings = made.settings.changed(report_every=1000, save_every=1000)
    with pytest.raises(KeyboardInterrupt):
        made.run()
    assert checkpoint.load(tmp_path)[1]["step"] == 50


def test_who_is_asked_to_stop_does_not_play(tmp_path: Path, clock: Clock) -> None:
    made = Clocked(tmp_path, clock, steps=50, report_every=20)
    made.stop_at = 20
    made.run()
    assert made.plays == []
    assert checkpoint.load(tmp_path)[1]["step"] == 20
    assert [(row["step"], row["greedy"]) for row in log.read(tmp_path)] == [(20, None)]


def test_play_changes_no_weight(tmp_path: Path) -> None:
    runs = []
    for greedy, every in ((0, 10), (3, 0), (20, 0.01)):
        settings = Settings("cube2", "diffusion").changed(**SMALL, steps=30, report_every=every)
        made = Trainer(puzzle("cube2"), settings.changed(greedy=greedy), tmp_path / str(greedy))
        made.run()
        runs.append(made.average.state_dict())
    assert all(torch.equal(run[key], runs[0][key]) for run in runs for key in runs[0])
