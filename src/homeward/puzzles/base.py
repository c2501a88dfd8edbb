"""What every puzzle is: a row of small integers, moves, a goal, and walks back from it."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import arrays
from homeward.puzzles.arrays import Array, Rng, Table
from homeward.puzzles.status import Problem, PuzzleError, Status
from homeward.puzzles.symmetry import Symmetry, identity


@dataclass(frozen=True)
class Walks:
    """Random walks back from the goal, every step kept.

    `states` is `[depth + 1, n, cells]` and `states[0]` are goals. `moves` is `[depth, n]`:
    `moves[i]` is the forward move that leads from `states[i + 1]` home to `states[i]`
    (-1 where a walk could not go on and stood still).
    """

    states: Array
    moves: Array


class Step(NamedTuple):
    """Where walks back from the goal have come to."""

    states: Array
    """`[n, cells]`."""
    moves: Array | None
    """`[n]`: the moves that lead one step back, -1 where a walk was stuck; None at first."""
    homeward: Array
    """`[n, moves]` bool: all moves that do so, in some order of the walk's moves.

    Moves that commute may be made in any order, so each that commutes with all after it may have
    been the last one. In Lights Out these are all that were made.
    """


class Puzzle(ABC):
    """A goal and the moves. States come and go in batches `[B, cells]`.

    Arrays may be NumPy arrays or torch tensors; each method answers with the kind it was given.
    A *backward move* undoes a forward one: `undoes[b]` is the forward move that backward move `b`
    takes back. Where every move has an inverse, backward move `b` undoes move `b`.
    """

    name: str
    """What it is called, such as `cube3`; a file's puzzle as the file says or is called."""
    path: str = ""
    """The file it was read from, empty for those that `puzzle` finds by name."""
    family: str
    """`cube`, `sliding`, `lightsout`, `sokoban` or `permutation`: decides notation and pictures."""
    cells: int
    """Numbers in a state."""
    symbols: int
    """Each number is below this; `cells * symbols` is the width of a net's one-hot input."""
    move_names: tuple[str, ...]
    inverses: NDArray[np.intp]
    """`[moves]`: the move that undoes each move, -1 where there is none."""
    undoes: NDArray[np.intp]
    """`[back_moves]`: the forward move that each backward move takes back."""
    always_legal: bool = True
    """Whether every move is legal in every state."""

    def __init__(
        self, name: str, family: str, symbols: int, move_names: Sequence[str], goals: NDArray[Any]
    ) -> None:
        self.name, self.family, self.symbols = name, family, symbols
        self.move_names = tuple(move_names)
        self.goals_table = Table(np.asarray(goals, dtype=self.dtype).reshape(len(goals), -1))
        self.cells = self.goals_table.numpy.shape[1]

    # --- what a puzzle is made of

    @property
    def dtype(self) -> np.dtype[Any]:
        """uint8, or int16 for the few puzzles with more than 256 symbols."""
        # Not uint16: torch cannot gather it.
        return np.dtype(np.uint8 if self.symbols <= 256 else np.int16)

    @property
    def moves(self) -> int:
        """How many moves there are."""
        return len(self.move_names)

    @property
    def goals(self) -> NDArray[Any]:
        """`[G, cells]`: every state that counts as solved."""
        return self.goals_table.numpy

    @property
    def goal(self) -> NDArray[Any]:
        """`[cells]`: the goal, the first of them where there are several."""
        row: NDArray[Any] = self.goals[0]
        return row

    def goals_for(self, state: NDArray[Any]) -> NDArray[Any]:
        """`[G, cells]`: the goals that `state` could lead to, all of them unless levels differ."""
        return self.goals

    @property
    def reversible(self) -> bool:
        """Whether every move can be undone by a move."""
        return bool((self.inverses >= 0).all())

    @property
    def commuting(self) -> NDArray[np.bool_]:
        """`[moves, moves]`: which moves may be made in either order, wherever they are made.

        None that anybody knows of, unless a puzzle says so; only for puzzles that are reversible
        and whose moves are always legal.
        """
        return np.zeros((self.moves, self.moves), dtype=bool)

    @property
    def mixing(self) -> int:
        """How many random moves from the goal scramble it well."""
        return 30

    @property
    def fixed_parity(self) -> bool:
        """Whether all solutions of a state have even length, or all have odd length."""
        return False

    def with_goal(self, state: NDArray[Any]) -> Self:
        """The same moves with another goal; raises `PuzzleError` if `state` cannot be one."""
        self.require_valid(state)
        other = copy.copy(self)
        other.goals_table = Table(np.asarray(state, dtype=self.dtype).reshape(1, self.cells))
        return other

    # --- moves

    @abstractmethod
    def step(self, states: Array, moves: Array | int) -> Array:
        """`[B, cells]` after `moves` (`[B]`, or one for all). An illegal move changes nothing."""

    def legal(self, states: Array) -> Array:
        """`[B, moves]`: which moves are possible."""
        xp = arrays.namespace(states)
        shape = (len(states), self.moves)
        if xp is np:
            return np.ones(shape, dtype=bool)
        return xp.ones(shape, dtype=xp.bool, device=states.device)

    @property
    def recordable(self) -> bool:
        """Whether its rules never wait for a GPU, so that searches and trainings may record them.

        Ours do not; of what others wrote nobody knows.
        """
        mine = type(self)
        rules = (mine.step, mine.legal, mine.undo, mine.is_solved, mine.expand)
        return all(rule.__module__.startswith("homeward.puzzles.") for rule in rules)

    def undo(self, moves: Array) -> Array:
        """`[B]`: the move that undoes each move; only for reversible puzzles."""
        return self._inverse_table.on(moves)[moves]

    def expand(self, states: Array) -> Array:
        """`[B, moves, cells]`: the child by every move."""
        xp = arrays.namespace(states)
        return xp.stack([self.step(states, move) for move in range(self.moves)], 1)

    def is_solved(self, states: Array) -> Array:
        """`[B]`: which states are a goal."""
        goals = self.goals_table.on(states)
        return (states[:, None, :] == goals[None, :, :]).all(-1).any(-1)

    def apply(self, state: NDArray[Any], moves: Sequence[int]) -> NDArray[Any]:
        """`[cells]`: one state after a sequence of moves; an illegal one raises `PuzzleError`."""
        row: NDArray[Any] = np.asarray(state, dtype=self.dtype)[None]
        for number, move in enumerate(moves):
            if not self.always_legal and not self.legal(row)[0, move]:
                name = self.move_names[move]
                raise PuzzleError(f"move {number + 1}, {name}, is not possible there")
            row = self.step(row, move)
        result: NDArray[Any] = row[0]
        return result

    # --- backward moves and walks

    @property
    def back_moves(self) -> int:
        """How many backward moves there are."""
        return len(self.undoes)

    @property
    def retreats(self) -> NDArray[np.intp]:
        """`[back_moves]`: the backward move that would take each one back at once, -1 for none."""
        return self.inverses

    def step_back(self, states: Array, back_moves: Array | int) -> Array:
        """`[B, cells]`: states from which forward move `undoes[b]` leads to `states`."""
        back = arrays.as_moves(back_moves, states)
        return self.step(states, self._inverse_table.on(states)[back])

    def legal_back(self, states: Array) -> Array:
        """`[B, back_moves]`: which backward moves are possible."""
        return self.legal(states)[:, self._inverse_table.on(states)]

    def parents(self, states: NDArray[Any]) -> NDArray[Any]:
        """`[n, cells]`: the states that lead to some of `states` by one move, perhaps repeated."""
        if self.reversible:
            children = self.expand(states)
            if self.always_legal:
                return np.asarray(children).reshape(-1, self.cells)
            return np.asarray(children[self.legal(states)])
        legal = self.legal_back(states)
        found = [self.step_back(states, back)[legal[:, back]] for back in range(self.back_moves)]
        return np.concatenate(found)

    def goal_states(self, n: int, rng: Rng) -> Array:
        """`[n, cells]`: goals drawn at random."""
        goals = self.goals_table.on(rng)
        return goals[arrays.random_integers(len(goals), (n,), rng)]

    def walks(self, n: int, depth: int, rng: Rng) -> Walks:
        """`n` walks of `depth` backward moves from random goals, in which no move is taken back.

        Moves are uniform among those that are possible and do not take back an earlier one, at
        once or by way of moves that commute with it; only where nothing else is left they may.
        With a `torch.Generator` everything happens on its device.
        """
        states = arrays.empty((depth + 1, n, self.cells), self.dtype, rng)
        moves = arrays.empty((depth, n), np.int16, rng)
        for i, step in zip(range(depth + 1), self.walk_on(n, rng), strict=False):
            states[i] = step.states
            if step.moves is not None:
                moves[i - 1] = step.moves
        return Walks(states, moves)

    def walk_on(self, n: int, rng: Rng) -> Iterator[Step]:
        """Where `n` such walks are after 0, 1, 2, … moves, without end."""
        xp = arrays.namespace(rng)
        here = self.goal_states(n, rng)
        homeward = arrays.empty((n, self.moves), np.bool_, rng)
        homeward[:] = False
        yield Step(here, None, homeward)
        undoes, retreats = self._undoes_table.on(rng), self._retreat_table.on(rng)
        numbers, back_numbers = self._move_numbers.on(rng), self._back_numbers.on(rng)
        commuting, forbidden = self._commuting_table, None
        while True:
            back, stuck = self._pick_back(here, forbidden, rng)
            onward, made = self.step_back(here, back), undoes[back]
            if stuck is not None:
                onward = xp.where(stuck[:, None], here, onward)
                made = xp.where(stuck, -1, made)
            here = onward
            before, homeward = homeward, numbers[None, :] == made[:, None]
            forbidden = back_numbers[None, :] == retreats[back][:, None]
            if commuting is not None:
                homeward = homeward | (before & commuting.on(rng)[made])
                wider = homeward[:, self._inverse_table.on(rng)]
                forbidden = xp.where(wider.all(1)[:, None], forbidden, wider)
            yield Step(here, made, homeward)

    def predecessors(self, states: Array, rng: Rng) -> tuple[Array, Array]:
        """`[B, cells]`, `[B]`: for each state a state from which a random forward move leads to it.

        Where no move leads to a state it comes back unchanged, with move -1.
        """
        back, stuck = self._pick_back(states, None, rng)
        before, moves = self.step_back(states, back), self._undoes_table.on(states)[back]
        if stuck is None:
            return before, moves
        xp = arrays.namespace(states)
        return xp.where(stuck[:, None], states, before), xp.where(stuck, -1, moves)

    def _pick_back(self, states: Array, forbidden: Array | None, rng: Rng) -> tuple[Array, Any]:
        """A backward move for each row, and the mask of rows that have none (None: all can).

        Those that are `forbidden` `[n, back_moves]` are taken only where nothing else is left.
        """
        n = len(states)
        if self.always_legal and forbidden is None:
            return arrays.random_integers(self.back_moves, (n,), rng), None
        xp = arrays.namespace(rng)
        score = arrays.random_uniforms((n, self.back_moves), rng) + 1
        if forbidden is not None:
            score = xp.where(forbidden, score - 1, score)
        if self.always_legal:
            return score.argmax(1), None
        legal = self.legal_back(states)
        score = xp.where(legal, score, xp.zeros_like(score) - 1)
        return score.argmax(1), ~legal.any(1)

    # --- the reachable set

    def random_states(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        """`[n, cells]`: every reachable state with equal probability.

        Raises `PuzzleError` for puzzles whose reachable set is not known (`uniform` is False).
        """
        raise PuzzleError(f"{self.name}: uniform random states are not known; scramble instead")

    @property
    def uniform(self) -> bool:
        """Whether `random_states` gives every reachable state equal probability."""
        return type(self).random_states is not Puzzle.random_states

    def start_states(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        """`[n, cells]`: states to be solved: uniform where that is known, else long walks' ends."""
        if self.uniform:
            return self.random_states(n, rng)
        ends: NDArray[Any] = self.walks(n, 1000, rng).states[-1]
        return ends

    def problems(self, state: NDArray[Any]) -> list[Problem]:
        """Everything that keeps one state `[cells]` from reaching the goal; empty if nothing does.

        Subclasses add their own rules to the shape and symbol checks here.
        """
        try:
            row = np.asarray(state)
        except ValueError:  # lists of several lengths
            return [Problem(Status.SHAPE, f"a state of {self.name} is one row of numbers")]
        if row.shape != (self.cells,):
            text = f"a state of {self.name} has {self.cells} numbers, this one has {row.size}"
            return [Problem(Status.SHAPE, text)]
        if row.dtype.kind not in "iub":
            # Not 1.0 either: what computes with floats may as well hold 0.9999999.
            text = f"a state of {self.name} is whole numbers, not {row.dtype}"
            return [Problem(Status.SYMBOL, text)]
        bad = np.flatnonzero((row < 0) | (row >= self.symbols))
        return [
            Problem(
                Status.SYMBOL,
                f"cell {cell} holds {row[cell]}, but symbols go from 0 to {self.symbols - 1}",
                str(cell),
            )
            for cell in bad[:5]
        ]

    def require_valid(self, state: NDArray[Any]) -> None:
        """Raises one `PuzzleError` with every problem of the state, or does nothing."""
        found = self.problems(state)
        if found:
            raise PuzzleError("; ".join(p.sentence for p in found), found)

    def rules(self) -> list[NDArray[Any]]:
        """What moves do and what counts as solved, as numbers that `puzzle_digest` hashes.

        These are the goals, and the children of every state on a fixed walk from the first one.
        """
        here, children = self.goal, []
        for i in range(200):
            children.append(self.step(np.tile(here, (self.moves, 1)), np.arange(self.moves)))
            here = children[-1][int(self.moves * (i * 0.6180339887498949 % 1))]
        return [self.goals, np.stack(children)]

    def symmetries(self) -> list[Symmetry]:
        """Relabellings that leave the puzzle and its goal as they are, the identity first."""
        return [identity(self.cells, self.symbols, self.moves, self.dtype)]

    def turns(self) -> list[Symmetry]:
        """Ways to hold the whole puzzle, the identity first: what changes nothing but cells.

        Where there are several, a state and its images are one to a person, and all count as
        solved together; the piece whose cells `mark` names lies differently in each of them.
        """
        return [identity(self.cells, self.symbols, self.moves, self.dtype)]

    @property
    def mark(self) -> NDArray[np.intp]:
        """The cells of a piece that tells how the puzzle is held; none where that is always so."""
        return np.arange(0)

    # --- tables that the methods above use on any device

    def _prepare(self) -> None:
        """Called by a subclass once `inverses` (and `undoes`, if it has its own) are set."""
        if not hasattr(self, "undoes"):
            self.undoes = np.arange(self.moves)
        self._inverse_table = Table(self.inverses)
        self._undoes_table = Table(self.undoes)
        self._retreat_table = Table(self.retreats)
        self._back_numbers = Table(np.arange(self.back_moves))
        self._move_numbers = Table(np.arange(self.moves))

    @cached_property
    def _commuting_table(self) -> Table | None:
        """`commuting`, which is large where moves are many; None if no two moves do."""
        known = self.commuting
        return Table(known) if (known & ~np.eye(self.moves, dtype=bool)).any() else None

    def __repr__(self) -> str:
        return f"puzzle({self.path or self.name!r})"
