"""The parts of a training: each is what one command made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from homeward.learning.settings import Settings
from homeward.puzzles.status import PuzzleError


@dataclass(frozen=True)
class Part:
    """What a stretch of a training was set to, and the training's steps when it ended."""

    settings: Settings
    step: int = 0


def gone_on(facts: dict[str, Any], now: Settings) -> list[Part]:
    """The parts before a training that goes on as `now` from a checkpoint of these facts.

    The one that made the checkpoint is one of them if it made a step and was set otherwise. Raises
    `PuzzleError` if it was, and by the new settings there is nothing left to do.
    """
    step, seconds = facts["step"], facts["seconds"]
    parts = [_part(each) for each in facts.get("parts", [])]
    before = Settings().changed(**facts["settings"])
    if before == now:
        return parts
    if now.progress(step, seconds) >= 1:
        made = f"{step} steps" if now.steps else f"{seconds / 60:.4g} minutes"
        wanted = f"steps={now.steps}" if now.steps else f"minutes={now.minutes:.4g}"
        raise PuzzleError(
            f"the training has made {made} already: {wanted} leaves nothing to do; "
            "they count all its runs together"
        )
    if step > (parts[-1].step if parts else 0):
        if before.progress(step, seconds) < 1:  # it was stopped, and told as one of that length
            before = before.changed(
                **({"steps": step} if before.steps else {"minutes": seconds / 60})
            )
        parts.append(Part(before, step))
    return parts


def _part(facts: dict[str, Any]) -> Part:
    """A part from a checkpoint's facts, which once were its settings alone."""
    settings = Settings().changed(**facts.get("settings", facts))
    return Part(settings, facts.get("step", settings.steps))
