"""Additive pattern databases: entries against a plain search, sums against whole graphs."""

from __future__ import annotations

import itertools
import math
from collections import deque
from pathlib import Path

import numpy as np
import pytest

from homeward.heuristics.base import Heuristic
from homeward.heuristics.tiles.additive import AdditiveDatabase
from homeward.heuristics.tiles.building import build
from homeward.heuristics.tiles.kernels import list_sets, order_number, set_number
from homeward.heuristics.tiles.layout import entries, position, set_numbers, shifts
from homeward.heuristics.tiles.manhattan import Manhattan
from homeward.heuristics.tiles.partitions import partition
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.sliding import Sliding
from tiles_tools import board_of, refute


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own for each test."""
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


# --- rows, columns, entries


@pytest.mark.parametrize(("cells", "tiles"), [(6, 1), (9, 4), (12, 5), (16, 3), (25, 3), (49, 2)])
def test_sets_are_numbered_in_order(cells: int, tiles: int) -> None:
    sets = np.empty(math.comb(cells, tiles), np.uint64)
    list_sets(tiles, sets)
    expected = sorted(
        sum(1 << c for c in some) for some in itertools.combinations(range(cells), tiles)
    )
    assert sets.tolist() == expected
    for most in (tiles, 8):
        numbers = set_numbers(cells, most)
        assert [set_number(s, numbers) for s in sets] == list(range(len(sets)))


def test_columns_follow_the_tiles() -> None:
    """Moving a tile on the board and moving it in the table come to the same column."""
    rng = np.random.default_rng(0)
    for tiles in (1, 2, 3, 5, 8):
        moved = shifts(tiles)
        for _ in range(50):
            cells = rng.permutation(30)[:tiles]
            tile, there = int(rng.integers(tiles)), int(rng.integers(30))
            if there in cells:
                continue
            column = position(cells.tolist())[1]
            old = int((cells < cells[tile]).sum())
            cells[tile] = there
            new = int((cells < there).sum())
            assert moved[old, new, column] == position(cells.tolist())[1]
            assert order_number(cells.astype(np.uint8), tiles) == position(cells.tolist())[1]


def cheapest(board: Sliding, pattern: tuple[int, ...], home: int) -> dict[tuple[int, ...], int]:
    """The moves of the pattern's tiles to every placement, by a plain search over all blanks."""
    costs = {(*pattern, home): 0}
    queue = deque(costs)
    slides = board.slides.numpy
    while queue:
        state = queue.popleft()
        *tiles, blank = state
        for cell in slides[blank]:
            if cell < 0:
                continue
            pushed = cell in tiles
            placed = [blank if tile == cell else tile for tile in tiles]
            after = (*placed, int(cell))
            if costs[state] + pushed < costs.get(after, 999):
                costs[after] = costs[state] + pushed
                (queue.append if pushed else queue.appendleft)(after)
    least: dict[tuple[int, ...], int] = {}
    for (*tiles, _), cost in costs.items():
        least[tuple(tiles)] = min(cost, least.get(tuple(tiles), cost))
    return least


@pytest.mark.parametrize(
    ("board", "pattern", "home"),
    [
        (Sliding(3, 3), (0, 1, 4), 8),
        (Sliding(3, 3), (1, 2, 5, 6, 7), 4),
        (Sliding(2, 4), (0, 3, 5), 6),
        (Sliding(4, 3), (0, 2), 11),
        (Sliding(2, 3), (0, 1, 3, 4), 5),
        (Sliding(2, 3), (0, 1, 2, 3, 4), 5),
        (Sliding(2, 4, coiled=True), (0, 1, 2, 6), 7),
    ],
)
def test_every_entry_against_a_plain_search(
    board: Sliding, pattern: tuple[int, ...], home: int
) -> None:
    table = build(board, home, (pattern,))
    expected = cheapest(board, pattern, home)
    assert len(table) == entries(board.cells, len(pattern))
    columns = math.factorial(len(pattern))
    for cells, cost in expected.items():
        row, column = position(list(cells))
        assert table[row * columns + column] == cost
    assert (table != 255).sum() == len(expected)


# --- sums


@pytest.mark.parametrize("patterns", ["best", "light"])
@pytest.mark.parametrize("name", ["sliding-2x2", "sliding-3x2", "sliding-2x4", "sliding-2x5"])
def test_no_sum_is_too_large(name: str, patterns: str) -> None:
    refute(AdditiveDatabase(board_of(name), patterns))


@pytest.mark.parametrize("name", ["sliding-2x3", "sliding-2x4", "sliding-3x3"])
def test_nor_with_the_blank_at_home_elsewhere(name: str) -> None:
    for home in range(board_of(name).cells):
        refute(AdditiveDatabase(board_of(name, home), "light", use_cache=False))


def test_all_tiles_in_one_pattern_are_the_exact_distance() -> None:
    assert refute(AdditiveDatabase(board_of("sliding-3x3"), "8")) == 0


def test_smaller_patterns_tell_less_and_manhattan_least() -> None:
    board = board_of("sliding-3x3")
    assert round(refute(AdditiveDatabase(board, "4-4")), 4) == 2.7913
    assert round(refute(Manhattan(board)), 4) == 7.9724


