"""Whole graphs against the known answers, kept on disk, looked up and walked down."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward import cache
from homeward.heuristics.base import Heuristic
from homeward.heuristics.graph import MOST_HARDEST, Graph, distances
from homeward.heuristics.patterns.database import PatternDatabase
from homeward.heuristics.plots import plot_counts
from homeward.heuristics.table import DistanceTable
from homeward.puzzles import PermutationPuzzle, PuzzleError, puzzle
from homeward.puzzles.permutation import closed_under_inverses
from homeward.puzzles.ranking import Distances, flood, unreached
from homeward.search.base import Budget, Meter, Outcome, replayed
from homeward.search.table import TableDescent

CUBE2 = [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276]
COUNTS = {
    "cube2": CUBE2,
    "cube2-htm": [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644],
    "cube2-free": [24 * n for n in CUBE2],
    "pyraminx": [1, 8, 48, 288, 1728, 9896, 51808, 220111, 480467, 166276, 2457, 32],
    "puzzle8": [1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638,
                9529, 10878, 16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221,
                2],
    "lightsout4": [1, 16, 120, 560, 1387, 1440, 540, 32],
    "lightsout5": [1, 25, 300, 2300, 12650, 53130, 176176, 467104, 982335, 1596279, 1935294,
                   1684446, 1004934, 383670, 82614, 7350],
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own for each test."""
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def eight() -> Graph:
    return distances(puzzle("puzzle8"), use_cache=False)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_by_distance(name: str) -> None:
    graph = distances(puzzle(name), use_cache=False)
    assert list(graph.counts) == COUNTS[name]
    assert graph.states == sum(COUNTS[name])
    assert graph.diameter == len(COUNTS[name]) - 1
    assert len(graph.hardest) == min(graph.counts[-1], MOST_HARDEST)
    table = DistanceTable(puzzle(name), graph)
    assert (table.values(graph.hardest) == graph.diameter).all()
    assert (table.values(puzzle(name).goals) == 0).all()


@pytest.mark.parametrize(
    ("name", "states", "diameter", "hardest"),
    [
        ("sliding-2x2", 12, 6, 1),
        ("sliding-2x3", 360, 21, 1),
        ("sliding-2x4", 20_160, 36, 1),
        ("sliding-4x2", 20_160, 36, 1),
        ("sliding-2x5", 1_814_400, 55, 2),
    ],
)
def test_gods_number_of_boards(name: str, states: int, diameter: int, hardest: int) -> None:
    graph = distances(puzzle(name), use_cache=False)
    assert (graph.states, graph.diameter, len(graph.hardest)) == (states, diameter, hardest)


def test_hardest_boards(eight: Graph) -> None:
    expected = {(8, 6, 7, 2, 5, 4, 3, 0, 1), (6, 4, 7, 8, 5, 0, 3, 2, 1)}
    assert {tuple(row) for row in eight.hardest.tolist()} == expected


def test_distance_between_two_goals_is_the_same_both_ways() -> None:
    for name in ("sliding-2x4", "lightsout4", "pyraminx"):
        home = puzzle(name)
        there = home.random_states(1, np.random.default_rng(3))
        away = home.with_goal(there[0])
        one = DistanceTable(home).values(there)
        other = DistanceTable(away).values(home.goals)
        assert one == other
        assert one > 0


def test_progress_has_every_level_and_the_total() -> None:
    told: list[tuple[list[int], int]] = []
    distances(puzzle("lightsout4"), lambda counts, states: told.append((list(counts), states)))
    assert told == [(COUNTS["lightsout4"][:n], 4096) for n in range(2, 9)]


