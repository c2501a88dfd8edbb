"""The training loop: resuming, stopping, checkpoints, the log, starting from a model."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from homeward.learning import checkpoint, log
from homeward.learning.methods.qlearning import QLearning
from homeward.learning.parts import settings_of
from homeward.learning.settings import Settings
from homeward.learning.trainer import Trainer, TrainingError
from homeward.puzzles import PuzzleError, puzzle
from recording_tools import Overwriting

SMALL: dict[str, Any] = {"batch": 64, "first": 32, "width": 16, "blocks": 1, "own_width": 16}
SMALL |= {"depth": 12, "greedy": 0, "steps": 50}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # numba's loops on all cores set it to all


def trainer(
    folder: Path, name: str = "cube2", method: str = "diffusion", **changes: Any
) -> Trainer:
    settings = Settings(name, method).changed(**{**SMALL, **changes})
    return Trainer(puzzle(name), settings, folder)


def stop_at(made: Trainer, step: int) -> None:
    """Has a training asked to stop while it makes that step."""
    loss = made.method.loss

    def stopping(*arguments: Any) -> Tensor:
        if made.step == step - 1:
            made.stop()
        return loss(*arguments)

    made.method.loss = stopping  # type: ignore[method-assign]


def weights(made: Trainer) -> dict[str, Tensor]:
    return {
        f"{prefix}{key}": value.clone()
        for prefix, net in made._nets()
        for key, value in net.state_dict().items()
    }


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


# --- resuming


METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "diffusion": ("sokoban-6x6", {}),
    "diffusion, choosing": ("sokoban-6x6", {"choice": 0.1}),
    "qlearning": ("cube2", {"walk_share": 0.3, "refresh": 7, "optimiser": "muon"}),
    "qlearning, blended": ("cube2", {"walk_share": 0.3, "refresh": 7, "blend": True}),
    "qlearning, decaying": ("cube2", {"optimiser": "adamw", "decay": 0.1}),
    "qlearning, played": ("sliding-2x3", {"walk_share": 0.3, "refresh": 7, "play": 0.5}),
    "qlearning, ahead": ("sliding-2x3", {"walk_share": 0.1, "play": 0.5, "play_ahead": 3}),
    "davi": ("puzzle8", {"check_every": 5, "threshold": 9.0, "average": 0.0}),
    "adi": ("cube2", {"refresh": 1, "optimiser": "rmsprop"}),
    "supervised": ("sliding-2x3", {"source": "table"}),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_resumed_training_is_the_same_training(method: str, tmp_path: Path) -> None:
    name, changes = METHODS[method]
    method = method.partition(",")[0]
    whole = trainer(tmp_path / "whole", name, method, **changes)
    whole.run()
    broken = trainer(tmp_path / "broken", name, method, **changes)
    stop_at(broken, 23)
    broken.run()
    assert (broken.step, broken.progress) == (23, 23 / 50)
    resumed = trainer(tmp_path / "broken", name, method, **changes)
    resumed.resume()
    assert same(weights(resumed), weights(broken))
    resumed.run()
    assert same(weights(resumed), weights(whole))
    assert (resumed.step, resumed.refreshes) == (whole.step, whole.refreshes)
    assert resumed.states_seen == whole.states_seen == 50 * 64


def test_seeds_make_a_run_repeatable(tmp_path: Path) -> None:
    runs = [trainer(tmp_path / str(i), seed=seed) for i, seed in enumerate([5, 5, 6])]
    for made in runs:
        made.run()
    assert same(weights(runs[0]), weights(runs[1]))
    assert not same(weights(runs[0]), weights(runs[2]))


def test_resume_cuts_the_log_to_the_checkpoint(tmp_path: Path) -> None:
    made = trainer(tmp_path, report_every=0)
    stop_at(made, 20)
    made.run()
    with (tmp_path / log.NAME).open("a") as file:
        file.write(json.dumps({"step": 30}) + "\n" + '{"step": 31, "los')
    assert [row["step"] for row in log.read(tmp_path)] == [*range(1, 21), 30]
    resumed = trainer(tmp_path, report_every=0)
    resumed.resume()
    assert [row["step"] for row in log.read(tmp_path)] == list(range(1, 21))
    resumed.run()
    assert [row["step"] for row in log.read(tmp_path)] == list(range(1, 51))


def test_resume_without_a_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(PuzzleError) as error:
        trainer(tmp_path / "none").resume()
    assert str(error.value) == f"there is no checkpoint in {tmp_path / 'none'}"


def test_resume_with_another_net(tmp_path: Path) -> None:
    trainer(tmp_path).save()
    with pytest.raises(PuzzleError) as error:
        trainer(tmp_path, width=17).resume()
    assert str(error.value) == f"the checkpoint in {tmp_path} is of another net"


def test_resume_with_another_facing(tmp_path: Path) -> None:
    trainer(tmp_path, "puzzle8", steps=3, facing=True).run()
    with pytest.raises(PuzzleError) as error:
        trainer(tmp_path, "puzzle8", steps=6).resume()
    assert str(error.value) == f"the checkpoint in {tmp_path} is of a net with another facing"
    trainer(tmp_path, "puzzle8", steps=6, facing=True).resume()


@pytest.mark.parametrize("after", [{"optimiser": "muon"}, {"decay": 0.1}])
def test_resume_with_another_optimiser(after: dict[str, Any], tmp_path: Path) -> None:
    made = trainer(tmp_path, optimiser="adamw")
    stop_at(made, 5)
    made.run()
    resumed = trainer(tmp_path, **{"optimiser": "adamw"} | after)
    resumed.resume()
    resumed.run()
    assert resumed.step == 50


def test_a_longer_training_does_not_go_back_to_walk_lengths(tmp_path: Path) -> None:
    """Neither when it is resumed, nor when it is stopped and resumed again."""
    trainer(tmp_path, "cube2", "qlearning", walk_share=0.4, steps=10).run()
    for step in (13, 15):
        longer = trainer(tmp_path, "cube2", "qlearning", walk_share=0.4, steps=100)
        longer.resume()
        pairs = longer.method.walker.pairs()
        assert isinstance(longer.method, QLearning)
        wanted = longer.method.wanted(pairs, longer.target, longer.progress)
        assert not torch.equal(wanted, pairs.lengths.float())
        longer.method.seek(longer.step, 1.0)
        stop_at(longer, step)
        longer.run()


def test_a_seed_may_be_a_time_of_day(tmp_path: Path) -> None:
    trainer(tmp_path, seed=20250131120000999).run()


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    trainer(tmp_path).save()
    path = tmp_path / checkpoint.NAME
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(PuzzleError) as error:
        trainer(tmp_path).resume()
    assert str(error.value).startswith(f"the checkpoint {path} cannot be read: ")


def test_settings_are_kept_with_the_checkpoint(tmp_path: Path) -> None:
    made = trainer(tmp_path, rate=0.125, refresh=9)
    made.save()
    assert settings_of(tmp_path) == made.settings


def test_a_checkpoint_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: Any) -> None:
    """A kill while one is written leaves the last one."""
    made = trainer(tmp_path)
    made.save()
    before = (tmp_path / checkpoint.NAME).read_bytes()

    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    made.step = 7
    with pytest.raises(KeyboardInterrupt):
        made.save()
    assert (tmp_path / checkpoint.NAME).read_bytes() == before


# --- numbers that are none, and time


def test_nan_stops_with_the_last_good_checkpoint(tmp_path: Path) -> None:
    made = trainer(tmp_path, rate=1e30, clip=0, warm_up=0, report_every=0, save_every=0)
    with pytest.raises(TrainingError) as error:
        made.run()
    kept = tmp_path / checkpoint.NAME
    assert str(error.value) == (
        f"the loss or a weight is no number any more at step {made.step}; "
        f"the last good checkpoint is {kept}: go on from it with a smaller rate"
    )
    tensors, facts = checkpoint.load(tmp_path)
    assert facts["step"] < made.step
    assert all(torch.isfinite(t).all() for t in tensors.values() if t.is_floating_point())
    again = trainer(tmp_path, rate=1e-3)
    again.resume()
    again.run()
    assert again.step == 50


@pytest.mark.parametrize("weight", [torch.nan, torch.inf])
def test_bad_weights_are_never_saved(weight: float, tmp_path: Path) -> None:
    made = trainer(tmp_path, save_every=0, report_every=1000)
    update = made._update

    def spoil(*arguments: Any) -> Tensor:
        loss = update(*arguments)
        if made.step == 9:
            with torch.no_grad():
                next(made.net.parameters()).view(-1)[0] = weight
        return loss

    made._update = spoil  # type: ignore[method-assign]
    with pytest.raises(TrainingError):
        made.run()
    assert checkpoint.load(tmp_path)[1]["step"] == 9


def test_minutes_are_obeyed(tmp_path: Path) -> None:
    """By the training's own clock: no step begins when they are over, and none before is left."""
    made = trainer(tmp_path, steps=0, minutes=0.01, report_every=0)
    made.run()
    *before, last = [row["progress"] for row in log.read(tmp_path)]
    assert last == round(made.seconds / 0.6, 4) >= 1
    assert all(share <= 1 for share in before)
    assert len(before) == made.step - 1


