"""`distil`: nets that learn to be read in 8 bits."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from homeward.cli import main
from homeward.heuristics.cpu_net import CpuNet
from homeward.heuristics.models import Model, make_card, read_model, write_model
from homeward.heuristics.ranges import typical_states
from homeward.heuristics.tail import column_scales
from homeward.learning.export import export
from homeward.learning.nets import RoundedNet, rounded
from homeward.learning.nets.rounded import column_units
from homeward.learning.settings import Settings
from homeward.learning.trainer import Trainer
from homeward.puzzles import puzzle
from homeward.puzzles.facing import facing
from homeward.puzzles.status import PuzzleError

BOARD = puzzle("puzzle8")


@pytest.fixture(scope="module")
def rough(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """The 8-puzzle's net with a few loud units: the same answers, but not in 8 bits."""
    model = read_model("puzzle8")
    tensors = {name: np.array(values, np.float32) for name, values in model.tensors.items()}
    loud = slice(0, 6)
    last = len(tensors) // 2 - 1
    for made_by in (1, *range(3, last, 2)):
        tensors[f"layer{made_by}.weight"][:, loud] *= 256
        tensors[f"layer{made_by}.bias"][loud] *= 256
    for read_by in (*range(2, last, 2), last):
        tensors[f"layer{read_by}.weight"][loud] /= 256
    card = make_card(
        BOARD,
        tensors,
        model.card.layers,
        head="children",
        reads=model.card.input,
        method="qlearning",
        command="homeward train puzzle8",
    )
    return write_model(tmp_path_factory.mktemp("rough") / "rough", tensors, card)


def error(model: Model, exact: Model) -> float:
    """How far the 8-bit pass of one is from the floats of the other, in moves."""
    states = typical_states(BOARD, n=300)
    legal = BOARD.legal(states)
    said = CpuNet(BOARD, model, "int8").answers(states)
    right = CpuNet(BOARD, exact, "float32").answers(states)
    return float(np.sqrt(np.square(said - right)[legal].mean()))


def settings(**changes: Any) -> Settings:
    start = {"start": "puzzle8", "steps": 300, "batch": 128, "depth": 60, "rate": 1e-4}
    usual = {"optimiser": "adamw", "average": 0.9, "play": 0.5, "greedy": 0, "net": "auto"}
    return Settings("puzzle8", "distil").changed(**{**start, **usual, **changes})


def trainer(folder: Path, model: Model, **changes: Any) -> Trainer:
    (_, first), (_, width) = model.card.shapes[:2]
    blocks = sum(layer.startswith("block") for layer in model.card.layers)
    facing = model.card.input == "facing"
    sizes = {"first": first, "width": width, "blocks": blocks, "facing": facing}
    made = Trainer(BOARD, settings(**{**sizes, **changes}), folder)
    made.start_from({name: torch.from_numpy(values) for name, values in model.tensors.items()})
    return made


@pytest.mark.parametrize("shape", [(6, 8), (3, 7), (1, 1)])
def test_units_are_those_of_the_cpu(shape: tuple[int, int]) -> None:
    weight = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    units = column_units(torch.from_numpy(weight.T.copy())).numpy()
    np.testing.assert_allclose(units, column_scales(weight), rtol=1e-6)


def test_it_rounds_as_the_cpu_does(rough: Model, tmp_path: Path) -> None:
    net = trainer(tmp_path, rough).net
    assert isinstance(net, RoundedNet)
    states = typical_states(BOARD, n=200)
    with torch.no_grad():
        learning = net.train()(torch.from_numpy(states)).numpy()
        asked = net.eval()(torch.from_numpy(states)).numpy()
    card = dataclasses.replace(rough.card, ranges=(*net.ranges, rough.card.ranges[-1]))
    tensors = {name: tensor.numpy() for name, tensor in net.folded().items()}
    kept = write_model(tmp_path / "kept", tensors, card, [scale.numpy() for scale in net.scales])
    floats = CpuNet(BOARD, kept, "float32").answers(states)
    np.testing.assert_allclose(asked, floats, atol=1e-2)
    np.testing.assert_allclose(learning[1::2], floats[1::2], atol=1e-2)
    whole = CpuNet(BOARD, kept, "int8").answers(states)[0::2]
    off = np.abs(whole - floats[0::2]).mean()
    assert off > 0.3  # the units are loud
    assert np.abs(learning[0::2] - whole).mean() < 0.3 * off


