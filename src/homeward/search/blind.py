"""Searches that know nothing but the moves: breadth-first, depth-first, from both ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.hashing import StateSet

_CHUNK_BYTES = 4_000_000
"""Children made at once: few enough to stay in the cache and to notice a spent budget soon."""


@dataclass(frozen=True)
class BreadthFirst:
    """All states one move away, then two, and so on: the first solution found is shortest.

    Proves its answer, and proves a state unsolvable once the whole space has been seen. Keeps
    every state it has seen.
    """

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a shortest path from `start` `[cells]`; asks no heuristic."""
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        progress = meter.progress
        try:
            tree = _Tree(puzzle, start[None])
            while tree.frontier:
                progress.lower_bound = tree.depth + 1
                progress.doing = f"distance {tree.depth + 1}"
                for numbers, states in tree.grow(meter):
                    hits = np.flatnonzero(puzzle.is_solved(states))
                    if len(hits):
                        path = tree.path(int(numbers[hits[0]]))
                        moves = moves_along(puzzle, path)
                        return meter.solution(Outcome.SOLVED, moves, len(moves))
        except Interrupted as stop:
            return meter.solution(stop.status, None, progress.lower_bound)
        except MemoryError:
            return meter.solution(Outcome.OUT_OF_MEMORY, None, progress.lower_bound)
        return meter.solution(Outcome.UNSOLVABLE, None, progress.lower_bound)


@dataclass(frozen=True)
class Bidirectional:
    """Breadth-first from the start and, backwards, from the goals, until they meet.

    Each round takes the side with fewer states to expand one level further. Once every state
    within f moves of the start and b moves of the goals is known and none is in both sets, no
    solution has f + b moves or fewer; so the first state in both sets lies on a shortest one.
    """

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a shortest path from `start` `[cells]`; asks no heuristic."""
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        progress = meter.progress
        try:
            ahead = _Tree(puzzle, start[None])
            behind = _Tree(puzzle, puzzle.goals_for(start), backwards=True)
            while ahead.frontier and behind.frontier:
                progress.lower_bound = ahead.depth + behind.depth + 1
                progress.doing = f"distances {ahead.depth} ahead, {behind.depth} behind"
                side, other = sorted((ahead, behind), key=lambda tree: len(tree.frontier))
                for numbers, states in side.grow(meter, other.nbytes):
                    met = other.states.find(states)
                    hits = np.flatnonzero(met >= 0)
                    if len(hits):
                        mine, theirs = int(numbers[hits[0]]), int(met[hits[0]])
                        near, far = (mine, theirs) if side is ahead else (theirs, mine)
                        home = behind.path(far)[::-1]
                        path = np.concatenate([ahead.path(near), home[1:]])
                        moves = moves_along(puzzle, path)
                        return meter.solution(Outcome.SOLVED, moves, len(moves))
        except Interrupted as stop:
            return meter.solution(stop.status, None, progress.lower_bound)
        except MemoryError:
            return meter.solution(Outcome.OUT_OF_MEMORY, None, progress.lower_bound)
        return meter.solution(Outcome.UNSOLVABLE, None, progress.lower_bound)


@dataclass(frozen=True)
class DepthFirst:
    """Deep before wide, in hardly any memory; no move is taken back at once.

    With `deepen` it tries limit 1, 2, … `limit`, and its answer is shortest; without, it takes
    the first path of at most `limit` moves. `batch` states are expanded together. A limit reached
    in vain counts as a spent budget.
    """

    limit: int = 40
    """The longest solution to look for."""
    deepen: bool = True
    """Whether to raise the limit one by one, which proves the answer shortest."""
    batch: int = 256
    """States expanded together."""

    def __post_init__(self) -> None:
        for name, value in (("limit", self.limit), ("batch", self.batch)):
            if value < 1:
                raise PuzzleError(f"{name} must be at least 1, not {value}")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a path from `start` `[cells]`; asks no heuristic."""
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        progress = meter.progress
        progress.lower_bound = 1
        try:
            for limit in range(1, self.limit + 1) if self.deepen else [self.limit]:
                progress.doing = f"depth {limit}"
                path, cut = _dive(puzzle, start, limit, self.batch, meter)
                if path is not None:
                    moves = moves_along(puzzle, path)
                    return meter.solution(Outcome.SOLVED, moves, progress.lower_bound)
                progress.lower_bound = limit + 1
                if not cut:
                    return meter.solution(Outcome.UNSOLVABLE, None, limit + 1)
        except Interrupted as stop:
            return meter.solution(stop.status, None, progress.lower_bound)
        return meter.solution(Outcome.OUT_OF_TIME, None, progress.lower_bound)


def moves_along(puzzle: Puzzle, path: NDArray[Any]) -> list[int]:
    """The moves that lead along `path` `[n + 1, cells]`, each state a child of the one before."""
    leads = (puzzle.expand(path[:-1]) == path[1:, None]).all(-1) & puzzle.legal(path[:-1])
    moves: list[int] = leads.argmax(1).tolist()
    return moves


