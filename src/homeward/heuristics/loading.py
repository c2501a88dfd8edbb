"""From a model's name to a heuristic on the device where it runs."""

from __future__ import annotations

import ctypes
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

if TYPE_CHECKING:
    from homeward.heuristics.cpu_net import CpuNet
    from homeward.heuristics.models import Model
    from homeward.heuristics.torch_net import TorchNet

DEVICES = ("auto", "cpu", "cuda")


def load(
    puzzle: Puzzle, model: str | Path | None = None, device: str = "auto", threads: int = 0
) -> Heuristic:
    """A learned net for a puzzle: its own model, or the one with this name or path.

    On `cuda` it runs in torch, on `cpu` without it, on `threads` threads (0: all cores). `auto` is
    cuda where there is a GPU and torch can use it. Raises `PuzzleError` if there is no such model,
    it is for another puzzle, or the device is not there.
    """
    from homeward.heuristics.models import model_for

    where = chosen_device(device)
    found = model_for(puzzle, model)
    net = _net(puzzle, found, where, threads)
    if found.card.head == "policy_value":
        from homeward.heuristics.policy import PolicyNet

        return PolicyNet(net)
    return net


def _net(puzzle: Puzzle, model: Model, device: str, threads: int) -> TorchNet | CpuNet:
    if device == "cuda":
        from homeward.heuristics.torch_net import TorchNet

        return TorchNet(puzzle, model, device)
    from homeward.heuristics.cpu_net import CpuNet

    return CpuNet(puzzle, model, threads=threads)


def require_device(device: str) -> None:
    """Raises `PuzzleError` for a word that names no device."""
    if device not in DEVICES:
        raise PuzzleError(f"there is no device {device!r}; there are {', '.join(DEVICES)}")


def chosen_device(device: str) -> str:
    """`cpu` or `cuda`; raises `PuzzleError` if cuda is asked for and cannot be had."""
    require_device(device)
    if device == "auto":
        # torch takes seconds to import: not before there is something for it to run on.
        return "cuda" if _gpus() and not _why_no_cuda() else "cpu"
    reason = _why_no_cuda() if device == "cuda" else ""
    if reason:
        raise PuzzleError(reason)
    return device


def _why_no_cuda() -> str:
    if find_spec("torch") is None:
        return "the device cuda needs torch: pip install 'homeward[train]'"
    import torch

    return "" if torch.cuda.is_available() else "torch finds no CUDA device on this machine"


def _gpus() -> int:
    """How many GPUs the driver knows, asked without torch."""
    count = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
            return 0
    except (OSError, AttributeError):
        return 0
    return count.value
