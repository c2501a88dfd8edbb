"""What is counted in solutions: triplets of moves, symmetric ones, moves too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from homeward.bench.summary import Row
from suites import store

PATTERNS = ("aba'", "aba", "aab", "abb")


def undone(move: str) -> str:
    """The move that undoes a quarter turn.

    >>> undone("U"), undone("U'")
    ("U'", 'U')
    """
    return move[:-1] if move.endswith("'") else f"{move}'"


def pattern(a: str, b: str, c: str) -> str | None:
    """Which of `PATTERNS` three moves are.

    >>> pattern("R", "U", "R'"), pattern("R", "U", "R"), pattern("R", "R", "U")
    ("aba'", 'aba', 'aab')
    """
    if a == b != c:
        return "aab"
    if b == c != a:
        return "abb"
    if a != b and a == c:
        return "aba"
    if b not in (a, undone(a)) and c == undone(a):
        return "aba'"
    return None


def triplets(solutions: Sequence[str]) -> dict[str, float]:
    """The share in percent of each pattern among all runs of three moves."""
    counts: Counter[str | None] = Counter()
    for text in solutions:
        moves = text.split()
        counts.update(pattern(*moves[i : i + 3]) for i in range(len(moves) - 2))
    total = sum(counts.values())
    return {name: 100 * counts[name] / total if total else 0.0 for name in PATTERNS}


def mirrored(moves: str) -> str:
    """The moves of a cube seen in a mirror on its side.

    >>> mirrored("R U L'")
    "L' U' R"
    """
    swapped = str.maketrans("RL", "LR")
    return " ".join(undone(move.translate(swapped)) for move in moves.split())


def symmetric(rows: Sequence[Row], images: Sequence[Row]) -> dict[str, Any]:
    """How often a mirrored state's solution is the mirrored solution; of the rest, as long."""
    there = {row["index"]: row for row in images}
    pairs = [(row, there[row["index"]]) for row in rows if row["index"] in there]
    both = [(a, b) for a, b in pairs if a.get("moves") and b.get("moves")]
    same = [(a, b) for a, b in both if mirrored(a["moves"]) == b["moves"]]
    others = [(a, b) for a, b in both if mirrored(a["moves"]) != b["moves"]]
    as_long = sum(a["length"] == b["length"] for a, b in others)
    return {
        "count": len(both),
        "symmetric_percent": 100 * len(same) / len(both) if both else None,
        "same_length_percent": 100 * as_long / len(others) if others else None,
    }


def excess(rows: Sequence[Row]) -> dict[str, float]:
    """The share in percent of solutions so many moves longer than the shortest."""
    known = [row for row in rows if row.get("optimal_length") is not None]
    counts: Counter[str] = Counter()
    for row in known:
        more = None if row["length"] is None else row["length"] - row["optimal_length"]
        name = "unsolved" if more is None else str(more) if more < 6 else "6 or more"
        counts[name] += 1
    return {name: 100 * n / len(known) for name, n in counts.items()}


def beaten(rows: Sequence[Row], references: Sequence[Row]) -> dict[str, Any]:
    """Of the instances that both solved: how often shorter, as long, longer than the reference."""
    pairs = [(a["length"], b["length"]) for a, b in store.paired(list(rows), list(references))]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    share = 100 / len(both) if both else 0.0
    return {
        "count": len(both),
        "shorter": share * sum(a < b for a, b in both),
        "equal": share * sum(a == b for a, b in both),
        "longer": share * sum(a > b for a, b in both),
    }
