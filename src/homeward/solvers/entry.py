"""What a solver is: a search with the heuristic it asks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from homeward.options import read_settings
from homeward.puzzles.base import Puzzle
from homeward.search.base import Search
from homeward.solvers.estimates import NET, estimate
from homeward.solvers.fitness import why_no_net

HEURISTIC = "heuristic"
"""The setting that names another heuristic."""


@dataclass(frozen=True)
class Solver:
    """A search with the heuristic it asks.

    `search` names a frozen dataclass of settings that is a `Search`, as `module:Class`. `heuristic`
    names what the search asks (see `estimates`); None for blind searches. A solver that `chooses`
    can be given another one by the setting of that name. `proves` says whether every solution is
    proved shortest. `why_not` gives the reason why a puzzle cannot be done, empty if it can.
    `learned` solvers ask a net; one that has a heuristic too asks that where there is no model.
    `presets` are settings that differ from the search's defaults.
    """

    name: str
    help: str
    search: str
    heuristic: str | None = None
    chooses: bool = False
    proves: bool = False
    why_not: Callable[[Puzzle], str] = lambda puzzle: ""
    learned: bool = False
    presets: Mapping[str, Any] = field(default_factory=dict)

    @property
    def search_class(self) -> type[Any]:
        """The dataclass of the search's settings."""
        found: type[Any] = _imported(self.search)
        return found

    def settings(self) -> dict[str, Any]:
        """The names of the settings, each with its default."""
        asked = NET if self.learned or self.heuristic is None else self.heuristic
        asks = {HEURISTIC: asked} if self.chooses else {}
        defaults = {f.name: f.default for f in dataclasses.fields(self.search_class)}
        return {**asks, **defaults, **self.presets}

    def asking(self, name: str) -> Solver:
        """The same search with another heuristic, by its name; `net` is the learned one."""
        if name == NET:
            net_alone = dataclasses.replace(self, heuristic=None, learned=True, proves=False)
            return dataclasses.replace(net_alone, why_not=why_no_net)
        found = estimate(name)
        return dataclasses.replace(
            self,
            heuristic=name,
            learned=False,
            why_not=found.why_not,
            proves=self.proves and found.admissible,
        )

    def configured(self, settings: Mapping[str, Any]) -> Search:
        """The search with some of its settings changed; text is read as the setting's type."""
        values = read_settings(self.name, self.search_class, {**self.presets, **settings})
        made: Search = self.search_class(**values)
        return made


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
