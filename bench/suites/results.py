"""What the report reads: stored runs of all machines, and the papers' numbers."""

from __future__ import annotations

import fnmatch
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homeward.bench.summary import Row
from homeward.heuristics.models import read_card, shipped_models
from suites import store

PAPERS = Path(__file__).resolve().parents[1] / "papers.toml"


@dataclass(frozen=True)
class Found:
    """A stored run; `file` is where it is stored."""

    name: str
    file: str
    run: dict[str, Any]

    @property
    def label(self) -> str:
        """What it is called, with the device where that is a GPU, and a time that was cut."""
        gpu = self.machine.get("gpu")
        told = f"{self.run['label']}, on one {gpu}" if gpu else str(self.run["label"])
        cut = re.search(r" --time (\S+)", self.run.get("command", ""))
        said = re.search(r"(\d+) s\b", told)  # the time that the plan gives it
        shorter = cut and said and float(cut[1]) < float(said[1])
        return f"{told} (here {cut[1]} s)" if cut and shorter else told

    @property
    def markdown(self) -> str:
        """The same with its stars as they are: A* opens no italics."""
        return self.label.replace("*", "\\*")

    @property
    def machine(self) -> dict[str, Any]:
        """What it ran on."""
        return self.run.get("machine") or {}

    @property
    def skipped(self) -> str:
        """Why it was not run; empty if it was."""
        return str(self.run.get("skipped", ""))

    @property
    def older(self) -> bool:
        """Whether it asked a puzzle's shipped net, and another one than ships today."""
        task, asked = self.run.get("task", {}), self.run.get("asked", {})
        name = task.get("model") if task else asked and self.run["puzzle"]
        if name not in shipped_models():
            return False
        return bool(asked.get("weights", task.get("weights")) != read_card(str(name)).sha256)

    def rows(self, walk: int | None = None) -> list[Row]:
        """Its rows, or those of one walk's length."""
        rows = store.rows(self.run)
        return rows if walk is None else [row for row in rows if row.get("walk") == walk]

    def setting(self, name: str) -> Any:
        """A setting of its solver as a number if it is one."""
        value = self.run.get("task", {}).get("settings", {}).get(name)
        try:
            return float(value)
        except (TypeError, ValueError):
            return value


@dataclass(frozen=True)
class Paper:
    """What a paper prints, by its key in papers.toml."""

    key: str
    facts: dict[str, Any]

    @property
    def label(self) -> str:
        """What it is called there."""
        return str(self.facts.get("label", "")).replace("*", "\\*")


class Results:
    """Everything that was stored of one suite."""

    def __init__(self, suite: str, folder: Path) -> None:
        self.suite, self.folder = suite, folder
        self.papers = tomllib.loads(PAPERS.read_text(encoding="utf-8"))
        self.found: list[Found] = []
        for path in sorted(folder.glob("*.json")):
            content = json.loads(path.read_text(encoding="utf-8"))
            if content.get("suite") == suite:
                self.found += [Found(k, path.name, run) for k, run in content["runs"].items()]
        measured = {found.name for found in self.found if not found.skipped}
        self.found = [f for f in self.found if not f.skipped or f.name not in measured]

    def other(self, name: str) -> dict[str, Any] | None:
        """A file in the same folder that is no suite's, None if it is not there."""
        path = self.folder / name
        if not path.exists():
            return None
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content

    def paper(self, key: str) -> Paper:
        """The entry `table.row` of papers.toml."""
        table, _, row = key.partition(".")
        return Paper(key, self.papers[table][row])

    def entries(self, wanted: Sequence[str]) -> list[Found | Paper]:
        """Runs and papers in the order asked for: `run:NAME` with * and ?, `paper:KEY`."""
        chosen: list[Found | Paper] = []
        for text in wanted:
            kind, _, name = text.partition(":")
            if kind == "paper":
                chosen.append(self.paper(name))
            else:
                chosen += [f for f in self.found if fnmatch.fnmatch(f.name, name)]
        return chosen

    def runs(self, wanted: Sequence[str]) -> list[Found]:
        """The runs among the entries that were measured."""
        chosen = self.entries(wanted)
        return [f for f in chosen if isinstance(f, Found) and not f.skipped]

    def named(self, name: str) -> list[Found]:
        """All runs of that name, one for each file that has it."""
        return [found for found in self.found if found.name == name]
