"""Monte Carlo tree search as DeepCube has it.

Every simulation walks from the root along the moves with the largest `U + Q`, where
`U = c * P * sqrt(sum of N) / (1 + N)` and `Q = W - L`, to a state that is not in the tree. That
state is added, its value told to all moves on the way: N counts visits, W keeps the largest value,
L is the virtual loss of the simulations that are under way. The paper's parallel workers are the
simulations of one batch, whose states are evaluated together. When a solution has been found, a
breadth-first search through the tree and its children looks for a shorter one.

Differences from the paper:

1. A value is how much nearer home than the start a state seems, `h(start) - h(state)`, so that the
   paper's first value of W, 0, means "as far as the start" whatever the puzzle. The paper's own
   values are negative for all but the nearest states, and W = max(0, v) would not tell them apart.
2. Each state stands in the tree once, where it was first met; a move that leads to a state already
   there is closed, as is one below which everything is closed. So no walk goes in circles, and a
   root without open moves proves that there is no solution.
3. The first choice at a state, when no visit has been counted, follows P; in the paper `U` is then
   0 for all moves.
4. A heuristic without a `policy` gives P as the softmax of its children's nearness, and its value
   as the nearest child's and one move more: one pass for both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles.arrays import Array
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search import ops
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.growing import Growing
from homeward.search.hashing import StateSet

_PATHS = ("bfs", "naive")
_CHUNK = 4096
"""States expanded together in the search through the tree."""


@runtime_checkable
class Policy(Protocol):
    """What a heuristic may know besides distances."""

    def policy(self, states: Array) -> Array:
        """`[B, moves]`: how likely each move is the best one; every row sums to 1."""
        ...


@dataclass(frozen=True)
class MCTS:
    """Monte Carlo tree search with a net's value and policy; ends at its first solution."""

    c: float = 8.0
    """How much P counts against W: larger values look at more moves of each state."""
    nu: float = 0.3
    """ν, the virtual loss: how far, in moves, simulations of one batch keep apart."""
    batch: int = 32
    """Simulations whose states are evaluated together."""
    path: str = "bfs"
    """`bfs`: the shortest path through the tree and its children; `naive`: the one it took."""

    def __post_init__(self) -> None:
        for name, value in (("c", self.c), ("nu", self.nu)):
            if not 0 <= value < math.inf:
                raise PuzzleError(f"{name} must be at least 0, not {value:g}")
        if self.batch < 1:
            raise PuzzleError(f"batch must be at least 1, not {self.batch}")
        if self.path not in _PATHS:
            raise PuzzleError(f"path must be {' or '.join(_PATHS)}, not {self.path!r}")

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a path from `start` `[cells]`."""
        if heuristic is None:
            raise PuzzleError("Monte Carlo tree search needs a heuristic")
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        progress = meter.progress
        progress.lower_bound = 1
        tree = _Tree(self, puzzle, heuristic, meter)
        moves: list[int] | None = None
        status = Outcome.UNSOLVABLE
        try:
            tree.plant(np.array(start)[None])
            while moves is None and not tree.exhausted:
                progress.doing = f"{len(tree.seen):,} states in the tree"
                meter.check(tree.nbytes_with(self.batch))
                moves = tree.grow()
            if moves is not None and self.path == "bfs":
                progress.best = len(moves)
                progress.doing = "looking for a shorter path through the tree"
                moves = shortest_within(puzzle, tree.seen, moves, meter)
        except Interrupted as stop:
            status = stop.status
        except (MemoryError, RuntimeError) as error:
            if not ops.is_out_of_memory(error):
                raise
            status = Outcome.OUT_OF_MEMORY
        bound = progress.lower_bound
        return meter.solution(status if moves is None else Outcome.SOLVED, moves, bound)


class _Tree:
    """States that have been evaluated; the root is number 0.

    A node's number is its number among the seen states. For each of its moves it keeps the number
    of the child (-1: none yet), whether the move is closed, and P, W, N, and how many simulations
    are under way. `links` holds the parent times moves plus the move that led to a node.
    """

    def __init__(self, settings: MCTS, puzzle: Puzzle, heuristic: Heuristic, meter: Meter) -> None:
        self.settings, self.puzzle, self.heuristic, self.meter = settings, puzzle, heuristic, meter
        like, moves = puzzle.goal, (puzzle.moves,)
        self.seen = StateSet(puzzle)
        self.links = Growing(like, np.int64)
        self.children = Growing(like, np.int32, moves)
        self.closed = Growing(like, np.bool_, moves)
        self.prior = Growing(like, np.float32, moves)
        self.best = Growing(like, np.float32, moves)
        self.visits = Growing(like, np.int32, moves)
        self.waiting = Growing(like, np.int32, moves)
        self._arrays = [kept for kept in vars(self).values() if isinstance(kept, Growing)]
        self.from_home = 0.0

    def nbytes_with(self, more: int) -> int:
        """The most bytes in use while `more` states are added and evaluated."""
        passing = more * self.puzzle.moves * (self.puzzle.cells + 40)
        kept = sum(a.nbytes_with(more) for a in self._arrays)
        return passing + kept + self.seen.nbytes_with(more)

    @property
    def exhausted(self) -> bool:
        """Whether everything that can be reached is in the tree."""
        return bool(self.closed.all[0].all())

    def plant(self, start: NDArray[Any]) -> None:
        """Makes the root of `start` `[1, cells]`."""
        self.seen.add(start)
        distance = self._attach(start, np.array([-1]))[0]
        if np.isfinite(distance):
            self.from_home = float(distance)
            if self.heuristic.admissible:
                self.meter.progress.lower_bound = max(1, math.ceil(self.from_home - 1e-3))

    def grow(self) -> list[int] | None:
        """One batch of simulations; the moves to a goal, if one of them came upon one."""
        from homeward.search.kernels import back_up, close_edges, walk_down

        settings, puzzle = self.settings, self.puzzle
        nodes, moves = np.empty((2, settings.batch), np.int64)
        best, visits, waiting = self.best.all, self.visits.all, self.waiting.all
        walk_down(
            *(self.children.all, self.closed.all, self.prior.all, best, visits, waiting),
            *(settings.c, settings.nu, nodes, moves),
        )
        states = puzzle.step(self.seen.states(nodes), moves)
        links = nodes * puzzle.moves + moves
        solved = np.flatnonzero(puzzle.is_solved(states))
        if len(solved):
            return self.path_to(int(links[solved[0]]))
        known = len(self.seen)
        numbers = self.seen.add(states)
        new, first = np.unique(numbers, return_index=True)
        first = first[new >= known]
        distances = np.full(len(self.seen) - known, np.inf, np.float32)
        if len(first):
            distances = self._attach(states[first], links[first])
            self.children.all[nodes[first], moves[first]] = numbers[first]
        # What leads to a state that hangs elsewhere in the tree, or to a dead end, is closed.
        values = np.full(settings.batch, -np.inf, np.float32)
        mine = self.children.all[nodes, moves] == numbers
        values[mine] = self.from_home - distances[numbers[mine] - known]
        best, visits, waiting = self.best.all, self.visits.all, self.waiting.all  # they have grown
        back_up(self.links.all, best, visits, waiting, nodes, moves, values)
        shut = ~mine | np.isneginf(values)
        close_edges(self.links.all, self.closed.all, nodes[shut], moves[shut])
        return None

    def _attach(self, states: NDArray[Any], links: NDArray[np.int64]) -> NDArray[np.float32]:
        """`[n]`: evaluates new states `[n, cells]`, makes nodes of them; their distances home."""
        puzzle, progress, n = self.puzzle, self.meter.progress, len(states)
        prior, distances, legal = self._evaluate(states)
        progress.expanded += n
        progress.evaluated += n
        progress.generated += int(legal.sum())
        closed = ~legal
        if puzzle.reversible and links[0] >= 0:
            closed[np.arange(n), puzzle.undo(links % puzzle.moves)] = True  # straight back
        zeros = np.zeros((n, puzzle.moves), np.int32)
        self.links.append(links)
        self.children.append(zeros - 1)
        self.closed.append(closed)
        self.prior.append(prior)
        for counts in (self.best, self.visits, self.waiting):
            counts.append(zeros)
        return np.where(closed.all(1), np.float32(np.inf), distances)

    def _evaluate(
        self, states: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """P `[n, moves]`, distances `[n]`, and which moves are possible `[n, moves]`."""
        heuristic = self.heuristic
        placed = heuristic.place(states)
        if isinstance(heuristic, Policy):
            legal = self.puzzle.legal(states)
            prior = ops.on_cpu(heuristic.policy(placed)) * legal
            total = prior.sum(1, keepdims=True)
            return prior / np.maximum(total, 1e-30), ops.on_cpu(heuristic.values(placed)), legal
        scores = ops.on_cpu(heuristic.children(placed))
        legal = scores != np.inf
        nearest = scores.min(1)
        # A row without moves is all inf, and inf - inf no number.
        shifted = np.where(legal, scores - np.where(np.isfinite(nearest), nearest, 0)[:, None], 0)
        weights = np.exp(-shifted) * legal
        return weights / np.maximum(weights.sum(1, keepdims=True), 1e-30), 1 + nearest, legal

    def path_to(self, link: int) -> list[int]:
        """The moves from the root along a link."""
        moves = []
        while link >= 0:
            parent, move = divmod(link, self.puzzle.moves)
            moves.append(move)
            link = int(self.links.all[parent])
        return moves[::-1]


def shortest_within(puzzle: Puzzle, tree: StateSet, found: list[int], meter: Meter) -> list[int]:
    """The shortest solution that passes only through states of a tree and their children.

    `found` is a solution from state 0 of the tree. If the budget ends on the way, it is returned.
    """
    try:
        around = _with_children(puzzle, tree, meter)
        links = np.full(len(around), -2, np.int64)  # of states that have not been reached
        links[0] = -1
        frontier = np.zeros(1, np.int64)
        for _ in range(len(found) - 1):
            reached: list[NDArray[np.int64]] = []
            for first in range(0, len(frontier), _CHUNK):
                part = frontier[first : first + _CHUNK]
                children, owners = _moved(puzzle, around.states(part), part)
                meter.check(around.nbytes + links.nbytes + 2 * children.nbytes)
                solved = np.flatnonzero(puzzle.is_solved(children))
                if len(solved):
                    return _way(links, int(owners[solved[0]]), puzzle.moves)
                numbers = around.find(children)
                fresh = np.flatnonzero((numbers >= 0) & (links[numbers] == -2))
                numbers, where = np.unique(numbers[fresh], return_index=True)
                links[numbers] = owners[fresh[where]]
                reached.append(numbers)
            frontier = np.concatenate(reached)
    except (Interrupted, MemoryError):
        pass
    return found


def _moved(
    puzzle: Puzzle, states: NDArray[Any], numbers: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The possible children `[m, cells]` of states, and the link `[m]` that leads to each."""
    children = puzzle.expand(states).reshape(-1, puzzle.cells)
    links = (numbers[:, None] * puzzle.moves + np.arange(puzzle.moves)).reshape(-1)
    if puzzle.always_legal:
        return children, links
    legal = puzzle.legal(states).reshape(-1)
    return children[legal], links[legal]


def _with_children(puzzle: Puzzle, tree: StateSet, meter: Meter) -> StateSet:
    """The states of a tree, under their numbers, and all their children."""
    around = StateSet(puzzle)
    every = np.arange(len(tree))
    for first in range(0, len(tree), _CHUNK):
        around.add(tree.states(every[first : first + _CHUNK]))
    for first in range(0, len(tree), _CHUNK):
        part = every[first : first + _CHUNK]
        children, _ = _moved(puzzle, tree.states(part), part)
        meter.check(tree.nbytes + around.nbytes_with(len(children)) + 2 * children.nbytes)
        around.add(children)
    return around


def _way(links: NDArray[np.int64], link: int, moves: int) -> list[int]:
    """The moves from state 0 along a link."""
    way = []
    while link >= 0:
        way.append(link % moves)
        link = int(links[link // moves])
    return way[::-1]