def test_the_mirrored_board_tells_more() -> None:
    """The estimate is the same for a board and its mirror image, and above either sum."""
    board = board_of("sliding-3x3")
    database = AdditiveDatabase(board, "4-4")
    states = board.random_states(500, np.random.default_rng(3))
    _, mirror = board.symmetries()
    assert np.array_equal(database.values(states), database.values(mirror.image(states)))
    both = database.values(states)
    views = database.views
    database.views = type(views)(views.home, views.maps[:1], views.owners[:1], views.places[:1])
    one, other = database.values(states), database.values(mirror.image(states))
    assert np.array_equal(both, np.maximum(one, other))
    assert (one != other).any()


def test_a_coiled_board() -> None:
    """No parity there: every estimate must hold for all 40320 boards."""
    coiled = Sliding(2, 4, coiled=True)
    database = AdditiveDatabase(coiled, "light")
    level, depth, known = coiled.goal[None], 0, {coiled.goal.tobytes()}
    while len(level):
        assert (database.values(level) <= depth).all()
        children = coiled.expand(level)[coiled.legal(level)]
        fresh = {row.tobytes(): row for row in children}
        level = np.array([row for key, row in fresh.items() if key not in known])
        known |= set(fresh)
        depth += 1
    assert len(known) == 40320


def test_children_are_estimates_of_the_children() -> None:
    board = puzzle("sliding-3x4")
    database = AdditiveDatabase(board, "light")
    assert isinstance(database, Heuristic)
    states = board.random_states(50, np.random.default_rng(1))
    found, legal = database.children(database.place(states)), board.legal(states)
    assert np.isinf(found[~legal]).all()
    assert found[legal].tolist() == database.values(board.expand(states)[legal]).tolist()


def test_public_boards(data_dir: Path) -> None:
    board = puzzle("puzzle15")
    database, manhattan = AdditiveDatabase(board, "5-5-5"), Manhattan(board)
    for name in ("puzzle15", "puzzle15_korf100", "puzzle15_hard17"):
        data = np.load(data_dir / f"{name}.npz")
        found, length = database.values(data["states"]), data["optimal_length"]
        assert (found <= length).all()
        assert ((length - found) % 2 == 0).all()
        assert (found >= manhattan.values(data["states"])).all()


def test_every_board_on_a_public_solution(data_dir: Path) -> None:
    board = puzzle("puzzle24")
    database = AdditiveDatabase(board, "5-5-5-5-4")
    data = np.load(data_dir / "puzzle24.npz")
    states, moves = data["states"][:50], data["optimal_moves"][:50]
    for step in range(moves.shape[1]):
        left = (moves[:, step:] >= 0).sum(1)
        assert (database.values(states) <= left).all()
        going = moves[:, step] >= 0
        states = states.copy()
        states[going] = board.step(states[going], moves[going, step])


# --- partitions


@pytest.mark.parametrize(
    ("rows", "columns", "name", "sizes"),
    [
        (4, 4, "best", [8, 7]),
        (4, 4, "light", [6, 3, 6]),
        (5, 5, "best", [6, 6, 6, 6]),
        (6, 6, "best", [5] * 7),
        (6, 6, "6-6-6-6-6-5", [6, 6, 6, 6, 6, 5]),
        (7, 7, "best", [5] * 9 + [3]),
        (3, 5, "best", [7, 7]),
        (8, 8, "light", [3] * 21),
    ],
)
def test_partitions_hold_every_tile_once(
    rows: int, columns: int, name: str, sizes: list[int]
) -> None:
    found = partition(rows, columns, rows * columns - 1, name)
    assert [len(pattern) for pattern in found] == sizes
    assert sorted(itertools.chain(*found)) == list(range(rows * columns - 1))


@pytest.mark.parametrize(
    ("rows", "columns", "name", "message"),
    [
        (4, 4, "7-7", "there is no partition '7-7' of the 4x4 board; did you mean 7-8?"),
        (2, 3, "x", "there is no partition 'x' of the 2x3 board; there are best, light"),
        (9, 9, "best", "pattern databases are for boards of at most 64 cells; 9x9 has 81"),
    ],
)
def test_partitions_that_do_not_exist(rows: int, columns: int, name: str, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        partition(rows, columns, rows * columns - 1, name)
    assert str(caught.value) == message


# --- kept on disk


def test_tables_are_kept_and_shared_by_goals_that_differ_in_names(folder: Path) -> None:
    board = board_of("sliding-3x3")
    made = AdditiveDatabase(board, "4-4")
    (path,) = folder.glob("*.npy")
    assert path.name.startswith("tiles-3x3-4-4-")
    corner = board_of("sliding-3x3", 0)  # the same tables, the board turned
    for other in (board, corner):
        seen: list[int] = []
        again = AdditiveDatabase(other, "4-4", lambda done, total, seen=seen: seen.append(done))
        assert seen == []
        assert np.array_equal(again.tables, made.tables)
    assert len(list(folder.glob("*.npy"))) == 1


def test_a_damaged_table_is_made_again(folder: Path) -> None:
    board = board_of("sliding-3x3")
    made = np.array(AdditiveDatabase(board, "4-4").tables)
    path = next(folder.glob("*.npy"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert np.array_equal(AdditiveDatabase(board, "4-4").tables, made)


def test_stopped_on_the_way_nothing_is_kept(folder: Path) -> None:
    class StopError(Exception):
        pass

    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        if done > total // 2:
            raise StopError

    with pytest.raises(StopError):
        AdditiveDatabase(board_of("sliding-3x4"), "light", tell)
    assert told == sorted(told)
    assert {total for _, total in told} == {entries(12, 7) + entries(12, 4)}
    assert not folder.exists()
