"""What the card of a training tells of how it came about."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from homeward.cli import main
from homeward.heuristics.models import read_card
from homeward.learning import checkpoint, log
from homeward.learning.settings import Settings
from homeward.learning.trainer import Trainer
from homeward.puzzles import puzzle
from train_tools import SMALL, sets, train


def test_from_a_model_the_card_tells_of_both_trainings(tmp_path: Path) -> None:
    parts = [str(tmp_path / name) for name in ("one", "two", "three")]
    for part, before in zip(parts, ["", *parts], strict=False):
        onward = ["--from", before] if before else []
        assert train(Path(part), *sets("steps=3"), *onward) == 0
    first, *_, last = (read_card(part) for part in parts)
    assert last.states_seen == 3 * first.states_seen
    rows = [log.read(Path(part))[-1] for part in parts]
    assert last.seconds == pytest.approx(sum(row["seconds"] for row in rows), abs=0.3)
    one, two, three = last.command.split(" && ")
    assert one == f"{first.command} --out a"
    onward_words = first.command.replace("--set steps=3", "--set steps=3 --from {}/model.json")
    onward_words = onward_words.replace(" --set first=32 --set width=16", "")  # the model's own
    assert two == f"{onward_words.format('a')} --out b"
    assert three == onward_words.format("b")


def test_gone_on_otherwise_the_card_tells_how(tmp_path: Path) -> None:
    """Each time that a resumed training is set otherwise is a command of its own."""
    folder = tmp_path / "run"
    assert train(folder, *sets("steps=2")) == 0
    plain = read_card(str(folder)).command
    assert train(folder, "--resume", "--set", "steps=3") == 0  # longer, and nothing else
    assert train(folder, "--resume", "--set", "steps=5", "--set", "rate=0.001") == 0
    assert train(folder, "--resume", "--set", "steps=6", "--set", "hold=1.0") == 0
    onward = "homeward train cube2 --method diffusion --resume --out a --set steps="
    assert read_card(str(folder)).command.split(" && ") == [
        f"{plain} --out a",
        f"{onward}3 --device cpu",
        f"{onward}5 --set rate=0.001 --device cpu",
        f"{onward}6 --set hold=1.0 --device cpu",
    ]
    second = tmp_path / "second"
    assert train(second, *sets("steps=2"), "--from", str(folder)) == 0
    assert train(second, "--resume", "--set", "steps=4", "--set", "rate=0.002") == 0
    *_, third, fourth, fifth = read_card(str(second)).command.split(" && ")
    assert third == f"{onward}6 --set hold=1.0 --device cpu"
    assert "--from a/model.json" in fourth
    assert fourth.endswith("--out e")
    assert fifth == f"{onward.replace('out a', 'out e')}4 --set rate=0.002 --device cpu"


def test_the_commands_of_a_longer_training_make_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rates and stages go by how much is done, so one command of all steps would not."""
    monkeypatch.chdir(tmp_path)
    assert train(Path("run"), *sets("steps=20")) == 0
    assert train(Path("run"), "--resume", "--set", "steps=40") == 0
    for command in read_card("run").command.split(" && "):
        assert main(shlex.split(command)[1:]) == 0
    one, other = (checkpoint.load(Path(name))[0] for name in ("run", "a"))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[key], other[key]) for key in one)


def test_minutes_that_are_added_are_told(tmp_path: Path) -> None:
    assert train(tmp_path, *sets(), "--minutes", "0.0001") == 0
    assert train(tmp_path, "--resume", "--minutes", "0.02") == 0
    first, second = read_card(str(tmp_path)).command.split(" && ")
    assert "--minutes 0.0001 " in first
    assert second.endswith(" --resume --out a --minutes 0.02 --device cpu")


@pytest.mark.parametrize(
    ("first", "more", "message"),
    [
        (["--set", "steps=4"], ["--set", "steps=4", "--set", "rate=0.1"], "4 steps|steps=4"),
        (["--set", "steps=4"], ["--set", "steps=3"], "4 steps|steps=3"),
        (["--minutes", "0.002"], ["--minutes", "0.0001"], r"0\.\d+ minutes|minutes=0.0001"),
    ],
)
def test_a_training_that_has_made_as_much_does_not_go_on(
    first: list[str],
    more: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert train(tmp_path, *sets(), *first) == 0
    kept = {path: path.read_bytes() for path in tmp_path.iterdir()}
    command = read_card(str(tmp_path)).command
    capsys.readouterr()
    assert train(tmp_path, "--resume", *more) == 2
    made, wanted = message.split("|")
    assert re.fullmatch(
        f"homeward: the training has made {made} already: {wanted} leaves nothing to do; "
        "they count all its runs together\n",
        capsys.readouterr().err,
    )
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == kept
    (tmp_path / "model.json").unlink()
    assert train(tmp_path, "--resume") == 0  # set as it was, it writes what a kill left out
    assert read_card(str(tmp_path)).command == command


def test_a_part_without_steps_is_not_told(tmp_path: Path) -> None:
    """Neither one that was stopped before its first, nor one that began a whole training so."""
    changes: list[dict[str, Any]] = [{}, {"rate": 0.01}, {"rate": 0.02}]
    for number, change in enumerate(changes):
        settings = Settings("cube2").changed(**dict(text.split("=") for text in SMALL), **change)
        made = Trainer(puzzle("cube2"), settings, tmp_path)
        if number:
            made.resume()
        made.save()
    assert made.parts == []


def test_from_a_model_that_is_gone_the_card_names_it(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert train(first, *sets("steps=2")) == 0
    assert train(second, *sets("steps=2"), "--from", str(first)) == 0
    shutil.rmtree(first)
    assert train(second, "--resume", "--set", "steps=3") == 0
    card = read_card(str(second))
    assert f"--set start={first} " in card.command
    assert card.states_seen == 3 * 64


def test_a_checkpoint_from_before_parts_had_devices_goes_on(tmp_path: Path) -> None:
    """Its parts are settings alone, and it says of no part how many processes made it."""
    assert train(tmp_path, *sets("steps=2")) == 0
    tensors, facts = checkpoint.load(tmp_path)
    old = {**facts["settings"], "steps": 1}
    facts = {k: v for k, v in facts.items() if k not in ("device", "processes")} | {"parts": [old]}
    checkpoint.save(tmp_path, tensors, facts)
    assert train(tmp_path, "--resume", "--set", "steps=3") == 0
    card = read_card(str(tmp_path))
    assert card.device == "cpu"
    assert [part.count("torchrun") for part in card.command.split(" && ")] == [0, 0, 0]
