"""The contract of a puzzle, for authors of new ones: `print(check_puzzle(puzzle))`."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.base import Puzzle, Walks
from homeward.puzzles.nearby import layers

_WALKS, _DEPTH = 48, 16
_PAIRS = 500
"""Pairs of moves that are tried in both orders: Lights Out has thousands."""
_OPENED = 100_000
"""Children made at one depth when states are counted: enough to know a puzzle by, and quick."""
_PER_STATE = 20
"""Random states drawn for each state of a small graph, to see whether all are equally likely."""
_SMALL = 10_000


@dataclass(frozen=True)
class Check:
    """One check: its name, how it went, and a sentence that says so."""

    name: str
    outcome: Literal["passed", "failed", "skipped"]
    sentence: str


@dataclass(frozen=True)
class Report:
    """What `check_puzzle` found; `print` it, or ask whether it `passed`.

    `counts` are the states by distance from the goal, as far as they were counted; `complete` says
    whether those are all there are.
    """

    puzzle: str
    checks: tuple[Check, ...]
    counts: tuple[int, ...]
    complete: bool

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.outcome == "failed")

    def __str__(self) -> str:
        marks = {"passed": "✓", "failed": "✗", "skipped": "-"}
        return "\n".join(f"{marks[c.outcome]}  {c.name:<8}  {c.sentence}" for c in self.checks)


class _Broken(Exception):  # noqa: N818 - says what is wrong with a puzzle, never leaves this file
    """A check that failed, with the sentence to report."""


class _Skipped(Exception):  # noqa: N818 - likewise
    """A check that does not apply, with the reason."""


def check_puzzle(puzzle: Puzzle, seed: int = 0) -> Report:
    """Runs every check on a puzzle; the same seed gives the same report.

    >>> from homeward.puzzles import puzzle
    >>> report = check_puzzle(puzzle("sliding-2x2"))
    >>> report.passed, report.counts, report.complete
    (True, (1, 2, 2, 2, 2, 2, 1), True)
    """
    case = _Case(puzzle, seed)
    checks: list[Check] = []
    for name, check in _CHECKS.items():
        if checks and checks[0].outcome == "failed":
            checks.append(Check(name, "skipped", "not tried, since the shapes are wrong"))
            continue
        try:
            checks.append(Check(name, "passed", check(case)))
        except _Broken as broken:
            checks.append(Check(name, "failed", str(broken)))
        except _Skipped as skipped:
            checks.append(Check(name, "skipped", str(skipped)))
        except Exception as error:  # a puzzle's own code may raise anything
            text = f"the puzzle raised {type(error).__name__}: {error}"
            checks.append(Check(name, "failed", text))
    counted = "counts" in vars(case)
    counts, complete = case.counts if counted else ((), False)
    return Report(puzzle.name, tuple(checks), counts, complete)


class _Case:
    """A puzzle under test with states to try things on."""

    def __init__(self, puzzle: Puzzle, seed: int) -> None:
        self.puzzle, self.seed = puzzle, seed

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @cached_property
    def walks(self) -> Walks:
        return self.puzzle.walks(_WALKS, _DEPTH, self.rng)

    @cached_property
    def states(self) -> NDArray[Any]:
        """`[B, cells]`: goals and states up to some moves from them."""
        rows: NDArray[Any] = self.walks.states[:, ::4].reshape(-1, self.puzzle.cells)
        return rows

    @cached_property
    def graph(self) -> tuple[list[NDArray[Any]], bool]:
        found = list(layers(self.puzzle, _OPENED))
        return found, len(found[-1]) * self.puzzle.back_moves <= _OPENED

    @cached_property
    def counts(self) -> tuple[tuple[int, ...], bool]:
        found, complete = self.graph
        return tuple(len(layer) for layer in found), complete

    def name(self, move: int) -> str:
        return self.puzzle.move_names[move]


def _require(fine: object, sentence: str) -> None:
    if not fine:
        raise _Broken(sentence)


# --- the checks, in the order in which they are reported


def _shapes(case: _Case) -> str:
    p = case.puzzle
    _require(p.moves > 0, "there are no moves")
    shape = (len(p.goals), p.cells)
    _require(p.goals.shape == shape and len(p.goals) > 0, f"goals have shape {p.goals.shape}")
    _require(p.goals.dtype == p.dtype, f"goals are {p.goals.dtype} and should be {p.dtype}")
    _require(p.goals.max() < p.symbols, f"the goal holds {p.goals.max()}, not below {p.symbols}")
    _require(p.inverses.shape == (p.moves,), f"inverses have shape {p.inverses.shape}")
    _require(len(p.undoes) > 0, "there are no backward moves")
    _require(((p.undoes >= 0) & (p.undoes < p.moves)).all(), "undoes holds a number of no move")
    _require(((p.inverses >= -1) & (p.inverses < p.moves)).all(), "inverses holds no move's number")
    for states in (case.states, case.states[:1], case.states[:0]):
        for what, found, tail, dtype in (
            ("step", p.step(states, 0), [p.cells], p.dtype),
            ("expand", p.expand(states), [p.moves, p.cells], p.dtype),
            ("legal", p.legal(states), [p.moves], np.dtype(bool)),
            ("is_solved", p.is_solved(states), [], np.dtype(bool)),
            ("step_back", p.step_back(states, 0), [p.cells], p.dtype),
            ("legal_back", p.legal_back(states), [p.back_moves], np.dtype(bool)),
        ):
            is_, should = (found.dtype, list(found.shape)), (dtype, [len(states), *tail])
            text = f"{is_[0]} {is_[1]} and should give {should[0]} {should[1]}"
            _require(is_ == should, f"{what} of {len(states)} states gives {text}")
    goals = f"{len(p.goals)} goal" + "s" * (len(p.goals) > 1)
    return f"{p.cells} cells of {p.symbols} symbols, {p.moves} moves, {goals}"


def _names(case: _Case) -> str:
    p = case.puzzle
    for move, name in enumerate(p.move_names):
        _require(name != "", f"move {move} has no name")
        _require(not any(c.isspace() for c in name), f"the name {name!r} holds a space")
        _require(p.move_names.count(name) == 1, f"two moves are called {name}")
    return f"{' '.join(p.move_names[:8])}{' …' * (p.moves > 8)}"


def _goal(case: _Case) -> str:
    p = case.puzzle
    some = p.goals[:24]
    _require(p.is_solved(some).all(), "is_solved says no to a goal")
    for goal in some:
        for problem in p.problems(goal):
            raise _Broken(f"problems says of the goal: {problem.sentence}")
    strange = np.full(p.cells + 1, 0, dtype=p.dtype)
    _require(p.problems(strange), f"problems has nothing to say about {p.cells + 1} numbers")
    others = case.states[~p.is_solved(case.states)]
    _require(len(others), "every state of the walks is solved")
    return "solved, and nothing is wrong with it"


def _steps(case: _Case) -> str:
    p, states = case.puzzle, case.states
    before = states.copy()
    children, legal = p.expand(states), p.legal(states)
    _require(not p.always_legal or legal.all(), "a move is illegal although always_legal is True")
    for move in range(p.moves):
        after = p.step(states, move)
        name = case.name(move)
        each = p.step(states, np.full(len(states), move))
        _require(np.array_equal(after, each), f"{name} for all rows and one by one differ")
        _require(np.array_equal(after, children[:, move]), f"expand and step differ for {name}")
        changed = (after != states).any(1)
        _require(not changed[~legal[:, move]].any(), f"{name} changes a state where it is illegal")
        if not p.always_legal:
            _require(changed[legal[:, move]].all(), f"{name} is legal where it changes nothing")
        _require(changed.any(), f"{name} changes none of {len(states)} states")
    _require(np.array_equal(before, states), "a move writes into the states it is given")
    return f"step, expand and legal agree on {len(states)} states"


def _inverses(case: _Case) -> str:
    p, states = case.puzzle, case.states
    if (p.inverses < 0).all():
        raise _Skipped("moves have no inverses")
    legal = p.legal(states)
    for move, inverse in enumerate(p.inverses.tolist()):
        if inverse < 0:
            continue
        name, undo = case.name(move), case.name(inverse)
        _require(p.inverses[inverse] == move, f"{undo} undoes {name}, but {name} not {undo}")
        tried = states[legal[:, move]]
        after = p.step(tried, move)
        _require(p.legal(after)[:, inverse].all(), f"{undo} is illegal after {name}")
        back = p.step(after, inverse)
        _require(np.array_equal(back, tried), f"{name}, then {undo}, does not lead back")
    commuting = p.commuting
    for one, other in np.argwhere(commuting)[:_PAIRS].tolist():
        either = p.step(p.step(states, one), other), p.step(p.step(states, other), one)
        both = f"{case.name(one)} and {case.name(other)}"
        _require(np.array_equal(*either), f"the order of {both} matters, though they commute")
    _require(p.reversible or not commuting.any(), "moves commute that cannot be undone")
    return "each move is undone by its inverse"


def _backward(case: _Case) -> str:
    """Backward moves lead to states from which forward moves lead here, and to all of them."""
    p, states = case.puzzle, case.states
    legal_back = p.legal_back(states)
    for back, move in enumerate(p.undoes.tolist()):
        here = states[legal_back[:, back]]
        there = p.step_back(here, back)
        name = f"backward move {back}, which takes back {case.name(move)},"
        _require(p.legal(there)[:, move].all(), f"{name} leads where that is illegal")
        _require(np.array_equal(p.step(there, move), here), f"{name} does not take it back")
    legal = p.legal(states)
    for move in range(p.moves):
        before = states[legal[:, move]]
        after = p.step(before, move)
        possible, found = p.legal_back(after), np.zeros(len(after), dtype=bool)
        for back in np.flatnonzero(p.undoes == move).tolist():
            same = (p.step_back(after, back) == before).all(1)
            found |= same & possible[:, back]
        _require(found.all(), f"no backward move takes {case.name(move)} back somewhere")
    return f"{p.back_moves} backward moves take back the {p.moves} moves"


def _walks(case: _Case) -> str:
    p, walks = case.puzzle, case.walks
    _require_home(p, walks, np)
    _require((walks.moves >= 0).any(), "no walk leaves the goal")
    for state in walks.states[-1]:
        for problem in p.problems(state):
            raise _Broken(f"problems says of a state on a walk: {problem.sentence}")
    forbidden = np.zeros((_WALKS, p.back_moves), dtype=bool)
    for here, there, move in zip(walks.states, walks.states[1:], walks.moves, strict=False):
        # The backward moves that may have been taken, and what would take each back.
        taken = p.legal_back(here) & (p.undoes == move[:, None])
        for back in range(p.back_moves):
            taken[:, back] &= (p.step_back(here, back) == there).all(1)
        choice = (p.legal_back(here) & ~forbidden).any(1)
        undone = (taken & forbidden).any(1) & ~(taken & ~forbidden).any(1)
        _require(not (choice & undone).any(), "a walk takes back its last move at once")
        forbidden = np.zeros_like(forbidden)
        for back, retreat in enumerate(p.retreats.tolist()):
            if retreat >= 0:
                only = taken[:, back] & (taken.sum(1) == 1)
                forbidden[only, retreat] = True
    return f"{_WALKS} walks of {_DEPTH} moves lead home"


def _require_home(p: Puzzle, walks: Walks, xp: Any) -> None:
    """Replays walks move by move, with NumPy or torch."""
    _require(p.is_solved(walks.states[0]).all(), "a walk does not start at a goal")
    for i in range(len(walks.moves)):
        nearer, farther, moves = walks.states[i], walks.states[i + 1], walks.moves[i]
        stood = moves < 0
        after = p.step(farther, xp.where(stood, 0, moves))
        right = (xp.where(stood[:, None], farther, after) == nearer).all(1)
        _require(right.all(), f"move {i + 1} of a walk does not lead to the state before it")


def _new_goal(case: _Case) -> str:
    p = case.puzzle
    away = case.states[~p.is_solved(case.states)]
    if not len(away):
        raise _Skipped("no walk leads to a state that could be another goal")
    other = p.with_goal(away[-1])
    _require(other.is_solved(away[-1:]).all(), "with_goal(s) does not take s for solved")
    _require(not p.is_solved(away[-1:]).any(), "with_goal changes the puzzle it is called on")
    _require(not other.problems(away[-1]), "with_goal(s) finds a problem with s")
    _require_home(other, other.walks(_WALKS, 4, case.rng), np)
    return "with_goal gives the same moves another goal"


def _symmetries(case: _Case) -> str:
    p, states = case.puzzle, case.states
    symmetries = p.symmetries()
    for number, symmetry in enumerate(symmetries):
        images = symmetry.image(states)
        same = p.is_solved(images) == p.is_solved(states)
        _require(same.all(), f"symmetry {number} takes a goal elsewhere")
        for move, name in enumerate(p.move_names):
            here = symmetry.image(p.step(states, int(symmetry.moves[move])))
            _require(
                np.array_equal(p.step(images, move), here),
                f"symmetry {number} does not carry over move {name}",
            )
    return f"{len(symmetries)} hold" if len(symmetries) > 1 else "none but the identity"


def _random(case: _Case) -> str:
    p = case.puzzle
    if not p.uniform:
        raise _Skipped("the reachable set is not known")
    for state in p.random_states(16, case.rng):
        for problem in p.problems(state):
            raise _Broken(f"problems says of a random state: {problem.sentence}")
    graph, complete = case.graph
    if not complete or sum(len(layer) for layer in graph) > _SMALL:
        return "random states are valid"
    rows, where = np.unique(np.concatenate(graph), axis=0, return_inverse=True)
    drawn = p.random_states(_PER_STATE * len(rows), case.rng)
    both, number = np.unique(np.concatenate([rows, drawn]), axis=0, return_inverse=True)
    _require(len(both) == len(rows), "a random state cannot be reached from the goal")
    seen = np.bincount(number.reshape(-1)[len(where) :], minlength=len(rows))
    # Chi-squared has mean n - 1 and variance 2(n - 1): six deviations are no accident.
    freedom = len(rows) - 1
    excess = float(((seen - _PER_STATE) ** 2).sum() / _PER_STATE - freedom)
    _require(abs(excess) <= 6 * (2 * freedom) ** 0.5, "random states are not equally likely")
    return f"random states are equally likely, all {len(rows)} of them"


def _torch(case: _Case) -> str:
    p, states = case.puzzle, case.states
    if importlib.util.find_spec("torch") is None:
        raise _Skipped("torch is not installed")
    torch = importlib.import_module("torch")
    tensors = torch.as_tensor(states.copy())
    moves = case.rng.integers(p.moves, size=len(states))
    back = case.rng.integers(p.back_moves, size=len(states))
    for what, ours, theirs in (
        ("step", p.step(states, moves), p.step(tensors, torch.as_tensor(moves))),
        ("expand", p.expand(states), p.expand(tensors)),
        ("legal", p.legal(states), p.legal(tensors)),
        ("is_solved", p.is_solved(states), p.is_solved(tensors)),
        ("step_back", p.step_back(states, back), p.step_back(tensors, torch.as_tensor(back))),
        ("legal_back", p.legal_back(states), p.legal_back(tensors)),
    ):
        _require(torch.is_tensor(theirs), f"{what} of tensors does not give a tensor")
        agree = theirs.dtype == torch.as_tensor(ours).dtype and np.array_equal(ours, theirs.numpy())
        _require(agree, f"{what} differs between NumPy and torch")
    generator = torch.Generator().manual_seed(case.seed)
    _require_home(p, p.walks(_WALKS, _DEPTH, generator), torch)
    return "NumPy and torch agree"


def _counts(case: _Case) -> str:
    counts, complete = case.counts
    listed = ", ".join(str(n) for n in counts)
    if complete:
        return f"{sum(counts)} states lead to the goal; by distance: {listed}"
    return f"states by distance to the goal: {listed}, …"


_CHECKS: dict[str, Callable[[_Case], str]] = {
    "shapes": _shapes,
    "names": _names,
    "goal": _goal,
    "steps": _steps,
    "inverses": _inverses,
    "backward": _backward,
    "walks": _walks,
    "new goal": _new_goal,
    "symmetry": _symmetries,
    "random": _random,
    "torch": _torch,
    "counts": _counts,
}
