"""Beam search: level by level, keep the children that look nearest to home."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, namespace
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search import ops
from homeward.search.asking import Asking
from homeward.search.ball import Ball, ball
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.pace import Pace
from homeward.search.views import View, views
from homeward.search.zobrist import hasher

NO_START = "none"
_MOST_LEVELS = 1000
_NARROWEST = 64
"""The width below which improving is not worth a beam."""
_REMEMBERED = 64
"""Levels whose states are not taken again; fewer where a beam becomes wider on its way."""
_UNRECORDED = 3
"""Full levels that are made on a GPU before one is recorded, so that everything is in its place."""
_WIDEST_RECORDED = 1 << 15
"""Wider levels keep a GPU busy for longer than it takes to start their operations."""
_WIDER = 8
"""How many times wider the next beam is at most."""


@dataclass(frozen=True)
class Beam:
    """Beam search over several views of the start; the shortest solution is kept.

    Each view looks only for something shorter than the best so far. With `improve`, a beam of
    `width` makes a first solution, and then all views are searched with beams as wide as the time
    allows.
    """

    width: int = 1024
    """States kept on each level."""
    views: int = 1
    """Views of the start that are tried one after the other; 0 for all there are."""
    ball: int = 120_000
    """States around the goal whose distances are known beforehand."""
    improve: bool = False
    """Whether to go on with wider beams until the time is over."""
    seconds: float = 2.0
    """Time for improving, where the budget sets none; a first solution takes what it takes."""
    start: str = NO_START
    """The solver, one that asks no heuristic, whose solution is to be shortened; or `none`."""

    def __post_init__(self) -> None:
        for name, least in (("width", 1), ("views", 0), ("ball", 1)):
            if getattr(self, name) < least:
                raise PuzzleError(f"{name} must be at least {least}, not {getattr(self, name)}")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a short path from `start` `[cells]`."""
        if heuristic is None:
            raise PuzzleError("beam search needs a heuristic")
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        known = ball(puzzle, start, self.ball)
        way = known.way_home(start)
        if way is not None:
            meter.progress.best = len(way)
            return meter.solution(Outcome.SOLVED, way, len(way))
        patience = self.seconds if self.improve else math.inf
        state = _Anytime(puzzle, start, heuristic, meter, known, patience)
        if self.improve:  # a beam that lost its way is given up for a wider one
            state.expected = _expected(start, heuristic)
        status = Outcome.OUT_OF_TIME
        try:
            if self.start != NO_START:
                state.take(_solved_by(self.start, puzzle, start, meter))
            facing = getattr(heuristic, "facing", False)
            every = list(islice(views(puzzle, start, facing), self.views or None))
            state.search(every[:1] if self.improve else every, self.width)
            width, fresh = self.width, cycle(views(puzzle, start, facing))
            more = any(True for _ in islice(views(puzzle, start, facing), len(every), None))
            while self.improve and not state.proved:
                # The same view would be searched in vain again, at least at the same width. So the
                # time that a beam leaves is for other views, or else it leaves none.
                together = list(islice(fresh, 1 if state.best is None else len(every)))
                width, last = state.width_in_time(len(together), width)
                state.search(together, width, paced=last and not more)
        except Interrupted as stop:
            status = stop.status
        except (MemoryError, RuntimeError) as error:
            if not ops.is_out_of_memory(error):
                raise
            status = Outcome.OUT_OF_MEMORY
        # The start is outside the ball, so a solution is longer than its radius.
        bound = state.known.radius + 1
        if state.best is None:
            return meter.solution(status, None, bound)
        return meter.solution(Outcome.SOLVED, state.best, min(bound, len(state.best)))


