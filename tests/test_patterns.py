"""Pattern databases: numbering against the moves, known counts, and attempts at refutation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cube_tools import cube
from homeward.heuristics.base import Heuristic
from homeward.heuristics.cube.korf import CORNERS, PATTERN_SETS, pattern_cells, pattern_set
from homeward.heuristics.graph import distances
from homeward.heuristics.patterns import MaxOf, PatternDatabase, PatternMax, Placements, SumOf
from homeward.notation.archives import load_set
from homeward.puzzles import PermutationPuzzle, PuzzleError, puzzle
from homeward.puzzles.permutation import closed_under_inverses
from homeward.search.base import Budget, Meter, replayed
from homeward.search.blind import Bidirectional
from homeward.search.idastar import IDAStar, Planted, deepen
from refute import largest_jump, too_large_nearby, too_large_on_graph, too_large_on_walks

CORNER_COUNTS = (
    1, 12, 114, 924, 6539, 39528, 199926, 806136, 2761740, 8656152, 22334112, 32420448, 18780864,
    2166720, 6624,
)  # fmt: skip
PATTERNS = {
    "cube2": [0, 1, 2, 3],
    "cube3": [0, 1, 2, 3],  # corners and edges together
    "pyraminx": [0, 8, 2, 12, 4, 22],
    "pyraminx-tips": [0, 1, 2, 3],
    "cube2x2x2x2": [0, 1],  # pieces that turn about a cell
    "pancake": [0, 1, 2, 3],
    "topspin": [3, 9, 14],
}


def permutation_puzzle(name: str) -> PermutationPuzzle:
    found = puzzle(name)
    assert isinstance(found, PermutationPuzzle)
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own for each test."""
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def corners() -> PatternDatabase:
    return PatternDatabase(cube("cube3"), pattern_cells(CORNERS), use_cache=False)


@pytest.fixture(scope="module")
def six_edges() -> PatternDatabase:
    return PatternDatabase(cube("cube3"), pattern_cells(PATTERN_SETS["eight"][7]), use_cache=False)


# --- numbers


@pytest.mark.parametrize("name", PATTERNS)
def test_numbers_move_as_states_do(name: str) -> None:
    made = permutation_puzzle(name)
    placements = Placements(made, PATTERNS[name])
    moves, (_, orders, turns) = placements.moves, placements.shape
    states = made.random_states(100, np.random.default_rng(0))
    numbers = placements.numbers(states)
    assert numbers.max() < placements.size
    place, order, turn = numbers // (orders * turns), numbers // turns % orders, numbers % turns
    for move in range(made.moves):
        rows = moves.sets[place, move].astype(np.int64) * orders
        rows += moves.orders[moves.order_codes[place, move], order]
        expected = rows * turns + moves.turns[moves.turn_codes[place, move], turn]
        assert np.array_equal(placements.numbers(made.step(states, move)), expected)


@pytest.mark.parametrize("name", PATTERNS)
def test_every_number_is_reached_from_home(name: str) -> None:
    database = PatternDatabase(puzzle(name), PATTERNS[name])
    assert sum(database.counts) == database.placements.size
    assert (database.values(puzzle(name).goals) == 0).all()


def test_sizes_are_those_of_the_combinatorics() -> None:
    cube3 = cube("cube3")
    assert Placements(cube3, pattern_cells(CORNERS)).shape == (1, 40320, 2187)
    assert Placements(cube3, pattern_cells(PATTERN_SETS["korf"][1])).shape == (924, 720, 64)
    assert Placements(cube3, pattern_cells(PATTERN_SETS["korf7"][1])).size == 510_935_040
    # All of a small puzzle: as many placements as states.
    pyraminx = permutation_puzzle("pyraminx")
    assert Placements(pyraminx, pyraminx.pieces.in_order).size == 933_120


def test_a_pattern_of_everything_is_the_distance() -> None:
    pyraminx = permutation_puzzle("pyraminx")
    database = PatternDatabase(pyraminx, pyraminx.pieces.in_order)
    graph = distances(pyraminx, use_cache=False)
    assert database.counts == graph.counts
    states = pyraminx.random_states(1000, np.random.default_rng(1))
    assert np.array_equal(database.values(states), graph.distances[graph.ranking.rank(states)])


