"""A training's averaged net as a model file with its card."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path

import torch

from homeward.heuristics.balance import balanced
from homeward.heuristics.finer import finer
from homeward.heuristics.models import Model, make_card, write_model
from homeward.learning.trainer import Trainer
from homeward.puzzles.status import PuzzleError


def export(trainer: Trainer, path: Path) -> Model:
    """Writes the averaged net, its norms folded in, to `path` with `.safetensors` and `.json`."""
    net = trainer.average
    if net.input == "features":
        raise PuzzleError("a net on features of its own cannot be kept as a model")
    folded = {name: tensor.float().cpu().numpy() for name, tensor in net.folded().items()}
    tensors = balanced(trainer.puzzle, net.layers, folded, net.input)
    command, seconds, states_seen = _whole_training(trainer)
    card = make_card(
        trainer.puzzle,
        tensors,
        net.layers,
        head=trainer.method.head,
        reads=net.input,
        board=net.board,
        method=trainer.settings.method,
        command=command,
        seconds=round(seconds, 1),
        states_seen=states_seen,
        device=_device_name(trainer),
    )
    model = Model(path.stem, card, tensors)
    card = dataclasses.replace(card, finer=finer(trainer.puzzle, model))
    return write_model(path, tensors, card)


def _whole_training(trainer: Trainer) -> tuple[str, float, int]:
    """Command, seconds and states, those of the model that the training started from included."""
    command = trainer.settings.command(trainer.device.type)
    before = trainer.settings.start_card
    if before is None or not before.command:
        return command, trainer.seconds, trainer.states_seen
    folder = chr(ord("a") + before.command.count(" && "))
    given = shlex.join(["--set", f"start={trainer.settings.start}"])
    command = command.replace(given, f"--from {folder}/model.json")
    return (
        f"{before.command} --out {folder} && {command}",
        before.seconds + trainer.seconds,
        before.states_seen + trainer.states_seen,
    )


def _device_name(trainer: Trainer) -> str:
    kind = trainer.device.type
    name = torch.cuda.get_device_name(trainer.device) if kind == "cuda" else kind
    count = trainer.ranks.count
    return name if count == 1 else f"{count} × {name}"
