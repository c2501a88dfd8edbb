"""What the card of a training tells of how it came about."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from homeward.heuristics.models import read_card
from homeward.learning import log
from train_tools import sets, train


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
    longer = read_card(str(folder)).command
    assert longer == plain.replace("steps=2", "steps=3")
    assert train(folder, "--resume", "--set", "steps=5", "--set", "rate=0.001") == 0
    assert train(folder, "--resume", "--set", "steps=6", "--set", "hold=1.0") == 0
    onward = "homeward train cube2 --method diffusion --resume --out a --set steps="
    assert read_card(str(folder)).command.split(" && ") == [
        f"{longer} --out a",
        f"{onward}5 --set rate=0.001",
        f"{onward}6 --set hold=1.0",
    ]
    second = tmp_path / "second"
    assert train(second, *sets("steps=2"), "--from", str(folder)) == 0
    assert train(second, "--resume", "--set", "steps=4", "--set", "rate=0.002") == 0
    *_, third, fourth, fifth = read_card(str(second)).command.split(" && ")
    assert third == f"{onward}6 --set hold=1.0"
    assert "--from a/model.json" in fourth
    assert fourth.endswith("--out d")
    assert fifth == f"{onward.replace('out a', 'out d')}4 --set rate=0.002"


def test_from_a_model_that_is_gone_the_card_names_it(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert train(first, *sets("steps=2")) == 0
    assert train(second, *sets("steps=2"), "--from", str(first)) == 0
    shutil.rmtree(first)
    assert train(second, "--resume", "--set", "steps=3") == 0
    card = read_card(str(second))
    assert f"--set start={first} " in card.command
    assert card.states_seen == 3 * 64
