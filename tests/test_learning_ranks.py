"""Two processes train one net: each walks its own states, and gradients and losses travel."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, multiprocessing

from homeward.learning import log
from homeward.learning.ranks import Ranks
from homeward.learning.settings import Settings
from homeward.learning.trainer import Trainer
from homeward.puzzles import puzzle

RUNS: dict[str, dict[str, Any]] = {
    "by steps": {"steps": 40},
    "by minutes": {"steps": 0, "minutes": 0.02},
    "stopped": {"steps": 10**6},
    "played": {"method": "qlearning", "steps": 20, "walk_share": 0, "play": 0.5, "blend": True},
}
BATCH = 64


def trainer(folder: Path, run: str) -> Trainer:
    settings = Settings("cube2", "davi").changed(
        batch=BATCH, first=32, width=16, blocks=1, depth=12, greedy=0, threads=1, **RUNS[run]
    )
    return Trainer(puzzle("cube2"), settings.changed(check_every=10, threshold=9.0), folder)


def _rank(rank: int, folder: str, ports: list[int]) -> None:
    """What each process does: train, and leave what the test compares."""
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
    for run, port in zip(RUNS, ports, strict=True):
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        made = trainer(Path(folder) / run, run)
        states, _ = made.method.walker.states()
        made.method.seek(0)
        if rank:
            time.sleep(0.2)  # clocks that differ
        if run == "stopped" and rank:
            made.stop()  # one of them is asked, and both do it
        made.run()
        left = {f"net.{k}": v.detach() for k, v in made.net.named_parameters()}
        left |= {f"target.{k}": v for k, v in made.target.named_parameters()}
        left |= {"states": states, "mean": made.net.state_dict()["entry.norm.running_mean"]}
        left |= {"step": torch.tensor(made.step), "refreshes": torch.tensor(made.refreshes)}
        torch.save(left, Path(folder) / run / f"rank{rank}.pt")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which two processes have made every one of `RUNS`."""
    folder = tmp_path_factory.mktemp("ranks")
    for run in RUNS:
        (folder / run).mkdir()
    sockets = [socket.socket() for _ in RUNS]
    for free in sockets:
        free.bind(("127.0.0.1", 0))
    ports = [free.getsockname()[1] for free in sockets]
    for free in sockets:
        free.close()
    multiprocessing.spawn(_rank, (str(folder), ports), nprocs=2)  # type: ignore[no-untyped-call]
    return folder


def left_by(folder: Path, run: str) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    one, other = (torch.load(folder / run / f"rank{r}.pt", weights_only=True) for r in (0, 1))
    return one, other


@pytest.mark.parametrize("run", RUNS)
def test_weights_are_equal_and_states_differ(run: str, trained: Path) -> None:
    one, other = left_by(trained, run)
    differing = [key for key in one if not torch.equal(one[key], other[key])]
    # Norms see each rank's own states and stay its own.
    assert sorted(differing) == ["mean", "states"]


def test_both_stop_at_the_same_step(trained: Path) -> None:
    steps = {run: [int(left["step"]) for left in left_by(trained, run)] for run in RUNS}
    assert steps["by steps"] == [40, 40]
    assert steps["by minutes"][0] == steps["by minutes"][1] > 10
    assert steps["stopped"][0] == steps["stopped"][1] < 10**6


def test_the_target_is_renewed_on_both(trained: Path) -> None:
    assert [int(left["refreshes"]) for left in left_by(trained, "by steps")] == [4, 4]


def test_the_log_counts_the_states_of_both(trained: Path) -> None:
    assert log.read(trained / "by steps")[-1]["states_seen"] == 2 * BATCH * 40


def test_the_first_rank_walks_as_if_alone(trained: Path, tmp_path: Path) -> None:
    alone = trainer(tmp_path, "by steps")
    assert torch.equal(alone.method.walker.states()[0], left_by(trained, "by steps")[0]["states"])


def test_alone_without_torchrun() -> None:
    assert Ranks.here() == Ranks(0, 1, 0)