@dataclass
class _Anytime:
    """The best solution so far, and one beam after the other to shorten it."""

    puzzle: Puzzle
    start: NDArray[Any]
    heuristic: Heuristic
    meter: Meter
    known: Ball
    patience: float
    expected: int = _MOST_LEVELS
    """The longest solution that is looked for before there is one."""
    best: list[int] | None = None
    started: float = field(default_factory=time.perf_counter)
    rate: float = 0.0
    """States expanded a second by the last beam."""

    def __post_init__(self) -> None:
        self.ask = Asking(self.heuristic, self.meter)

    @property
    def limit(self) -> int:
        """The longest solution that would be news, or is to be expected."""
        if self.best is None:
            return self.expected
        return len(self.best) - (2 if self.puzzle.fixed_parity else 1)

    @property
    def proved(self) -> bool:
        """Whether nothing shorter can exist: it would lie in the ball, and the start does not."""
        return self.best is not None and self.limit <= self.known.radius

    def search(self, views: Sequence[View], width: int, paced: bool = False) -> None:
        """One beam from each view; `paced` ones share all the time that is left."""
        descent = Descent(self, width)
        for i, view in enumerate(views):
            if self.proved:
                return
            self.check(0)  # a beam that may not take a step does not
            self.meter.progress.doing = f"beam of {width:,}"
            began, expanded = time.perf_counter(), self.meter.progress.expanded
            if paced:
                share = self.seconds_left() / (len(views) - i)
                descent.pace = Pace(began + share, width, width / max(self.rate, 1.0))
            found = descent.run(view.start, self.limit)
            if found is not None:
                self.take(view.restore(found))
            passed = time.perf_counter() - began
            self.rate = (self.meter.progress.expanded - expanded) / max(passed, 1e-6)

    def take(self, moves: list[int] | None) -> None:
        """Keeps a solution, which is shorter than the best so far."""
        if moves is not None:
            self.best = moves
            self.meter.progress.best = len(moves)

    def seconds_left(self) -> float:
        """Until the budget ends, or the patience where the budget sets no time."""
        left = self.meter.seconds_left
        return self.started + self.patience - time.perf_counter() if left is None else left

    def check(self, used_bytes: int) -> None:
        """Raises `Interrupted` when the budget is spent, or the patience with a solution."""
        self.meter.check(used_bytes)
        if self.best is not None and self.seconds_left() <= 0:
            raise Interrupted(Outcome.OUT_OF_TIME)

    def width_in_time(self, views: int, width: int) -> tuple[int, bool]:
        """The width after `width`, and whether so many views should take all the time with it.

        Not too much wider at once: narrow beams say little about the speed of wide ones, and a
        shorter solution means fewer levels. But a beam in between is left out where it would take
        more than a quarter of the time.
        """
        if self.best is None:  # too narrow even for a first solution, or too soon given up
            self.expected = min(2 * self.expected, _MOST_LEVELS)
            return 4 * width, False
        levels = max(1, self.limit - self.known.radius)
        fitting = self.seconds_left() * self.rate / (views * levels)
        between = _WIDER * width
        last = fitting < 4 * between
        return max(_NARROWEST, int(fitting) if last else between), last


@dataclass(frozen=True)
class _Level:
    """States `[B, cells]` of a beam.

    Their hashes, which of them count, the moves that led to them and from which rows of the level
    before (None on the first), their distances where the ball knows them (else -1), and two flags:
    whether some are in the ball, and whether some count.
    """

    states: Array
    keys: Array
    alive: Array
    moves: Array | None
    parents: Array | None
    distances: Array
    some: Array

    @property
    def before(self) -> tuple[Array, ...]:
        """What the next level is made of."""
        return self.states, self.keys, self.alive, self.moves


