"""Markdown tables: how numbers are written, and a run or a paper's row as cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any

from homeward.bench.compare import interval
from homeward.bench.summary import Row, summarise
from suites.results import Found, Paper

NOTHING = "–"


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table; everything but the first column stands on the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *lines])


def number(value: Any, digits: int = 3) -> str:
    """A number with so many digits; large ones with powers of ten.

    >>> number(0.012345), number(12345.6), number(81_900_000_000), number(None)
    ('0.0123', '12,346', '8.19e10', '–')
    """
    if value is None:
        return NOTHING
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 1e-4:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{int(power)}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def fixed(value: Any, places: int = 2) -> str:
    """A number with so many decimal places."""
    return NOTHING if value is None else f"{value:.{places}f}"


def seconds(value: Any) -> str:
    """A time in seconds, three digits of it."""
    return NOTHING if value is None else number(value)


def megabytes(value: Any) -> str:
    """Bytes in MB."""
    return NOTHING if value is None else f"{value / 1e6:,.0f} MB"


def theirs(value: Any) -> str:
    """A paper's number, in italics."""
    return NOTHING if value is None else f"*{value:g}*"


def with_interval(values: Sequence[float]) -> str:
    """A mean with its 95 % bootstrap interval, where there is more than one number."""
    found = interval(values, resamples=2000)
    if found is None:
        return NOTHING
    if found.count == 1 or found.low == found.high:
        return f"{found.mean:.2f}"
    return f"{found.mean:.2f} ({found.low:.2f}–{found.high:.2f})"


def _mean(rows: Sequence[Row], key: str) -> float | None:
    values = [row[key] for row in rows if row.get(key) is not None]
    return fmean(values) if values else None


def _whole(rows: Sequence[Row]) -> dict[str, Any]:
    usual = {"optimal_length": None, "generated": 0, "evaluated": 0, "proof": "none"}
    return summarise([{**usual, **row} for row in rows])


def _lengths(rows: Sequence[Row]) -> list[float]:
    return [row["length"] for row in rows if row.get("length") is not None]


Cell = Callable[[Found, list[Row]], str]

_OURS: dict[str, Cell] = {
    "label": lambda found, rows: found.markdown,
    "puzzle": lambda found, rows: f"`{found.run['puzzle']}`",
    "solver": lambda found, rows: str(found.run.get("task", {}).get("solver")),
    "count": lambda found, rows: str(len(rows)),
    "solved": lambda found, rows: fixed(_whole(rows)["solved_percent"], 1),
    "length": lambda found, rows: with_interval(_lengths(rows)),
    "median_length": lambda found, rows: number(median(_lengths(rows) or [0])),
    "optimal": lambda found, rows: fixed(_whole(rows)["percent_optimal"], 1),
    "proved": lambda found, rows: fixed(_whole(rows)["percent_proved"], 1),
    "nodes": lambda found, rows: number(_mean(rows, "generated")),
    "expanded": lambda found, rows: number(_mean(rows, "expanded")),
    "seconds": lambda found, rows: seconds(_mean(rows, "seconds")),
    "median_seconds": lambda found, rows: seconds(_whole(rows)["median_seconds"]),
    "rate": lambda found, rows: number(_whole(rows)["generated_per_second"]),
    "memory": lambda found, rows: megabytes(found.run["summary"].get("peak_memory_bytes")),
}
_THEIRS: dict[str, Callable[[Any], str]] = {
    "length": fixed,
    "solved": lambda value: fixed(value, 1),
    "optimal": lambda value: fixed(value, 1),
    "nodes": number,
    "expanded": number,
    "seconds": seconds,
    "median_seconds": seconds,
    "rate": number,
    "memory": megabytes,
}
HEADS = {
    "label": "",
    "count": "instances",
    "solved": "solved %",
    "length": "mean length",
    "median_length": "median length",
    "optimal": "optimal %",
    "proved": "proved %",
    "nodes": "nodes generated",
    "expanded": "nodes expanded",
    "seconds": "mean s",
    "median_seconds": "median s",
    "rate": "nodes/s",
    "memory": "memory",
}


def line(entry: Found | Paper, columns: Sequence[str], walk: int | None = None) -> list[str]:
    """A run's or a paper's cells; a paper's are in italics."""
    if isinstance(entry, Paper):
        return [_theirs(entry, name) for name in columns]
    if entry.skipped:
        told = {"puzzle": f"`{entry.run['puzzle']}`"}
        told["label"] = f"{entry.markdown}: not run: {entry.skipped}"
        return [told.get(name, NOTHING) for name in columns]
    rows = entry.rows(walk)
    return [_OURS[name](entry, rows) for name in columns]


def _theirs(entry: Paper, name: str) -> str:
    if name == "label" or (name == "puzzle" and "puzzle" not in entry.facts):
        table_name, where = entry.key.partition(".")[0], entry.facts["where"]
        source = f"*{table_name}, {where}: {entry.label}*"
        return source if name == "label" else f"*{entry.key.partition('.')[2].split('-')[0]}*"
    value = entry.facts.get(name)
    return NOTHING if value is None or name not in _THEIRS else f"*{_THEIRS[name](value)}*"