def test_longer_ways_than_a_byte_holds() -> None:
    names, table = closed_under_inverses(["turn"], np.roll(np.arange(520), 1)[None])
    wheel = PermutationPuzzle("wheel", names, table, np.arange(520)[None])
    graph = distances(wheel)
    assert graph.counts == (1, *[2] * 259, 1)
    assert graph.hardest.tolist() == [np.roll(np.arange(520), 260).tolist()]
    away = np.array([np.roll(np.arange(520), -n) for n in (0, 1, 254, 255, 256, 259, 370)])
    for made in (DistanceTable(wheel), DistanceTable(wheel, distances(wheel))):  # kept by now
        assert made.values(away).tolist() == [0, 1, 254, 255, 256, 259, 150]
    database = PatternDatabase(wheel, [0])
    assert database.values(away).tolist() == [0, 1, 254, 255, 256, 259, 150]


def test_longer_ways_than_two_bytes_hold() -> None:
    def onward(found: Distances, depth: int, pull: bool) -> None:
        found[depth + 1] = depth + 1

    row = unreached(70_000)
    row[0] = 0
    row, counts = flood(onward, row)
    assert counts == [1] * 70_000
    assert np.array_equal(row, np.arange(70_000))


# --- kept on disk


def test_a_second_time_it_is_read(folder: Path) -> None:
    board = puzzle("sliding-2x4")
    first, second = distances(board), distances(board)
    assert (first.kept, second.kept) == (False, True)
    assert np.array_equal(first.distances, second.distances)
    assert np.array_equal(first.hardest, second.hardest)
    assert first.counts == second.counts
    assert not second.distances.flags.writeable
    assert len(list(folder.iterdir())) == 2
    assert not distances(board.with_goal(first.hardest[0])).kept


def _spoil(path: Path, place: int, value: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data, facts: _spoil(data, 5000, b"\x77"),
        lambda data, facts: _spoil(data, 0, b"\x00\x00"),
        lambda data, facts: data.write_bytes(data.read_bytes()[:-1]),
        lambda data, facts: data.write_bytes(b""),
        lambda data, facts: data.unlink(),
        lambda data, facts: facts.unlink(),
        lambda data, facts: facts.write_text("{"),
        lambda data, facts: facts.write_text("[1]"),
        lambda data, facts: facts.write_text(facts.read_text().replace("sliding", "gliding")),
        lambda data, facts: facts.write_text(facts.read_text().replace("[1, 2,", "[1, 3,")),
        lambda data, facts: facts.write_text(facts.read_text().replace("[1, 2,", "[1, null,")),
    ],
)
def test_damaged_files_are_noticed_and_made_again(folder: Path, damage: Any) -> None:
    board = puzzle("sliding-2x4")
    whole = distances(board)
    (data,), (facts,) = folder.glob("*.npy"), folder.glob("*.json")
    damage(data, facts)
    again = distances(board)
    assert not again.kept
    assert np.array_equal(again.distances, whole.distances)
    assert distances(board).kept


def test_facts_beside_the_table(folder: Path) -> None:
    distances(puzzle("lightsout4"))
    (facts,) = folder.glob("distances-lightsout4-*.json")
    known = json.loads(facts.read_text())
    assert known["puzzle"] == "lightsout4"
    assert known["counts"] == COUNTS["lightsout4"]
    assert known["shape"] == [4096]


def test_without_a_folder_it_works_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file" / "cache"
    blocked.parent.write_text("not a folder")
    monkeypatch.setenv("HOMEWARD_CACHE", str(blocked))
    with pytest.warns(UserWarning, match="nothing is kept for next time: .* cannot be written"):
        graph = distances(puzzle("lightsout4"))
    assert list(graph.counts) == COUNTS["lightsout4"]


def test_an_interrupted_write_leaves_nothing(tmp_path: Path) -> None:
    def fails(file: Any) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.write_atomically(tmp_path / "deep" / "table", fails)
    assert list((tmp_path / "deep").iterdir()) == []


def test_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOMEWARD_CACHE", "here")
    assert cache.cache_dir() == Path("here")
    monkeypatch.setenv("HOMEWARD_CACHE", "")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp/x")
    assert cache.cache_dir() == Path("/var/tmp/x/homeward")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.cache_dir() == Path.home() / ".cache" / "homeward"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache.cache_dir() == Path.home() / "Library" / "Caches" / "homeward"


