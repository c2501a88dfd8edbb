"""`check_puzzle` finds what is wrong with a puzzle and says so."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from homeward.puzzles import PermutationPuzzle, Problem, Puzzle, Status, puzzle
from homeward.puzzles.check import Check, check_puzzle
from homeward.puzzles.files import read_toml
from homeward.puzzles.sliding import Sliding
from homeward.puzzles.symmetry import Symmetry

TABLE = read_toml('[moves]\nL = "(0 1 2 3)"\nR = "(3 4 5)"').table.numpy
NAMES = ("L", "L'", "R", "R'")


class Rings(PermutationPuzzle):
    """A sound puzzle for others to break."""

    def __init__(self) -> None:
        super().__init__("rings", NAMES, TABLE, np.arange(6)[None])


def failures(broken: Puzzle) -> dict[str, str]:
    report = check_puzzle(broken)
    assert report.passed is (report.failed == ())
    return {check.name: check.sentence for check in report.failed}


def test_a_sound_puzzle_passes() -> None:
    report = check_puzzle(Rings())
    assert report.passed
    assert sum(report.counts) == 720
    assert report.complete
    assert [check.name for check in report.checks] == [
        *("shapes", "names", "goal", "steps", "inverses", "backward", "walks", "new goal"),
        *("symmetry", "random", "torch", "counts"),
    ]
    assert report.checks[9] == Check(
        "random", "passed", "random states are equally likely, all 720 of them"
    )
    assert str(report).startswith("✓  shapes    6 cells of 6 symbols, 4 moves, 1 goal\n")


def test_the_seed_decides() -> None:
    assert check_puzzle(Rings(), seed=5) == check_puzzle(Rings(), seed=5)


def test_moves_without_inverses_are_no_mistake() -> None:
    report = check_puzzle(puzzle("sokoban"))
    assert report.passed
    skipped = {c.name: c.sentence for c in report.checks if c.outcome == "skipped"}
    assert skipped == {
        "inverses": "moves have no inverses",
        "random": "the reachable set is not known",
    }
    assert "\n-  inverses  moves have no inverses\n" in str(report)


class Stuck(Sliding):
    """Says that nothing leads to the goal."""

    def __init__(self) -> None:
        super().__init__(2, 3)

    def legal_back(self, states: Any) -> Any:
        return np.zeros((len(states), self.back_moves), dtype=bool)


def test_without_a_way_from_the_goal_there_is_no_other_goal() -> None:
    found = {check.name: check for check in check_puzzle(Stuck()).checks}
    assert found["goal"].sentence == "every state of the walks is solved"
    assert found["walks"].sentence == "no walk leaves the goal"
    assert found["new goal"] == Check(
        "new goal", "skipped", "no walk leads to a state that could be another goal"
    )


def test_torch_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "torch" else find(name)
    )
    report = check_puzzle(Rings())
    assert report.passed
    assert report.checks[10] == Check("torch", "skipped", "torch is not installed")


# --- one mistake at a time


class WrongKind(Rings):
    def step(self, states: Any, moves: Any) -> Any:
        return super().step(states, moves).astype(np.int64)


class WrongShape(Rings):
    def is_solved(self, states: Any) -> Any:
        return super().is_solved(states)[:, None]


class SameNames(Rings):
    def __init__(self) -> None:
        super().__init__()
        self.move_names = ("L", "L'", "R", "R")


class SpacedNames(Rings):
    def __init__(self) -> None:
        super().__init__()
        self.move_names = ("L", "L '", "R", "R'")


class UnsolvedGoal(Rings):
    def is_solved(self, states: Any) -> Any:
        return super().is_solved(states) & (states[:, 0] != 0)


class Complaining(Rings):
    def problems(self, state: Any) -> list[Problem]:
        return [Problem(Status.UNREACHABLE, "too ugly")]


class Credulous(Rings):
    def problems(self, state: Any) -> list[Problem]:
        return []


class OtherChildren(Rings):
    def expand(self, states: Any) -> Any:
        return super().expand(states)[:, [0, 1, 3, 2]]


class OneForAll(Rings):
    def step(self, states: Any, moves: Any) -> Any:
        return super().step(states, int(moves[0]) ^ 1 if np.size(moves) > 1 else moves)


class Overwriting(Rings):
    def step(self, states: Any, moves: Any) -> Any:
        after = super().step(states, moves)
        states[:] = after
        return after


class SecretlyIllegal(Rings):
    def legal(self, states: Any) -> Any:
        return super().legal(states) & (states[:, :1] == 0)


class Idle(Rings):
    def __init__(self) -> None:
        super().__init__()
        self.goals_table = type(self.goals_table)(np.array([[0, 0, 0, 0, 1, 2]], dtype=np.uint8))
        table = np.vstack([TABLE[2:], TABLE[:2]])
        table[:2] = np.arange(6)
        table[0, :2] = table[1, :2] = [1, 0]
        self.table = type(self.table)(table)


class NoUndo(Rings):
    def __init__(self) -> None:
        super().__init__()
        self.inverses = np.array([0, 1, 2, 3])
        self._prepare()


class OneWay(Rings):
    def __init__(self) -> None:
        super().__init__()
        self.inverses = np.array([1, 2, 3, 0])
        self._prepare()


class WrongBack(Rings):
    def step_back(self, states: Any, back_moves: Any) -> Any:
        return self.step(states, back_moves)


class Forgetful(Rings):
    """Knows no way back through R."""

    def legal_back(self, states: Any) -> Any:
        legal = super().legal_back(states)
        legal[:, 2] = False
        return legal


class Restless(Rings):
    """Walks that may take a move back at once."""

    def _pick_back(self, states: Any, forbidden: Any, rng: Any) -> Any:
        return super()._pick_back(states, None, rng)


class Careless(Rings):
    """Says that the order of moves does not matter."""

    @property
    def commuting(self) -> Any:
        return np.ones((self.moves, self.moves), dtype=bool)


class Lost(Rings):
    """Walks from a state that is no goal."""

    def goal_states(self, n: int, rng: Any) -> Any:
        return self.step(super().goal_states(n, rng), 0)


class Stubborn(Rings):
    def with_goal(self, state: Any) -> Any:
        return self


class Lopsided(Rings):
    def random_states(self, n: int, rng: np.random.Generator) -> Any:
        states = super().random_states(n, rng)
        states[: n // 4] = self.goal
        return states


class Mirrored(Rings):
    def symmetries(self) -> list[Symmetry]:
        cells = np.array([1, 0, 2, 3, 4, 5])
        return [Symmetry(cells, cells.astype(np.uint8), np.arange(4))]


class OnlyNumPy(Rings):
    def step(self, states: Any, moves: Any) -> Any:
        return np.asarray(super().step(states, moves))


class OtherOnTorch(Rings):
    def legal(self, states: Any) -> Any:
        legal = super().legal(states)
        return legal if isinstance(states, np.ndarray) else ~legal


class Crashing(Rings):
    def problems(self, state: Any) -> list[Problem]:
        raise ZeroDivisionError("oh")


class Slippery(Sliding):
    """A tile that slides where there is no room."""

    def __init__(self) -> None:
        super().__init__(2, 3)

    def legal(self, states: Any) -> Any:
        legal = super().legal(states)
        legal[:, 0] |= True
        return legal


class Leaping(Sliding):
    """Illegal moves that move."""

    def __init__(self) -> None:
        super().__init__(2, 3)

    def step(self, states: Any, moves: Any) -> Any:
        after = super().step(states, moves)
        stuck = (after == states).all(1)
        after[stuck] = after[stuck][:, ::-1]
        return after


@pytest.mark.parametrize(
    ("broken", "name", "sentence"),
    [
        (
            WrongKind,
            "shapes",
            "step of 204 states gives int64 [204, 6] and should give uint8 [204, 6]",
        ),
        (
            WrongShape,
            "shapes",
            "is_solved of 204 states gives bool [204, 1] and should give bool [204]",
        ),
        (SameNames, "names", "two moves are called R"),
        (SpacedNames, "names", 'the name "L \'" holds a space'),
        (UnsolvedGoal, "goal", "is_solved says no to a goal"),
        (Complaining, "goal", "problems says of the goal: too ugly"),
        (Credulous, "goal", "problems has nothing to say about 7 numbers"),
        (OtherChildren, "steps", "expand and step differ for R"),
        (OneForAll, "steps", "L for all rows and one by one differ"),
        (SecretlyIllegal, "steps", "a move is illegal although always_legal is True"),
        (Idle, "steps", "L changes none of 204 states"),
        (NoUndo, "inverses", "L, then L, does not lead back"),
        (OneWay, "inverses", "L' undoes L, but L not L'"),
        (
            WrongBack,
            "backward",
            "backward move 0, which takes back L, does not take it back",
        ),
        (Forgetful, "backward", "no backward move takes R back somewhere"),
        (Careless, "inverses", "the order of L and R matters, though they commute"),
        (Restless, "walks", "a walk takes back its last move at once"),
        (Lost, "walks", "a walk does not start at a goal"),
        (Stubborn, "new goal", "with_goal(s) does not take s for solved"),
        (Mirrored, "symmetry", "symmetry 0 does not carry over move L"),
        (Lopsided, "random", "random states are not equally likely"),
        (OnlyNumPy, "torch", "step of tensors does not give a tensor"),
        (OtherOnTorch, "torch", "legal differs between NumPy and torch"),
        (Crashing, "goal", "the puzzle raised ZeroDivisionError: oh"),
        (Slippery, "steps", "U is legal where it changes nothing"),
        (Leaping, "steps", "U changes a state where it is illegal"),
    ],
)
def test_broken_puzzles(broken: type[Puzzle], name: str, sentence: str) -> None:
    found = failures(broken())
    assert found[name] == sentence


def test_moves_that_write_into_their_states_are_found() -> None:
    assert "steps" in failures(Overwriting())


def test_after_wrong_shapes_nothing_else_is_tried() -> None:
    report = check_puzzle(WrongShape())
    assert [c.outcome for c in report.checks] == ["failed"] + ["skipped"] * 11
    assert report.checks[1].sentence == "not tried, since the shapes are wrong"
    assert (report.counts, report.complete) == ((), False)
    assert "\n-  names     not tried, since the shapes are wrong\n" in str(report)


def test_only_the_mistake_is_reported() -> None:
    assert set(failures(SameNames())) == {"names"}
    assert set(failures(OtherChildren())) == {"steps"}
    assert set(failures(Restless())) == {"walks"}
    assert set(failures(Lopsided())) == {"random"}
    assert set(failures(Mirrored())) == {"symmetry"}
