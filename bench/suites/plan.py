"""A suite's TOML file: the runs it asks for, and the tables and figures made of them.

    [[run]]                     one line of a table, or one curve
    name = "grid-{weight}-{batch}"
    kind = "solve"              or distances, estimates, speed, peer
    puzzle = "cube3"
    data = "cube3.npz"          or walks, random, states: where its instances come from
    solver = "bwas"
    set = { weight = 0.6 }      the solver's settings
    each = { weight = [0.2, 0.6], batch = [100, 1000] }     one run for each combination

Keys of `each` that are no field of a run are settings.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Run:
    """One thing to measure."""

    name: str
    kind: str = "solve"
    label: str = ""
    """What it is called in tables; its name if empty."""
    puzzle: str = ""
    data: str = ""
    """An archive of public instances."""
    walks: tuple[int, ...] = ()
    """Lengths of random walks from the goal, `count` of each."""
    random: int = 0
    """So many states, each equally likely."""
    states: tuple[str, ...] = ()
    """States as people write them."""
    along: bool = False
    """Every state on the way of the archive's shortest solutions, with its exact distance."""
    mirror: bool = False
    """The states mirrored from left to right."""
    count: int = 100
    seed: int = 1
    exact: str = ""
    """The solver that gives shortest lengths where no archive does."""
    solver: str = "auto"
    set: dict[str, Any] = field(default_factory=dict)
    model: str = ""
    """The net that it asks, by name or path; the puzzle's own if empty."""
    heuristics: tuple[str, ...] = ()
    time: float | None = None
    limit: int | None = None
    optimal: bool = False
    cores: int = 0
    """Cores that it may use, 0 for all."""
    keep: tuple[str, ...] = ()
    """Columns that are kept besides the usual ones: moves, anytime."""
    peer: str = ""
    """A script in `scripts` that runs another project's solver."""
    package: str = ""
    """What is installed for it."""
    patience: float = 600.0
    """Seconds for all that a peer does, its own tables included."""

    def digest(self, **limits: Any) -> str:
        """Changes with anything that decides what is measured."""
        facts = {**dataclasses.asdict(self), **limits, "drawn": 2}  # how instances are drawn
        told = {key: value for key, value in facts.items() if key not in ("name", "label", "keep")}
        if told["model"] == "":  # plans are as old as those without a net of their own
            del told["model"]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Suite:
    """A plan: what is run, and what is shown of it."""

    name: str
    title: str
    text: str
    runs: tuple[Run, ...]
    sections: tuple[dict[str, Any], ...]


def names() -> list[str]:
    """The suites there are."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Suite:
    """The suite of that name, its runs spelled out."""
    with (FOLDER / f"{name}.toml").open("rb") as file:
        plan = tomllib.load(file)
    runs = [run for entry in plan.get("run", []) for run in _expanded(entry)]
    twice = {run.name for run in runs if sum(run.name == other.name for other in runs) > 1}
    if twice:
        raise ValueError(f"{name}: runs of the same name: {', '.join(sorted(twice))}")
    sections = tuple(plan.get("section", []))
    return Suite(name, plan["title"], plan.get("text", "").strip(), tuple(runs), sections)


def _expanded(entry: dict[str, Any]) -> list[Run]:
    """One run for each combination of `each`."""
    fields = {f.name for f in dataclasses.fields(Run)}
    choices = entry.pop("each", {})
    unknown = entry.keys() - fields
    if unknown:
        raise ValueError(f"run {entry.get('name')}: no such field: {', '.join(sorted(unknown))}")
    runs = []
    for values in itertools.product(*choices.values()):
        chosen = dict(zip(choices, values, strict=True))
        settings = {**entry.get("set", {})}
        settings |= {key: value for key, value in chosen.items() if key not in fields}
        given = {**entry, **{k: v for k, v in chosen.items() if k in fields}, "set": settings}
        for key in ("name", "label", "data"):
            given[key] = str(given.get(key, "")).format(**given, **settings)
        lists = {key: tuple(v) if isinstance(v, list) else v for key, v in given.items()}
        runs.append(Run(**lists))
    return runs