def test_no_minutes_train_nothing(tmp_path: Path) -> None:
    made = trainer(tmp_path, steps=0, minutes=0)
    made.run()
    assert made.step == 0


def test_rate_rises_and_falls(tmp_path: Path) -> None:
    made = trainer(tmp_path, rate=1.0, warm_up=0.1, steps=100)
    rates = [made.rate for made.step in range(103)]
    assert rates[0] == 0.01
    assert rates[5] == pytest.approx(0.5)
    assert rates[10] == 1.0
    assert rates[55] == pytest.approx(0.5)
    assert rates[100:] == pytest.approx([0, 0, 0], abs=1e-12)  # time may be over a little late
    held = trainer(tmp_path, rate=1.0, warm_up=0.1, hold=0.6, steps=100)
    rates = [held.rate for held.step in range(101)]
    assert rates[10:61] == [1.0] * 51
    assert rates[80] == pytest.approx(0.5)
    assert rates[100] == pytest.approx(0, abs=1e-12)
    constant = trainer(tmp_path, rate=1.0, warm_up=0, hold=1, steps=100)
    assert {constant.rate for constant.step in range(103)} == {1.0}


def test_what_was_played_is_left_when_walk_lengths_are_learned_again(tmp_path: Path) -> None:
    made = trainer(tmp_path, "cube2", "qlearning", walk_share=0.2, play=0.5, steps=50)
    stop_at(made, 20)
    made.run()
    assert made.method.kept()
    again = trainer(tmp_path, "cube2", "qlearning", walk_share=0.9, play=0.5, steps=50)
    again.resume()
    assert again.method.kept() == {}


