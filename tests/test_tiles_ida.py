"""IDA* on boards: shortest lengths against whole graphs, the move order, budgets, proofs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from homeward.heuristics.tiles.additive import AdditiveDatabase
from homeward.heuristics.tiles.board import BoardHeuristic
from homeward.heuristics.tiles.conflicts import LinearConflicts
from homeward.heuristics.tiles.manhattan import Manhattan
from homeward.heuristics.tiles.tree import boardtree
from homeward.heuristics.tiles.tree.automaton import automaton, forbidden_words, table_of
from homeward.heuristics.tiles.tree.records import FORBIDDEN
from homeward.puzzles import puzzle
from homeward.puzzles.sliding import Sliding
from homeward.search.base import Budget, Meter, Outcome, Solution, replayed
from homeward.search.idastar import IDAStar, Planted, deepen
from tiles_tools import board_of, graph_of, states_of


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache folder of its own for this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOMEWARD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def solved(
    heuristic: BoardHeuristic, start: np.ndarray, threads: int = 1, budget: Budget | None = None
) -> Solution:
    board = heuristic.puzzle
    found = IDAStar(threads)(board, start, heuristic, Meter(budget or Budget()))
    return replayed(board, start, found)


# --- the move order


def test_the_shortest_forbidden_words() -> None:
    """Moves taken back, and six moves round a square of which the other way comes first."""
    undone = {(0, 1), (1, 0), (2, 3), (3, 2)}
    round_a_square = {
        (2, 0, 3, 1, 2, 0),
        (2, 1, 3, 0, 2, 1),
        (3, 0, 2, 1, 3, 0),
        (3, 1, 2, 0, 3, 1),
    }
    assert forbidden_words(7) == undone | round_a_square
    assert len(forbidden_words(8)) == 40
    assert len(forbidden_words(9)) == 44


def test_every_forbidden_word_has_an_earlier_one_that_is_possible_too() -> None:
    """On boards where the word just fits, some earlier word leads to the same place."""
    for word in sorted(forbidden_words(8), key=len):
        steps = [((1, 0), (-1, 0), (0, 1), (0, -1))[move] for move in word]
        path = np.cumsum([(0, 0), *steps], axis=0)
        rows, columns = np.ptp(path, axis=0) + 1
        if min(rows, columns) < 2:
            assert word in {(0, 1), (1, 0), (2, 3), (3, 2)}
            continue
        board = Sliding(int(rows), int(columns))
        first = path[0] - path.min(0)
        start = np.roll(np.arange(board.cells), first[0] * board.columns + first[1])[None]
        end = start
        for move in word:
            assert board.legal(end)[0, move]
            end = board.step(end, move)
        level = {start.tobytes(): [()]}
        earlier: list[tuple[int, ...]] = []
        for length in range(len(word) + 1):
            earlier += [w for w in level.get(end.tobytes(), []) if (length, w) < (len(word), word)]
            longer: dict[bytes, list[tuple[int, ...]]] = {}
            for key, words in level.items():
                state = np.frombuffer(key, dtype=start.dtype)[None]
                for move in np.flatnonzero(board.legal(state)[0]):
                    after = board.step(state, int(move)).tobytes()
                    longer.setdefault(after, []).extend((*w, int(move)) for w in words)
            level = longer
        assert earlier


@pytest.mark.parametrize("name", ["sliding-3x3", "sliding-2x5"])
def test_every_board_is_reached_by_a_shortest_word_that_is_allowed(name: str) -> None:
    board, order = board_of(name), automaton()
    slides = board.slides.numpy
    level = {(board.goal.tobytes(), 0)}
    known = {board.goal.tobytes()}
    for count in graph_of(board).counts[1:20]:
        after = set()
        for key, state in level:
            row = np.frombuffer(key, dtype=board.dtype)
            blank = int(np.argmin(row))
            for move in range(4):
                cell, then = int(slides[blank, move]), int(order[state, move])
                if cell < 0 or then == FORBIDDEN:
                    continue
                child = row.copy()
                child[blank], child[cell] = child[cell], 0
                after.add((child.tobytes(), then))
        fresh = {key for key, _ in after} - known
        assert len(fresh) == count
        known |= fresh
        level = {(key, state) for key, state in after if key in fresh}


def test_a_wrap_is_not_taken_back() -> None:
    order = automaton(coiled=True)
    after = order[0, 4]
    assert order[after, 4] == FORBIDDEN
    assert (order[after, :4] == order[0, :4]).all()
    assert (np.delete(order[:, 4], after) == after).all()
    assert len(order) == len(automaton()) + 1


def test_automaton_of_few_words() -> None:
    table = table_of({(0, 0), (0, 1, 0)}, 2)
    # States: nothing, 0, and 01 of the words.
    assert table.tolist() == [[1, 0], [FORBIDDEN, 2], [FORBIDDEN, 0]]


# --- lengths


@pytest.mark.parametrize("kind", ["manhattan", "light", "best"])
def test_every_length_is_the_distance(kind: str) -> None:
    board = board_of("sliding-3x3")
    heuristic = Manhattan(board) if kind == "manhattan" else AdditiveDatabase(board, kind)
    graph, states = graph_of(board), states_of(board)
    picks = np.random.default_rng(0).integers(graph.states, size=150)
    for number in [*picks, *np.flatnonzero(graph.distances == 31)]:
        found = solved(heuristic, states[number])
        assert (found.length, found.lower_bound) == (graph.distances[number],) * 2
        assert (found.status, found.proof) == ("solved", "optimal")


@pytest.mark.parametrize(
    ("name", "home"), [("sliding-2x5", None), ("sliding-3x3", 4), ("sliding-2x4", 2)]
)
def test_other_boards_and_other_homes(name: str, home: int | None) -> None:
    board = board_of(name, home)
    graph, states = graph_of(board), states_of(board)
    for heuristic in (Manhattan(board), AdditiveDatabase(board, "light")):
        for number in np.random.default_rng(1).integers(graph.states, size=25):
            found = solved(heuristic, states[number])
            assert (found.length, found.proof) == (graph.distances[number], "optimal")


def test_a_coiled_board_has_no_parity() -> None:
    coiled = Sliding(2, 4, coiled=True)
    levels, known = [coiled.goal[None]], {coiled.goal.tobytes()}
    while len(levels[-1]):
        children = coiled.expand(levels[-1])[coiled.legal(levels[-1])]
        fresh = {row.tobytes(): row for row in children if row.tobytes() not in known}
        known |= set(fresh)
        levels.append(np.array(list(fresh.values())))
    for heuristic in (Manhattan(coiled), AdditiveDatabase(coiled, "light")):
        for depth, level in enumerate(levels[:-1]):
            for start in level[:2]:
                assert solved(heuristic, start).length == depth


def test_a_board_with_more_than_256_cells() -> None:
    board = puzzle("sliding-17x17")
    start = board.walks(1, 12, np.random.default_rng(4)).states[-1, 0]
    found = solved(Manhattan(board), start)
    assert (found.length, found.proof) == (12, "optimal")


def test_counters() -> None:
    """Two moves from home: the start and one board are expanded, undoing is not tried."""
    board = puzzle("sliding-3x3")
    start = np.array([1, 2, 3, 4, 5, 6, 0, 7, 8])
    for heuristic, made in ((Manhattan(board), 1 + 1), (AdditiveDatabase(board, "light"), 2 + 2)):
        found = solved(heuristic, start)
        assert (found.moves, found.lower_bound) == ((2, 2), 2)
        assert (found.expanded, found.generated, found.evaluated) == (2, made, made)
    assert solved(Manhattan(board), board.goal).moves == ()
    assert solved(Manhattan(board), board.goal).proof == "optimal"


# --- all cores


@pytest.mark.parametrize("kind", ["manhattan", "light"])
def test_threads_find_the_same_lengths(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boardtree, "_FEW", 0)
    board = board_of("sliding-3x3")
    heuristic = Manhattan(board) if kind == "manhattan" else AdditiveDatabase(board, kind)
    graph, states = graph_of(board), states_of(board)
    for number in np.random.default_rng(2).integers(graph.states, size=20):
        start = states[number]
        alone, together = solved(heuristic, start), solved(heuristic, start, threads=3)
        assert alone.length == together.length == graph.distances[number]
        assert together.proof == "optimal"


def test_a_whole_length_is_the_same_work_for_one_thread_and_for_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A proof looks at every board, so what is left out or done twice would show."""
    board = board_of("sliding-3x3")
    start = graph_of(board).hardest[0]
    counts = []
    for few, threads in ((1 << 60, 1), (0, 1), (0, 3)):
        monkeypatch.setattr(boardtree, "_FEW", few)
        meter = Meter(Budget())
        assert deepen(Manhattan(board).tree(start), meter, threads, shorter_than=31) is None
        assert meter.progress.lower_bound == 31
        counts.append(meter.progress.generated)
    assert counts[1] == counts[2]
    # The boards before the work is divided up are not counted again for each length.
    assert 0 <= counts[0] - counts[1] < 10 * 1000


