"""A set of solved instances in a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any

Row = dict[str, Any]


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts and means over rows as `bench` writes them; None where a mean has nothing to count.

    `percent_optimal` is over the instances whose shortest length is known, an instance that was not
    solved counting against it; lengths are over the solved ones.
    """
    solved = [row for row in rows if row["status"] == "solved"]
    known = [row for row in rows if row["optimal_length"] is not None]
    proved = [row for row in rows if row["proof"] == "optimal"]
    seconds = [row["seconds"] for row in rows]
    return {
        "count": len(rows),
        "solved_percent": _percent(len(solved), len(rows)),
        "mean_length": _mean(row["length"] for row in solved),
        "percent_optimal": _percent(
            sum(row["length"] == row["optimal_length"] for row in known), len(known)
        ),
        "percent_proved": _percent(len(proved), len(rows)),
        "mean_seconds": _mean(seconds),
        "median_seconds": _mean(seconds, median),
        "mean_generated": _mean(row["generated"] for row in rows),
        "mean_evaluated": _mean(row["evaluated"] for row in rows),
        "generated_per_second": (
            sum(row["generated"] for row in rows) / sum(seconds) if sum(seconds) else None
        ),
    }


def _mean(values: Any, kind: Callable[[list[float]], float] = fmean) -> float | None:
    numbers = list(values)
    return kind(numbers) if numbers else None


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
