"""Raw results on disk: small JSON files, a column a line, one entry for each run."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from homeward.bench.summary import Row
from homeward.cache import write_atomically

USUAL = (
    "index key walk status length optimal_length reference_length proof lower_bound seconds "
    "expanded generated evaluated"
).split()


def read(path: Path) -> dict[str, Any]:
    """What a file holds; an empty result if there is none."""
    if not path.exists():
        return {"suite": "", "runs": {}}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write(path: Path, content: dict[str, Any]) -> None:
    """Writes a result, whole or not at all."""
    text = _written(content).encode()
    write_atomically(path, lambda file: file.write(text))


def _written(content: dict[str, Any]) -> str:
    """JSON with one line for each part of a run, and for each of its columns."""
    runs = []
    for name, run in content["runs"].items():
        parts = [f'  "{key}": {_part(value)}' for key, value in run.items()]
        runs.append(f" {json.dumps(name)}: {{\n" + ",\n".join(parts) + "\n }")
    return f'{{"suite": {json.dumps(content["suite"])}, "runs": {{\n' + ",\n".join(runs) + "\n}}\n"


def _part(value: Any) -> str:
    if not (isinstance(value, dict) and any(isinstance(v, list) for v in value.values())):
        return json.dumps(value, ensure_ascii=False)
    lines = [f'   "{key}": {json.dumps(v, ensure_ascii=False)}' for key, v in value.items()]
    return "{\n" + ",\n".join(lines) + "\n  }"


def key(state: str) -> str:
    """A short mark of a state, so that rows of different states are never paired."""
    return f"{zlib.crc32(state.encode()):08x}"


def paired(rows: list[Row], others: list[Row]) -> list[tuple[Row, Row]]:
    """Rows of the same index; `ValueError` if that stands for two different states."""
    there = {row["index"]: row for row in others}
    pairs = [(row, there[row["index"]]) for row in rows if row["index"] in there]
    for one, other in pairs:
        if one.get("key") != other.get("key"):
            raise ValueError(f"instance {one['index']} is not the same state in both runs")
    return pairs


def columns(rows: list[Row], keep: tuple[str, ...]) -> dict[str, list[Any]]:
    """Rows as columns, those that say something; moves as one text for each row."""
    made: dict[str, list[Any]] = {}
    for name in [*USUAL, *keep]:
        values = [row.get(name) for row in rows]
        if name == "moves":
            values = [None if moves is None else " ".join(moves) for moves in values]
        if any(value is not None for value in values):
            made[name] = values
    return made


def rows(run: dict[str, Any]) -> list[Row]:
    """A stored run's columns as rows again."""
    stored = run.get("columns", {})
    lines = zip(*stored.values(), strict=True)
    return [{"length": None, **dict(zip(stored, values, strict=True))} for values in lines]