# --- budgets


def test_a_spent_budget_leaves_a_gap() -> None:
    board = puzzle("puzzle15")
    heuristic = Manhattan(board)
    start = np.array([0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1])
    for budget in (Budget(seconds=0.3), Budget(nodes=3_000_000)):
        found = solved(heuristic, start, 2, budget)
        assert found.status is Outcome.OUT_OF_TIME
        assert (found.moves, found.proof) == (None, "none")
        assert 58 <= found.lower_bound < 80
        assert found.lower_bound % 2 == 0


def test_a_known_length_is_proved_or_beaten() -> None:
    board = puzzle("sliding-3x3")
    start = np.array([1, 2, 3, 4, 5, 6, 0, 7, 8])
    for heuristic in (Manhattan(board), AdditiveDatabase(board, "light")):
        assert isinstance(heuristic, Planted)
        meter = Meter(Budget())
        assert deepen(heuristic.tree(start), meter, shorter_than=2) is None
        assert meter.progress.lower_bound == 2
        assert deepen(heuristic.tree(start), Meter(Budget()), shorter_than=6) == [2, 2]


@pytest.mark.parametrize("kind", ["manhattan", "patterns"])
def test_cancelled_from_another_thread(kind: str) -> None:
    board = puzzle("puzzle24")
    start = board.random_states(1, np.random.default_rng(9))[0]
    heuristic = Manhattan(board)
    if kind == "patterns":
        heuristic = AdditiveDatabase(board, "5-5-5-5-4")
    solved(heuristic, board.walks(1, 20, np.random.default_rng(0)).states[-1, 0])
    meter = Meter(Budget(seconds=60))
    threading.Timer(0.3, meter.cancel).start()
    found = IDAStar()(board, start, heuristic, meter)
    assert found.status is Outcome.CANCELLED


def test_conflicts_have_no_tree_of_their_own() -> None:
    """They are asked about batches of boards instead."""
    board = board_of("sliding-3x3")
    graph, states = graph_of(board), states_of(board)
    assert not isinstance(LinearConflicts(board), Planted)
    for number in np.random.default_rng(3).integers(graph.states, size=3):
        found = solved(LinearConflicts(board), states[number])
        assert (found.length, found.proof) == (graph.distances[number], "optimal")


# --- the public sets


def test_public_boards(data_dir: Path) -> None:
    database = AdditiveDatabase(puzzle("puzzle15"), "light")
    for name, rows in (("puzzle15", 8), ("puzzle15_korf100", 8)):
        data = np.load(data_dir / f"{name}.npz")
        for start, length in zip(data["states"][:rows], data["optimal_length"], strict=False):
            found = solved(database, start, threads=0)
            assert (found.length, found.proof) == (length, "optimal")