def test_every_cell_of_a_piece_names_it() -> None:
    cube2 = cube("cube2")
    sizes = {Placements(cube2, cells).size for cells in ([3], [4], [9], [3, 4], [3, 4, 9])}
    assert sizes == {21}  # one of seven corners, three turns


@pytest.mark.parametrize(
    ("name", "cells", "message"),
    [
        ("cube3", [], "a pattern needs at least one cell"),
        ("cube3", [0, 54], "cube3 has no cell 54; they are 0 to 53"),
        ("cube3", [0, 4], "no move of cube3 moves cell 4"),
        ("cube4", [5], "some pieces of cube4 look alike: no table can tell them"),
        (
            "cube3",
            [5, 7, 3, 1, 10, 14, 16, 12, 28, 34, 48, 46, 41, 39, 37, 43, 19, 25, 21, 23, 32, 30],
            "12 pieces of cube3 in 12 places can be placed in about 980,995,276,800 ways, too "
            "many for a table: at most 1,073,741,824 are",
        ),
        (
            "cube3",
            [0, 2, 6, 8, 1, 3, 5, 7],
            "these pieces of cube3 can be placed in 25,866,086,400 ways, too many for a table: "
            "at most 1,073,741,824 are",
        ),
    ],
)
def test_impossible_patterns(name: str, cells: list[int], message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        Placements(permutation_puzzle(name), cells)
    assert str(caught.value) == message


def test_other_puzzles_have_no_patterns() -> None:
    for name in ("puzzle8", "cube2-free"):
        with pytest.raises(PuzzleError) as caught:
            PatternDatabase(puzzle(name), [0])
        assert str(caught.value) == (
            "patterns are known for puzzles whose moves permute cells towards one goal; "
            f"{name} is none"
        )


def test_impossible_states_are_refused() -> None:
    cube2 = cube("cube2")
    database = PatternDatabase(cube2, [0, 1])
    with pytest.raises(PuzzleError, match="states of cube2 are rows of 24 numbers"):
        database.values(np.zeros((1, 5), np.uint8))
    mixed = cube2.goal.copy()
    mixed[[3, 4]] = mixed[[4, 3]]
    for wrong in (np.zeros(24, np.uint8), mixed, np.full(24, 255, np.uint8)):
        with pytest.raises(PuzzleError) as caught:
            database.values(np.stack([cube2.goal, wrong]))
        with pytest.raises(PuzzleError) as expected:
            cube2.require_valid(wrong)
        assert str(caught.value) == str(expected.value)


# --- known counts


def test_corners_of_the_cube(corners: PatternDatabase) -> None:
    assert corners.counts == CORNER_COUNTS
    assert corners.largest == 14
    assert corners.packed
    assert corners.table.nbytes == 44_089_920


def test_means_that_korf_published() -> None:
    half_turns = cube("cube3-htm")
    edges = PatternDatabase(half_turns, pattern_cells(PATTERN_SETS["korf"][1]))
    assert (round(edges.mean, 3), edges.largest) == (7.668, 10)


def test_named_sets_cover_every_piece() -> None:
    for name, patterns in PATTERN_SETS.items():
        assert patterns[0] == CORNERS
        assert len({edge for pattern in patterns[1:] for edge in pattern.split()}) == 12
        assert {len(pattern.split()) for pattern in patterns[1:]} == {7 if name == "korf7" else 6}
    assert len(set(PATTERN_SETS["eight"])) == 8
    assert len(set(pattern_cells(CORNERS))) == 8


def test_named_sets_are_for_the_cube() -> None:
    with pytest.raises(PuzzleError) as caught:
        pattern_set(puzzle("cube2"), "korf")
    assert str(caught.value) == "the pattern databases named korf are for cube3, not cube2"
    with pytest.raises(PuzzleError) as caught:
        pattern_set(puzzle("cube3"), "kof")
    assert str(caught.value) == (
        "there is no set of pattern databases named 'kof'; there are korf, korf7, eight"
    )


# --- never too large


@pytest.mark.parametrize(
    ("name", "patterns", "every"),
    [("pyraminx", [[0, 8, 2], [12, 4, 22], [1, 5, 9]], 1), ("cube2", [[0, 1, 2], [3, 9, 12]], 7)],
)
def test_never_too_large_on_whole_graphs(name: str, patterns: list[list[int]], every: int) -> None:
    made = puzzle(name)
    databases = [PatternDatabase(made, cells) for cells in patterns]
    best = MaxOf(made, databases)
    assert isinstance(best, Heuristic)
    assert best.admissible
    assert too_large_on_graph(made, best, every) == 0
    # The same attempt does refute what is no lower bound.
    both = SumOf(made, databases)
    assert not both.admissible
    assert too_large_on_graph(made, both, 50) > 0


def test_never_too_large_on_the_cube(corners: PatternDatabase, six_edges: PatternDatabase) -> None:
    cube3 = cube("cube3")
    best = MaxOf(cube3, [corners, six_edges])
    assert too_large_nearby(cube3, best, 150_000) == 0  # all states within five moves
    assert too_large_on_walks(cube3, best, 2000, 16, seed=0) == 0
    assert too_large_on_walks(cube3, SumOf(cube3, [corners, six_edges]), 2000, 16, seed=0) > 0
    states = cube3.random_states(5000, np.random.default_rng(2))
    assert largest_jump(cube3, corners, states) == 1
    assert largest_jump(cube3, six_edges, states) == 1
    values = best.values(states)
    assert np.array_equal(values, np.maximum(corners.values(states), six_edges.values(states)))
    children = cube3.expand(states[:50]).reshape(-1, 54)
    assert np.array_equal(best.children(states[:50]), best.values(children).reshape(50, 12))


def test_public_cubes_are_at_least_that_far(data_dir: Path, corners: PatternDatabase) -> None:
    known = load_set(data_dir / "cube3.npz", cube("cube3"))
    assert (corners.values(known.states) <= known.optimal_length).all()


def test_another_goal() -> None:
    cube2 = cube("cube2")
    there = cube2.random_states(1, np.random.default_rng(4))[0]
    away = cube2.with_goal(there)
    database = PatternDatabase(away, [0, 1])
    assert database.values(there[None])[0] == 0
    assert too_large_on_walks(away, database, 500, 10, seed=0) == 0


def test_tensors_are_answered_with_tensors() -> None:
    torch = pytest.importorskip("torch")
    cube2 = cube("cube2")
    database = PatternDatabase(cube2, [0, 1])
    states = cube2.random_states(20, np.random.default_rng(5))
    assert torch.equal(
        database.children(torch.as_tensor(states)), torch.as_tensor(database.children(states))
    )


def test_the_largest_of_nothing() -> None:
    with pytest.raises(PuzzleError) as caught:
        MaxOf(puzzle("cube2"), [])
    assert str(caught.value) == ("the largest of no estimates is none: give at least one heuristic")


# --- the compiled search


@pytest.mark.parametrize(
    ("name", "parts", "step"),
    [("pyraminx", 3, 1), ("cube2", 2, 2), ("cube2-htm", 2, 1), ("pyraminx-tips", 2, 1)],
)
def test_patterns_that_hold_every_piece_prove_lengths(name: str, parts: int, step: int) -> None:
    made = permutation_puzzle(name)
    cells = np.array_split(np.array(made.pieces.in_order), parts)
    best = PatternMax(made, [PatternDatabase(made, part.tolist()) for part in cells])
    assert isinstance(best, Planted)
    states = made.walks(12, 9, np.random.default_rng(6)).states[-1]
    for state in [made.goal, *states]:
        tree = best.tree(state)
        assert tree.step == step
        assert tree.bound - best.values(state[None])[0] in range(step)
        exact = Bidirectional()(made, state, None, Meter(Budget()))
        found = replayed(made, state, IDAStar()(made, state, best, Meter(Budget())))
        assert (found.length, found.lower_bound) == (exact.length, exact.length)


def test_one_thread_does_the_work_of_two() -> None:
    made = permutation_puzzle("pyraminx")
    cells = np.array_split(np.array(made.pieces.in_order), 3)
    best = PatternMax(made, [PatternDatabase(made, part.tolist()) for part in cells])
    state = distances(made, use_cache=False).hardest[0]
    work = []
    for threads in (1, 2):
        meter = Meter(Budget())
        assert deepen(best.tree(state), meter, threads, shorter_than=10) is None
        assert meter.progress.lower_bound == 10
        work.append((meter.progress.expanded, meter.progress.generated))
    assert work[0] == work[1]


def test_the_named_sets_share_their_move_tables(six_edges: PatternDatabase) -> None:
    cube3 = cube("cube3")
    edges = [
        PatternDatabase(cube3, pattern_cells(pieces), use_cache=False)
        for pieces in ("UF UR UB", "DF DR DB", "UL DL FR", "FL BR BL")
    ]
    corners = [PatternDatabase(cube3, [cell], use_cache=False) for cell in pattern_cells(CORNERS)]
    best = PatternMax(cube3, [*edges, *corners])
    tables = best.placed.firsts[:, 1:].tolist()
    assert tables[1:4] == tables[:1] * 3 != tables[4:7]
    assert tables[4:] == tables[4:5] * 8
    assert best.odd_orbits is not None
    start = cube3.walks(1, 7, np.random.default_rng(4)).states[-1, 0]
    found = replayed(cube3, start, IDAStar()(cube3, start, best, Meter(Budget())))
    assert (found.length, found.proof) == (7, "optimal")


def test_patterns_that_leave_pieces_out() -> None:
    made = permutation_puzzle("cube2")
    with pytest.raises(PuzzleError) as caught:
        PatternMax(made, [PatternDatabase(made, [0, 1])])
    assert str(caught.value) == (
        "the patterns leave out cell 2: together they must hold every piece"
    )


# --- kept on disk


def test_a_second_time_it_is_read(folder: Path) -> None:
    cube2 = cube("cube2")
    first, second = (PatternDatabase(cube2, [0, 1, 2]) for _ in range(2))
    assert (first.kept, second.kept) == (False, True)
    assert np.array_equal(first.table, second.table)
    assert not second.table.flags.writeable
    assert first.counts == second.counts
    assert len(list(folder.iterdir())) == 2
    # Another goal has the same table, another pattern or other moves have not.
    assert PatternDatabase(cube2.with_goal(cube2.step(cube2.goals, 0)[0]), [0, 1, 2]).kept
    assert not PatternDatabase(cube2, [0, 1, 3]).kept
    assert not PatternDatabase(cube("cube2-htm"), [0, 1, 2]).kept


def test_damaged_tables_are_made_anew(folder: Path) -> None:
    cube2 = cube("cube2")
    whole = PatternDatabase(cube2, [0, 1, 2])
    (facts,) = folder.glob("*.json")
    for key, value in (("counts", None), ("counts", [1, "x"]), ("crc32", 0), ("fingerprint", "")):
        known = json.loads(facts.read_text())
        facts.write_text(json.dumps({**known, key: value}))
        again = PatternDatabase(cube2, [0, 1, 2])
        assert not again.kept
        assert np.array_equal(again.table, whole.table)


def test_progress_has_every_level_and_may_stop_it(folder: Path) -> None:
    cube2 = cube("cube2")
    told: list[tuple[list[int], int]] = []
    made = PatternDatabase(
        cube2, [0, 1], progress=lambda counts, states: told.append((list(counts), states))
    )
    assert told == [(list(made.counts[:n]), 378) for n in range(2, 9)]

    def stop(counts: list[int], states: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PatternDatabase(cube2, [0, 1, 2], progress=stop)
    assert len(list(folder.iterdir())) == 2


def test_distances_beyond_half_a_byte() -> None:
    names, table = closed_under_inverses(["turn"], np.roll(np.arange(40), 1)[None])
    wheel = PermutationPuzzle("wheel", names, table, np.arange(40)[None])
    database = PatternDatabase(wheel, [0])
    assert not database.packed
    assert database.counts == (1, *[2] * 19, 1)
    turned = np.stack([np.roll(wheel.goal, n) for n in range(40)])
    assert database.values(turned).tolist() == [min(n, 40 - n) for n in range(40)]
    assert PatternDatabase(wheel, [0]).kept
    # A compiled search takes them to be at most 15, and is right all the same.
    best = PatternMax(wheel, [database])
    assert (best.tree(turned[18]).bound, best.tree(turned[17]).bound) == (16, 15)
    for n in (3, 17, 18, 23):
        found = replayed(wheel, turned[n], IDAStar()(wheel, turned[n], best, Meter(Budget())))
        assert (found.length, found.proof) == (min(n, 40 - n), "optimal")


def test_too_many_turns_are_refused() -> None:
    given = puzzle("pyraminx-tips")
    with pytest.raises(PuzzleError, match="can be turned in 209,952 ways, too many"):
        Placements(given, range(given.cells))
