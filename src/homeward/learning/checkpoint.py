"""Checkpoints: one safetensors file, replaced as a whole, so that a kill loses nothing saved."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from homeward.puzzles.status import PuzzleError

NAME = "checkpoint.safetensors"
_FACTS: dict[str, tuple[type, ...]] = {
    "settings": (dict,),
    "parts": (list,),
    "step": (int,),
    "seconds": (int, float),
    "states_seen": (int,),
    "refreshes": (int,),
    "progress": (int, float),
}
"""What a checkpoint says besides its tensors; it may say more."""
_OLD = {"parts": [], "progress": 0.0}
"""What older checkpoints do not say."""


def save(folder: Path, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
    """Writes a checkpoint beside the old one and then puts it in its place."""
    unfinished = folder / (NAME + ".new")
    flat = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_file(flat, str(unfinished), metadata={"facts": json.dumps(facts)})
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, folder / NAME)
    except (OSError, SafetensorError) as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()  # on a disk that is full it takes the room of the next one
        raise PuzzleError(f"no checkpoint can be written to {folder}: {error}") from error


def remove(folder: Path) -> None:
    """Takes a folder's checkpoint away, if it can be."""
    with contextlib.suppress(OSError):
        (folder / NAME).unlink()


def load(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and facts of a folder's checkpoint; `PuzzleError` if there is none to read."""
    path = folder / NAME
    if not path.is_file():
        raise PuzzleError(f"there is no checkpoint in {folder}")
    try:
        with safe_open(str(path), framework="pt") as file:
            facts: dict[str, Any] = json.loads(file.metadata()["facts"])
            names = list(file.keys())
            tensors = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, KeyError, TypeError, ValueError, OSError, RecursionError) as error:
        raise PuzzleError(f"the checkpoint {path} cannot be read: {error}") from error
    known = {**_OLD, **facts} if isinstance(facts, dict) else {}
    for name, kinds in _FACTS.items():
        if not isinstance(known.get(name), kinds):
            raise PuzzleError(f"the checkpoint {path} cannot be read: it does not say its {name}")
    if not all(isinstance(part, dict) for part in known["parts"]):
        raise PuzzleError(f"the checkpoint {path} cannot be read: its parts are none")
    return tensors, known


def flatten_optimisers(optimisers: list[torch.optim.Optimizer]) -> dict[str, Tensor]:
    """The optimisers' running averages, named by their numbers and those of the parameters."""
    return {
        f"optimiser.{number}.{index}.{name}": torch.as_tensor(value)
        for number, optimiser in enumerate(optimisers)
        for index, entry in optimiser.state_dict()["state"].items()
        for name, value in entry.items()
    }


def restore_optimisers(optimisers: list[torch.optim.Optimizer], tensors: dict[str, Tensor]) -> None:
    """Puts `flatten_optimisers`' tensors back."""
    states: list[dict[int, dict[str, Tensor]]] = [{} for _ in optimisers]
    for key, tensor in tensors.items():
        if key.startswith("optimiser."):
            _, number, index, name = key.split(".")
            states[int(number)].setdefault(int(index), {})[name] = tensor
    for optimiser, state in zip(optimisers, states, strict=True):
        whole = optimiser.state_dict()
        whole["state"] = state
        optimiser.load_state_dict(whole)
