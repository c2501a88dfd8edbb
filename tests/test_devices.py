"""The same search with the same heuristic finds the same solution on NumPy, torch and a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward.heuristics.function import FunctionHeuristic
from homeward.heuristics.graph import distances
from homeward.heuristics.loading import load
from homeward.heuristics.table import DistanceTable
from homeward.puzzles import PermutationPuzzle, puzzle
from homeward.puzzles.arrays import to_numpy
from homeward.puzzles.base import Puzzle
from homeward.search.base import Budget, Meter, Search
from homeward.search.beam import Beam
from homeward.search.bestfirst import BestFirst
from homeward.search.mcts import MCTS

torch = pytest.importorskip("torch")
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]

SEARCHES: dict[str, Search] = {
    "beam": Beam(width=300, views=2, ball=50),
    "bwas": BestFirst(weight=0.6, batch=100),
    "wastar": BestFirst(weight=0.8),
    "greedy": BestFirst(weight=0.0, reopen=False),
    "mcts": MCTS(c=1.0),
}


def without_ties(made: Puzzle, device: str | None) -> FunctionHeuristic:
    """Exact distances, each spoilt by an error of its own, so that states hardly ever tie."""
    exact = DistanceTable(made, distances(made))
    key = np.random.default_rng(7).integers(1, 1 << 20, made.cells)

    def estimate(states: Any) -> Any:
        rows = to_numpy(states)
        error = (rows @ key) % 4093 / 1024  # as exact in float32 as in float64
        found = (exact.values(rows) + error).astype(np.float32)
        return found if device is None else torch.tensor(found, device=device)

    return FunctionHeuristic(made, estimate, device=device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["puzzle8", "cube2", "pyraminx"])
@pytest.mark.parametrize("search", SEARCHES)
def test_the_solution_is_the_same(search: str, name: str, device: str) -> None:
    made = puzzle(name)
    starts = made.walks(4, 12, np.random.default_rng(3)).states[-1]
    for start in starts:
        here, there = (
            SEARCHES[search](made, start, without_ties(made, on), Meter(Budget(nodes=200_000)))
            for on in (None, device)
        )
        assert here.length is not None
        # Which of two equally short ways to a state is kept may differ.
        assert (there.length, there.generated) == (here.length, here.generated)


def replays(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The recordings that are replayed from now on, one entry for each time."""
    from homeward.recording import Recording

    calls, replay = [], Recording.__call__

    def noted(self: Any, *inputs: Any) -> Any:
        calls.append(self)
        return replay(self, *inputs)

    monkeypatch.setattr(Recording, "__call__", noted)
    return calls


@pytest.mark.skipif("cuda" not in DEVICES, reason="no GPU")
@pytest.mark.parametrize("name", ["cube3", "puzzle15", "sokoban", "lightsout7"])
def test_a_recorded_beam_is_the_same_beam(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels that are replayed from a CUDA graph find what levels made one by one find."""
    made = puzzle(name)
    net = load(made, device="cuda")
    calls = replays(monkeypatch)
    for start in made.start_states(3, np.random.default_rng(3)):
        found = []
        for recordable in (False, True):
            net.recordable = recordable  # type: ignore[attr-defined]
            search = Beam(width=2000, views=2, ball=1)
            found.append(search(made, start, net, Meter(Budget(seconds=20))))
        assert found[0].moves == found[1].moves
        assert found[0].generated == found[1].generated
    assert calls


PLAYED = {"blend": True, "play": 0.5, "play_ahead": 3, "walk_share": 0, "facing": True}


@pytest.mark.skipif("cuda" not in DEVICES, reason="no GPU")
@pytest.mark.parametrize(
    ("name", "method", "more"),
    [
        ("cube2", "diffusion", {"optimiser": "adamw"}),
        ("cube2", "diffusion", {"choice": 0.1}),
        ("cube4", "diffusion", {}),
        ("lightsout5", "diffusion", {"channels": 8}),
        ("puzzle15", "qlearning", {"walk_share": 0.4, "refresh": 8, "blend": False}),
        ("puzzle15", "qlearning", PLAYED),
        ("puzzle15", "distil", {"start": "puzzle15", "facing": True}),
    ],
)
def test_recorded_steps_are_the_same_steps(
    name: str, method: str, more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from one stage to the next, and with play."""
    from homeward.learning.settings import preset
    from homeward.learning.trainer import Trainer

    calls = replays(monkeypatch)

    def trained(recorded: bool) -> Trainer:
        small = {"first": 64, "width": 32, "blocks": 1, "batch": 512, "greedy": 0}
        settings = preset(name, method).changed(steps=40, depth=20, seed=3, **small, **more)
        made = Trainer(puzzle(name), settings, tmp_path / str(recorded), "cuda")
        made.method.recordable = recorded  # type: ignore[misc]
        calls.clear()
        made.run()
        stages = len(set(map(id, calls)))
        assert stages == (recorded and 1 + (0 < settings.walk_share < 1 and method == "qlearning"))
        assert len(calls) == 40 * recorded - 3 * stages
        return made

    one, other = trained(False), trained(True)
    for made in (one, other):  # every step was made, and once
        tracked = "entry.norm.num_batches_tracked"  # where there are norms
        counts = [value for key, value in made.net.state_dict().items() if key == tracked]
        states = [state for each in made.optimisers for state in each.state.values()]
        counts += [state["step"] for state in states if "step" in state]
        assert {int(count) for count in counts} == {40}
        kept = {key.removeprefix("play."): value for key, value in made.method.kept().items()}
        if kept:
            board = made.puzzle
            assert torch.equal(board.step(kept["befores"], kept["moves"]), kept["states"])
            assert kept["lengths"].max() > 20
        if more.get("refresh") == 8:  # after the last step the target is a copy
            pairs = zip(made.net.parameters(), made.target.parameters(), strict=True)
            assert all(torch.equal(mine, its) for mine, its in pairs)
    # Half precision and the order of sums make weights differ, more with every step.
    assert other.loss == pytest.approx(one.loss, rel=0.2)
    assert one.method.kept().keys() == other.method.kept().keys()


def test_only_our_own_rules_are_recorded() -> None:
    class Own(PermutationPuzzle):
        def step(self, states: Any, moves: Any) -> Any:
            return super().step(states, moves)

    class Goal(PermutationPuzzle):
        def is_solved(self, states: Any) -> Any:
            return super().is_solved(states)

    assert all(puzzle(name).recordable for name in ("cube3", "puzzle15", "sokoban", "lightsout7"))
    turns = np.array([[1, 2, 0], [2, 0, 1]])
    for kind in (Own, Goal):
        assert not kind("own", ["on", "back"], turns, np.arange(3)[None]).recordable
