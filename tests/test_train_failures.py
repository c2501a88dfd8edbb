"""Trainings that the machine cannot do: a sentence, status 2, and nothing that is in the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from homeward.learning import checkpoint, log
from homeward.learning.settings import Settings
from homeward.learning.trainer import Trainer
from homeward.puzzles import PuzzleError, puzzle
from train_tools import SMALL, sets, train

_LESS = "homeward: this training takes more memory than there is: a smaller batch, depth or net "


def said(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()[-1]


# --- a log that cannot be written


def full(row: log.Row, folder: Path) -> None:
    """Makes the folder's log one on a disk that is full."""
    (folder / log.NAME).unlink()
    (folder / log.NAME).symlink_to("/dev/full")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full disk")
def test_a_log_that_becomes_full_keeps_what_was_learned(tmp_path: Path) -> None:
    settings = dict(text.split("=") for text in SMALL) | {"report_every": "0", "greedy": "0"}
    made = Trainer(puzzle("cube2"), Settings("cube2").changed(**settings, steps=50), tmp_path)
    with pytest.raises(PuzzleError) as error:
        made.run(lambda row: full(row, tmp_path))
    path = tmp_path / log.NAME
    assert str(error.value) == f"the log {path} cannot be written: No space left on device"
    assert made.step == 2
    assert checkpoint.load(tmp_path)[1]["step"] == 2


def test_a_log_that_cannot_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same command is not refused once the log can be written."""
    (tmp_path / log.NAME).mkdir()
    assert train(tmp_path, *sets("steps=2")) == 2
    assert said(capsys).startswith(f"homeward: the log {tmp_path / log.NAME} cannot be written: ")
    (tmp_path / log.NAME).rmdir()
    assert train(tmp_path, *sets("steps=2")) == 0


# --- too little memory


@pytest.mark.parametrize("much", ["depth=100000000000", "first=100000000000", "batch=10000000000"])
def test_too_little_memory(much: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """More than any machine has; the corrected command is not refused."""
    words = {"name": "puzzle8", "method": "qlearning"}
    assert train(tmp_path, *sets("steps=2", much), **words) == 2
    assert said(capsys) == f"{_LESS}takes less"
    assert train(tmp_path, *sets("steps=2"), **words) == 0


def test_too_little_memory_takes_nothing_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(tmp_path, *sets("steps=2")) == 0
    before = (tmp_path / checkpoint.NAME).read_bytes()
    capsys.readouterr()
    assert train(tmp_path, "--resume", "--set", "steps=3", "--set", "depth=100000000000") == 2
    assert said(capsys) == f"{_LESS}takes less"
    assert (tmp_path / checkpoint.NAME).read_bytes() == before


# --- checkpoints that were changed


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("settings", None),
        ("settings", 3),
        ("step", None),
        ("step", "3"),
        ("seconds", []),
        ("refreshes", None),
        ("states_seen", None),
        ("parts", {}),
    ],
)
def test_a_checkpoint_that_does_not_say_all(
    fact: str, value: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings("cube2").changed(**dict(text.split("=") for text in SMALL), steps=2)
    Trainer(puzzle("cube2"), settings, tmp_path).save()
    tensors, facts = checkpoint.load(tmp_path)
    del facts[fact]
    checkpoint.save(tmp_path, tensors, facts if value is None else {**facts, fact: value})
    assert train(tmp_path, "--resume") == 2
    path = tmp_path / checkpoint.NAME
    assert said(capsys) == (
        f"homeward: the checkpoint {path} cannot be read: it does not say its {fact}"
    )


def test_checkpoints_whose_facts_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for facts in ("[]", "[" * 100_000, '{"settings": {}}'):
        save_file({"a": torch.zeros(1)}, tmp_path / checkpoint.NAME, metadata={"facts": facts})
        assert train(tmp_path, "--resume") == 2
        told = said(capsys)
        assert told.startswith(f"homeward: the checkpoint {tmp_path / checkpoint.NAME} cannot be ")
