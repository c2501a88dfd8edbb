"""Sokoban: moves forward and back, goals, walks, and what can be wrong with a board."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from homeward.puzzles import PuzzleError, Status, puzzle
from homeward.puzzles.base import Walks
from homeward.puzzles.sokoban import Sokoban, flooded
from sokoban_tools import CORRIDOR, board, small

SPLIT = ("#######", "#  .  #", "#  $@ #", "###.###", "#  $  #", "#     #", "#######")


def test_names_and_shape() -> None:
    ten, other = puzzle("sokoban"), puzzle("sokoban-7x12")
    assert (ten.name, ten.family, ten.cells, ten.symbols) == ("sokoban", "sokoban", 100, 7)
    assert (other.name, other.cells) == ("sokoban-7x12", 84)
    assert ten.move_names == ("U", "D", "L", "R")
    assert not ten.reversible
    assert not ten.always_legal
    assert not ten.uniform


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sokoban(4, 4), "a Sokoban board is at least 3x5 or 5x3, not 4x4"),
        (lambda: Sokoban(2, 9), "a Sokoban board is at least 3x5 or 5x3, not 2x9"),
        (
            lambda: Sokoban(251, 9),
            "a Sokoban board has at most 250 rows and columns, not 251x9",
        ),
        (lambda: Sokoban(pool=0), "the pool holds at least 1 room, not 0"),
        (
            lambda: Sokoban(levels=np.zeros((2, 99))),
            "levels of sokoban have 100 cells each, not 2x99",
        ),
        (
            lambda: Sokoban(3, 7, board(*CORRIDOR, "#######", "# $ @ #", "#######").reshape(2, 21)),
            "level 2: there must be as many boxes as targets: boxes 1, targets 0",
        ),
    ],
)
def test_bad_settings(make, message: str) -> None:
    with pytest.raises(PuzzleError) as error:
        make()
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("move", "before", "after"),
    [
        ("L", "#.$ @ #", "#.$@  #"),
        ("R", "#.$ @ #", "#.$  @#"),
        ("U", "#.$ @ #", "#.$ @ #"),
        ("L", "# .$@ #", "# *@  #"),
        ("L", "# $+  #", "#$@.  #"),
        ("L", "# *@  #", "#$+   #"),
        ("L", "#$@  .#", "#$@  .#"),
        ("L", "#$$@..#", "#$$@..#"),
        ("L", "#.*@ $#", "#*+  $#"),
        ("R", "#$ @* #", "#$  +$#"),
    ],
)
def test_one_move(move: str, before: str, after: str) -> None:
    sokoban, start = small("#######", before, "#######")
    end = board("#######", after, "#######")
    number = sokoban.move_names.index(move)
    assert np.array_equal(sokoban.step(start[None], number)[0], end)
    assert sokoban.legal(start[None])[0, number] == (before != after)


def test_nothing_leaves_an_open_board() -> None:
    sokoban = Sokoban(3, 5)
    start = board("@   $", "$   .", " .   ")
    ends = [
        start,
        board("    $", "@   .", "$.   "),
        start,
        board(" @  $", "$   .", " .   "),
    ]
    assert np.array_equal(sokoban.expand(start[None])[0], np.stack(ends))
    assert sokoban.legal(start[None])[0].tolist() == [False, True, False, True]
    # A box at the border stays, an agent there does not come out on the other side.
    at_box = board("   @$", "$   .", " .   ")
    assert np.array_equal(sokoban.step(at_box[None], 3)[0], at_box)
    # Agent in the lower right corner, next to the border on two sides.
    corner = board(" . $ ", "    .", "   $@")
    assert sokoban.legal(corner[None])[0].tolist() == [True, False, True, False]
    assert np.array_equal(sokoban.step(corner[None], 1)[0], corner)
    assert np.array_equal(sokoban.step(corner[None], 2)[0], board(" . $ ", "    .", "  $@ "))


def test_apply_names_the_move_that_fails() -> None:
    sokoban, start = small(*CORRIDOR)
    with pytest.raises(PuzzleError) as error:
        sokoban.apply(start, [2, 0])
    assert str(error.value) == "move 2, U, is not possible there"
    assert sokoban.is_solved(sokoban.apply(start, [2, 2])[None])[0]


def scattered(n: int) -> tuple[Sokoban, np.ndarray]:
    """Many boards of all kinds: walks back from random rooms, boxes on and off targets."""
    sokoban = Sokoban(pool=50)
    walks = sokoban.walks(n // 40, 39, np.random.default_rng(7))
    return sokoban, walks.states.reshape(-1, sokoban.cells)


def test_backward_moves_undo_forward_moves() -> None:
    sokoban, states = scattered(4000)
    assert sokoban.back_moves == 8
    assert sokoban.undoes.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    legal = sokoban.legal_back(states)
    assert legal.any(0).all()
    for back in range(8):
        before = sokoban.step_back(states, back)
        again = sokoban.step(before, sokoban.undoes[back])
        moved = legal[:, back]
        assert np.array_equal(again[moved], states[moved])
        assert sokoban.legal(before)[moved, sokoban.undoes[back]].all()
        assert (before[moved] != states[moved]).any(1).all()
        assert np.array_equal(before[~moved], states[~moved])


def test_every_forward_move_has_its_backward_move() -> None:
    sokoban, states = scattered(4000)
    for move in range(4):
        going = states[sokoban.legal(states)[:, move]]
        after = sokoban.step(going, move)
        found = sum(
            (sokoban.step_back(after, back) == going).all(1) & sokoban.legal_back(after)[:, back]
            for back in (move, move + 4)
        )
        assert (found == 1).all()


def test_retreats() -> None:
    sokoban, states = scattered(2000)
    assert sokoban.retreats.tolist() == [1, 0, 3, 2, -1, -1, -1, -1]
    for back in range(8):
        going = states[sokoban.legal_back(states)[:, back]]
        there = sokoban.step_back(going, back)
        returns = [(sokoban.step_back(there, b) == going).all(1).mean() for b in range(8)]
        assert returns == [float(b == sokoban.retreats[back]) for b in range(8)]


def check_walks(sokoban: Sokoban, walks: Walks) -> None:
    states, moves = np.asarray(walks.states), np.asarray(walks.moves)
    assert sokoban.is_solved(states[0]).all()
    for i, move in enumerate(moves):
        stood = move < 0
        assert np.array_equal(states[i + 1][stood], states[i][stood])
        assert not sokoban.legal_back(states[i][stood]).any()
        assert np.array_equal(sokoban.step(states[i + 1], move)[~stood], states[i][~stood])
        assert (states[i + 1][~stood] != states[i][~stood]).any(1).all()


@pytest.mark.parametrize("rng", [np.random.default_rng(3), torch.Generator().manual_seed(3)])
def test_walks(rng) -> None:
    sokoban = Sokoban(pool=30)
    walks = sokoban.walks(200, 40, rng)
    assert tuple(walks.states.shape) == (41, 200, 100)
    check_walks(sokoban, walks)
    ends = np.asarray(walks.states[-1])
    assert (ends == 3).any(1).mean() > 0.8
    assert all(sokoban.problems(end) == [] for end in ends)


def test_walks_repeat_with_their_seed() -> None:
    one = Sokoban(pool=20).walks(20, 10, np.random.default_rng(5))
    used = Sokoban(pool=20)
    used.walks(7, 3, np.random.default_rng(1))
    two = used.walks(20, 10, np.random.default_rng(5))
    assert np.array_equal(one.states, two.states)
    assert np.array_equal(one.moves, two.moves)


def test_torch_and_numpy_agree() -> None:
    sokoban, states = scattered(2000)
    tensors = torch.as_tensor(states)
    moves = np.random.default_rng(2).integers(4, size=len(states))
    backs = np.random.default_rng(3).integers(8, size=len(states))
    pairs = [
        (sokoban.step(states, moves), sokoban.step(tensors, torch.as_tensor(moves))),
        (sokoban.step_back(states, backs), sokoban.step_back(tensors, torch.as_tensor(backs))),
        (sokoban.expand(states), sokoban.expand(tensors)),
        (sokoban.legal(states), sokoban.legal(tensors)),
        (sokoban.legal_back(states), sokoban.legal_back(tensors)),
        (sokoban.is_solved(states), sokoban.is_solved(tensors)),
    ]
    for array, tensor in pairs:
        assert isinstance(tensor, torch.Tensor)
        assert np.array_equal(array, tensor.numpy())
        assert array.dtype == tensor.numpy().dtype


@pytest.mark.parametrize("rng", [np.random.default_rng(0), torch.Generator().manual_seed(0)])
def test_goal_states_put_the_agent_on_every_free_cell_of_every_region(rng) -> None:
    sokoban, level = small(*SPLIT)
    sokoban = sokoban.with_levels(level[None])
    goals = np.asarray(sokoban.goal_states(3000, rng))
    assert sokoban.is_solved(goals).all()
    assert all(sokoban.problems(goal) == [] for goal in np.unique(goals, axis=0))
    agents = {divmod(int(cell), 7) for cell in sokoban.agents(goals)}
    upper = {(r, c) for r in (1, 2) for c in range(1, 6)} - {(1, 3)}
    lower = {(r, c) for r in (4, 5) for c in range(1, 6)}
    assert agents == upper | lower
    assert len(sokoban.goals) == len(agents)
    assert {row.tobytes() for row in sokoban.goals} == {row.tobytes() for row in goals}


def test_goal_states_shun_cells_without_a_way_on() -> None:
    # With the boxes home, the cell in the upper left corner is shut in.
    level = board("######", "#@.$ #", "#. $ #", "#    #", "######")
    sokoban = Sokoban(5, 6, level[None])
    goals = sokoban.goal_states(500, np.random.default_rng(0))
    assert 7 not in sokoban.agents(goals)
    assert 7 in sokoban.agents(sokoban.goals)
    assert sokoban.legal_back(goals).any(1).all()


def test_is_solved() -> None:
    sokoban, solved = small("#######", "# *@* #", "#######")
    unsolved = board("#######", "#.$@* #", "#######")
    empty = board("#######", "#  @  #", "#######")
    both = np.stack([solved, unsolved, empty])
    assert sokoban.is_solved(both).tolist() == [True, False, False]


def test_goals_for_belong_to_the_board() -> None:
    sokoban, start = small(*CORRIDOR)
    expected = {
        board("#######", row, "#######").tobytes()
        for row in (
            "#*@   #",
            "#* @  #",
            "#*  @ #",
            "#*   @#",
        )
    }
    assert {row.tobytes() for row in sokoban.goals_for(start)} == expected
    assert sokoban.problems(sokoban.goal) == []
    assert sokoban.is_solved(sokoban.goals).all()


def test_with_goal_pins_the_boxes() -> None:
    sokoban, start = small(*CORRIDOR)
    wanted = board("#######", "#. $ @#", "#######")
    other = sokoban.with_goal(wanted)
    agents_elsewhere = board("#######", "#+ $  #", "#######")
    states = np.stack([wanted, agents_elsewhere, start])
    assert other.is_solved(states).tolist() == [True, True, False]
    assert other.is_solved(torch.as_tensor(states)).tolist() == [True, True, False]
    assert sokoban.is_solved(states).tolist() == [False, False, False]
    assert other.is_solved(other.goals).all()
    assert len(other.goals) == 4
    assert other.problems(start) == []
    check_walks(other, other.walks(50, 10, np.random.default_rng(0)))
    elsewhere = board("#######", "# .$ @#", "#######")
    assert [(p.status, p.sentence) for p in other.problems(elsewhere)] == [
        (Status.UNREACHABLE, "the room differs from the goal's at row 2, column 2")
    ]
    two = board("#######", "#.$$.@#", "#######")
    assert other.with_goal(two).is_solved(two[None])[0]
    with pytest.raises(PuzzleError, match="there is no agent on the board"):
        sokoban.with_goal(board("#######", "#. $  #", "#######"))


def test_with_levels() -> None:
    sokoban, one = small(*CORRIDOR)
    other = sokoban.with_levels(one.reshape(1, 3, 7))
    assert type(other) is Sokoban
    assert np.array_equal(other.levels_at_random(5, np.random.default_rng(0)), np.tile(one, (5, 1)))
    assert np.array_equal(other.goals, other.goals_for(one))
    assert sokoban.levels is None


def test_levels_at_random_are_fresh_rooms() -> None:
    sokoban = Sokoban()
    levels = sokoban.levels_at_random(20, np.random.default_rng(4))
    assert levels.shape == (20, 100)
    assert len(np.unique(levels, axis=0)) == 20
    assert np.array_equal(levels, sokoban.levels_at_random(20, np.random.default_rng(4)))
    with pytest.raises(PuzzleError) as error:
        sokoban.random_states(1, np.random.default_rng(0))
    assert str(error.value) == "sokoban: uniform random states are not known; scramble instead"


def test_flooded_stops_at_walls() -> None:
    passable = board("#####", "#  ##", "## ##", "#### ") != 1
    seeds = np.arange(20) == 6
    reached = flooded(passable.reshape(1, 4, 5), seeds.reshape(1, 4, 5))
    assert np.flatnonzero(reached).tolist() == [6, 7, 12]


@pytest.mark.parametrize(
    ("name", "count"), [("sokoban", 400), ("sokoban_medium", 400), ("sokoban_hard", 1332)]
)
def test_public_sets_replay(data_dir: Path, name: str, count: int) -> None:
    data = np.load(data_dir / f"{name}.npz")
    sokoban = puzzle("sokoban")
    states = data["states"].reshape(-1, 100)
    moves, lengths = data["optimal_moves"], data["optimal_length"]
    assert len(states) == count
    assert [i for i, state in enumerate(states) if sokoban.problems(state)] == []
    for i in range(moves.shape[1]):
        going = lengths > i
        assert not sokoban.is_solved(states[going]).any()
        assert sokoban.legal(states[going])[np.arange(going.sum()), moves[going, i]].all()
        states[going] = sokoban.step(states[going], moves[going, i])
    assert sokoban.is_solved(states).all()


def test_training_levels_are_levels(data_dir: Path) -> None:
    levels = np.load(data_dir / "sokoban_train.npz")["states"][:20000]
    sokoban = Sokoban(levels=levels)
    check_walks(sokoban, sokoban.walks(300, 20, np.random.default_rng(0)))
