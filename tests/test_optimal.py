"""Proofs that begin with a learned solution: who finds it, how long, and what it is good for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cube_tools import cube, scrambled
from homeward import solvers
from homeward.heuristics import models
from homeward.heuristics.cube.bigtable import BigTable
from homeward.heuristics.tiles.manhattan import Manhattan, steps_home
from homeward.puzzles import PuzzleError, puzzle
from homeward.search.base import (
    Budget,
    Interrupted,
    Meter,
    Outcome,
    Progress,
    Solution,
    replayed,
)
from homeward.search.idastar import IDAStar
from homeward.solvers import optimal
from homeward.solvers.fitness import why_no_net
from homeward.solvers.optimal import Optimal
from net_tools import small_model

SCRAMBLE = "R U2 F' L D B R' F"


@pytest.fixture(scope="module")
def table() -> BigTable:
    """Knows distances up to six; all others count as seven."""
    return BigTable(cube("cube3"), depth=6)


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A net of random weights: its beams find long solutions."""
    small_model(cube("cube3"), tmp_path / "m")
    return str(tmp_path / "m.safetensors")


def run(
    search: Optimal, moves: str, table: BigTable, budget: Budget | None = None
) -> tuple[Solution, list[Progress]]:
    """What was found, and what was told on the way."""
    told: list[Progress] = []

    def tell(progress: Progress) -> None:
        told.append(Progress(**vars(progress)))

    meter, start = Meter(budget or Budget(), tell), scrambled(moves)
    meter._told = -1e9
    return replayed(table.puzzle, start, search(table.puzzle, start, table, meter)), told


def test_who_finds_the_first_solution(model: str) -> None:
    made = cube("cube3")
    own = "twophase" if why_no_net(made) else "beam"
    assert Optimal().start_for(made) == own
    assert Optimal().start_for(cube("cube3-htm")) == "twophase"
    assert Optimal(model=model).start_for(made) == "beam"
    assert Optimal(model=model, start="twophase").start_for(made) == "twophase"
    assert Optimal(start="none").start_for(made) == "none"
    assert [Optimal(start=s).asks_net(made) for s in ("beam", "twophase", "none")] == [
        True,
        False,
        False,
    ]


def test_a_model_that_is_named_is_asked(model: str) -> None:
    net = solvers.Net(model, "cpu")
    prepared = solvers.prepare(cube("cube3"), "optimal", net=net)
    assert (prepared.model, prepared.device) == (model, "cpu")
    assert prepared.search == Optimal(model=model, device="cpu")
    two_phases = solvers.prepare(cube("cube3"), "optimal", {"start": "twophase"}, net=net)
    assert two_phases.model is None
    # Searches that have no such settings are left alone.
    assert solvers.prepare(cube("cube3"), "bidirectional", net=net).model is None


def test_beam_needs_a_model(table: BigTable) -> None:
    made = cube("cube3-htm")
    with pytest.raises(PuzzleError) as caught:
        Optimal(start="beam")(made, made.goal, table, Meter(Budget()))
    assert str(caught.value) == (
        "there is no model for cube3-htm; train one and name it with --model"
    )


def test_a_learned_solution_is_proved_or_beaten(
    model: str, table: BigTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimal, "_AT_ONCE", -1.0)  # looks before the first depth
    monkeypatch.setattr(optimal, "_FIRST", 2.0)
    search = Optimal(model=model, device="cpu")
    found, told = run(search, SCRAMBLE, table)
    assert (found.length, found.lower_bound, found.proof) == (9, 9, "optimal")
    assert any(p.doing == "looking for a short solution with beam" for p in told)
    alone, _ = run(Optimal(start="none"), SCRAMBLE, table)
    assert alone.length == 9
    assert found.evaluated > 1000  # the beam's states count too
    # Whoever is near home is sought in no time, and no net is asked.
    monkeypatch.undo()
    found, told = run(search, SCRAMBLE, table)
    assert (found.length, found.proof, found.generated) == (9, "optimal", alone.generated)
    assert not any("looking" in p.doing for p in told)


