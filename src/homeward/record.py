"""A solved state as JSON: what the command line, the benchmarks and the server all print."""

from __future__ import annotations

from typing import Any

from homeward.notation.state import State
from homeward.search.base import Solution


def record(
    start: State, solution: Solution, solver: str, model: str | None, device: str
) -> dict[str, Any]:
    """One object with fixed keys; moves by name, None where nothing was found."""
    names = start.puzzle.move_names
    return {
        "puzzle": start.puzzle.name,
        "state": start.text,
        "solver": solver,
        "model": model,
        "device": device,
        "status": solution.status.value,
        "moves": None if solution.moves is None else [names[move] for move in solution.moves],
        "length": solution.length,
        "proof": solution.proof,
        "lower_bound": solution.lower_bound,
        "seconds": round(solution.seconds, 6),
        "expanded": solution.expanded,
        "generated": solution.generated,
        "evaluated": solution.evaluated,
        "reopened": solution.reopened,
    }
