"""Sokoban: an agent pushes boxes onto targets, and cannot pull them back.

Walks home start from solved boards and go backwards, so there the agent pulls.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Rng, Table
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import Problem, PuzzleError

FLOOR, WALL, TARGET, BOX, BOX_ON_TARGET, AGENT, AGENT_ON_TARGET = range(7)

_LARGEST = 250
"""Rows or columns of the largest board, so that a slip of the pen does not fill the memory."""

# What a cell holds once its box or agent has left, and once one has come.
LEFT = Table(np.array([0, 1, 2, 0, 2, 0, 2], dtype=np.uint8))
_WITH_BOX = Table(np.array([3, 1, 4, 3, 4, 3, 4], dtype=np.uint8))
_WITH_AGENT = Table(np.array([5, 1, 6, 5, 6, 5, 6], dtype=np.uint8))

_DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
_MOVES = Table(np.arange(4))
_OPPOSITE = Table(np.array([1, 0, 3, 2]))


class Sokoban(Puzzle):
    """`sokoban` (10×10) and `sokoban-RxC`: a board row by row, walls all round.

    Cells are 0 floor, 1 wall, 2 target, 3 box, 4 box on target, 5 agent, 6 agent on target.
    Moves `U D L R` take the agent one cell and push the box that stands there if the cell behind
    it is free. A board is solved when no box stands off a target.

    The room is part of the state, so goals differ from level to level. `levels` (`[L, cells]` or
    `[L, rows, columns]`) are the rooms that walks come from; without them it is a fixed pool of
    `pool` rooms from the built-in generator. `goals` are the solved boards of the first level:
    all that counts as solved where there is one level, an example where there are more;
    `goals_for` gives those of any board.

    Backward moves 0 … 3 take back `U D L R` as a plain step, 4 … 7 take the box along.
    """

    def __init__(
        self,
        rows: int = 10,
        columns: int = 10,
        levels: NDArray[Any] | None = None,
        pool: int = 1000,
    ) -> None:
        if min(rows, columns) < 3 or max(rows, columns) < 5:
            raise PuzzleError(f"a Sokoban board is at least 3x5 or 5x3, not {rows}x{columns}")
        if max(rows, columns) > _LARGEST:
            raise PuzzleError(
                f"a Sokoban board has at most {_LARGEST} rows and columns, not {rows}x{columns}"
            )
        if pool < 1:
            raise PuzzleError(f"the pool holds at least 1 room, not {pool}")
        self.rows, self.columns, self.pool = rows, columns, pool
        name = "sokoban" if (rows, columns) == (10, 10) else f"sokoban-{rows}x{columns}"
        blank = np.full((1, rows * columns), WALL)
        super().__init__(name, "sokoban", 7, tuple("UDLR"), blank)
        self.always_legal = False
        self.neighbours = Table(_neighbours(rows, columns))
        self.inverses = np.full(4, -1)
        self.undoes = np.tile(np.arange(4), 2)
        self._prepare()
        self.box_places: Table | None = None
        self.levels: NDArray[Any] | None = None
        if levels is not None:
            self.levels = self._checked(levels)
        self.goals_table = Table(self.goals_for(self._rooms(1)[0]))

    # --- moves

    def step(self, states: Array, moves: Array | int) -> Array:
        return self._push(states, self.agents(states), arrays.as_moves(moves, states))

    def expand(self, states: Array) -> Array:
        here = self.agents(states)
        children = [self._push(states, here, arrays.as_moves(m, states)) for m in range(4)]
        return arrays.namespace(states).stack(children, 1)

    def _push(self, states: Array, here: Array, moves: Array) -> Array:
        xp = arrays.namespace(states)
        neighbours, rows = self.neighbours.on(states), arrays.row_numbers(states)
        ahead = neighbours[here, moves]
        behind = neighbours[ahead, moves]
        at_here, at_ahead, at_behind = (
            arrays.indices(states[rows, cell]) for cell in (here, ahead, behind)
        )
        pushes = is_box(at_ahead) & is_free(at_behind)
        goes = is_free(at_ahead) | pushes
        with_box, with_agent, left = (t.on(states) for t in (_WITH_BOX, _WITH_AGENT, LEFT))
        out = arrays.copy(states)
        # Nearest last: at the border of an open board a cell is its own neighbour.
        out[rows, behind] = xp.where(pushes, with_box[at_behind], states[rows, behind])
        out[rows, ahead] = xp.where(goes, with_agent[at_ahead], states[rows, ahead])
        out[rows, here] = xp.where(goes, left[at_here], states[rows, here])
        return out

    def agents(self, states: Array) -> Array:
        """`[B]`: the cell of the agent."""
        found = states >= AGENT
        return (found.int() if arrays.is_torch(states) else found).argmax(1)

    def legal(self, states: Array) -> Array:
        neighbours = self.neighbours.on(states)
        ahead = neighbours[self.agents(states)]
        behind = neighbours[ahead, _MOVES.on(states)]
        at_ahead, at_behind = arrays.gather(states, ahead), arrays.gather(states, behind)
        return is_free(at_ahead) | (is_box(at_ahead) & is_free(at_behind))

    def is_solved(self, states: Array) -> Array:
        if self.box_places is not None:
            return (is_box(states) == self.box_places.on(states)).all(1)
        return ~(states == BOX).any(1) & (states == BOX_ON_TARGET).any(1)

    # --- backward moves

    @property
    def retreats(self) -> NDArray[np.intp]:
        return np.array([1, 0, 3, 2, -1, -1, -1, -1])

    def step_back(self, states: Array, back_moves: Array | int) -> Array:
        xp = arrays.namespace(states)
        back = arrays.as_moves(back_moves, states)
        moves, pulls = back % 4, back >= 4
        neighbours, rows = self.neighbours.on(states), arrays.row_numbers(states)
        here = self.agents(states)
        ahead = neighbours[here, moves]
        behind = neighbours[here, _OPPOSITE.on(states)[moves]]
        at_here, at_ahead, at_behind = (
            arrays.indices(states[rows, cell]) for cell in (here, ahead, behind)
        )
        goes = is_free(at_behind) & (is_box(at_ahead) | ~pulls)
        pulls = pulls & goes
        with_box, with_agent, left = (t.on(states) for t in (_WITH_BOX, _WITH_AGENT, LEFT))
        out = arrays.copy(states)
        out[rows, ahead] = xp.where(pulls, left[at_ahead], states[rows, ahead])
        vacated = xp.where(pulls, with_box[at_here], left[at_here])
        out[rows, here] = xp.where(goes, vacated, states[rows, here])
        out[rows, behind] = xp.where(goes, with_agent[at_behind], states[rows, behind])
        return out

    def legal_back(self, states: Array) -> Array:
        ahead = self.neighbours.on(states)[self.agents(states)]
        around = arrays.gather(states, ahead)
        steps = is_free(around)[:, _OPPOSITE.on(states)]
        return arrays.namespace(states).concatenate([steps, steps & is_box(around)], 1)

    def rules(self) -> list[NDArray[Any]]:
        """The board and, after `with_goal`, the boxes' places; levels come and go."""
        places = [] if self.box_places is None else [self.box_places.numpy]
        return [self.neighbours.numpy, *places]

    # --- levels and goals

    def with_levels(self, levels: NDArray[Any]) -> Self:
        """The same board with walks from other rooms: `[L, cells]` or `[L, rows, columns]`."""
        return self._with(self._checked(levels), None)

    def with_goal(self, state: NDArray[Any]) -> Self:
        """Solved is a board whose boxes stand just where they stand in `state`.

        Targets then only decorate, the agent may be anywhere, and walks start from this room alone.
        """
        any_room = self._with(self._rooms(1), None)  # not only that of an earlier `with_goal`
        any_room.require_valid(state)
        row = np.asarray(state, dtype=self.dtype)
        return self._with(row[None], Table(is_box(row)))

    def _with(self, levels: NDArray[Any], box_places: Table | None) -> Self:
        other = copy.copy(self)
        other.__dict__.pop("_arrangements", None)
        other.levels, other.box_places = levels, box_places
        other.goals_table = Table(other.goals_for(levels[0]))
        return other

    def _checked(self, levels: NDArray[Any]) -> NDArray[Any]:
        from homeward.puzzles.sokoban_check import checked_levels

        return checked_levels(self, levels)

    def _rooms(self, count: int) -> NDArray[Any]:
        """`[L, cells]`: the levels, or the first `count` rooms of the pool where there are none."""
        if self.levels is not None:
            return self.levels
        from homeward.puzzles.rooms import generate

        return generate(count, np.random.default_rng(0), self.rows, self.columns)

    def goals_for(self, state: NDArray[Any]) -> NDArray[Any]:
        """`[G, cells]`: the solved boards of the room of `state`, one for each agent's place."""
        homes, places = self._solved(np.asarray(state, dtype=self.dtype)[None])
        cells = np.flatnonzero(places[0])
        boards = np.repeat(homes, len(cells), axis=0)
        boards[np.arange(len(cells)), cells] = _WITH_AGENT.numpy[homes[0, cells]]
        return boards

    def _solved(self, levels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """`[L, cells]` twice: the boxes at home without the agent, and where it may stand."""
        plan = LEFT.numpy[levels]
        home = plan == TARGET if self.box_places is None else self.box_places.numpy[None]
        boards = np.where(home, _WITH_BOX.numpy[plan], plan)
        return boards, self.reachable(levels) & is_free(boards)

    @cached_property
    def _arrangements(self) -> tuple[Table, Table]:
        """What `goal_states` draws from: solved boards without agent, and its places."""
        boards, places = self._solved(self._rooms(self.pool))
        # From a cell shut in by boxes no walk goes on: stand there only if there is no other.
        onward = places & places[:, self.neighbours.numpy].any(2)
        return Table(boards), Table(np.where(onward.any(1, keepdims=True), onward, places))

    def goal_states(self, n: int, rng: Rng) -> Array:
        """`[n, cells]`: boxes home in levels drawn at random, the agent on any free cell."""
        boards, places = (table.on(rng) for table in self._arrangements)
        drawn = arrays.random_integers(len(boards), (n,), rng)
        states = boards[drawn]
        score = arrays.random_uniforms((n, self.cells), rng) + 1
        agents = (score * places[drawn]).argmax(1)
        rows = arrays.row_numbers(states)
        states[rows, agents] = _WITH_AGENT.on(rng)[arrays.indices(states[rows, agents])]
        return states

    def levels_at_random(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        """`[n, cells]`: start boards drawn from the levels, or new solvable rooms without them.

        They are not uniform over any known set, which is why `random_states` stays unknown.
        """
        if self.levels is not None:
            boards: NDArray[Any] = self.levels[rng.integers(len(self.levels), size=n)]
            return boards
        from homeward.puzzles.rooms import generate

        return generate(n, rng, self.rows, self.columns)

    def start_states(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return self.levels_at_random(n, rng)

    # --- what can be wrong

    def problems(self, state: NDArray[Any]) -> list[Problem]:
        found = super().problems(state)
        if found:
            return found
        from homeward.puzzles.sokoban_check import board_problems

        return board_problems(self, np.asarray(state))

    def reachable(self, boards: NDArray[Any]) -> NDArray[np.bool_]:
        """`[B, cells]`: what walls alone do not keep the agent from."""
        shape = (len(boards), self.rows, self.columns)
        agents = (boards == AGENT) | (boards == AGENT_ON_TARGET)
        reached = flooded((boards != WALL).reshape(shape), agents.reshape(shape))
        return reached.reshape(len(boards), self.cells)

    @cached_property
    def border(self) -> NDArray[np.bool_]:
        """`[cells]`: the cells of the outermost ring."""
        rows, columns = np.divmod(np.arange(self.cells), self.columns)
        edge: NDArray[np.bool_] = (
            (rows == 0) | (rows == self.rows - 1) | (columns == 0) | (columns == self.columns - 1)
        )
        return edge


def is_box(codes: Array) -> Array:
    """Where a box stands, on a target or off."""
    return (codes == BOX) | (codes == BOX_ON_TARGET)


def is_free(codes: Array) -> Array:
    """Where the agent or a box may go."""
    return (codes == FLOOR) | (codes == TARGET)


def _neighbours(rows: int, columns: int) -> NDArray[np.int64]:
    """`[cells, 4]`: the cell in each direction.

    At the border a cell is its own neighbour: it is never free for what stands on it, so nothing
    leaves the board or comes back on the other side.
    """
    row, column = np.divmod(np.arange(rows * columns), columns)
    return np.stack(
        [
            np.clip(row + down, 0, rows - 1) * columns + np.clip(column + right, 0, columns - 1)
            for down, right in _DIRECTIONS
        ],
        1,
    )


def flooded(passable: NDArray[np.bool_], seeds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`[B, rows, columns]`: the passable cells that a walk from a seed can reach.

    >>> row = np.array([[[1, 1, 0, 1]]], dtype=bool)
    >>> flooded(row, np.array([[[1, 0, 0, 0]]], dtype=bool)).astype(int)
    array([[[1, 1, 0, 0]]])
    """
    reached = seeds & passable
    while True:
        wider = reached.copy()
        wider[:, 1:] |= reached[:, :-1]
        wider[:, :-1] |= reached[:, 1:]
        wider[:, :, 1:] |= reached[:, :, :-1]
        wider[:, :, :-1] |= reached[:, :, 1:]
        wider &= passable
        if np.array_equal(wider, reached):
            return reached
        reached = wider
