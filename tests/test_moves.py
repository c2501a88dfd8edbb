"""All children at once: the compiled loop gives what a plain gather gives."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from homeward.puzzles import PermutationPuzzle, puzzle


@pytest.mark.parametrize("name", ["cube3", "cube2", "cube5", "cube3-htm", "pyraminx", "topspin"])
@pytest.mark.parametrize("batch", [0, 1, 7, 6500])
def test_children_are_a_gather(name: str, batch: int) -> None:
    made = puzzle(name)
    assert isinstance(made, PermutationPuzzle)
    states = made.random_states(batch, np.random.default_rng(batch))
    for given in (states, states[::-1], np.asfortranarray(states)):
        children = made.expand(given)
        assert children.shape == (batch, made.moves, made.cells)
        assert children.dtype == made.dtype
        assert np.array_equal(children, given[:, made.table.numpy])


def test_moves_of_different_sizes_and_many_cells() -> None:
    table = np.tile(np.arange(70_000), (3, 1))
    table[1, [0, 69_999]] = 69_999, 0
    table[2, 100:200] = np.roll(table[2, 100:200], 50)
    goal = np.arange(70_000) % 251
    made = PermutationPuzzle("long", ["stay", "swap", "roll"], table, goal[None])
    assert np.array_equal(made.expand(made.goals), made.goals[:, table])


def test_threads_may_expand_and_enumerate_at_once() -> None:
    """Even with numba's plainest thread pool, which ends the process if two threads enter it."""
    program = """
import threading
import numpy as np
from homeward.heuristics.graph import distances
from homeward.puzzles import puzzle

cube, board = puzzle("cube3"), puzzle("sliding-2x4")
states = np.tile(cube.goal, (8000, 1))
found = []

def expand():
    found.append(all((cube.expand(states)[:, 0] != cube.goal).any() for _ in range(20)))

def enumerate_all():
    found.extend(distances(board, use_cache=False).diameter == 36 for _ in range(3))

threads = [threading.Thread(target=f) for f in (expand, enumerate_all, expand, enumerate_all)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(found), all(found))
"""
    environment = os.environ | {"NUMBA_THREADING_LAYER": "workqueue"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "8 True\n"), done.stderr


@pytest.mark.parametrize("name", ["cube2", "puzzle8", "sokoban-6x6"])
def test_one_move_for_all_states(name: str) -> None:
    torch = pytest.importorskip("torch")
    made = puzzle(name)
    states = torch.as_tensor(made.start_states(5, np.random.default_rng(1)))
    wanted = made.step(states, torch.full((5,), 1))
    for move in (1, np.int64(1), np.array(1), torch.tensor(1)):
        assert torch.equal(made.step(states, move), wanted)