def _children(
    puzzle: Puzzle, states: NDArray[Any], backwards: bool = False
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """`[B, moves, cells]`: the child by every move, and `[B, moves]` which are legal (None: all).

    Backwards: the state before every backward move. Where every move has an inverse, both are the
    same states.
    """
    if backwards and not puzzle.reversible:
        before = [puzzle.step_back(states, back) for back in range(puzzle.back_moves)]
        return np.stack(before, 1), puzzle.legal_back(states)
    return puzzle.expand(states), None if puzzle.always_legal else puzzle.legal(states)


class _Tree:
    """The states within `depth` moves of some roots `[R, cells]`, each with its parent."""

    def __init__(self, puzzle: Puzzle, roots: NDArray[Any], backwards: bool = False) -> None:
        self.puzzle, self.backwards = puzzle, backwards
        self.states = StateSet(puzzle)
        self.states.add(roots)
        self._parents = [np.full(len(self.states), -1, np.int32)]
        self.depth = 0
        self.frontier = range(len(self.states))
        """The numbers of the states that are `depth` moves away."""

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self.states.nbytes + 4 * len(self.states)

    def grow(
        self, meter: Meter, other_bytes: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
        """One level more, in chunks: yields numbers `[n]` and rows `[n, cells]` of new states.

        `other_bytes` is what the caller holds besides this tree.
        """
        puzzle, states, level = self.puzzle, self.states, self.frontier
        ways = puzzle.back_moves if self.backwards else puzzle.moves
        rows = max(1, _CHUNK_BYTES // (ways * puzzle.cells))
        for first in range(level.start, level.stop, rows):
            parents = range(first, min(first + rows, level.stop))
            children, legal = _children(
                puzzle, states.states(slice(parents.start, parents.stop)), self.backwards
            )
            owners = np.repeat(np.arange(parents.start, parents.stop, dtype=np.int32), ways)
            children = children.reshape(-1, puzzle.cells)
            if legal is not None:
                kept = np.flatnonzero(legal)
                children, owners = children[kept], owners[kept]
            meter.progress.expanded += len(parents)
            meter.progress.generated += len(children)
            held = states.nbytes_with(len(children)) + 4 * len(states) + 2 * children.nbytes
            meter.check(held + other_bytes)
            known = len(states)
            numbers = states.add(children)
            fresh = _first_of(numbers, known, len(states))
            self._parents.append(owners[fresh])
            yield numbers[fresh], children[fresh]
        self.depth += 1
        self.frontier = range(level.stop, len(states))

    def path(self, number: int) -> NDArray[Any]:
        """`[n + 1, cells]`: the states from a root to the one with this number."""
        parents = np.concatenate(self._parents)
        numbers = [number]
        while parents[numbers[-1]] >= 0:
            numbers.append(int(parents[numbers[-1]]))
        return self.states.states(np.array(numbers[::-1]))


def _first_of(numbers: NDArray[np.int64], start: int, stop: int) -> NDArray[np.int64]:
    """`[stop - start]`: where each of the numbers `start … stop - 1` first appears."""
    new = np.flatnonzero(numbers >= start)
    # A number is the highest so far exactly where it appears first.
    highest = np.maximum.accumulate(numbers[new])
    first = np.diff(highest, prepend=start - 1) > 0
    result: NDArray[np.int64] = new[first]
    return result


@dataclass
class _Layer:
    """Children at one depth of a dive: their rows, the row of each one's parent, how many done."""

    rows: NDArray[Any]
    parents: NDArray[np.int64]
    done: int = 0


def _dive(
    puzzle: Puzzle, start: NDArray[Any], limit: int, batch: int, meter: Meter
) -> tuple[NDArray[Any] | None, bool]:
    """A path `[n + 1, cells]` of at most `limit` moves, and whether the limit cut any path off."""
    layers = [_Layer(start[None], np.array([-1]))]
    cut = False
    while layers:
        layer = layers[-1]
        first, layer.done = layer.done, min(layer.done + batch, len(layer.rows))
        here = slice(first, layer.done)
        if first == layer.done:
            layers.pop()
            continue
        children, legal = _children(puzzle, layer.rows[here])
        kept = np.ones(children.shape[:2], dtype=bool) if legal is None else legal
        meter.progress.expanded += len(children)
        meter.progress.generated += int(kept.sum())
        meter.check(children.nbytes + sum(layer.rows.nbytes for layer in layers))
        if len(layers) > 1:
            before = layers[-2].rows[layer.parents[here]]
            kept = kept & (children != before[:, None]).any(-1)
        deeper = _Layer(children[kept], first + np.nonzero(kept)[0])
        layers.append(deeper)
        hits = np.flatnonzero(puzzle.is_solved(deeper.rows))
        if len(hits):
            return _climb(layers, int(hits[0])), cut
        if len(layers) > limit:
            cut = cut or len(deeper.rows) > 0
            layers.pop()
    return None, cut


def _climb(layers: Sequence[_Layer], row: int) -> NDArray[Any]:
    """`[n + 1, cells]`: the states that led to a row of the last layer."""
    path = []
    for layer in reversed(layers):
        path.append(layer.rows[row])
        row = int(layer.parents[row])
    return np.array(path[::-1])
