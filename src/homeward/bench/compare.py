"""Two runs side by side: each mean with its bootstrap interval, and the paired differences."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.bench.summary import Row
from homeward.puzzles.status import PuzzleError

RESAMPLES = 10_000
_PART = 1 << 22
"""Numbers drawn at once, so that large sets need little memory."""


@dataclass(frozen=True)
class Interval:
    """A mean over `count` numbers and the interval that holds it with 95 % confidence."""

    mean: float
    low: float
    high: float
    count: int


def interval(values: Sequence[float], resamples: int = RESAMPLES, seed: int = 0) -> Interval | None:
    """The mean of `values` with its percentile bootstrap interval; None if there are none.

    >>> interval([3, 3, 3])
    Interval(mean=3.0, low=3.0, high=3.0, count=3)
    """
    numbers = np.asarray(values, np.float64)
    if not len(numbers):
        return None
    means = _bootstrap(numbers, resamples, np.random.default_rng(seed))
    low, high = np.quantile(means, [0.025, 0.975]).tolist()
    return Interval(float(numbers.mean()), low, high, len(numbers))


def _bootstrap(
    numbers: NDArray[np.float64], resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """`[resamples]`: means of samples drawn from `numbers` `[n]` with replacement."""
    means = np.empty(resamples)
    part = max(1, _PART // len(numbers))
    for start in range(0, resamples, part):
        rows = min(part, resamples - start)
        drawn = rng.integers(len(numbers), size=(rows, len(numbers)))
        means[start : start + rows] = numbers[drawn].mean(1)
    return means


def _optimal(row: Row) -> float | None:
    known = row.get("optimal_length")
    return None if known is None else 100.0 * (row["length"] == known)


MEASURES: dict[str, Callable[[Row], float | None]] = {
    "solved_percent": lambda row: 100.0 * (row["status"] == "solved"),
    "length": lambda row: row["length"],
    "percent_optimal": _optimal,
    "percent_proved": lambda row: 100.0 * (row["proof"] == "optimal"),
    "seconds": lambda row: row["seconds"],
    "generated": lambda row: row["generated"],
    "evaluated": lambda row: row["evaluated"],
}
"""What is compared: a number for each row, None where it says nothing about it."""
_NUMBERS = ("length", "optimal_length", "seconds", "generated", "evaluated")


@dataclass(frozen=True)
class Compared:
    """One measure of two runs over the instances that both have; `difference` is b less a.

    Where they have none in common, `a` and `b` are over their own.
    """

    measure: str
    a: Interval | None
    b: Interval | None
    difference: Interval | None


def compare(a: Sequence[Row], b: Sequence[Row], resamples: int = RESAMPLES) -> list[Compared]:
    """Every measure of two runs' rows.

    Rows are paired by their index; `PuzzleError` if an index stands for two different states.
    """
    pairs = _pairs(a, b)
    if pairs:  # means over other instances would say nothing about the two
        a, b = [one for one, _ in pairs], [other for _, other in pairs]
    found = []
    for name, measure in MEASURES.items():
        both = [(measure(one), measure(other)) for one, other in pairs]
        differences = [y - x for x, y in both if x is not None and y is not None]
        found.append(
            Compared(
                name,
                interval(_numbers(measure, a), resamples),
                interval(_numbers(measure, b), resamples),
                interval(differences, resamples),
            )
        )
    return found


def _numbers(measure: Callable[[Row], float | None], rows: Sequence[Row]) -> list[float]:
    return [value for value in map(measure, rows) if value is not None]


def _pairs(a: Sequence[Row], b: Sequence[Row]) -> list[tuple[Row, Row]]:
    there = {row["index"]: row for row in b}
    pairs = [(row, there[row["index"]]) for row in a if row["index"] in there]
    for one, other in pairs:
        if one["state"] != other["state"]:
            raise PuzzleError(
                f"instance {one['index']} is {one['state']} in the first run and "
                f"{other['state']} in the second; these are runs of different sets"
            )
    return pairs


def read_rows(path: Path) -> list[Row]:
    """The rows of a result that `bench --out` wrote."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        wanted = {"index", "state", "status", "length", "proof", "seconds"}
        wanted |= {"generated", "evaluated"}
        if not all(wanted <= row.keys() for row in rows):
            raise KeyError(f"rows without {', '.join(sorted(wanted))}")
        for row in rows:
            wrong = [name for name in _NUMBERS if not isinstance(row.get(name), int | float | None)]
            if wrong:
                raise ValueError(f"{wrong[0]} of row {row['index']} is {row[wrong[0]]!r}")
    except OSError as error:
        raise PuzzleError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PuzzleError(f"{path} is no result of a benchmark: {error}") from None
    return list(rows)


def as_json(compared: Sequence[Compared]) -> dict[str, Any]:
    """`{measure: {"a", "b", "difference"}}`, each `{"mean", "low", "high", "count"}` or None."""
    return {
        one.measure: {
            name: None if part is None else asdict(part)
            for name, part in (("a", one.a), ("b", one.b), ("difference", one.difference))
        }
        for one in compared
    }
