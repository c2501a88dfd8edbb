"""Sections of what other scripts wrote: training logs, and the heuristic-learning instances."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

from suites import pictures
from suites.results import Results
from suites.tables import NOTHING, fixed, number, table, theirs

Section = dict[str, Any]


def training(section: Section, results: Results, figure: Path) -> str:
    """Training logs that lie in the folder as training-NAME.jsonl."""
    logs, lines = {}, []
    for path in sorted(results.folder.glob("training-*.jsonl")):
        head, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        name = path.stem.removeprefix("training-")
        logs[name] = rows
        last = [row["greedy"] for row in rows if row.get("greedy")][-1]
        shares = ", ".join(f"{depth}: {100 * share:.0f} %" for depth, share in last.items())
        told = [head["command"], f"{rows[-1]['seconds'] / 60:.1f}", head["device"], head["date"]]
        lines.append([f"`{name}`", f"`{told[0]}`", *told[1:], shares])
    if not logs:
        return "No training logs are in docs/results (training-NAME.jsonl)."
    pictures.training(logs, figure)
    note = (
        "Share of scrambles of each length that the net solves without search, greedily, as it "
        "learns. On the cubes near states are learned first, as in the paper."
    )
    heads = ["command", "minutes", "device", "date", "solved greedily at the end, by scramble"]
    return f"{note}\n\n" + table(["model", *heads], lines)


def heuristic_learning(section: Section, results: Results, figure: Path) -> str:
    """Solved instances, nodes and lengths of the six heuristics by walk length."""
    found = results.other("heuristic-learning.json")
    if found is None:
        command = "python3 bench/heuristic_learning.py --out docs/results/heuristic-learning.json"
        return f"Not run yet: `{command}`."
    rows, paper = found["rows"], found["paper"]["solved"]
    names = list(dict.fromkeys(row["heuristic"] for row in rows))
    lengths = sorted({row["walk"] for row in rows})
    each = max(Counter((row["heuristic"], row["walk"]) for row in rows).values())
    texts = [
        f"{each} cubes of each length (the paper: 40), {found['settings']['time']:g} s for each "
        f"search (the paper: 300 s), on one core: {found['machine']['processor']}."
    ]
    counts: dict[str, dict[int, int]] = {}
    solved = [row for row in rows if row["length"] is not None]
    for title, cell in (
        ("solved", lambda own: str(len(own))),
        ("mean nodes expanded", lambda own: number(fmean(r["expanded"] for r in own))),
        ("mean length", lambda own: fixed(fmean(r["length"] for r in own))),
    ):
        lines = []
        for name in names:
            groups = [
                [r for r in solved if (r["heuristic"], r["walk"]) == (name, walk)]
                for walk in lengths
            ]
            counts[name] = {walk: len(g) for walk, g in zip(lengths, groups, strict=True)}
            total = [r for r in solved if r["heuristic"] == name]
            cells = [cell(own) if own else NOTHING for own in [*groups, total]]
            extra = [theirs(paper.get(name))] if title == "solved" else []
            lines.append([name, *cells, *extra])
        heads = [title, *map(str, lengths), "all"] + ["paper, of 320"] * (title == "solved")
        texts.append(table(heads, lines))
    longer = {name: told.get("longer_percent") for name, told in found.get("summary", {}).items()}
    said = ", ".join(f"{name} {value:g} %" for name, value in longer.items() if value)
    said = said or "none of them"
    texts.append(f"Longer than the shortest, where that is known: {said} (*paper: hNN 8.75 %*).")
    accuracy = results.other("heuristic-learning-accuracy.json")
    if accuracy is not None:
        texts.append(_accuracy(accuracy))
    pictures.solved_by_walk(counts, figure)
    return "\n\n".join(texts)


def _accuracy(found: dict[str, Any]) -> str:
    keys = [key for key in found["paper"] if key in found]
    lines = [
        ["*paper*", NOTHING, *(f"*{found['paper'][key]:g}*" for key in keys)],
        ["homeward", f"{found['count']:,}", *(number(found[key]) for key in keys)],
    ]
    return table(["the net's error", "states", *(key.replace("_", " ") for key in keys)], lines)
