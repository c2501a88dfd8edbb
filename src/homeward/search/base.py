"""What every search takes and returns: a budget, a solution, and the counters in it."""

from __future__ import annotations

import enum
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError


class Outcome(enum.StrEnum):
    """How a search ended. Failure is a value, never an exception."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    OUT_OF_TIME = "out_of_time"
    OUT_OF_MEMORY = "out_of_memory"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Budget:
    """What a search may spend; None is no limit. A spent node budget counts as time."""

    seconds: float | None = None
    nodes: int | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Solution:
    """What a search found.

    `moves` are move numbers, None if nothing was found. `lower_bound` is a proved bound on the
    shortest length; `proof` is `optimal` when it equals the length. `expanded` counts states whose
    children were made, `generated` the children made, `reopened` the states expanded again by a
    shorter path. `evaluated` counts the states that a heuristic was handed: those whose children's
    distances were asked for, which a Q-net answers in one pass and others in one for each child, or
    the children themselves where a search looks each of them up.
    """

    status: Outcome
    moves: tuple[int, ...] | None = None
    lower_bound: int = 0
    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    seconds: float = 0.0

    @property
    def length(self) -> int | None:
        """How many moves, None if nothing was found."""
        return None if self.moves is None else len(self.moves)

    @property
    def proof(self) -> Literal["optimal", "none"]:
        """`optimal` if nothing shorter can exist."""
        return "optimal" if self.length is not None and self.length <= self.lower_bound else "none"


@dataclass
class Progress:
    """The state of a running search, handed to callbacks; `best` is the best length so far."""

    seconds: float = 0.0
    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    lower_bound: int = 0
    best: int | None = None
    doing: str = ""


Callback = Callable[[Progress], None]


_KNOWN = 0.5
"""Seconds of steady work before it is known how long it takes."""
_FAR = 1.5
"""How many times longer than the time it must take to be given up."""


class Interrupted(Exception):  # noqa: N818 - a signal within a search, not an error
    """Raised inside a search by its meter when the budget is spent or the user says stop."""

    def __init__(self, status: Outcome) -> None:
        super().__init__(status)
        self.status = status


def _compiling_seconds() -> float:
    """How long loops have been compiled; 0 in a process that has none."""
    loaded = sys.modules.get("homeward.compiling")
    return 0.0 if loaded is None else float(loaded.seconds())


@dataclass
class Meter:
    """Counts a search's work and stops it: `check()` raises `Interrupted` when a budget is spent.

    The budget's time leaves out what was spent on compiling loops, which happens once on a machine.
    `cancel()` may be called from another thread or a signal handler.
    """

    budget: Budget
    callback: Callback | None = None
    progress: Progress = field(default_factory=Progress)
    started: float = field(default_factory=time.perf_counter)
    gives_up: bool = False
    """Whether preparations that would outlast the time end at once: there is another way to go."""
    _compiled: float = field(default_factory=_compiling_seconds, repr=False)
    _cancelled: bool = False
    _told: float = 0.0

    def cancel(self) -> None:
        """Makes the next `check()` stop the search."""
        self._cancelled = True

    @property
    def seconds_left(self) -> float | None:
        """What is left of the time budget; None if there is none."""
        if self.budget.seconds is None:
            return None
        return max(0.0, self.budget.seconds - self._spent(time.perf_counter()))

    def _spent(self, now: float) -> float:
        """Seconds of the time budget."""
        return now - self.started - (_compiling_seconds() - self._compiled)

    def check(self, used_bytes: int = 0) -> None:
        """Raises `Interrupted` if a budget is spent; tells the callback a few times a second."""
        now = time.perf_counter()
        self.progress.seconds = now - self.started
        if self.callback is not None and now - self._told > 0.1:
            self._told = now
            self.callback(self.progress)
        budget = self.budget
        if self._cancelled:
            raise Interrupted(Outcome.CANCELLED)
        if budget.seconds is not None and self._spent(now) > budget.seconds:
            raise Interrupted(Outcome.OUT_OF_TIME)
        if budget.nodes is not None and self.progress.generated > budget.nodes:
            raise Interrupted(Outcome.OUT_OF_TIME)
        if budget.bytes is not None and used_bytes > budget.bytes:
            raise Interrupted(Outcome.OUT_OF_MEMORY)

    def expect(self, part: float) -> None:
        """Raises `Interrupted` if steady work, `part` of it done, can by no means end in time.

        Only a meter that `gives_up` does, and not before it can know.
        """
        spent, whole = self._spent(time.perf_counter()), self.budget.seconds
        if self.gives_up and whole is not None and spent > _KNOWN and spent > _FAR * part * whole:
            raise Interrupted(Outcome.OUT_OF_TIME)

    def solution(
        self, status: Outcome, moves: Sequence[int] | None = None, lower_bound: int = 0
    ) -> Solution:
        """A `Solution` with this meter's counters."""
        p = self.progress
        return Solution(
            status,
            None if moves is None else tuple(int(m) for m in moves),
            lower_bound,
            p.expanded,
            p.generated,
            p.evaluated,
            p.reopened,
            time.perf_counter() - self.started,
        )


class Search(Protocol):
    """A search is a frozen dataclass of its settings that can be called."""

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a path from `start` `[cells]` to a goal within the meter's budget."""
        ...


def replayed(puzzle: Puzzle, start: NDArray[Any], solution: Solution) -> Solution:
    """The solution, once its moves have been replayed to a goal; a wrong one raises."""
    if solution.moves is None:
        return solution
    try:
        end = puzzle.apply(start, solution.moves)
    except PuzzleError as error:
        raise AssertionError(
            f"{puzzle.name}: a search returned an illegal move: {error}"
        ) from error
    if not puzzle.is_solved(np.asarray(end)[None])[0]:
        raise AssertionError(f"{puzzle.name}: a search returned moves that do not solve the state")
    return replace(solution, status=Outcome.SOLVED)
