"""Everything that a training run is set by, in one dataclass; presets are TOML files."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from homeward.puzzles.status import PuzzleError


def _doc(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class Settings:
    """A training run. Field docs are the command line's help for `--set KEY=VALUE`."""

    puzzle: str
    method: str = _doc("diffusion", "how targets are made: see `homeward list methods`")
    minutes: float = _doc(10.0, "how long to train, all runs of a resumed training together")
    steps: int = _doc(0, "train this many steps instead of minutes (0: go by minutes)")
    seed: int = _doc(0, "seed of the walks and the initial weights")
    depth: int = _doc(30, "K: the longest walk back from the goal")
    batch: int = _doc(65536, "B: states in a batch, per process")
    rate: float = _doc(3e-3, "peak learning rate")
    warm_up: float = _doc(0.02, "share of the training over which the rate rises")
    decay: float = _doc(0.0, "weight decay")
    average: float = _doc(0.999, "decay of the running average of the weights, which is kept")
    walk_share: float = _doc(0.3, "qlearning: share of the training that uses walk lengths alone")
    refresh: int = _doc(200, "qlearning: steps between two copies of the net into the target")
    first: int = _doc(2048, "width of the first layer")
    width: int = _doc(512, "width of all other layers")
    blocks: int = _doc(3, "residual blocks")
    report_every: float = _doc(10.0, "seconds between log lines")
    save_every: float = _doc(30.0, "seconds between checkpoints")

    def changed(self, **changes: Any) -> Settings:
        """A copy with other values; unknown names raise `PuzzleError` with the nearest known."""
        known = {f.name: f for f in dataclasses.fields(self)}
        for key in changes:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise PuzzleError(f"training has no setting {key!r}{hint}")
        return dataclasses.replace(self, **changes)


def preset(puzzle: str, method: str) -> Settings:
    """The settings that ship for a puzzle and method, or the defaults if none do.

    `presets/PUZZLE.toml` holds values for every method at its top and for one method in a table.
    """
    values: dict[str, Any] = {}
    folder = resources.files("homeward.learning") / "presets"
    for name in ("default", puzzle):
        path = folder / f"{name}.toml"
        if path.is_file():
            given = tomllib.loads(path.read_text(encoding="utf-8"))
            own = given.get(method, {})
            values |= {k: v for k, v in given.items() if not isinstance(v, dict)} | own
    return Settings(puzzle, method).changed(**values)