def test_a_blended_target_follows_the_net(tmp_path: Path) -> None:
    made = trainer(tmp_path, method="qlearning", blend=True, refresh=4, steps=1)
    before = [p.clone() for p in made.target.parameters()]
    made.run()
    for old, now, net in zip(before, made.target.parameters(), made.net.parameters(), strict=True):
        torch.testing.assert_close(now.data, old + (net.detach() - old) / 4)
    assert any(not torch.equal(a, b) for a, b in zip(before, made.net.parameters(), strict=True))


def test_a_blended_target_is_never_a_copy(tmp_path: Path) -> None:
    made = trainer(tmp_path, method="qlearning", blend=True, refresh=4, steps=9)
    made.run()
    assert made.refreshes == 0


def test_davi_renews_its_target_only_when_it_is_learned(tmp_path: Path) -> None:
    """With a threshold that no loss is below the targets stay those of the fresh net: 0 or 1."""
    never = trainer(tmp_path / "never", "puzzle8", "davi", check_every=5, threshold=0.0)
    fresh = {k: v.clone() for k, v in never.target.state_dict().items()}
    never.run()
    assert never.refreshes == 0
    assert same(fresh, never.target.state_dict())
    always = trainer(tmp_path / "always", "puzzle8", "davi", check_every=5, threshold=1e9)
    always.run()
    assert always.refreshes == 10
    assert same(always.net.state_dict(), always.target.state_dict())


