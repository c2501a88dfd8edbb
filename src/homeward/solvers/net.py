"""Which learned net is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Net:
    """A model's name or path (the puzzle's own if None), a device, threads (0: all)."""

    model: str | Path | None = None
    device: str = "auto"
    threads: int = 0
