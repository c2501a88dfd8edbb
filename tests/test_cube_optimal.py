"""The cube's big table and the proofs it gives.

The whole table takes minutes and 944 MB on disk, so most tests use one that knows distances up to
six and takes all others to be seven. Tests of the whole one are skipped where it was never made.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cube_tools import applied, cube, scrambled
from homeward.heuristics.base import Heuristic
from homeward.heuristics.cube import coordinates
from homeward.heuristics.cube.bigtable import BigTable
from homeward.heuristics.cube.coordinates import read_coordinates
from homeward.notation.archives import load_set
from homeward.puzzles import PuzzleError, puzzle
from homeward.search.base import Budget, Meter, Outcome, Progress, Solution, replayed
from homeward.search.blind import Bidirectional
from homeward.search.idastar import IDAStar, Planted, deepen
from homeward.solvers import optimal
from homeward.solvers.optimal import Optimal
from refute import largest_jump, too_large_nearby, too_large_on_walks

COUNTS = (1, 1, 9, 56, 490, 4039, 35333)
SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


@pytest.fixture(scope="module")
def table() -> BigTable:
    return BigTable(cube("cube3"), depth=6)


@pytest.fixture(scope="module")
def half_turns() -> BigTable:
    return BigTable(cube("cube3-htm"), depth=5)


@pytest.fixture(scope="module")
def whole() -> BigTable:
    if not BigTable.is_kept(cube("cube3")):
        pytest.skip("the cube's table was never made here: homeward solve cube3 --optimal makes it")
    return BigTable(cube("cube3"), in_memory=False)


def solved_by(search: IDAStar | Optimal, start: np.ndarray, heuristic: BigTable) -> Solution:
    made = heuristic.puzzle
    return replayed(made, start, search(made, start, heuristic, Meter(Budget())))


# --- the table


def test_counts_by_distance(table: BigTable, half_turns: BigTable) -> None:
    assert table.counts[:7] == COUNTS
    assert sum(table.counts) == sum(half_turns.counts) == 9930 * 190_080


@pytest.mark.parametrize("name", ["cube3", "cube3-htm"])
def test_entries_against_a_search_without_symmetries(
    name: str, table: BigTable, half_turns: BigTable
) -> None:
    """Breadth-first over pairs of coordinates, by the move tables alone."""
    from homeward.heuristics.cube.kernels import look_up

    heuristic = half_turns if name == "cube3-htm" else table
    tables = coordinates.move_tables(heuristic.puzzle.half_turns)
    corner, edge = read_coordinates(cube(name).goals)
    seen = here = corner * coordinates.EDGES + edge
    for distance in range(5):
        found = np.zeros(len(here), np.float32)
        look_up(*heuristic.lookup, *np.divmod(here, coordinates.EDGES), found)
        assert (found == distance).all()
        children = [
            applied(tables, move, *np.divmod(here, coordinates.EDGES))
            for move in range(heuristic.puzzle.moves)
        ]
        onward = np.concatenate([pair[0] * coordinates.EDGES + pair[1] for pair in children])
        here = np.setdiff1d(onward, seen)
        seen = np.concatenate([seen, here])
    assert len(here) > 30_000


def test_never_too_large(table: BigTable, half_turns: BigTable) -> None:
    assert isinstance(table, Planted)
    assert isinstance(table, Heuristic)
    for heuristic in (table, half_turns):
        made = heuristic.puzzle
        assert heuristic.admissible
        assert too_large_nearby(made, heuristic, 150_000) == 0
        assert too_large_on_walks(made, heuristic, 500, 12, seed=1) == 0
        states = made.walks(200, 6, np.random.default_rng(5)).states[-1]
        assert largest_jump(made, heuristic, states) == 1
        assert (heuristic.values(made.goals) == 0).all()


def test_the_whole_table(whole: BigTable, data_dir: Path) -> None:
    made = cube("cube3")
    assert sum(whole.counts) == 9930 * 190_080
    assert (len(whole.counts) - 1, round(whole.mean, 2)) == (14, 11.55)
    assert sum(whole.counts[:10]) == 23_062_510
    assert too_large_on_walks(made, whole, 500, 20, seed=2) == 0
    assert largest_jump(made, whole, made.random_states(1000, np.random.default_rng(6))) == 1
    known = load_set(data_dir / "cube3.npz", made)
    assert (whole.values(known.states) <= known.optimal_length).all()


def test_an_interrupted_table_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path))
    told: list[float] = []

    def stop(counts: list[int], part: float) -> None:
        told.append(part)
        if len(counts) > 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        BigTable(cube("cube3"), stop)
    assert told == sorted(told)
    assert 0 < told[-1] < 0.001
    assert list(tmp_path.iterdir()) == []
    assert not BigTable.is_kept(cube("cube3"))


def test_tables_are_for_the_cube() -> None:
    for name in ("cube2", "puzzle15"):
        with pytest.raises(PuzzleError) as caught:
            BigTable(puzzle(name))
        assert str(caught.value) == f"these tables are for cube3, not for {name}"


# --- proofs


def test_shortest_solutions_of_short_scrambles(table: BigTable) -> None:
    made = cube("cube3")
    for seed, depth in enumerate((1, 2, 3, 7, 8, 9)):
        start = made.walks(1, depth, np.random.default_rng(seed)).states[-1, 0]
        expected = Bidirectional()(made, start, None, Meter(Budget()))
        found = solved_by(IDAStar(), start, table)
        assert (found.status, found.length) == (Outcome.SOLVED, expected.length)
        assert (found.proof, found.lower_bound) == ("optimal", expected.length)


@pytest.mark.parametrize(
    ("moves", "length"),
    [
        ("", 0),
        ("U2 D2 R2 L2 F2 B2", 12),  # chequered, with 48 symmetries
        ("U D' R L' F B' U D'", 8),  # six spots
        ("R U R' U R U2 R'", 8),
        ("F2 U L R' F2 L' R U F2", 12),  # three edges in a circle
        ("L' U D' F B' D R D D L' D", 11),
    ],
)
def test_known_lengths(table: BigTable, moves: str, length: int) -> None:
    found = solved_by(Optimal(start="none"), scrambled(moves), table)
    assert (found.length, found.lower_bound, found.proof) == (length, length, "optimal")


def test_half_turns(half_turns: BigTable) -> None:
    for moves, length in (("U2 D2 R2 L2 F2 B2", 6), ("R U2 F' L", 4), ("R U R' U R U2 R'", 7)):
        start = scrambled(moves, "cube3-htm")
        found = solved_by(IDAStar(), start, half_turns)
        assert (found.length, found.lower_bound, found.proof) == (length, length, "optimal")
    assert half_turns.tree(start).step == 1


def test_another_goal(table: BigTable) -> None:
    made = cube("cube3")
    goal = scrambled("R U2 F' L D")
    away = BigTable.__new__(BigTable)  # the table does not depend on the goal
    away.puzzle, away.lookup = made.with_goal(goal), table.lookup
    start = made.apply(goal, [0, 2, 9, 5, 11, 0])
    assert away.values(goal[None])[0] == 0
    found = solved_by(IDAStar(), start, away)
    assert (found.length, found.proof) == (6, "optimal")


def test_a_first_solution_spares_the_last_depth(
    table: BigTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimal, "_AT_ONCE", -1.0)  # looks for it before the first depth
    start = scrambled("R U2 F' L D B R' F")
    alone = solved_by(Optimal(start="none"), start, table)
    helped = solved_by(Optimal(start="bidirectional", start_seconds=60), start, table)
    assert (alone.length, alone.proof) == (helped.length, helped.proof) == (9, "optimal")
    blind = Bidirectional()(cube("cube3"), start, None, Meter(Budget()))
    assert helped.generated == blind.generated  # which proves it, too


def test_symmetries_of_the_start_save_work(table: BigTable) -> None:
    chequered, plain = scrambled("U2 D2 R2 L2 F2 B2"), scrambled("R U2 F' L D B R' F R U F' D")
    assert len(table.tree(plain).parts(10)) == 1068
    assert {part[0] for part in table.tree(chequered).parts(10)} == {0}
    # Four turns about the axis, a mirror that exchanges U and D', and both together.
    one_axis = table.tree(scrambled("U D'")).parts(10)
    assert {cube("cube3").move_names[part[0]] for part in one_axis} == {"U", "U'", "R"}


def test_parity_rounds_the_bound(table: BigTable) -> None:
    made = cube("cube3")
    walks = made.walks(40, 9, np.random.default_rng(7)).states
    for depth, states in enumerate(walks):
        for state in states[:10]:
            tree = table.tree(state)
            assert tree.step == 2
            assert (tree.bound - depth) % 2 == 0
            assert 0 <= tree.bound - table.values(state[None])[0] <= 1


def test_one_thread_does_the_work_of_two(table: BigTable) -> None:
    start = scrambled("R U2 F' L D B R' F D2 L")
    sizes = []
    for threads in (1, 2):
        meter = Meter(Budget())
        assert deepen(table.tree(start), meter, threads, shorter_than=12) is None
        assert meter.progress.lower_bound == 12
        sizes.append((meter.progress.expanded, meter.progress.generated))
    assert sizes[0] == sizes[1]


# --- gaps


def told_by(
    start: np.ndarray, table: BigTable, search: IDAStar | Optimal, budget: Budget
) -> tuple[Solution, list[str]]:
    """What a search found, and what it said that it was doing."""
    told: list[str] = []

    def tell(progress: Progress) -> None:
        told.append(progress.doing)

    return search(table.puzzle, start, table, Meter(budget, tell)), told


def test_time_over_leaves_a_gap(table: BigTable) -> None:
    start = scrambled(SUPERFLIP)
    found, told = told_by(start, table, Optimal(start="none"), Budget(seconds=1.5))
    assert (found.status, found.moves, found.proof) == (Outcome.OUT_OF_TIME, None, "none")
    assert found.lower_bound in (12, 14, 16)  # even, and no more than was searched
    assert found.generated > 10_000
    assert told[-1].startswith(f"trying {found.lower_bound} moves: about ")


def test_a_solution_without_proof_keeps_its_lower_bound(
    table: BigTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = cube("cube3").random_states(1, np.random.default_rng(0))[0]
    two_phases = Optimal(start="twophase")
    optimal.warm(table.puzzle, "twophase", None, "auto")
    monkeypatch.setattr(optimal, "_AT_ONCE", -1.0)  # looks before the first depth
    found, told = told_by(start, table, two_phases, Budget(seconds=3.0))
    assert (found.status, found.proof) == (Outcome.SOLVED, "none")
    assert found.length is not None
    assert 8 < found.lower_bound < 17 < found.length
    assert (found.length - found.lower_bound) % 2 == 0
    assert told[-1].startswith(f"proving that {found.length} moves are fewest, trying ")
    assert any(doing.startswith("looking for") for doing in told)


def test_what_is_proved_is_not_proved_again(
    table: BigTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two phases end with a proof where the first one could be as long as the solution."""
    monkeypatch.setattr(optimal, "_AT_ONCE", -1.0)
    start = scrambled("R U2 F' L")
    found = solved_by(Optimal(start="twophase"), start, table)
    assert (found.length, found.proof) == (5, "optimal")
    meter = Meter(Budget())
    meter.progress.lower_bound = 5
    assert deepen(table.tree(start), meter, shorter_than=5) is None
    assert meter.progress.generated == 0