def test_log_has_every_figure(tmp_path: Path) -> None:
    made = trainer(tmp_path, greedy=20)
    rows: list[log.Row] = []
    made.run(rows.append)
    assert list(rows[-1]) == (
        "step seconds progress loss rate refreshes states_per_second states_seen greedy".split()
    )
    assert rows == log.read(tmp_path)
    assert (rows[-1]["step"], rows[-1]["progress"]) == (50, 1.0)
    assert list(rows[-1]["greedy"]) == ["2", "4", "7", "9", "12"]


def test_plot(tmp_path: Path) -> None:
    trainer(tmp_path, greedy=20, report_every=0).run()
    log.plot(log.read(tmp_path), "cube2", tmp_path / "plot.svg")
    drawn = (tmp_path / "plot.svg").read_text()
    assert drawn.count("<path") > 20
    with pytest.raises(PuzzleError) as error:
        log.plot(log.read(tmp_path), "cube2", tmp_path / "plot.doc")
    assert str(error.value).startswith(f"the plot cannot be written to {tmp_path / 'plot.doc'}: ")


# --- starting from a model


def test_start_from_a_model(tmp_path: Path) -> None:
    first = trainer(tmp_path / "first")
    first.run()
    second = trainer(tmp_path / "second")
    second.start_from(first.average.folded())
    states = puzzle("cube2").walks(100, 8, torch.Generator()).states[-1]
    assert (second.average(states) - first.average(states)).abs().max() < 1e-3
    assert (second.target(states) - first.average(states)).abs().max() < 1e-3
    fresh = trainer(tmp_path / "third")
    assert torch.equal(second.method.walker.pairs().states, fresh.method.walker.pairs().states)


def test_only_residual_nets_start_from_a_model(tmp_path: Path) -> None:
    made = trainer(tmp_path, method="adi")
    with pytest.raises(PuzzleError) as error:
        made.start_from({})
    assert str(error.value) == "only residual nets can start from a model"


# --- recorded steps


@pytest.mark.parametrize(
    ("more", "stages"),
    [
        ({"method": "diffusion"}, 1),
        ({"walk_share": 0.5, "refresh": 7}, 2),
        ({"walk_share": 0.5, "blend": True, "play": 0.5, "play_ahead": 3}, 2),
    ],
)
def test_steps_by_a_recording_are_the_same_steps(
    more: dict[str, Any], stages: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What differs from step to step reaches a recording through tensors, and nothing else does."""
    given = {"method": "qlearning", "depth": 20, "steps": 30} | more
    one = trainer(tmp_path / "one", "puzzle8", **given)
    one.run()
    made: list[Overwriting] = []

    def recording(*arguments: Any) -> Overwriting:
        made.append(Overwriting(*arguments))
        return made[-1]

    monkeypatch.setattr("homeward.learning.trainer.Recording", recording)
    monkeypatch.setattr(Trainer, "_recordable", True)
    other = trainer(tmp_path / "other", "puzzle8", **given)
    other.run()
    assert len(made) == stages
    assert other.loss == pytest.approx(one.loss, rel=1e-4)
    states, _ = one.method.walker.states()
    assert torch.allclose(other.average(states), one.average(states), atol=0.05)
    assert torch.allclose(other.target(states), one.target(states), atol=0.05)
