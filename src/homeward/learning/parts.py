"""The parts of a training: each is what one command made of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from homeward.learning import checkpoint
from homeward.learning.settings import Settings
from homeward.puzzles.status import PuzzleError


@dataclass(frozen=True)
class Part:
    """A stretch of a training: how it was set, by how many processes on what it was made."""

    settings: Settings
    device: str
    """The name of a GPU, or `cpu`."""
    processes: int
    step: int = 0
    """The training's steps when it ended."""

    def command(self, before: Part | None = None, folder: str = "") -> str:
        """The command that makes it, or goes on so with what came `before` in a folder."""
        kind = "cpu" if self.device == "cpu" else "cuda"
        if before is None:
            command = self.settings.command(kind)
        else:
            command = self.settings.going_on(before.settings, folder, kind)
        if self.processes == 1:
            return command
        return f"torchrun --nproc-per-node {self.processes} -m {command}"


def gone_on(facts: dict[str, Any], now: Part) -> tuple[list[Part], Part]:
    """The parts before, and the one that is made as `now` from a checkpoint of these facts on.

    The one that made the checkpoint comes before if it made a step and was made otherwise; it is
    still that one if there is nothing left to do. Raises `PuzzleError` if that is so by settings
    that are new.
    """
    step, seconds = facts["step"], facts["seconds"]
    parts = [_part(each, now) for each in facts["parts"]]
    last = _part(facts, now)
    if now.settings.progress(step, seconds) >= 1:
        _require_same(last.settings, now.settings, step, seconds)
        return parts, dataclasses.replace(last, step=0)
    if dataclasses.replace(last, step=0) != now and step > (parts[-1].step if parts else 0):
        parts.append(dataclasses.replace(last, settings=_passed(last.settings, step, seconds)))
    return parts, now


def most(parts: list[Part]) -> str:
    """The device of the last part that most processes made, with their number if above 1."""
    part = max(reversed(parts), key=lambda each: each.processes)
    return part.device if part.processes == 1 else f"{part.processes} × {part.device}"


def device_name(device: torch.device) -> str:
    """The name of a GPU, or `cpu`."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def settings_of(folder: Path) -> Settings:
    """The settings of the training whose checkpoint lies in a folder."""
    known: dict[str, Any] = checkpoint.load(folder)[1]["settings"]
    return Settings().changed(**known)


def _part(facts: dict[str, Any], now: Part) -> Part:
    """A part from a checkpoint's facts; old ones tell of settings, or have nothing else."""
    settings = Settings().changed(**facts.get("settings", facts))
    made = {"device": now.device, "processes": now.processes, "step": settings.steps}
    return Part(settings, **{name: facts.get(name, old) for name, old in made.items()})


def _passed(settings: Settings, step: int, seconds: float) -> Settings:
    """Of a part that was stopped those of one as long as it was, else what it was set to."""
    if settings.progress(step, seconds) >= 1:
        return settings
    return settings.changed(**({"steps": step} if settings.steps else {"minutes": seconds / 60}))


def _require_same(before: Settings, now: Settings, step: int, seconds: float) -> None:
    if before == now:
        return
    made = f"{step} steps" if now.steps else f"{seconds / 60:.4g} minutes"
    wanted = f"steps={now.steps}" if now.steps else f"minutes={now.minutes:.4g}"
    raise PuzzleError(
        f"the training has made {made} already: {wanted} leaves nothing to do; "
        "they count all its runs together"
    )
