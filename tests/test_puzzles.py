"""Every puzzle keeps the contract, and has as many states at each distance as is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from homeward.puzzles import PuzzleError, names, puzzle
from homeward.puzzles.check import check_puzzle
from homeward.puzzles.nearby import layers

# States by distance from the goal, as published or counted apart from this project.
KNOWN = {
    "cube2": [1, 6, 27, 120, 534, 2256, 8969, 33058],
    "cube2-htm": [1, 9, 54, 321, 1847, 9992, 50136],
    "cube3": [1, 12, 114, 1068, 10011],
    "cube3-htm": [1, 18, 243, 3240, 43239],
    "puzzle8": [
        *(1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529),
        *(10878, 16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2),
    ],
    "lightsout5": [1, 25, 300, 2300, 12650],
    "pyraminx": [1, 8, 48, 288, 1728, 9896, 51808],
}
COMPLETE = {"puzzle8"}


@pytest.mark.parametrize("name", names())
def test_contract(name: str) -> None:
    report = check_puzzle(puzzle(name))
    assert report.failed == (), str(report)
    if name in KNOWN:
        assert report.counts == tuple(KNOWN[name])
        assert report.complete is (name in COMPLETE)


def test_known_counts_are_of_puzzles_that_exist() -> None:
    assert set(KNOWN) <= set(names())


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("cube3", [1, 12, 114, 1068, 10011, 93840, 878880]),
        ("pyraminx", [1, 8, 48, 288, 1728, 9896, 51808, 220111, 480467, 166276, 2457, 32]),
        ("lightsout4", [1, 16, 120, 560, 1387, 1440, 540, 32]),
        ("sliding-2x2", [1, 2, 2, 2, 2, 2, 1]),
        ("sliding-2x3", None),
    ],
)
def test_states_by_distance(name: str, counts: list[int] | None) -> None:
    limit = 93840 * 12 if name == "cube3" else 10**8
    found = [len(layer) for layer in layers(puzzle(name), limit)]
    if counts is None:
        assert (sum(found), len(found) - 1) == (360, 21)
    else:
        assert found == counts


def test_layers_hold_each_state_once() -> None:
    for name in ("sliding-2x3", "sokoban"):
        p = puzzle(name)
        states = np.concatenate(list(layers(p, 10**6)))
        assert len(np.unique(states, axis=0)) == len(states)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "pyramin",
            "there is no puzzle named 'pyramin'; did you mean pyraminx? "
            "('homeward list puzzles' has them)",
        ),
        ("???", "there is no puzzle named '???' ('homeward list puzzles' has them)"),
        ("missing/ring.toml", "there is no file missing/ring.toml"),
    ],
)
def test_names_of_no_puzzle(name: str, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        puzzle(name)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["cube3", "pyraminx", "puzzle15", "lightsout5"])
def test_other_goals_move_the_reachable_set_along(name: str) -> None:
    p = puzzle(name)
    rng = np.random.default_rng(3)
    goal = p.random_states(1, rng)[0]
    other = p.with_goal(goal)
    assert other.goal.tolist() == goal.tolist()
    assert not np.array_equal(p.goal, goal)
    for state in other.random_states(10, rng):
        assert other.problems(state) == []
        assert p.problems(state) == []
    walks = other.walks(8, 6, rng)
    assert (walks.states[0] == goal).all()


def test_an_impossible_goal_is_refused() -> None:
    p = puzzle("puzzle8")
    with pytest.raises(PuzzleError, match="lift out two tiles, say 2 and 1, and put each in the"):
        p.with_goal(np.array([2, 1, 3, 4, 5, 6, 7, 8, 0]))
    with pytest.raises(PuzzleError, match=r"^a state of puzzle8 has 9 numbers, this one has 3$"):
        p.with_goal(np.array([0, 1, 2]))


def test_apply_names_the_move_that_is_not_possible() -> None:
    p = puzzle("puzzle8")
    down, right = p.move_names.index("D"), p.move_names.index("R")
    up = p.move_names.index("U")
    with pytest.raises(PuzzleError, match=r"^move 3, U, is not possible there$"):
        p.apply(p.goal, [down, up, up, right])


@pytest.mark.parametrize(
    ("name", "size", "opened"),
    [
        ("cube2", 3_674_160, 10**6),
        ("puzzle8", 181_440, 40_000),
        ("lightsout5", 2**23, 10**6),
        ("pyraminx", 933_120, 10**6),
    ],
)
def test_near_states_are_as_frequent_as_they_are_many(name: str, size: int, opened: int) -> None:
    p = puzzle(name)
    near = {row.tobytes() for layer in layers(p, opened) for row in layer}
    drawn = p.random_states(20_000, np.random.default_rng(11))
    hits = sum(row.tobytes() in near for row in drawn)
    expected = 20_000 * len(near) / size
    assert 50 < expected < 15_000
    assert abs(hits - expected) <= 4 * expected**0.5


@pytest.mark.parametrize("name", ["lightsout1000", "cube1000", "sliding-200x200"])
def test_what_no_memory_holds_is_refused(name: str) -> None:
    with pytest.raises(PuzzleError, match="has at most"):
        puzzle(name)


@pytest.mark.parametrize("name", ["pyraminx", "cube3", "puzzle8", "lightsout5", "sokoban"])
@pytest.mark.parametrize("value", [1.0, 0.5, np.nan, 1 + 0j, "1"])
def test_states_of_anything_but_whole_numbers_are_refused(name: str, value: object) -> None:
    given = puzzle(name)
    row = np.full(given.cells, value)
    with pytest.raises(PuzzleError) as caught:
        given.require_valid(row)
    assert str(caught.value) == f"a state of {name} is whole numbers, not {row.dtype}"


@pytest.mark.parametrize("name", ["pyraminx", "cube3", "puzzle8", "lightsout5"])
@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64])
def test_states_may_be_whole_numbers_of_any_width(name: str, kind: type[np.integer]) -> None:
    given = puzzle(name)
    assert given.problems(given.goal.astype(kind)) == []
    assert given.problems(np.zeros(given.cells, dtype=kind)) == given.problems(
        np.zeros(given.cells, dtype=np.uint8)
    )
