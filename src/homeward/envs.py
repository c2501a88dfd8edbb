"""Every puzzle as a Gymnasium environment; importing this module registers them.

>>> import gymnasium, homeward.envs
>>> env = gymnasium.make("homeward/Cube3-v0")
>>> state, info = env.reset(seed=1, options={"depth": 5})
>>> state.shape, info["action_mask"].sum()
((54,), np.int64(12))
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from homeward.notation.state import State
from homeward.puzzles import registry
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

_STEPS = 500
"""Moves after which `gymnasium.make` truncates an episode unless told otherwise."""

_TRIES = 100
"""Starting states that are drawn while they are solved; some depths lead nowhere else."""

_WORDS = {"lightsout": "LightsOut", "topspin": "TopSpin"}


class PuzzleEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """A puzzle to be solved move by move.

    ## Description

    Bring a scrambled puzzle home. `homeward/Cube3-v0`, `homeward/Puzzle15-v0`,
    `homeward/LightsOut5-v0`, `homeward/Sokoban-v0` and so on are the puzzles of
    `homeward list puzzles`; `homeward/Puzzle-v0` takes any name or puzzle file as `puzzle=`.

    ## Action Space

    `Discrete(moves)`: the number of a move, in the order of `puzzle.move_names`. A move that is
    not possible changes nothing and is rewarded as any other; `info["action_mask"]` (int8, one
    entry a move) has 1 for those that are possible.

    ## Observation Space

    `Box(0, symbols - 1, (cells,), uint8)`: the state's row of small integers.

    ## Rewards

    `move_reward` (-1) for each move, `goal_reward` (-1) for the one that reaches the goal: the
    return is minus the number of moves. `goal_reward=1` rewards as DeepCube does.

    ## Starting State

    A state that is uniform over all that can be reached where that is known, a generated level for
    Sokoban. With `depth=K`, the goal after K random backward moves, none taken back at once. It is
    drawn again while it is solved, unless K is 0.
    `reset(options={"depth": K})` or `reset(options={"state": text})` decide for one episode.

    ## Episode End

    Terminated when the puzzle is solved, truncated after `max_episode_steps` moves (500).

    ## Arguments

    `puzzle`, `depth`, `move_reward`, `goal_reward`, and `render_mode`: `ansi` draws for a terminal,
    `svg` gives an SVG picture as text.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "svg"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        puzzle: Puzzle | str | Path = "cube3",
        depth: int | None = None,
        move_reward: float = -1.0,
        goal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise PuzzleError(f"render_mode is one of {', '.join(modes)}, not {render_mode!r}")
        self.puzzle = registry.puzzle(puzzle)
        self.depth, self.render_mode = depth, render_mode
        self.move_reward, self.goal_reward = move_reward, goal_reward
        self.action_space = spaces.Discrete(self.puzzle.moves)
        shape, kind = (self.puzzle.cells,), self.puzzle.dtype.type
        self.observation_space = spaces.Box(0, self.puzzle.symbols - 1, shape, kind)
        self._row = self.puzzle.goal.copy()

    @property
    def state(self) -> State:
        """The current state."""
        return State(self.puzzle, self._row.copy())

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts an episode; `options` may hold `depth` or `state`."""
        super().reset(seed=seed)
        given = options or {}
        wrong = [key for key in given if key not in ("depth", "state")]
        if wrong:
            raise PuzzleError(f"reset has no option {wrong[0]!r}; there are depth and state")
        if "state" in given:
            self._row = self._read(given["state"])
        else:
            self._row = self._scrambled(given.get("depth", self.depth))
        return self._row.copy(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Makes a move: the state, the reward, whether solved, False, and the mask."""
        if not self.action_space.contains(action):
            raise PuzzleError(f"actions go from 0 to {self.puzzle.moves - 1}, not {action!r}")
        self._row = self.puzzle.step(self._row[None], int(action))[0]
        solved = bool(self.puzzle.is_solved(self._row[None])[0])
        reward = self.goal_reward if solved else self.move_reward
        return self._row.copy(), float(reward), solved, False, self._info()

    def render(self) -> str | None:
        """The state as a drawing or an SVG, None without a `render_mode`."""
        if self.render_mode is None:
            return None
        return self.state.draw() if self.render_mode == "ansi" else self.state._repr_svg_()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.puzzle.legal(self._row[None])[0].astype(np.int8)}

    def _read(self, state: str | State | NDArray[Any]) -> NDArray[Any]:
        """A state given to `reset`; it must be one of this puzzle's, in size too."""
        if isinstance(state, str):
            read = State.read(self.puzzle, state)
            if read.puzzle.name != self.puzzle.name:
                raise PuzzleError(f"this is a state of {read.puzzle.name}, not {self.puzzle.name}")
            return read.cells
        row = state.cells if isinstance(state, State) else np.asarray(state)
        self.puzzle.require_valid(row)
        return row.astype(self.puzzle.dtype)

    def _scrambled(self, depth: int | None) -> NDArray[Any]:
        """A state to begin in, not solved unless it cannot be otherwise."""
        if depth is not None and depth < 0:
            raise PuzzleError(f"depth is at least 0, not {depth}")
        for _ in range(1 if depth == 0 else _TRIES):
            row = self._drawn(depth)
            if not self.puzzle.is_solved(row[None])[0]:
                break
        return row

    def _drawn(self, depth: int | None) -> NDArray[Any]:
        row: NDArray[Any]
        if depth is not None:
            row = self.puzzle.walks(1, depth, self.np_random).states[-1, 0]
        else:
            row = self.puzzle.start_states(1, self.np_random)[0]
        return row


def env_id(name: str) -> str:
    """The environment of a puzzle's name.

    >>> env_id("cube3"), env_id("sliding-3x4"), env_id("lightsout5")
    ('homeward/Cube3-v0', 'homeward/Sliding3x4-v0', 'homeward/LightsOut5-v0')
    """
    for word, spelt in _WORDS.items():
        name = name.replace(word, spelt)
    return "homeward/" + "".join(part[0].upper() + part[1:] for part in name.split("-")) + "-v0"


def register() -> None:
    """Makes `gymnasium.make` know every listed puzzle, and `homeward/Puzzle-v0` for all others."""
    wanted = {env_id(name): {"puzzle": name} for name in registry.names()}
    for name, given in {**wanted, "homeward/Puzzle-v0": {}}.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name, "homeward.envs:PuzzleEnv", max_episode_steps=_STEPS, kwargs=given
            )


register()
