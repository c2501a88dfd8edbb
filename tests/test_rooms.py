"""Generated rooms: in one piece, walled, solvable, and not solved already."""

from __future__ import annotations

import numpy as np
import pytest

from homeward.puzzles import PuzzleError
from homeward.puzzles.rooms import generate
from homeward.puzzles.sokoban import Sokoban


def counts(boards: np.ndarray) -> list[list[int]]:
    """The distinct counts of target, box, box on target, agent, agent on target."""
    return [np.unique((boards == code).sum(1)).tolist() for code in range(2, 7)]


def test_rooms_look_like_the_papers() -> None:
    rooms = generate(300, np.random.default_rng(0))
    sokoban = Sokoban()
    assert rooms.shape == (300, 100)
    assert rooms.dtype == np.uint8
    assert counts(rooms) == [[4], [4], [0], [1], [0]]
    assert [i for i, room in enumerate(rooms) if sokoban.problems(room)] == []
    assert len(np.unique(rooms, axis=0)) == 300
    # One piece: the agent gets to every cell that is no wall, boxes aside.
    assert np.array_equal(sokoban.reachable(rooms), rooms != 1)
    # The public sets have 32 cells of floor on average, between 11 and 57.
    floor = (rooms != 1).sum(1)
    assert 26 < floor.mean() < 36
    assert len(np.unique(floor)) > 15


def test_rooms_repeat_and_do_not_depend_on_how_many() -> None:
    few, many = (generate(n, np.random.default_rng(8)) for n in (3, 12))
    assert np.array_equal(few, many[:3])
    assert not np.array_equal(few, generate(3, np.random.default_rng(9)))
    rng = np.random.default_rng(8)
    assert np.array_equal(generate(3, rng), few)
    assert not np.array_equal(generate(3, rng), few)
    assert generate(0, rng).shape == (0, 100)


def solves(sokoban: Sokoban, start: np.ndarray) -> bool:
    """Breadth-first, to the end: whether some sequence of moves solves the board."""
    seen, frontier = {start.tobytes()}, start[None]
    while len(frontier):
        if sokoban.is_solved(frontier).any():
            return True
        children = np.unique(sokoban.expand(frontier).reshape(-1, sokoban.cells), axis=0)
        fresh = [child for child in children if child.tobytes() not in seen]
        seen.update(child.tobytes() for child in fresh)
        frontier = np.array(fresh)
    return False


@pytest.mark.parametrize(
    ("rows", "columns", "boxes"), [(3, 5, 1), (5, 3, 1), (3, 30, 1), (6, 6, 1), (7, 7, 2)]
)
def test_small_rooms_can_be_solved(rows: int, columns: int, boxes: int) -> None:
    sokoban = Sokoban(rows, columns)
    rooms = generate(6, np.random.default_rng(1), rows, columns)
    assert counts(rooms) == [[boxes], [boxes], [0], [1], [0]]
    assert not sokoban.is_solved(rooms).any()
    assert all(solves(sokoban, room) for room in rooms)


def test_an_unsolvable_room_is_told_apart() -> None:
    stuck = np.array([[1, 1, 1, 1, 1, 1], [1, 3, 5, 0, 2, 1], [1, 1, 1, 1, 1, 1]], dtype=np.uint8)
    assert not solves(Sokoban(3, 6), stuck.reshape(-1))


def test_settings() -> None:
    rooms = generate(5, np.random.default_rng(2), 12, 9, boxes=6, pulls=200)
    assert counts(rooms) == [[6], [6], [0], [1], [0]]
    assert all(Sokoban(12, 9).problems(room) == [] for room in rooms)


@pytest.mark.parametrize(
    ("rows", "columns", "boxes", "pulls", "message"),
    [
        (3, 5, 2, 10, "no 3x5 room with so many boxes was found: 2"),
        (10, 10, 0, 10, "a room has at least 1 box and 1 pull, not 0 and 10"),
        (10, 10, 4, 0, "a room has at least 1 box and 1 pull, not 4 and 0"),
    ],
)
def test_impossible_settings(rows: int, columns: int, boxes: int, pulls: int, message: str) -> None:
    with pytest.raises(PuzzleError) as error:
        generate(1, np.random.default_rng(0), rows, columns, boxes, pulls)
    assert str(error.value) == message
