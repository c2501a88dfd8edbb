"""What a request may name, and how it is read: puzzles by name alone, never a file or its path."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from homeward.notation import State, format_of
from homeward.notation.format import ParseError
from homeward.notation.xsb import find_levels, write_grid
from homeward.puzzles import Puzzle, PuzzleError, registry
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.sokoban import Sokoban

# Names with sizes, and the largest of each number in them: what a server builds on request.
_SIZES: list[tuple[str, int]] = [
    (r"cube([1-9]\d?)(?:-free)?(?:-htm)?", 10),
    (r"puzzle([1-9]\d{0,2})", 99),
    (r"sliding-([1-9]\d?)x([1-9]\d?)", 10),
    (r"lightsout([1-9]\d?)", 20),
    (r"sokoban-([1-9]\d?)x([1-9]\d?)", 50),
]
_LARGEST_ROOM = 50
_NUMBERS = re.compile(r"[\d\s,\[\]]*", re.ASCII)


class UnknownNameError(PuzzleError):
    """A name that the server does not know."""


def puzzle(name: str) -> Puzzle:
    """The puzzle of a name that requests may use; `UnknownNameError` for all others.

    >>> puzzle("cube3").name
    'cube3'
    """
    if name not in registry.names():
        for pattern, largest in _SIZES:
            match = re.fullmatch(pattern, name, re.ASCII)
            if match is None:
                continue
            if max(int(number) for number in match.groups()) > largest:
                raise UnknownNameError(f"{name} is too large for this server: {largest} at most")
            break
        else:
            raise UnknownNameError(f"there is no puzzle named {name[:40]!r}")
    try:
        return registry.puzzle(name)
    except PuzzleError as error:
        raise UnknownNameError(str(error)) from None


def read_state(made: Puzzle, text: str) -> State:
    """A state from a request's text, checked; `PuzzleError` with everything wrong with it.

    Text for Sokoban is a board and nothing else: what looks like a file's name is not opened.
    """
    if made.family == "sokoban" and not (text.strip() and _NUMBERS.fullmatch(text)):
        levels = find_levels(text)
        if not levels:
            hint = "cells are # . $ * @ + and space, - or _"
            raise ParseError("there is no Sokoban board in this text", text, 0, hint)
        grid = levels[0].grid()
        if max(grid.shape) > _LARGEST_ROOM:
            size = "x".join(str(side) for side in grid.shape)
            raise PuzzleError(f"the board is {size}, this server takes {_LARGEST_ROOM} at most")
        text = write_grid(grid)
    return State.read(made, text)


def scrambled(made: Puzzle, depth: int | None, seed: int | None) -> tuple[str | None, State]:
    """Random moves from the goal, as text, and the state they lead to; a room for Sokoban."""
    rng = np.random.default_rng(seed)
    if not made.reversible:
        if depth is None:
            return None, State(made, made.start_states(1, rng)[0])
        # One room, and not the whole pool that a training would walk in.
        room = made.with_levels(made.start_states(1, rng)) if isinstance(made, Sokoban) else made
        return None, State(made, room.walks(1, depth, rng).states[-1, 0])
    depth = made.mixing if depth is None else depth
    # From the goal as it is written, where a walk may begin at any of several.
    moves = made.inverses[made.walks(1, depth, rng).moves[:, 0]].tolist()
    return format_of(made).write_moves(made, moves), State.solved(made).moved(moves)


@lru_cache(maxsize=64)
def row(name: str) -> dict[str, Any]:
    """A puzzle as `homeward list puzzles --json` has it, and what a page needs to show it."""
    from homeward.puzzles.ranking import count_states

    made = puzzle(name)
    known = {key: getattr(made, key) for key in ("name", "family", "cells", "symbols", "moves")}
    try:
        known["states"] = count_states(made)
    except PuzzleError:
        known["states"] = None
    return known


@lru_cache(maxsize=64)
def details(name: str) -> dict[str, Any]:
    """A puzzle's row with its moves, its goal and the solvers that can do it."""
    from homeward import solvers
    from homeward.heuristics.models import shipped_models

    made = puzzle(name)
    every = [s for s in solvers.SOLVERS.values() if not s.why_not(made)]
    auto = {"name": solvers.AUTO, "help": solvers.AUTO_HELP, "proves": False}
    known = {
        **row(name),
        "move_names": list(made.move_names),
        "goal": State.solved(made).text,
        "model": made.name if made.name in shipped_models() else None,
        "solvers": [auto] + [{"name": s.name, "help": s.help, "proves": s.proves} for s in every],
        "rows": getattr(made, "rows", getattr(made, "size", None)),
        "columns": getattr(made, "columns", getattr(made, "size", None)),
    }
    if made.family == "permutation" and isinstance(made, PermutationPuzzle):
        from homeward.notation.permutation import layout, symbol_names

        known["table"] = made.table.numpy.tolist()
        known["layout"] = layout(made)
        known["symbol_names"] = list(symbol_names(made))
    return known


def problems(error: PuzzleError) -> list[dict[str, Any]]:
    """Everything that an error says: one sentence each, the place, and the kind of problem."""
    found: list[dict[str, Any]] = [
        {"kind": (p.status.name or "").lower(), "sentence": p.sentence, "where": p.where}
        for p in error.problems
    ]
    if not found:
        found = [{"kind": "text", "sentence": str(error), "where": ""}]
    if isinstance(error, ParseError):
        found[0]["position"] = error.position
    return found
