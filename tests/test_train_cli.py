"""`homeward train`: what it prints, leaves and returns, killed and interrupted too."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from homeward.cli import main
from homeward.heuristics.models import read_model
from homeward.learning import checkpoint, log
from homeward.puzzles import puzzle
from train_tools import sets, train

LEVELS = "######\n#@$ .#\n######\n"


def command(folder: Path, *words: str, method: str = "diffusion") -> list[str]:
    start = [sys.executable, "-m", "homeward", "train", "cube2", "--out", str(folder)]
    return [*start, "--method", method, "--device", "cpu", *words]


def failed(capsys: pytest.CaptureFixture[str], status: int, *arguments: str) -> str:
    """The one line that a command which returns `status` prints."""
    assert main(["train", *arguments]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("homeward: ")
    return err.removeprefix("homeward: ").rstrip("\n")


# --- what it leaves


def test_train_leaves_checkpoint_log_model_and_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, plot = tmp_path / "run", tmp_path / "run.svg"
    assert train(folder, *sets("steps=60"), "--plot", str(plot), "--json") == 0
    record = json.loads(capsys.readouterr().out)
    rows = log.read(folder)
    assert record == {
        "puzzle": "cube2",
        "method": "diffusion",
        "device": "cpu",
        "folder": str(folder),
        "model": f"{folder}/model.safetensors",
        "finished": True,
        "steps": 60,
        "seconds": rows[-1]["seconds"],
        "states_seen": 60 * 64,
        "loss": rows[-1]["loss"],
        "greedy": rows[-1]["greedy"],
    }
    assert checkpoint.load(folder)[1]["step"] == 60
    assert plot.read_text().startswith("<?xml")
    model = read_model(folder / "model")
    model.require_fits(puzzle("cube2"))
    card = model.card
    assert (card.head, card.layers) == ("children", ("dense relu",) * 2 + ("block relu", "dense"))
    assert card.command == (
        "homeward train cube2 --method diffusion --set steps=60 --set depth=12 --set batch=64 "
        "--set first=32 --set width=16 --set threads=1 --set greedy=20 --set report_every=0.1 "
        "--device cpu"
    )
    assert (card.method, card.device, card.states_seen) == ("diffusion", "cpu", 60 * 64)


@pytest.mark.parametrize(
    ("name", "method", "settings", "head", "layers"),
    [
        ("cube2", "adi", ["own_width=8"], "policy_value", ["dense elu"] * 3 + ["dense"]),
        ("puzzle8", "davi", [], "value", ["dense relu"] * 2 + ["block relu", "dense"]),
        (
            "sokoban-6x6",
            "qlearning",
            ["net=convolutional", "channels=4"],
            "children",
            ["conv relu", "conv-block relu", "dense relu", "dense"],
        ),
        ("cube2", "supervised", ["net=tanh"], "value", ["dense tanh"] * 4 + ["dense"]),
    ],
)
def test_every_kind_of_net_becomes_a_model(
    name: str, method: str, settings: list[str], head: str, layers: list[str], tmp_path: Path
) -> None:
    words = sets("steps=3", "greedy=0", "source=walks", *settings)
    assert train(tmp_path / "run", *words, name=name, method=method) == 0
    card = read_model(tmp_path / "run" / "model").card
    assert (card.head, list(card.layers)) == (head, layers)


def test_without_a_method_it_is_the_puzzles_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, method in [("cube2", "diffusion"), ("puzzle8", "qlearning")]:
        assert main(["train", name, "--device", "cpu", *sets("steps=2")]) == 0
        folder = f"runs/{name}-{method}"
        told = capsys.readouterr().out.splitlines()
        assert told[-1] == f"try it: homeward solve {name} --random --model {folder}"
        assert main(["solve", name, "--random", "--model", folder, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["model"] == folder
    Path("runs/cube2-diffusion").rename("mine")
    assert main(["solve", "cube2", "--random", "--model", "mine"]) == 0


def test_from_a_model_that_faces_one_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = ["puzzle8", "--method", "qlearning", *sets("steps=2")]
    facing = ["--set", "facing=true"]
    assert main(["train", *board, "--out", str(tmp_path / "a"), *facing]) == 0
    onward = [*board, "--out", str(tmp_path / "b"), "--from", str(tmp_path / "a")]
    capsys.readouterr()
    told = failed(capsys, 2, *onward, "--set", "facing=false")
    assert told == "model model faces one way: facing=false cannot go on so"
    assert main(["train", *onward]) == 0
    assert read_model(tmp_path / "b").card.input == "facing"


def test_from_a_model_takes_its_size(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert train(first, *sets("steps=2", "width=24", "blocks=2")) == 0
    few = [word for text in ("steps=2", "batch=64", "greedy=0") for word in ("--set", text)]
    assert train(second, *few, "--from", str(first)) == 0
    assert read_model(second).card.shapes == read_model(first).card.shapes


def test_from_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert train(first, *sets("steps=200", "choice=0")) == 0
    model = str(first / "model.safetensors")
    assert train(second, *sets("steps=1", "choice=0"), "--from", model) == 0
    assert train(tmp_path / "fresh", *sets("steps=1", "choice=0")) == 0
    started, fresh = (log.read(tmp_path / name)[-1]["loss"] for name in ("second", "fresh"))
    assert started < 0.6 * fresh
    deeper = tmp_path / "deeper"
    assert train(deeper, *sets("steps=1", "blocks=3", "choice=0"), "--from", model) == 0
    assert log.read(deeper)[-1]["loss"] < 0.6 * fresh
    assert list(read_model(deeper / "model").card.layers).count("block relu") == 3
    capsys.readouterr()
    words = ["cube2", "--method", "davi", "--out", str(tmp_path / "x"), *sets(), "--from", model]
    assert failed(capsys, 2, *words) == "model model has the head children, and davi trains value"


def test_sokoban_levels(tmp_path: Path) -> None:
    levels = tmp_path / "levels.xsb"
    levels.write_text(LEVELS)
    words = [*sets("steps=5"), "--levels", str(levels)]
    assert train(tmp_path / "run", *words, name="sokoban-3x6") == 0
    assert checkpoint.load(tmp_path / "run")[1]["settings"]["levels"] == str(levels)


# --- bad input


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cube2", "--resume"], "there is no checkpoint in runs/cube2-diffusion"),
        (["puzzle15", "--resume"], "there is no checkpoint in runs/puzzle15-qlearning"),
        (
            ["cube2", "--method", "difusion"],
            "there is no method named 'difusion'; did you mean diffusion?",
        ),
        (
            ["cube2", "--method", "davi", "--set", "widht=3"],
            "training has no setting 'widht'; did you mean width?",
        ),
        (["cube2", "--method", "davi", "--set", "width"], "--set takes KEY=VALUE, not 'width'"),
        (
            ["cube2", "--method", "davi", "--device", "tpu"],
            "there is no device 'tpu'; there are auto, cpu, cuda",
        ),
        (
            ["cube2", "--method", "davi", "--levels", "x.xsb"],
            "levels are for sokoban, not for cube2",
        ),
        (
            ["cube2", "--method", "davi", "--minutes", "0", "--set", "blend=true"],
            "davi's target net waits until the loss is small: it cannot blend",
        ),
        (["cube2", "--resume", "--out", "nowhere"], "there is no checkpoint in nowhere"),
    ],
)
def test_bad_input(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert failed(capsys, 2, *words) == message


def test_a_training_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path, *sets("steps=2")) == 0
    capsys.readouterr()
    words = ["--out", str(tmp_path), "--method", "diffusion"]
    assert failed(capsys, 2, "cube2", *words) == (
        f"{tmp_path} holds a training: --resume goes on, --out takes another place"
    )
    assert failed(capsys, 2, "cube3", *words, "--resume") == (
        f"{tmp_path} holds a training of cube2 by diffusion"
    )


def test_without_torch(monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert failed(capsys, 2, "cube2", "--method", "davi") == (
        "training needs torch: pip install 'homeward[train]'"
    )


def test_nan_ends_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = sets("steps=500", "rate=1e30", "clip=0", "warm_up=0", "report_every=0", "greedy=0")
    assert train(tmp_path, *words) == 1
    out, err = capsys.readouterr()
    assert out == ""
    last = err.splitlines()[-1]
    assert last.startswith("homeward: the loss or a weight is no number any more at step ")
    assert last.endswith(
        f"; the last good checkpoint is {tmp_path / checkpoint.NAME}: "
        "go on from it with a smaller rate"
    )


def test_list_methods_and_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "methods", "--json"]) == 0
    methods = {row["name"]: row["head"] for row in json.loads(capsys.readouterr().out)}
    assert methods == {
        "diffusion": "children",
        "qlearning": "children",
        "davi": "value",
        "adi": "policy_value",
        "supervised": "value",
        "distil": "children",
    }
    assert main(["list", "settings", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["depth"] == {
        "name": "depth",
        "default": 30,
        "help": "K: the longest walk back from the goal",
    }
    assert all(row["help"] for row in rows.values())


# --- killed, interrupted, many processes: in processes of their own


def wait_for(step: int, folder: Path, process: subprocess.Popen[str]) -> None:
    """Until the training's checkpoint is that of a later step."""
    for _ in range(600):
        time.sleep(0.05)
        assert process.poll() is None, process.communicate()
        try:
            if checkpoint.load(folder)[1]["step"] > step:
                return
        except Exception:  # none yet
            continue
    raise AssertionError("no checkpoint in 30 seconds")


