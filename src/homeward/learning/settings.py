"""Everything that a training run is set by, in one dataclass; presets are TOML files."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import shlex
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from homeward.heuristics.card import Card
from homeward.heuristics.models import read_card
from homeward.learning.reach import walk_depth
from homeward.options import choices, read_settings
from homeward.puzzles import registry
from homeward.puzzles.base import Puzzle
from homeward.puzzles.facing import facing
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.status import PuzzleError


def _doc(
    default: Any, text: str, least: float = -math.inf, most: float = 1e12, one_of: str = ""
) -> Any:
    """A field with its help, the numbers it may be between and the words that it may be."""
    rules = {"least": least, "most": most, "one_of": one_of.split()}
    return field(default=default, metadata={"help": text, **rules})


@dataclass(frozen=True)
class Settings:
    """A training run. Field docs are the command line's help for `--set KEY=VALUE`."""

    puzzle: str = _doc("", "the puzzle's name")
    method: str = _doc("diffusion", "how targets are made: see 'homeward list methods'")
    minutes: float = _doc(10.0, "how long to train, all runs of a resumed training together", 0)
    steps: int = _doc(0, "train this many steps instead of minutes (0: go by minutes)", 0)
    seed: int = _doc(0, "seed of the walks and the initial weights", 0, math.inf)
    start: str = _doc("", "a model, by name or path, whose weights the training starts from")
    levels: str = _doc("", "sokoban: a file of levels, XSB or npz (none: the room generator)")
    rooms: int = _doc(10000, "sokoban without levels: rooms that are made for the training", 1)
    # what is learned from
    depth: int = _doc(30, "K: the longest walk back from the goal", 1)
    skew: float = _doc(1.0, "walks have K u^skew moves, u uniform: above 1 more short ones", 0.1)
    bend: float = _doc(
        0.0, "walk lengths: above this many moves the root of bend times length (0: never)", 0
    )
    batch: int = _doc(65536, "B: states in a batch, per process", 2)
    # the net
    net: str = _doc(
        "auto",
        "residual, convolutional (boards), two-headed (adi), tanh (supervised) or rounded (distil)",
        one_of="auto residual convolutional two-headed tanh rounded",
    )
    first: int = _doc(2048, "width of the first layer", 1)
    width: int = _doc(512, "width of the other layers", 1)
    blocks: int = _doc(3, "residual blocks", 0)
    facing: bool = _doc(
        False,
        "residual, square boards and even cubes: mirrored or turned states are one to the net",
    )
    channels: int = _doc(64, "convolutional: channels of a convolution", 1)
    own_width: int = _doc(512, "two-headed: width of the layer that each head has to itself", 1)
    features: str = _doc("", "tanh: MODULE:FUNCTION from states to features (none: the one-hot)")
    # the steps
    optimiser: str = _doc("muon", "muon, adamw, adam or rmsprop", one_of="muon adamw adam rmsprop")
    rate: float = _doc(3e-3, "peak learning rate", 0, 1e30)
    warm_up: float = _doc(0.02, "share of the training over which the rate rises", 0, 0.9)
    hold: float = _doc(
        0.0, "share of the training after which the rate falls, by a cosine (1: never)", 0, 1
    )
    decay: float = _doc(0.0, "weight decay of the layers before the last", 0)
    clip: float = _doc(1.0, "largest norm of a gradient (0: any)", 0)
    average: float = _doc(0.999, "decay of the running average of the weights, which is kept", 0, 1)
    # single methods
    choice: float = _doc(0.0, "diffusion: weight of telling a walk's last move from the others", 0)
    whole: bool = _doc(
        False, "diffusion: all children of a walked state are learned at once, not one"
    )
    walk_share: float = _doc(0.3, "qlearning: share of the training on walk lengths alone", 0, 1)
    cap: float = _doc(
        0.0, "qlearning: targets are at most this many times the bent length (0: the length)", 0
    )
    cap_share: float = _doc(1.0, "qlearning: share of the training that cap is for", 0, 1)
    refresh: int = _doc(200, "qlearning, adi: steps between two copies into the target net", 1)
    blend: bool = _doc(False, "qlearning, adi: the target net follows, by 1/refresh at each step")
    play: float = _doc(
        0.0, "qlearning, distil: share of a batch that is played on by best moves", 0, 0.9
    )
    play_moves: float = _doc(
        30.0, "qlearning, distil: moves that each of those goes on for on average", 1
    )
    play_ahead: int = _doc(0, "qlearning: moves of play that correct a state (0: one)", 0, 100)
    check_every: int = _doc(5000, "davi: C, steps between two looks at the loss", 1)
    threshold: float = _doc(0.05, "davi: ε, the target net is renewed when the loss is below", 0)
    lookahead: int = _doc(1, "davi: how many moves ahead a target looks, 1 or 2", 1, 2)
    source: str = _doc(
        "walks",
        "supervised: table (exact distances), walks, file or solver (solved sequences)",
        one_of="table walks file solver",
    )
    data: str = _doc("", "supervised: the npz file of source=file")
    solver: str = _doc("bidirectional", "supervised: who solves for source=solver")
    examples: int = _doc(1000, "supervised: scrambles solved for source=solver", 1)
    threads: int = _doc(0, "threads on a CPU (0: all; 1 where others compute beside)", 0, 1024)
    # what is told and kept
    greedy: int = _doc(
        256, "scrambles of each depth that greedy play is tried on, at most (0: none)", 0
    )
    report_every: float = _doc(10.0, "seconds between log lines", 0)
    save_every: float = _doc(30.0, "seconds between checkpoints", 0)

    def __post_init__(self) -> None:
        for each in dataclasses.fields(self):
            value, rules = getattr(self, each.name), each.metadata
            if rules["one_of"] and value not in rules["one_of"]:
                raise PuzzleError(
                    f"there is no {each.name} {value!r}{choices(value, rules['one_of'])}"
                )
            if isinstance(value, str):
                continue
            if not value >= rules["least"]:
                raise PuzzleError(f"{each.name} is at least {rules['least']:g}, not {value}")
            if value > rules["most"]:
                raise PuzzleError(f"{each.name} is at most {rules['most']:g}, not {value}")

    def changed(self, **changes: Any) -> Settings:
        """A copy with other values, text read as the field's type.

        Raises `PuzzleError` for unknown names, with the nearest known, and for values that a
        field cannot have.
        """
        return dataclasses.replace(self, **read_settings("training", Settings, changes))

    def progress(self, step: int, seconds: float) -> float:
        """How much of the training is done after so many steps and seconds, 0 to 1."""
        if self.steps:
            return step / self.steps
        return seconds / (60 * self.minutes) if self.minutes else 1.0

    def rate_at(self, progress: float) -> float:
        """The learning rate when so much of the training is done."""
        progress = min(progress, 1.0)  # the last step ends a little late
        if progress < self.warm_up:
            return self.rate * max(progress / self.warm_up, 1e-2)
        peak_until = max(self.warm_up, self.hold)
        if progress <= peak_until:
            return self.rate
        done = (progress - peak_until) / (1 - peak_until)
        return self.rate * 0.5 * (1 + math.cos(math.pi * done))

    @property
    def start_card(self) -> Card | None:
        """The card of the model that the training starts from, unless it is gone by now."""
        with contextlib.suppress(PuzzleError):
            return read_card(self.start) if self.start else None
        return None

    def command(self, device: str = "cuda") -> str:
        """The command that trains so: what differs from the device's preset is spelt out."""
        words = ["homeward", "train", self.puzzle, "--method", self.method]
        usual = preset(self.puzzle, self.method, device)
        before = self.start_card
        if before is not None:
            usual = usual.changed(**sizes(before))
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if each.name == "minutes" and not self.steps:
                words += ["--minutes", f"{value:.4g}"]
            elif value != getattr(usual, each.name):
                words += ["--set", f"{each.name}={value}"]
        return shlex.join(words if device == "cuda" else [*words, "--device", device])

    def going_on(self, before: Settings, folder: str, device: str = "cuda") -> str:
        """The command that goes on so with the training in a folder that was set otherwise."""
        words = ["homeward", "train", self.puzzle, "--method", self.method]
        words += ["--resume", "--out", folder]
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if value == getattr(before, each.name):
                continue
            named = each.name == "minutes"
            words += ["--minutes", f"{value:.4g}"] if named else ["--set", f"{each.name}={value}"]
        return shlex.join(words if device == "cuda" else [*words, "--device", device])


