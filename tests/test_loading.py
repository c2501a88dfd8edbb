"""Loading a net: which device it goes to, what is said of one that cannot be had."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from homeward import PuzzleError, puzzle
from homeward.heuristics import load
from homeward.heuristics.loading import chosen_device
from net_tools import small_model

CUBE = puzzle("cube2")
BOARD = puzzle("puzzle8")


def test_load_picks_the_cpu_without_torch(tmp_path: Path) -> None:
    small_model(CUBE, tmp_path / "m")
    script = (
        "import sys; from homeward import puzzle; from homeward.heuristics import load; "
        f"net = load(puzzle('cube2'), {str(tmp_path / 'm.json')!r}, 'cpu', threads=1); "
        "cube = puzzle('cube2'); print(type(net).__name__, net.threads, "
        "net.children(cube.goal[None]).shape, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == "CpuNet 1 (1, 6) False\n"


def test_load_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_model(CUBE, tmp_path / "m")
    path = tmp_path / "m.json"

    def refusal(*arguments: Any) -> str:
        with pytest.raises(PuzzleError) as caught:
            load(*arguments)
        return str(caught.value)

    assert refusal(CUBE, path, "tpu") == "there is no device 'tpu'; there are auto, cpu, cuda"
    text = "model m is for cube2: it has 24 positions, and puzzle8 needs 9"
    assert refusal(BOARD, path, "cpu") == text
    if not torch.cuda.is_available():
        assert chosen_device("auto") == "cpu"
        assert refusal(CUBE, path, "cuda") == "torch finds no CUDA device on this machine"
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    text = "the device cuda needs torch: pip install 'homeward[train]'"
    assert refusal(CUBE, path, "cuda") == text
    assert chosen_device("auto") == "cpu"


def test_nothing_is_told_to_anybody(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    kept = {k: v for k, v in os.environ.items() if k not in ("ORT_DISABLE_TELEMETRY", "CI")}
    program = "from homeward import puzzle; from homeward.heuristics import load; "
    program += "cube = puzzle('cube2'); net = load(cube, device='cpu', threads=1); "
    program += "print(net.children(cube.goal[None]).shape)"
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, capture_output=True, text=True, env=kept | home, check=True)
    assert done.stdout == "(1, 6)\n"
    assert [path.name for path in tmp_path.rglob("*") if "onnxruntime" in path.name] == []
