"""A training's averaged net as a model file with its card."""

from __future__ import annotations

import dataclasses
import shlex
from itertools import pairwise
from pathlib import Path

from homeward.heuristics.balance import balanced
from homeward.heuristics.finer import finer
from homeward.heuristics.models import Model, make_card, write_model
from homeward.learning.parts import most
from homeward.learning.trainer import Trainer
from homeward.puzzles.status import PuzzleError


def export(trainer: Trainer, path: Path) -> Model:
    """Writes the averaged net, its norms folded in, to `path` with `.safetensors` and `.json`."""
    net = trainer.average
    if net.input == "features":
        raise PuzzleError("a net on features of its own cannot be kept as a model")
    folded = {name: tensor.float().cpu().numpy() for name, tensor in net.folded().items()}
    learned = net.ranges  # by a net that knows its roundings; balancing would bring others
    tensors = folded if learned else balanced(trainer.puzzle, net.layers, folded, net.input)
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
        device=most([*trainer.parts, trainer.part]),
    )
    if learned:
        card = dataclasses.replace(card, ranges=(*learned, *card.ranges[len(learned) :]))
    scales = [scale.float().cpu().numpy() for scale in net.scales]
    model = Model(path.stem, card, tensors, dict(enumerate(scales)))
    card = dataclasses.replace(card, finer=finer(trainer.puzzle, model))
    return write_model(path, tensors, card, scales)


def _whole_training(trainer: Trainer) -> tuple[str, float, int]:
    """Commands, seconds and states, those of the model that the training started from included."""
    before = trainer.settings.start_card
    if before is None or not before.command:
        return " && ".join(_commands(trainer, "a")), trainer.seconds, trainer.states_seen
    made = before.command.count(" && ")
    earlier, folder = before.command, chr(ord("a") + made)
    _, resumed, named = before.command.rpartition(" && ")[2].partition(" --resume --out ")
    if resumed:  # it has its folder already
        folder = named.split()[0]
    else:
        earlier += f" --out {folder}"
    first, *others = _commands(trainer, chr(ord("b") + made))
    given = shlex.join(["--set", f"start={trainer.settings.start}"])
    first = first.replace(given, f"--from {folder}/model.json")
    return (
        " && ".join([earlier, first, *others]),
        before.seconds + trainer.seconds,
        before.states_seen + trainer.states_seen,
    )


def _commands(trainer: Trainer, folder: str) -> list[str]:
    """The command of the training, and for each time that it went on otherwise one more."""
    parts = [*trainer.parts, trainer.part]
    if len(parts) == 1:
        return [parts[0].command()]
    going_on = [after.command(before, folder) for before, after in pairwise(parts)]
    return [f"{parts[0].command()} --out {folder}", *going_on]
