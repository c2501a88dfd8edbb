"""Best-first search. A*, weighted A*, batch weighted A*, Q* and greedy search are its settings.

**One loop.** An entry of the open list is a child that has been scored but not made: its priority
`f = weight * g + h`, its parent, its move. Popped entries are made, looked up among what has been
seen, and, if new or reached by a shorter path, their children are scored by one call of
`heuristic.children` and pushed.

**Q* and A* are this same loop.** A Q-net scores all children of a state in one pass over the
parent; a value net, a table or a formula makes the children, scores them and forgets them again.
Either way the search has the same numbers at the same time and expands the same states in the
same order. Only the price of an estimate differs, so the difference stays inside the heuristic. A
child that was forgotten is made again if it is popped. That is one move, which is nothing beside
an estimate; in return an entry of the open list takes 8 bytes and no state.

**Proof.** An admissible estimate makes every solution that is not yet found at least as long as the
smallest `weight * g + h` in the open list, for any weight up to 1. This lower bound is kept as the
search goes on. With weight 1 the search is A* and ends when its best solution meets the bound;
batches of more than one only mean that some states are expanded in vain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.base import Heuristic
from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Table
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.search import ops
from homeward.search.asking import Asking
from homeward.search.base import Interrupted, Meter, Outcome, Solution
from homeward.search.growing import Growing
from homeward.search.openlist import (
    NEVER,
    SLOTS,
    UNIT,
    OpenList,
    entries,
    priorities,
    priority_of,
    slot_of,
)
from homeward.search.seen import seen_states

_FAR = 2**30
"""The depth of a state that no path has reached yet."""
_DEPTH_BITS = 32
"""Depths are kept so many bits higher, which leaves room to number the entries of a batch."""


@dataclass(frozen=True)
class BestFirst:
    """Expands the states with the smallest `weight * g + h`: g moves from the start, h to go.

    Without an admissible estimate the first solution is returned, unless `improve` is set. Of equal
    sums the deeper state comes first.
    """

    weight: float = 1.0
    """λ, what a move made counts against a move to go: 1 is A*, 0 greedy, between: weighted A*."""
    batch: int = 1
    """N, how many states are expanded together."""
    improve: bool = False
    """Whether to look on for shorter solutions until the budget ends or none is in sight."""
    reopen: bool = True
    """Whether a state is expanded again when a shorter path to it turns up. With weight 0 that does
    not change what looks best and can cost far more than it gains; without it nothing is proved."""

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise PuzzleError(f"weight must be between 0 and 1, not {self.weight:g}")
        if self.batch < 1:
            raise PuzzleError(f"batch must be at least 1, not {self.batch}")

    @property
    def proves(self) -> bool:
        """Whether every solution is proved shortest, given an admissible estimate."""
        return self.reopen and (self.weight == 1 or self.improve)

    def __call__(
        self, puzzle: Puzzle, start: NDArray[Any], heuristic: Heuristic | None, meter: Meter
    ) -> Solution:
        """Looks for a path from `start` `[cells]`, on the device where the heuristic works."""
        if heuristic is None:
            raise PuzzleError("best-first search needs a heuristic")
        if puzzle.is_solved(start[None])[0]:
            return meter.solution(Outcome.SOLVED, ())
        run = _Run(self, puzzle, heuristic, meter, heuristic.place(np.array(start)[None]))
        try:
            status = run.to_the_end()
        except Interrupted as stop:
            status = stop.status
        except (MemoryError, RuntimeError) as error:
            if not ops.is_out_of_memory(error):
                raise
            status = Outcome.OUT_OF_MEMORY
        return run.solution(status)


class _Run:
    """One search: its nodes, its open list, and the best solution so far.

    A node is a state that has been made; its number is its number among the seen states. `links`
    holds the slot (parent times moves plus move) by which each was reached, `depths` its g, moved
    up by `_DEPTH_BITS`.
    """

    def __init__(
        self,
        settings: BestFirst,
        puzzle: Puzzle,
        heuristic: Heuristic,
        meter: Meter,
        start: Array,
    ) -> None:
        self.settings, self.puzzle, self.heuristic, self.meter = settings, puzzle, heuristic, meter
        self.ask = Asking(heuristic, meter)
        self.bounds = heuristic.admissible and settings.reopen
        # A* goes on until its solution is proved, even where a batch holds a goal too early.
        self.lasts = settings.improve or (self.bounds and settings.weight == 1)
        self.start = start  # [1, cells], on the device where all the rest goes too
        self.seen, self.open = seen_states(puzzle, start), OpenList(start)
        self.links, self.depths = Growing(start, np.int64), Growing(start, np.int64)
        self.moves = Table(np.arange(puzzle.moves)).on(start)
        self.goal, self.best = -1, _FAR
        meter.progress.lower_bound = 1

    def to_the_end(self) -> Outcome:
        """Searches until a solution is good enough or nothing is left to expand."""
        settings, progress = self.settings, self.meter.progress
        numbers = self.seen.add(self.start)
        self.links.append(numbers - 1)  # the root has no link
        self.depths.append(numbers)
        self._expand(self.start, numbers, numbers, None)
        while True:
            progress.doing = f"{len(self.seen):,} states seen, {len(self.open):,} open"
            self.meter.check(self._bytes_with(min(settings.batch, len(self.open))))
            popped = self.open.pop(settings.batch)
            if not len(popped):
                return self._exhausted()
            if self.bounds:
                least = math.ceil(int(priority_of(popped[0])) / UNIT)
                progress.lower_bound = min(max(progress.lower_bound, least), self.best)
            if progress.lower_bound < self.best:
                self._visit(popped)
            if self.best <= (progress.lower_bound if self.lasts else _FAR - 1):
                return Outcome.SOLVED

    def _visit(self, popped: Array) -> None:
        """Makes the children that entries `[n]` stand for and expands those worth it."""
        puzzle, links, xp = self.puzzle, slot_of(popped), arrays.namespace(popped)
        parents = links // puzzle.moves
        depths = self.depths.all[parents] + (1 << _DEPTH_BITS)
        if self.best < _FAR:
            made = depths >> _DEPTH_BITS
            rest = (priority_of(popped) + made) / UNIT - self.settings.weight * made
            kept = xp.where(~self._hopeless(made + rest))[0]  # not a mask: it would wait thrice
            links, parents, depths = links[kept], parents[kept], depths[kept]
        moves = links % puzzle.moves
        states = puzzle.step(self.seen.states(parents), moves)
        known = len(self.seen)
        numbers = self.seen.add(states)
        self._make_room()
        # Of the paths to a node the shortest counts, of equals the known one and then the first.
        paths = depths + (1 + arrays.row_numbers(states))
        ops.lower(self.depths.all, numbers, paths)
        chosen = xp.where(self.depths.all[numbers] == paths)[0]
        states, numbers, moves = states[chosen], numbers[chosen], moves[chosen]
        depths = depths[chosen]
        self.links.all[numbers] = links[chosen]
        self.depths.all[numbers] = depths
        solved, again = puzzle.is_solved(states), numbers < known
        goals, reopened = xp.stack([solved, again]).sum(1).tolist()  # one wait for a GPU, not two
        if goals:
            self._arrive(numbers[solved])
        if goals or (reopened and not self.settings.reopen):
            onward = xp.where(~solved if self.settings.reopen else ~(solved | again))[0]
            states, numbers, moves = states[onward], numbers[onward], moves[onward]
            depths = depths[onward]
        self.meter.progress.reopened += reopened if self.settings.reopen else 0
        if len(states):
            self._expand(states, numbers, depths, moves)

    def _expand(self, states: Array, numbers: Array, depths: Array, moves: Array | None) -> None:
        """Scores the children of nodes `[n]`, which `moves` led to, and pushes them."""
        puzzle, progress = self.puzzle, self.meter.progress
        scores = self.ask(states)
        pushed = scores != np.inf
        made = len(states) * puzzle.moves if puzzle.always_legal else int(pushed.sum())
        progress.expanded += len(states)
        progress.evaluated += len(states)
        progress.generated += made
        if moves is not None and puzzle.reversible:
            arrays.fill(pushed, puzzle.undo(moves), False)  # straight back
        depths = ops.as_float32((depths >> _DEPTH_BITS) + 1)[:, None]
        if self.best < _FAR:
            pushed = pushed & ~self._hopeless(depths + scores)
        ranks = priorities(self.settings.weight * depths + scores, depths)
        slots = numbers[:, None] * puzzle.moves + self.moves
        new = arrays.namespace(scores).where(pushed, entries(ranks, slots), NEVER)
        self.open.push(new.reshape(-1))

    def _hopeless(self, sums: Array) -> Array:
        """Which of the estimated lengths `[...]` (g + h) do not promise a shorter solution.

        Where estimates may be too large, this is what they say and not certain.
        """
        if self.heuristic.admissible:
            return sums > self.best - 1 + 4 / UNIT  # a little more, for what rounding adds
        return sums >= self.best

    def _arrive(self, goals: Array) -> None:
        """Takes note of solved nodes `[n]`."""
        depths = self.depths.all[goals]
        nearest = int(depths.argmin())
        depth = int(depths[nearest]) >> _DEPTH_BITS
        if depth < self.best:
            self.goal, self.best = int(goals[nearest]), depth
            self.meter.progress.best = self.best

    def _exhausted(self) -> Outcome:
        """How a search ends that has expanded everything worth it."""
        if self.best == _FAR:
            return Outcome.UNSOLVABLE
        if self.bounds:
            self.meter.progress.lower_bound = self.best
        return Outcome.SOLVED

    def _make_room(self) -> None:
        """Gives new nodes a link and a depth, which the caller fills in."""
        if len(self.seen) * self.puzzle.moves >= SLOTS:
            raise MemoryError("the open list cannot number so many children")
        new = len(self.seen) - len(self.links)
        self.links.extend(new, -1)
        self.depths.extend(new, _FAR << _DEPTH_BITS)

    def _bytes_with(self, n: int) -> int:
        """The most bytes in use while `n` entries are popped and expanded."""
        cells, moves = self.puzzle.cells, self.puzzle.moves
        # Children and their scores, ranks, slots, entries; hashing takes 8-byte indices of cells.
        passing = n * (moves * (cells * self.puzzle.dtype.itemsize + 48) + 24 * cells)
        kept = (self.seen, self.links, self.depths)
        return passing + sum(k.nbytes_with(n) for k in kept) + self.open.nbytes_with(n * moves)

    def solution(self, status: Outcome) -> Solution:
        """The best solution, or how the search ended without one."""
        bound = self.meter.progress.lower_bound
        if self.best == _FAR:
            return self.meter.solution(status, None, bound)
        moves, node = [], self.goal
        while node > 0:
            parent, move = divmod(int(self.links.all[node]), self.puzzle.moves)
            moves.append(move)
            node = parent
        return self.meter.solution(Outcome.SOLVED, moves[::-1], bound)