def test_kill_and_resume_continues_the_same_curve(tmp_path: Path) -> None:
    words = sets("steps=900", "save_every=0.1")
    process = subprocess.Popen(command(tmp_path / "killed", *words), text=True)
    wait_for(50, tmp_path / "killed", process)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    facts = checkpoint.load(tmp_path / "killed")[1]
    assert 50 < facts["step"] < 900
    assert train(tmp_path / "killed", "--resume") == 0
    assert train(tmp_path / "whole", *words) == 0
    cards = [read_model(tmp_path / name / "model").card for name in ("killed", "whole")]
    assert cards[0].command == cards[1].command
    one, other = (checkpoint.load(tmp_path / name)[0] for name in ("killed", "whole"))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[key], other[key]) for key in one)
    steps = [row["step"] for row in log.read(tmp_path / "killed")]
    assert steps == sorted(set(steps))
    assert steps[-1] == 900


def test_signals_save_and_end_with_130(tmp_path: Path) -> None:
    words = [*sets("save_every=0.1", "greedy=0"), "--minutes", "10", "--json"]
    signals = {"term": signal.SIGTERM, "int": signal.SIGINT}
    running = {
        name: subprocess.Popen(
            command(tmp_path / name, *words),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for name in signals
    }
    for name, process in running.items():
        wait_for(10, tmp_path / name, process)
        process.send_signal(signals[name])
    for name, process in running.items():
        out, _ = process.communicate(timeout=20)
        assert process.returncode == 130
        record = json.loads(out)
        assert (record["finished"], record["model"]) == (False, None)
        assert checkpoint.load(tmp_path / name)[1]["step"] == record["steps"] > 10


def test_torchrun(tmp_path: Path) -> None:
    words = ["--standalone", "--nproc-per-node", "2", "-m", *command(tmp_path)[2:]]
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", *words, *sets("steps=20"), "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)  # one process alone prints
    assert (record["steps"], record["states_seen"]) == (20, 2 * 20 * 64)
    card = read_model(tmp_path / "model").card
    assert card.device == "2 × cpu"
    assert card.command.startswith("torchrun --nproc-per-node 2 -m homeward train cube2 --method")
    assert train(tmp_path, "--resume") == 0  # there is nothing left to do: two have made it
    again = read_model(tmp_path / "model").card
    assert (again.device, again.command) == (card.device, card.command)
    assert train(tmp_path, "--resume", "--set", "steps=25") == 0
    longer = read_model(tmp_path / "model").card
    onward = "homeward train cube2 --method diffusion --resume --out a --set steps=25 --device cpu"
    assert longer.device == "2 × cpu"
    assert longer.command == f"{card.command} --out a && {onward}"


def test_what_cannot_be_set_or_drawn_is_said_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["cube2", "--method", "diffusion", "--out", str(tmp_path / "run")]
    told = failed(capsys, 2, *start, "--set", "puzzle=cube3")
    assert told == "--set cannot change the puzzle: it has a place of its own"
    told = failed(capsys, 2, *start, "--plot", str(tmp_path / "nowhere" / "a.png"))
    assert "there is no folder" in told
    told = failed(capsys, 2, "cube2", "--resume", "--out", str(tmp_path), "--from", "cube2")
    assert told == "a training that is resumed has begun: --from comes too late"