def test_what_is_distilled_is_read_in_8_bits(rough: Model, tmp_path: Path) -> None:
    made = trainer(tmp_path, rough)
    made.run()
    learned = export(made, tmp_path / "model")
    assert error(learned, rough) < 0.5 * error(rough, rough)
    average = made.average.folded()
    for number in learned.scales:  # nothing is lost by keeping it
        name = f"layer{number}.weight"
        np.testing.assert_array_equal(learned.tensors[name], average[name].numpy())
    assert learned.scales.keys() == set(range(len(learned.card.shapes) - 1))
    assert learned.card.ranges[:-1] == pytest.approx(made.average.ranges)
    assert learned.card.input == rough.card.input


def test_the_teacher_stays_as_it_is(rough: Model, tmp_path: Path) -> None:
    made = trainer(tmp_path, rough, steps=20)
    made.run()
    states = torch.from_numpy(typical_states(BOARD, n=20))
    with torch.no_grad():
        said = made.target(states).numpy()
        changed = made.average(states).numpy()
    exact = CpuNet(BOARD, rough, "float32").answers(states.numpy())
    np.testing.assert_allclose(said, exact, atol=1e-2)
    assert np.abs(changed - exact).max() > 1e-2


def test_a_resumed_distilling_is_the_same(rough: Model, tmp_path: Path) -> None:
    whole = trainer(tmp_path / "whole", rough, steps=30)
    whole.run()
    broken = trainer(tmp_path / "broken", rough, steps=30)
    loss = broken.method.loss

    def stopping(*arguments: Any) -> torch.Tensor:
        if broken.step == 11:
            broken.stop()
        return loss(*arguments)

    broken.method.loss = stopping  # type: ignore[method-assign]
    broken.run()
    assert broken.step == 12
    resumed = Trainer(BOARD, whole.settings, tmp_path / "broken")
    resumed.resume()
    resumed.run()
    for mine, other in zip(resumed._nets(), whole._nets(), strict=True):
        tensors = other[1].state_dict()
        assert all(torch.equal(v, tensors[k]) for k, v in mine[1].state_dict().items())


def test_an_odd_batch_without_play(tmp_path: Path) -> None:
    made = trainer(tmp_path, read_model("puzzle8"), steps=3, batch=33, play=0.0)
    made.run()
    assert made.step == 3
    assert made.loss < 1


def test_a_settled_net_answers_the_same_without_rounding_anew(
    rough: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = trainer(tmp_path, rough).average
    states = torch.from_numpy(typical_states(BOARD, n=50))
    said, before = net(states), {k: v.clone() for k, v in net.state_dict().items()}
    settled = net.settled()
    monkeypatch.setattr(rounded, "on_steps", None)
    torch.testing.assert_close(settled(states), said, rtol=0, atol=0)
    assert all(torch.equal(v, before[k]) for k, v in net.state_dict().items())


def test_facing_and_other_sizes() -> None:
    way = facing(puzzle("puzzle15"))
    net = RoundedNet(16, 16, 4, first=8, width=4, blocks=1, facing=way)
    assert net.input == "facing"
    assert net.layers == ["dense relu", "dense relu", "block relu", "dense"]
    other = RoundedNet(16, 16, 4, first=8, width=5, blocks=1, facing=way)
    with pytest.raises(PuzzleError) as told:
        other.unfold(net.folded(), torch.tensor(puzzle("puzzle15").goals))
    assert (
        str(told.value) == "the model's layers are 256-8-4-4-4-4, but the net's are 256-8-5-5-5-4"
    )


def test_distil_wants_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "out")
    assert main(["train", "puzzle8", "--method", "distil", "--out", folder]) == 2
    said = capsys.readouterr().err.strip()
    assert said == "homeward: distil learns what a model says: name one with --from"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    command = ["train", "puzzle8", "--method", "distil", "--from", "puzzle8", "--device", "cpu"]
    assert main([*command, "--set", "steps=5", "--out", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["finished"]
    model = read_model(folder / "model.json")
    assert model.card.method == "distil"
    first, second = model.card.command.split(" && ")
    assert first.startswith("homeward train puzzle8 ")
    assert "--method distil" in second
    assert "--from a/model.json" in second
