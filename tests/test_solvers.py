"""`solve()`: every form of input, every setting, every way it can end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

import homeward
from homeward import Budget, PuzzleError, Solution, State, puzzle, solve, solvers
from homeward.heuristics import models
from homeward.search.base import Outcome, Progress

NEAR = "1 2 3 4 5 6 0 7 8"
STUCK = "######\n#$   #\n#@ . #\n######"


# --- forms of input


def test_text_state_and_row_are_the_same() -> None:
    row = np.array([1, 2, 3, 4, 5, 6, 0, 7, 8], dtype=np.uint8)
    for given in (NEAR, State.read("puzzle8", NEAR), row, row.astype(np.int64)):
        solution = solve("puzzle8", given)
        assert isinstance(solution, Solution)
        assert (solution.moves, solution.proof) == ((2, 2), "optimal")


def test_a_puzzle_stands_for_its_name() -> None:
    assert solve(puzzle("puzzle8"), NEAR).length == 2


def test_many_states_give_a_list() -> None:
    cube = puzzle("cube2")
    walks = cube.walks(3, 4, np.random.default_rng(0))
    states = walks.states.transpose(1, 0, 2).reshape(-1, cube.cells)
    found = solve("cube2", states)
    assert [s.length for s in found] == [0, 1, 2, 3, 4] * 3
    assert {s.proof for s in found} == {"optimal"}
    assert solve("cube2", states[:1])[0].length == 0
    assert solve("cube2", states[:0]) == []


def test_another_goal() -> None:
    board = puzzle("puzzle8")
    other = board.with_goal(State.read("puzzle8", NEAR).cells)
    assert solve(other, board.goal).moves == (3, 3)
    assert solve(other, State.read("puzzle8", NEAR)).moves == ()


def test_a_sokoban_board_brings_its_own_size() -> None:
    solution = solve("sokoban", "#" * 13 + "\n#@$   .     #\n" + "#" * 13)
    assert solution.moves == (3, 3, 3, 3)
    assert solution.proof == "optimal"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros(4), "a state of puzzle8 has 9 numbers, this one has 4"),
        (np.zeros((2, 2, 2)), "a state of puzzle8 has 9 numbers, this one has 8"),
        (State.solved("cube2"), "a state of cube2 is none of puzzle8"),
    ],
)
def test_what_is_no_state_is_refused(given: object, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        solve("puzzle8", given)  # type: ignore[call-overload]
    assert str(caught.value) == message


def test_impossible_states_are_refused() -> None:
    with pytest.raises(PuzzleError, match="only an even number of exchanged tiles"):
        solve("puzzle8", np.array([2, 1, 3, 4, 5, 6, 7, 8, 0]))


# --- solvers and settings


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOMEWARD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("name", [s.name for s in solvers.SOLVERS.values() if not s.learned])
def test_every_solver_solves_a_small_board(name: str) -> None:
    if solvers.SOLVERS[name].why_not(puzzle("sliding-2x3")):
        pytest.skip(f"{name} is for other puzzles")
    assert solve("sliding-2x3", "4 1 2 5 3 0", name).length == (12 if name == "rows" else 6)


@pytest.mark.parametrize("learned", [False, True])
def test_whom_auto_stands_for(learned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    others = {"cube3": "twophase", "cube4": "bidirectional", "puzzle48": "rows"}
    everywhere = {"puzzle15": "ida-light", "lightsout7": "lights", "sokoban": "sokoban"}
    shipped = [*others, *everywhere] if learned else []
    monkeypatch.setattr(models, "shipped_models", lambda: shipped)
    chosen = everywhere | (dict.fromkeys(others, "beam") if learned else others)
    assert {name: solvers.choose(puzzle(name), states=100).name for name in chosen} == chosen
    proving = dict.fromkeys(("cube3", "puzzle24", "puzzle48"), "optimal") | {
        "cube4": "bidirectional"
    }
    chosen = everywhere | proving
    found = {name: solvers.choose(puzzle(name), optimal=True).name for name in chosen}
    assert found == chosen


def test_auto_makes_a_table_for_many_states_of_a_small_graph() -> None:
    assert solvers.choose(puzzle("cube2"), states=1).name == "bidirectional"
    assert solvers.choose(puzzle("cube2"), states=100).name == "table"
    board = puzzle("puzzle8")
    states = board.random_states(12, np.random.default_rng(2))
    found, searched = solve("puzzle8", states), solve("puzzle8", states, "bidirectional")
    assert [s.length for s in found] == [s.length for s in searched]
    assert {s.proof for s in found} == {"optimal"}
    # A descent asks about the start and then about all children of each state on the way.
    assert all(s.evaluated == 1 + s.generated for s in found)
    assert all(s.expanded == s.length for s in found)


def test_a_table_too_large_is_refused() -> None:
    with pytest.raises(PuzzleError, match=r"^no numbering is known for the states of sokoban$"):
        solve("sokoban", STUCK, "table")


def test_a_table_obeys_the_budget() -> None:
    goal = puzzle("sliding-2x5").goal
    solution = solve("sliding-2x5", goal, "table", memory=1000)
    assert (solution.status, solution.moves) == (Outcome.OUT_OF_MEMORY, None)


def test_auto_proves() -> None:
    solution = solve("puzzle8", "8 6 7 2 5 4 3 0 1", optimal=True)
    assert (solution.length, solution.proof) == (31, "optimal")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bsf", "there is no solver named 'bsf'; did you mean bfs?"),
        (
            "zzz",
            "there is no solver named 'zzz'; there are " + ", ".join(["auto", *solvers.SOLVERS]),
        ),
    ],
)
def test_an_unknown_solver_is_refused(name: str, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        solve("puzzle8", NEAR, name)
    assert str(caught.value) == message


def test_optimal_refuses_solvers_that_do_not_prove() -> None:
    with pytest.raises(PuzzleError, match=r"^dfs does not prove every solution shortest; these do"):
        solve("puzzle8", NEAR, "dfs", optimal=True)


def test_settings_reach_the_search() -> None:
    found = solve("puzzle8", NEAR, "dfs", settings={"limit": "1", "deepen": "no"})
    assert (found.status, found.lower_bound) == (Outcome.OUT_OF_TIME, 2)
    assert solve("puzzle8", NEAR, "dfs", settings={"limit": 2, "deepen": False}).length == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"limt": "3"}, "dfs has no setting 'limt'; did you mean limit?"),
        ({"xyz": "3"}, "dfs has no setting 'xyz'; there are limit, deepen, batch"),
        ({"limit": "three"}, "limit must be a whole number, not 'three'"),
        ({"deepen": "maybe"}, "deepen must be true or false, not 'maybe'"),
        ({"limit": "0"}, "limit must be at least 1, not 0"),
        ({"limit": 2.5}, "limit must be a whole number, not 2.5"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        solve("puzzle8", NEAR, "dfs", settings=settings)
    assert str(caught.value) == message


@dataclass(frozen=True)
class _Widths:
    """Settings of every type that a search may have."""

    rate: float = 0.5
    label: str = "a"
    width: int | None = 3


def test_every_type_of_setting_is_read() -> None:
    made = solvers.Solver("widths", "", f"{__name__}:_Widths")
    text = {"rate": "2", "label": "none", "width": "none"}
    assert made.configured(text) == _Widths(2.0, "none", None)
    assert made.configured({"width": "7"}) == _Widths(width=7)
    assert made.configured({"rate": 1}) == _Widths(rate=1.0)
    assert made.settings() == {"rate": 0.5, "label": "a", "width": 3}
    with pytest.raises(PuzzleError, match=r"^rate must be a number, not 'fast'$"):
        made.configured({"rate": "fast"})


# --- how it can end


def test_an_unsolvable_level_is_a_value() -> None:
    solution = solve("sokoban", STUCK)
    assert (solution.status, solution.moves) == (Outcome.UNSOLVABLE, None)


def test_budgets_end_a_search() -> None:
    start = puzzle("cube3").random_states(1, np.random.default_rng(0))[0]
    blind = "bidirectional"
    assert solve("cube3", start, blind, seconds=0.2).status is Outcome.OUT_OF_TIME
    assert solve("cube3", start, blind, nodes=1000).status is Outcome.OUT_OF_TIME
    assert solve("cube3", start, blind, memory=1_000_000).status is Outcome.OUT_OF_MEMORY


def test_progress_is_told() -> None:
    start = puzzle("cube3").random_states(1, np.random.default_rng(0))[0]
    told: list[tuple[float, int]] = []

    def tell(progress: Progress) -> None:
        told.append((progress.seconds, progress.lower_bound))

    solve("cube3", start, "bidirectional", seconds=0.5, progress=tell)
    assert len(told) >= 2
    assert told == sorted(told)


def test_a_wrong_search_is_found_out() -> None:
    class Liar:
        def __call__(self, puzzle, start, heuristic, meter):
            return meter.solution(Outcome.SOLVED, [0])

    made, start = puzzle("puzzle8"), State.read("puzzle8", NEAR).cells
    from homeward.search.base import Meter

    prepared = solvers.Prepared(made, solvers.solver("bfs"), Liar(), solvers.Net())
    with pytest.raises(AssertionError, match="puzzle8: a search returned an illegal move"):
        prepared.solve(start, Meter(Budget()))


# --- the package


def test_there_is_memory() -> None:
    assert 10_000_000 < solvers.free_bytes() < 2**50


def test_importing_homeward_is_light() -> None:
    code = (
        "import sys, homeward; "
        "print([m for m in ('numba', 'torch', 'typer', 'rich', 'homeward.solvers', 'gymnasium')"
        " if m in sys.modules]); homeward.solve; print('homeward.solvers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\nTrue\n"


def test_public_names_exist() -> None:
    for name in homeward.__all__:
        assert getattr(homeward, name).__name__ == name
    with pytest.raises(AttributeError, match="module 'homeward' has no attribute 'solvee'"):
        homeward.solvee  # noqa: B018


# --- what `auto` makes of a wish


def test_another_goal_is_not_given_to_a_net_for_the_usual_one() -> None:
    cube = puzzle("cube3")
    other = cube.with_goal(cube.apply(cube.goal, [0, 2, 4]))
    assert solvers.choose(cube).name == "beam"
    assert solvers.choose(other).name == "twophase"


def test_a_model_that_is_named_is_asked() -> None:
    named = solvers.Net(model="puzzle15")
    assert solvers.choose(puzzle("puzzle15"), net=named).name == "beam"
    with pytest.raises(PuzzleError, match=r"^ida-light asks no net, so a model"):
        solvers.prepare(puzzle("puzzle15"), optimal=True, net=named)


def test_a_heuristic_that_proves_nothing_is_refused_by_auto_too() -> None:
    with pytest.raises(PuzzleError, match="does not prove every solution shortest"):
        solvers.prepare(puzzle("puzzle15"), settings={"heuristic": "net"}, optimal=True)
    with pytest.raises(PuzzleError, match="no lower bound is known for cube4"):
        solvers.prepare(puzzle("cube4"), settings={"heuristic": "bound"})


def test_a_device_that_does_not_exist_is_named() -> None:
    with pytest.raises(PuzzleError, match="there is no device 'gpu'"):
        solvers.prepare(puzzle("puzzle8"), net=solvers.Net(device="gpu"))