def preset(puzzle: str, method: str = "", device: str = "cuda") -> Settings:
    """The settings that ship for a puzzle, method and device; without a method the puzzle's own.

    `presets/PUZZLE.toml` holds values for every method at its top and for one method in a table.
    `presets/default.toml` does so for all puzzles. On a CPU `presets/cpu.toml` has a say over both,
    and the last word has what the puzzle's own file says of it, in a table `cpu`. Without a file of
    its own a board has that of a board like it, and where no file says how long walks are, that is
    worked out.
    """
    made = registry.puzzle(puzzle)
    own = [] if registry.is_file(puzzle) else [_like(made)]
    files = [_table(name) for name in ("default", *own)]
    if device == "cpu":
        files += [_table("cpu"), *(table["cpu"] for table in files if "cpu" in table)]
    chosen = method or next(t["method"] for t in reversed(files) if "method" in t)
    values: dict[str, Any] = {}
    for table in files:
        shared = {k: v for k, v in table.items() if not isinstance(v, dict) and k != "method"}
        values |= shared | table.get(chosen, {})
    if facing(made) is None:
        values.pop("facing", None)
    if "depth" not in values:
        values["depth"] = walk_depth(made)
    return Settings(puzzle, chosen).changed(**values)


def sizes(card: Card) -> dict[str, Any]:
    """The settings of a net like a residual model's, for a training that starts from it."""
    if card.layers[:2] != ("dense relu", "dense relu"):
        return {}
    (_, first), (_, width) = card.shapes[:2]
    blocks = sum(layer.startswith("block") for layer in card.layers)
    return {"first": first, "width": width, "blocks": blocks, "facing": card.input == "facing"}


def _table(name: str) -> dict[str, Any]:
    path = resources.files("homeward.learning") / "presets" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _like(puzzle: Puzzle) -> str:
    """The name of the file that serves a puzzle: its own or, for boards, one of about its size."""
    if isinstance(puzzle, Sliding):
        side = min(max(3, math.ceil(math.sqrt(puzzle.cells))), 7)
        return f"puzzle{side * side - 1}"
    return puzzle.family if puzzle.family in ("sokoban", "lightsout") else puzzle.name
