"""One beam: level by level, from a state down to the ball around the goals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, namespace
from homeward.search import ops
from homeward.search.pace import Pace
from homeward.search.zobrist import held_hasher

if TYPE_CHECKING:
    from homeward.search.beam import Anytime

NARROWEST = 64
"""The width below which improving is not worth a beam."""
_REMEMBERED = 64
"""Levels whose states are not taken again; fewer where a beam becomes wider on its way."""
_LOST = 20
"""Levels without an estimate below all before, after which a beam has lost its way."""
_UNRECORDED = 3
"""Full levels that are made on a GPU before one is recorded, so that everything is in its place."""
_WIDEST_RECORDED = 1 << 15
"""Wider levels keep a GPU busy for longer than it takes to start their operations."""


@dataclass(frozen=True)
class _Level:
    """States `[B, cells]` of a beam.

    Their hashes, which of them count, the moves that led to them and from which rows of the level
    before (None on the first), their distances where the ball knows them (else -1), and four
    numbers: how many are in the ball, how many count, whether the beam has lost its way, and how
    many children were made, legal ones, of which these are the best.
    """

    states: Array
    keys: Array
    alive: Array
    moves: Array | None
    parents: Array | None
    distances: Array
    counts: Array

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

    task: Anytime
    width: int
    pace: Pace | None = None
    """What widens and narrows the levels, where it is not one width for all."""
    trail: list[tuple[Array, Array]] = field(default_factory=list)
    """For each level the parents and moves of its states."""
    cut: bool = False
    """Whether the beam had more children somewhere than it keeps."""
    ended: bool = False
    """Whether the beam came to a level without states."""
    _least: Array | None = None
    """`[2]`: the least estimate so far, and how many levels ago it was."""
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
        self.cut = self.ended = False
        if self._seen is not None:
            self._seen[:] = 0
        if self._least is not None:
            self._least[:1], self._least[1:] = np.inf, 0
        level = self._first_level(start)
        for depth in range(limit + 1):
            met, alive, lost, made = level.counts.tolist()  # here a GPU is waited for
            self.task.meter.progress.generated += made
            if met:
                return self._finish(level, depth, limit)
            self.ended = not alive
            if self.ended or depth + self.ball.radius >= limit:
                return None  # the ball is further away than the limit allows
            if lost and self.cut and self.task.hasty:  # what is not cut misses nothing
                return None
            if self.pace is not None and not arrays.is_torch(level.states):  # a GPU likes one size
                levels = limit - depth - self.ball.radius
                fitting = self.pace.width(len(level.states), levels)
                children = len(level.states) * self.puzzle.moves
                self.width = max(NARROWEST, min(fitting, children))
            level = self._next_level(level, alive)
        return None

    def _first_level(self, start: NDArray[Any]) -> _Level:
        states = self.heuristic.place(start[None])
        keys = held_hasher(self.puzzle)(states)
        every = keys == keys
        return _Level(*self._looked_up(states, keys, every, None, None, ~every, ~every))

    def _next_level(self, level: _Level, alive: int) -> _Level:
        """The best children, each state once, of a level of which so many states count."""
        progress = self.task.meter.progress
        self.cut |= len(level.states) * self.puzzle.moves > self.width
        self.task.check(self._bytes())
        progress.expanded += alive
        progress.evaluated += alive
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
        scores, made = self._scores(states, alive, moves)
        scores = scores.reshape(-1)
        lost = self._is_lost(scores)
        chosen = ops.smallest(scores, 2 * self.width)
        scores = scores[chosen]
        parents, moves = chosen // puzzle.moves, chosen % puzzle.moves
        states = puzzle.step(states[parents], moves)
        before, keys = keys, held_hasher(puzzle)(states)
        xp, alive = namespace(scores), scores < np.inf
        # A child that does not count must not stand for the same one of a state that does.
        alive &= ops.first_of_each(xp.where(alive, keys, chosen))
        alive &= self._new(before, keys)
        if len(chosen) > self.width:
            kept = ops.smallest(xp.where(alive, scores, np.inf), self.width)
        else:
            kept = xp.where(alive)[0]
        parents, moves = ops.narrow(parents[kept]), ops.narrow(moves[kept])
        return self._looked_up(states[kept], keys[kept], alive[kept], moves, parents, lost, made)

    def _looked_up(
        self,
        states: Array,
        keys: Array,
        alive: Array,
        moves: Array | None,
        parents: Array | None,
        lost: Array,
        made: Array,
    ) -> tuple[Array, ...]:
        """The same, with what the ball knows of the states."""
        distances = self.ball.distances(keys)
        counts = ops.count_each(distances >= 0, alive, lost, made)
        return states, keys, alive, moves, parents, distances, counts

    def _is_lost(self, scores: Array) -> Array:
        """`[1]` bool: whether estimates have stopped falling, as in a hollow without a way out."""
        if self._least is None:
            self._least = scores[:1].repeat(2)
            self._least[:1], self._least[1:] = np.inf, 0
        least, xp = scores.min(), namespace(scores)
        fallen = least < self._least[:1]
        self._least[1:] = xp.where(fallen, 0, self._least[1:] + 1)
        self._least[:1] = xp.where(fallen, least, self._least[:1])
        lost: Array = self._least[1:] > _LOST
        return lost

    def _new(self, now: Array, keys: Array) -> Array:
        """`[n]` bool: which of `keys` no level has had, the one with the hashes `now` included.

        A beam that climbs out of a hollow would otherwise fall back into it. A slot forgets the
        older of two hashes, so the slots can be few.
        """
        if self._seen is None:
            self._seen = arrays.zeros(self._slots, now)
        ops.put(self._seen, now & (self._slots - 1), now)
        new: Array = self._seen[keys & (self._slots - 1)] != keys
        return new

    def _scores(self, states: Array, alive: Array, moves: Array | None) -> tuple[Array, Array]:
        """`[B, moves]` each: estimates of the children, and which of them are legal.

        Estimates are +inf for illegal ones and straight returns.
        """
        scores = self.task.ask(states)
        legal = (scores < np.inf) & alive[:, None]
        if moves is not None and self.puzzle.reversible:
            arrays.fill(scores, self.puzzle.undo(moves), np.inf)
        return namespace(scores).where(legal, scores, np.inf), legal

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


def _path(trail: Sequence[tuple[Array, Array]], row: int) -> list[int]:
    """The moves that led to a row of the last level."""
    moves: list[int] = []
    for parents, made in reversed(trail):
        moves.append(int(made[row]))
        row = int(parents[row])
    return moves[::-1]