@dataclass
class Descent:
    """Beams of one width or at one pace, each from one state down to the ball around the goals.

    Written with operations of a fixed size, so that a GPU need not be waited for: children that
    are illegal or duplicates keep their place with an infinite score once the beam is full.
    """

    task: _Anytime
    width: int
    pace: Pace | None = None
    """What widens and narrows the levels, where it is not one width for all."""
    trail: list[tuple[Array, Array]] = field(default_factory=list)
    """For each level the parents and moves of its states."""
    _seen: Array | None = None
    """Hashes of states of all earlier levels, each in the slot that its last bits name."""
    _full: int = 0
    """Full levels so far, of all beams."""
    _recording: Callable[..., tuple[Array, ...]] | None = None

    def __post_init__(self) -> None:
        self._slots = 1 << (_REMEMBERED * self.width - 1).bit_length()
        self.puzzle, self.heuristic, self.ball = (
            self.task.puzzle,
            self.task.heuristic,
            self.task.known,
        )
        # With one move there may be fewer children than the level has room for.
        fitting = self.width <= _WIDEST_RECORDED and self.puzzle.moves > 1
        self._recordable: bool = fitting and getattr(self.heuristic, "recordable", False)

    def run(self, start: NDArray[Any], limit: int) -> list[int] | None:
        """The moves of a solution of at most `limit` moves, or None."""
        self.trail.clear()
        if self._seen is not None:
            self._seen[:] = 0
        level = self._first_level(start)
        for depth in range(limit + 1):
            met, alive = level.some.tolist()  # here a GPU is waited for
            if met:
                return self._finish(level, depth, limit)
            if not alive or depth + self.ball.radius >= limit:
                return None  # the ball is further away than the limit allows
            if self.pace is not None and not arrays.is_torch(level.states):  # a GPU likes one size
                levels = limit - depth - self.ball.radius
                fitting = self.pace.width(len(level.states), levels)
                children = len(level.states) * self.puzzle.moves
                self.width = max(_NARROWEST, min(fitting, children))
            level = self._next_level(level)
        return None

    def _first_level(self, start: NDArray[Any]) -> _Level:
        states = self.heuristic.place(start[None])
        keys = hasher(self.puzzle)(states)
        return _Level(*self._looked_up(states, keys, keys == keys, None, None))

    def _next_level(self, level: _Level) -> _Level:
        """The best children, each state once."""
        progress, count = self.task.meter.progress, len(level.states)
        progress.expanded += count
        progress.evaluated += count
        progress.generated += count * self.puzzle.moves
        self.task.check(self._bytes())
        make = self._maker(level)
        found = _Level(*make(*level.before))
        parents, moves = found.parents, found.moves
        if make is self._recording:  # which will overwrite them
            parents, moves = arrays.copy(parents), arrays.copy(moves)
        self.trail.append((parents, moves))
        return found

    def _maker(self, level: _Level) -> Callable[..., tuple[Array, ...]]:
        """`_made`, or its recording once enough full levels have been made without."""
        if not self._recordable or level.moves is None or len(level.states) < self.width:
            return self._made
        self._full += 1
        if self._full <= _UNRECORDED:
            return self._made
        if self._recording is None:
            from homeward.recording import Recording

            self._recording = Recording(self._made, level.before)
        return self._recording

    def _made(
        self, states: Array, keys: Array, alive: Array, moves: Array | None
    ) -> tuple[Array, ...]:
        """The fields of the next level."""
        puzzle = self.puzzle
        scores = self._scores(states, alive, moves).reshape(-1)
        chosen = ops.smallest(scores, 2 * self.width)
        scores = scores[chosen]
        parents, moves = chosen // puzzle.moves, chosen % puzzle.moves
        states = puzzle.step(states[parents], moves)
        before, keys = keys, hasher(puzzle)(states)
        alive = (scores < np.inf) & ops.first_of_each(keys)
        alive &= self._new(before, keys)
        if len(chosen) > self.width:
            kept = ops.smallest(namespace(scores).where(alive, scores, np.inf), self.width)
        else:
            kept = namespace(alive).where(alive)[0]
        parents, moves = ops.narrow(parents[kept]), ops.narrow(moves[kept])
        return self._looked_up(states[kept], keys[kept], alive[kept], moves, parents)

    def _looked_up(
        self, states: Array, keys: Array, alive: Array, moves: Array | None, parents: Array | None
    ) -> tuple[Array, ...]:
        """The same, with what the ball knows of the states."""
        distances = self.ball.distances(keys)
        return states, keys, alive, moves, parents, distances, ops.any_each(distances >= 0, alive)

    def _new(self, now: Array, keys: Array) -> Array:
        """`[n]` bool: which of `keys` no level has had, the one with the hashes `now` included.

        A beam that climbs out of a hollow would otherwise fall back into it. A slot forgets the
        older of two hashes, so the slots can be few.
        """
        if self._seen is None:
            self._seen = namespace(now).zeros_like(now[:1]).repeat(self._slots)
        ops.put(self._seen, now & (self._slots - 1), now)
        new: Array = self._seen[keys & (self._slots - 1)] != keys
        return new

    def _scores(self, states: Array, alive: Array, moves: Array | None) -> Array:
        """`[B, moves]`: estimates of the children, +inf for illegal ones and straight returns."""
        scores = self.task.ask(states)
        if moves is not None and self.puzzle.reversible:
            arrays.fill(scores, self.puzzle.undo(moves), np.inf)
        return namespace(scores).where(alive[:, None], scores, np.inf)

    def _bytes(self) -> int:
        """What this beam holds at most: its trail, its memory, and the children of a level."""
        row = 4 * self.puzzle.cells + 8 * self.puzzle.moves + 64
        trail: int = sum(2 * moves.nbytes for _, moves in self.trail)
        return trail + 8 * self._slots + 2 * self.width * row

    def _finish(self, level: _Level, depth: int, limit: int) -> list[int] | None:
        """The whole path through the state of the ball that is nearest to home."""
        distances = level.distances
        far = namespace(distances).where(distances >= 0, distances, self.ball.radius + 1)
        row = int(far.argmin())
        if depth + int(far[row]) > limit:
            return None
        home = self.ball.way_home(arrays.to_numpy(level.states[row]))
        return None if home is None else _path(self.trail, row) + home


def _expected(start: NDArray[Any], heuristic: Heuristic) -> int:
    """More moves than a solution by a good beam should have."""
    estimate = float(heuristic.values(heuristic.place(start[None]))[0])
    wanted = 2 * estimate + 20
    return int(min(max(wanted, 1), _MOST_LEVELS)) if math.isfinite(wanted) else _MOST_LEVELS


def _solved_by(name: str, puzzle: Puzzle, start: NDArray[Any], meter: Meter) -> list[int] | None:
    """The moves of another solver's solution."""
    from homeward.solvers import choose

    solver = choose(puzzle, name)
    if solver.heuristic is not None or solver.learned:
        raise PuzzleError(f"a beam cannot start with {name}, which asks a heuristic of its own")
    found = solver.configured({})(puzzle, start, None, meter)
    return None if found.moves is None else list(found.moves)


def _path(trail: Sequence[tuple[Array, Array]], row: int) -> list[int]:
    """The moves that led to a row of the last level."""
    moves: list[int] = []
    for parents, made in reversed(trail):
        moves.append(int(made[row]))
        row = int(parents[row])
    return moves[::-1]
