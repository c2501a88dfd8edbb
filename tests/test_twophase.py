"""The two-phase search: its tables against the moves, and its answers against shortest ones."""

from __future__ import annotations

import numpy as np
import pytest

from cube_tools import cube
from homeward.notation import State
from homeward.notation.turns import lengths
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.cube import Cube
from homeward.search.base import Budget, Meter, Outcome, Solution, replayed
from homeward.search.blind import Bidirectional
from homeward.search.twophase import TwoPhase
from homeward.search.twophase.kernels import _middle_order, _outer_order
from homeward.search.twophase.tables import Phases, phases, read_start

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


@pytest.fixture(scope="module")
def tables() -> Phases:
    return phases(True)


def solved_by(search: TwoPhase, made: Cube, start: np.ndarray) -> Solution:
    return replayed(made, start, search(made, start, None, Meter(Budget())))


def in_second_phase(made: Cube, n: int, seed: int) -> np.ndarray:
    """States that turns of the second phase lead to."""
    rng = np.random.default_rng(seed)
    kept = [i for i, name in enumerate(made.move_names) if name[0] in "UD" or name.endswith("2")]
    states = np.repeat(made.goals, n, axis=0)
    for _ in range(40):
        states = made.step(states, rng.choice(kept, n))
    return states


# --- tables


def test_coordinates_follow_the_turns(tables: Phases) -> None:
    made = cube("cube3-htm")
    states = made.random_states(200, np.random.default_rng(0))
    before = read_start(states)
    columns = [tables.twists, tables.flips, tables.slices, tables.corners, *[tables.fours] * 3]
    for move in range(18):
        after = read_start(made.step(states, move))
        for i, table in enumerate(columns):
            assert np.array_equal(table[before[:, i], move], after[:, i])


def test_orders_of_the_second_phase_follow_its_turns(tables: Phases) -> None:
    made = cube("cube3-htm")
    states = in_second_phase(made, 100, 1)

    def orders(rows: np.ndarray) -> np.ndarray:
        starts = read_start(rows)
        return np.array(
            [(_outer_order(tables, s[4], s[5]), _middle_order(tables, s[6])) for s in starts]
        )

    before = orders(states)
    assert len(np.unique(before[:, 1])) == 24
    assert tables.second.sum() == 10
    for move in np.flatnonzero(tables.second):
        after = orders(made.step(states, int(move)))
        assert np.array_equal(tables.outers[before[:, 0], move], after[:, 0])
        assert np.array_equal(tables.middles[before[:, 1], move], after[:, 1])
    home = read_start(made.goals)[0]
    assert (home[[0, 1, 3]] == 0).all()
    assert (_outer_order(tables, home[4], home[5]), _middle_order(tables, home[6])) == (0, 0)


@pytest.mark.parametrize(
    ("half_turns", "largest"), [(True, (9, 9, 14, 12)), (False, (11, 10, 22, 19))]
)
def test_largest_distances(half_turns: bool, largest: tuple[int, ...]) -> None:
    t = phases(half_turns)
    found = (t.twist_slices, t.flip_slices, t.corner_middles, t.outer_middles)
    assert tuple(int(table.max()) for table in found) == largest
    assert [int((table == 0).sum()) for table in found] == [1, 1, 1, 1]


@pytest.mark.parametrize("name", ["cube3", "cube3-htm"])
def test_distances_never_exceed_the_walk(name: str) -> None:
    made = cube(name)
    t = phases(made.half_turns)
    walks = made.walks(300, 9, np.random.default_rng(2)).states
    for depth, states in enumerate(walks):
        twist, flip, slice_ = read_start(states)[:, :3].T
        assert (t.twist_slices[twist * 495 + slice_] <= depth).all()
        assert (t.flip_slices[flip * 495 + slice_] <= depth).all()


# --- answers


@pytest.mark.parametrize(("name", "most"), [("cube3-htm", 24), ("cube3", 34)])
def test_random_cubes(name: str, most: int) -> None:
    made = cube(name)
    for start in made.random_states(8, np.random.default_rng(3)):
        found = solved_by(TwoPhase(seconds=0.1), made, start)
        assert found.status is Outcome.SOLVED
        assert found.length is not None
        assert found.length <= most
        assert (found.lower_bound, found.proof) == (0, "none")
        assert found.generated > found.expanded > 0


@pytest.mark.parametrize("name", ["cube3-htm", "cube3"])
def test_short_scrambles_are_solved_in_as_few_moves(name: str) -> None:
    made = cube(name)
    for depth in range(6):
        start = made.walks(1, depth, np.random.default_rng(depth)).states[-1, 0]
        expected = Bidirectional()(made, start, None, Meter(Budget()))
        # No shorter first phase is left long before the time is over.
        found = solved_by(TwoPhase(seconds=60), made, start)
        assert found.length == found.lower_bound == expected.length
        assert found.proof == "optimal"
        assert found.seconds < 30


def test_metrics() -> None:
    quarter, half = cube("cube3"), cube("cube3-htm")
    start = State.solved("cube3").moved("U2 R2 F2 L2").cells
    for made in (quarter, half):
        for metric in ("quarter", "half"):
            found = solved_by(TwoPhase(metric=metric, seconds=60), made, start)
            assert found.moves is not None
            assert lengths(made, found.moves) == (8, 4)
            own = metric == ("half" if made.half_turns else "quarter")
            assert found.proof == ("optimal" if own else "none")
    assert solved_by(TwoPhase(), quarter, start).length == 8
    assert solved_by(TwoPhase(), half, start).length == 4


def test_superflip() -> None:
    made = cube("cube3-htm")
    start = State.solved("cube3").moved(SUPERFLIP).cells
    found = solved_by(TwoPhase(seconds=1), made, start)
    assert found.length in (20, 21, 22)


def test_another_goal_and_one_thread() -> None:
    made = cube("cube3-htm")
    goal, start = made.random_states(2, np.random.default_rng(4))
    away = made.with_goal(goal)
    assert isinstance(away, Cube)
    found = solved_by(TwoPhase(seconds=0, threads=1), away, start)
    assert found.moves is not None
    assert np.array_equal(made.apply(start, found.moves), goal)


def test_a_solved_cube() -> None:
    made = cube("cube3")
    assert solved_by(TwoPhase(), made, made.goal).moves == ()


def test_budgets() -> None:
    made = cube("cube3")
    start = made.random_states(1, np.random.default_rng(5))[0]
    meter = Meter(Budget())
    meter.cancel()
    assert TwoPhase()(made, start, None, meter).status is Outcome.CANCELLED
    found = TwoPhase(seconds=60)(made, start, None, Meter(Budget(seconds=0.5)))
    assert found.status is Outcome.SOLVED
    assert found.seconds < 5


def test_bad_settings() -> None:
    with pytest.raises(PuzzleError) as caught:
        TwoPhase(metric="slice")
    assert str(caught.value) == "metric must be one of own, quarter, half, not 'slice'"
    with pytest.raises(PuzzleError) as caught:
        TwoPhase(seconds=-1)
    assert str(caught.value) == "threads and seconds must be at least 0"
    with pytest.raises(PuzzleError) as caught:
        TwoPhase()(puzzle("cube4"), puzzle("cube4").goal, None, Meter(Budget()))
    assert str(caught.value) == "these tables are for cube3, not for cube4"