def test_depths_that_take_longer_give_the_beam_more_time(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def look(self: optimal._First, solver: object, seconds: float) -> None:
        given.append(round(seconds, 2))
        self.spent += seconds
        self.meter.started -= seconds

    monkeypatch.setattr(optimal._First, "_look", look)
    search = Optimal(model=model, device="cpu", start_seconds=20.0)
    first = optimal._First(search, cube("cube3"), scrambled("R"), Meter(Budget()))
    for seconds in (0.0, 0.09, 0.5, 5.0, 40.0, 400.0, 4000.0):
        assert first(seconds) is None
    assert given == [1.0, 3.0, 16.0]  # a tenth of the depth, and 20 s in all
    given.clear()
    first = optimal._First(search, cube("cube3"), scrambled("R"), Meter(Budget()))
    assert first(100.0) is None
    assert given == [1.0, 3.0, 6.0]  # three times as long as all before, and then the rest
    given.clear()
    first = optimal._First(search, cube("cube3"), scrambled("R"), Meter(Budget()))
    first.best = (0, 1, 2, 3)
    first.meter.progress.lower_bound = 2
    assert first(15.0) == 4
    first.meter.progress.lower_bound = 4
    assert first(400.0) == 4
    assert given == [1.5]  # and nothing once nothing shorter can exist
    given.clear()
    hasty = optimal._First(search, cube("cube3"), scrambled("R"), Meter(Budget(seconds=4.0)))
    for seconds in (0.0, 0.1, 0.3):
        assert hasty(seconds) is None
    assert given == [1.0]  # a depth of 0.3 s is long if there are but 4
    given.clear()
    assert hasty(2.5) is None
    assert given == []  # there is time for it
    assert hasty(40.0) is None
    assert given == [3.0]  # there is none, so all goes into a shorter solution
    given.clear()
    two_phases = Optimal(start="twophase", start_seconds=20.0)
    first = optimal._First(two_phases, cube("cube3"), scrambled("R"), Meter(Budget()))
    for seconds in (0.0, 0.5, 40.0, 400.0):
        assert first(seconds) is None
    assert given == [20.0]  # once, and it stops by itself


def test_long_depths_begin_where_the_net_sees_home(
    model: str, table: BigTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, start = cube("cube3"), scrambled(SCRAMBLE)
    first = optimal._First(Optimal(model=model, device="cpu"), made, start, Meter(Budget()))
    assert first._solver is not None
    first._solver.load(Meter(Budget()))
    net = first._solver.heuristic
    assert net is not None
    tree = table.tree(start)
    guided = optimal._Guided(tree, first)
    assert guided.parts(12) == tree.parts(12)  # a short depth
    first.ahead = 60.0
    words = guided.parts(12)
    assert (len(words), len(words[0])) == (10011, 4)  # all cubes at distance 4
    assert sorted(words) == sorted(tree.words(12, 4))
    ends = np.array([made.apply(start, word) for word in words[::100]])
    said = np.asarray(net.values(ends))
    assert (np.diff(said) >= 0).all()
    assert said[0] < said[-1]
    # The same lengths are found, wherever the search begins.
    first.ahead = 600.0
    assert (len(guided.parts(12)), len(guided.parts(12)[0])) == (93_840, 5)
    monkeypatch.setattr(optimal, "_LONG", ((-1.0, 3),))
    found, _ = run(Optimal(model=model, device="cpu", start_seconds=0), SCRAMBLE, table)
    assert (found.length, found.proof) == (9, "optimal")


def test_time_over_leaves_the_learned_solution_and_a_gap(
    model: str, table: BigTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimal, "_AT_ONCE", -1.0)
    monkeypatch.setattr(optimal, "_FIRST", 2.5)
    search = Optimal(model=model, device="cpu")
    optimal.warm(table.puzzle, "beam", model, "cpu")
    moves = "R U2 F' L D B R' F U L' B D"
    found, told = run(search, moves, table, Budget(seconds=4.0))
    assert found.status is Outcome.SOLVED
    assert found.length is not None
    assert 7 <= found.lower_bound <= 13
    assert (found.length - found.lower_bound) % 2 == 0
    if found.proof == "none":
        assert told[-1].best == found.length
        assert told[-1].doing.startswith(f"proving that {found.length} moves are fewest, trying ")


def test_cancelling_ends_the_beam_too(
    model: str, table: BigTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimal, "_AT_ONCE", -1.0)
    meter = Meter(Budget())
    meter.callback = lambda progress: meter.cancel() if "beam" in progress.doing else None
    start = scrambled("R U2 F' L D B R' F U L' B D F R B")
    search = Optimal(model=model, device="cpu", start_seconds=60.0)
    found = search(table.puzzle, start, table, meter)
    assert found.status in (Outcome.CANCELLED, Outcome.SOLVED)
    assert found.proof == "none"
    assert meter.progress.seconds < 30


# --- boards


def test_boards_have_a_solution_and_a_bound_when_the_time_is_over() -> None:
    board = puzzle("puzzle24")
    start = board.random_states(1, np.random.default_rng(0))[0]
    optimal.warm(board, "beam", None, "cpu")  # as solve() does, lest compiling takes the time
    meter = Meter(Budget(seconds=8.0))
    found = Optimal(device="cpu")(board, start, Manhattan(board), meter)
    assert (found.status, found.proof) == ("solved", "none")
    assert found.length is not None
    assert 60 < found.lower_bound < found.length
    assert (found.length - found.lower_bound) % 2 == 0


@pytest.mark.parametrize("start", ["rows", "none"])
def test_boards_are_proved(start: str) -> None:
    board = puzzle("puzzle15")
    states = board.walks(3, 40, np.random.default_rng(1)).states[-1]
    for state in states:
        found = Optimal(start=start)(board, state, Manhattan(board), Meter(Budget()))
        alone = IDAStar()(board, state, Manhattan(board), Meter(Budget()))
        assert (found.length, found.proof) == (alone.length, "optimal")


def test_who_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("cube3", "puzzle24", "pyraminx")
    assert [Optimal().start_for(puzzle(name)) for name in names] == ["beam"] * 3
    monkeypatch.setattr(models, "shipped_models", lambda: [])
    found = [Optimal().start_for(puzzle(name)) for name in names]
    assert found == ["twophase", "rows", "none"]


def test_a_first_depth_without_end_is_left_for_a_first_solution() -> None:
    """On so large a board even the first depth takes for ever; row by row takes milliseconds."""
    board = puzzle("sliding-20x20")
    start = board.random_states(1, np.random.default_rng(0))[0]
    found = solvers.solve(board, start, optimal=True, seconds=5)
    assert found.length is not None
    assert found.proof == "none"
    assert 0 < found.lower_bound < found.length


@pytest.mark.parametrize("limit", [{"seconds": 4}, {"memory": 1000}])
def test_without_time_or_memory_for_tables_there_is_a_solution_without_proof(
    limit: dict[str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row by row, since no net is asked for here."""
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path))
    board = puzzle("puzzle24")
    start = board.random_states(1, np.random.default_rng(1))[0]
    found = solvers.solve(board, start, "optimal", settings={"start": "rows"}, **limit)
    assert (found.status, found.proof) == (Outcome.SOLVED, "none")


def test_tables_that_would_take_too_long_are_given_up_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path))
    board = puzzle("puzzle48")
    start = board.random_states(1, np.random.default_rng(1))[0]
    asked: list[tuple[float, bool]] = []

    def expect(meter: Meter, part: float) -> None:
        asked.append((part, meter.gives_up))
        meter.started -= 3.0  # so it is known to be too slow at once, and time is left
        usual(meter, part)

    usual = Meter.expect
    monkeypatch.setattr(Meter, "expect", expect)
    found = solvers.solve(board, start, "optimal", settings={"start": "rows"}, seconds=20)
    assert (found.status, found.proof) == (Outcome.SOLVED, "none")
    assert asked == [(0.0, True)]
    assert found.length is not None
    assert steps_home(board, start) == found.lower_bound < found.length


def test_what_can_by_no_means_end_in_time() -> None:
    meter = Meter(Budget(seconds=10))
    meter.started -= 2.0
    meter.expect(0.01)  # nothing else is to be done
    meter.gives_up = True
    meter.expect(0.15)
    with pytest.raises(Interrupted):
        meter.expect(0.1)
    meter.budget = Budget()
    meter.expect(0.01)


def test_too_little_memory_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path))
    board = puzzle("puzzle24")
    start = board.random_states(1, np.random.default_rng(1))[0]
    found = solvers.solve(board, start, "optimal", settings={"start": "none"}, memory=1000)
    assert found.status == Outcome.OUT_OF_MEMORY