def test_node_budgets_and_cancelling(table: BigTable) -> None:
    found, _ = told_by(scrambled(SUPERFLIP), table, IDAStar(), Budget(nodes=100_000))
    assert found.status is Outcome.OUT_OF_TIME
    meter = Meter(Budget())
    meter.cancel()
    start = scrambled(SUPERFLIP)
    for search in (IDAStar(), Optimal(start="none")):
        assert search(table.puzzle, start, table, meter).status is Outcome.CANCELLED


def test_bad_settings(table: BigTable) -> None:
    with pytest.raises(PuzzleError) as caught:
        Optimal(threads=-1)
    assert str(caught.value) == "threads and start_seconds must be at least 0"
    with pytest.raises(PuzzleError) as caught:
        Optimal()(table.puzzle, table.puzzle.goal, None, Meter(Budget()))
    assert str(caught.value) == "proofs need an admissible heuristic that has a tree"
    with pytest.raises(PuzzleError, match="there is no solver named 'nonsense'"):
        Optimal(start="nonsense")(table.puzzle, scrambled("R"), table, Meter(Budget()))


def test_rows_of_the_public_set(whole: BigTable, data_dir: Path) -> None:
    """The shortest few, from scratch: lengths as published, with proof."""
    known = load_set(data_dir / "cube3.npz", cube("cube3"))
    assert known.optimal_length is not None
    for row in np.flatnonzero(known.optimal_length <= 17)[:3]:
        found = solved_by(Optimal(start="none"), known.states[row], whole)
        assert (found.length, found.proof) == (known.optimal_length[row], "optimal")