# --- as a heuristic


def test_children_are_one_move_away(eight: Graph) -> None:
    board = puzzle("puzzle8")
    table = DistanceTable(board, eight)
    assert isinstance(table, Heuristic)
    states = board.random_states(500, np.random.default_rng(0))
    values, children, legal = table.values(states), table.children(states), board.legal(states)
    assert values.dtype == children.dtype == np.float32
    assert np.array_equal(np.isfinite(children), legal)
    expected = table.values(board.expand(states)[legal])
    assert np.array_equal(children[legal], expected)
    home = board.is_solved(states)
    assert np.array_equal(children.min(1)[~home], values[~home] - 1)


def test_tensors_get_tensors(eight: Graph) -> None:
    torch = pytest.importorskip("torch")
    board = puzzle("puzzle8")
    table = DistanceTable(board, eight)
    states = board.random_states(20, np.random.default_rng(1))
    values, children = (f(torch.as_tensor(states)) for f in (table.values, table.children))
    assert values.dtype == children.dtype == torch.float32
    assert np.array_equal(values.numpy(), table.values(states))
    assert np.array_equal(children.numpy(), table.children(states))


def test_the_search_walks_home(eight: Graph) -> None:
    board = puzzle("puzzle8")
    table = DistanceTable(board, eight)
    for start, distance in [(eight.hardest[0], 31), (board.goal, 0)]:
        solution = TableDescent()(board, start, table, Meter(Budget()))
        assert replayed(board, start, solution) == solution
        assert (solution.length, solution.lower_bound, solution.proof) == (
            distance,
            distance,
            "optimal",
        )
        assert solution.expanded == distance
        assert solution.evaluated == solution.generated + 1
        assert solution.generated == sum(
            board.legal(board.apply(start, solution.moves[:i])[None]).sum() for i in range(distance)
        )


def test_the_search_keeps_to_its_budget(eight: Graph) -> None:
    board = puzzle("puzzle8")
    search, table = TableDescent(), DistanceTable(board, eight)
    late = search(board, eight.hardest[0], table, Meter(Budget(seconds=0)))
    assert (late.status, late.moves, late.lower_bound) == (Outcome.OUT_OF_TIME, None, 31)


def test_the_search_refuses_estimates(eight: Graph) -> None:
    board = puzzle("puzzle8")

    class Half(DistanceTable):
        name = "half"

        def values(self, states: Any) -> Any:
            return np.floor(super().values(states) / 2)

        def children(self, states: Any) -> Any:
            return np.floor(super().children(states) / 2)

    search, meter = TableDescent(), Meter(Budget())
    with pytest.raises(PuzzleError) as caught:
        search(board, eight.hardest[0], Half(board, eight), meter)
    assert str(caught.value) == "half has no exact distances to walk down"
    with pytest.raises(PuzzleError) as caught:
        search(board, eight.hardest[0], None, meter)
    assert str(caught.value) == "walking down a table needs a heuristic with exact distances"


# --- pictures


def test_plot(eight: Graph, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot_counts(eight, tmp_path / "counts.png")
    assert (tmp_path / "counts.png").read_bytes().startswith(b"\x89PNG")
    plot_counts(eight, tmp_path / "counts.svg")
    assert "puzzle8: 181,440 states" in (tmp_path / "counts.svg").read_text()
    with pytest.raises(PuzzleError, match=r"^the plot cannot be written to .*counts\.xyz: "):
        plot_counts(eight, tmp_path / "counts.xyz")
    with pytest.raises(PuzzleError, match=r"^the plot cannot be written to .*nowhere.*: "):
        plot_counts(eight, tmp_path / "nowhere" / "counts.png")


def test_plot_without_matplotlib(
    eight: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PuzzleError) as caught:
        plot_counts(eight, tmp_path / "counts.png")
    assert str(caught.value) == "plots need matplotlib: pip install 'homeward[plot]'"
