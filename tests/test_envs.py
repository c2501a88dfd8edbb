"""Every registered environment passes Gymnasium's own checker."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from homeward import State  # noqa: E402
from homeward.envs import PuzzleEnv, env_id, register  # noqa: E402
from homeward.puzzles import PuzzleError, names  # noqa: E402

IDS = sorted(name for name in gymnasium.registry if name.startswith("homeward/"))


def made(**given: object) -> PuzzleEnv:
    env = gymnasium.make("homeward/Puzzle-v0", **given)
    assert isinstance(env.unwrapped, PuzzleEnv)
    return env.unwrapped


def test_every_listed_puzzle_is_registered() -> None:
    assert sorted([*map(env_id, names()), "homeward/Puzzle-v0"]) == IDS
    for name in ("Cube2", "Cube3", "Cube4", "Puzzle8", "Puzzle48", "LightsOut7", "Sokoban"):
        assert f"homeward/{name}-v0" in IDS


@pytest.mark.parametrize("name", IDS)
def test_passes_the_checker_without_warnings(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name).unwrapped)


def test_registering_twice_changes_nothing() -> None:
    before = dict(gymnasium.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register()
    assert dict(gymnasium.registry) == before


@pytest.mark.parametrize(
    "imports", ["import gymnasium, homeward", "import gymnasium, homeward.envs"]
)
def test_importing_registers(imports: str) -> None:
    code = f"{imports}; print(gymnasium.make('homeward/Cube2-v0').observation_space)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Box(0, 5, (24,), uint8)\n"


def test_homeward_does_not_import_gymnasium() -> None:
    code = "import sys, homeward, homeward.solvers, homeward.cli; print('gymnasium' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_an_episode_ends_at_the_goal() -> None:
    env = made(puzzle="puzzle8")
    row, info = env.reset(options={"state": "1 2 3 4 5 6 0 7 8"})
    assert row.tolist() == [1, 2, 3, 4, 5, 6, 0, 7, 8]
    assert info["action_mask"].tolist() == [0, 1, 1, 0]
    assert info["action_mask"].dtype == np.int8
    row, reward, terminated, truncated, info = env.step(2)
    assert (row.tolist(), reward, terminated, truncated) == (
        [1, 2, 3, 4, 5, 6, 7, 0, 8],
        -1.0,
        False,
        False,
    )
    assert info["action_mask"].tolist() == [0, 1, 1, 1]
    row, reward, terminated, truncated, _ = env.step(2)
    assert (row.tolist(), reward, terminated, truncated) == (
        [1, 2, 3, 4, 5, 6, 7, 8, 0],
        -1.0,
        True,
        False,
    )


def test_an_illegal_move_changes_nothing() -> None:
    env = made(puzzle="puzzle8")
    row, _ = env.reset(options={"state": "1 2 3 4 5 6 0 7 8"})
    after, reward, terminated, _, _ = env.step(0)
    assert (after.tolist(), reward, terminated) == (row.tolist(), -1.0, False)


def test_the_goal_can_be_rewarded() -> None:
    env = made(puzzle="puzzle8", goal_reward=1, move_reward=-1)
    env.reset(options={"state": "1 2 3 4 5 6 0 7 8"})
    assert [env.step(2)[1] for _ in range(2)] == [-1.0, 1.0]


def test_depth_is_the_number_of_moves_from_the_goal() -> None:
    env = made(puzzle="cube3", depth=1)
    near = {env.puzzle.step(env.puzzle.goal[None], m)[0].tobytes() for m in range(12)}
    assert {env.reset(seed=seed)[0].tobytes() for seed in range(60)} == near
    row, _ = env.reset(options={"depth": 0})
    assert row.tolist() == env.puzzle.goal.tolist()


def test_the_same_seed_starts_the_same_episode() -> None:
    env = made(puzzle="cube3")
    first, _ = env.reset(seed=7)
    second, _ = env.reset(seed=8)
    again, _ = env.reset(seed=7)
    assert first.tolist() == again.tolist() != second.tolist()


def test_make_truncates() -> None:
    env = gymnasium.make("homeward/Cube3-v0", max_episode_steps=2)
    env.reset(seed=0)
    assert [env.step(0)[3] for _ in range(2)] == [False, True]


def test_rendering() -> None:
    text = made(puzzle="puzzle8", render_mode="ansi")
    text.reset(options={"state": "1 2 3 4 5 6 0 7 8"})
    assert text.render() == str(State.read("puzzle8", "1 2 3 4 5 6 0 7 8"))
    picture = made(puzzle="puzzle8", render_mode="svg")
    picture.reset(seed=0)
    assert str(picture.render()).startswith("<svg")
    assert made(puzzle="puzzle8").render() is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dept": 3}, "reset has no option 'dept'; there are depth and state"),
        ({"depth": -1}, "depth is at least 0, not -1"),
        ({"state": np.zeros(3)}, "a state of puzzle8 has 9 numbers, this one has 3"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        made(puzzle="puzzle8").reset(options=options)
    assert str(caught.value) == message


def test_bad_actions_and_modes_are_refused() -> None:
    env = made(puzzle="puzzle8")
    env.reset(seed=0)
    with pytest.raises(PuzzleError, match=r"^actions go from 0 to 3, not 4$"):
        env.step(4)
    with pytest.raises(PuzzleError, match=r"^render_mode is one of ansi, svg, not 'human'$"):
        PuzzleEnv("puzzle8", render_mode="human")


def test_an_episode_begins_unsolved() -> None:
    board = made(puzzle="sliding-2x2")  # one state in twelve is the goal
    for seed in range(60):
        row, _ = board.reset(seed=seed)
        assert not board.puzzle.is_solved(row[None])[0]
    # Nothing else to begin in: no moves, or twelve that go round once.
    for depth in (0, 12):
        row, _ = board.reset(seed=0, options={"depth": depth})
        assert board.puzzle.is_solved(row[None])[0]
    pyraminx = made(puzzle="pyraminx", depth=3)  # a tip turned three times is where it was
    for seed in range(60):
        row, _ = pyraminx.reset(seed=seed)
        assert not pyraminx.puzzle.is_solved(row[None])[0]
