"""`homeward scramble`: how many moves it makes, and how many it refuses to make."""

from __future__ import annotations

import pytest

from homeward.cli import main
from homeward.notation import State
from homeward.puzzles import puzzle


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("cube2", 20),
        ("cube3-htm", 30),
        ("cube7", 70),
        ("puzzle8", 81),
        ("sliding-2x3", 36),
        ("lightsout1", 1),
        ("lightsout2", 2),
        ("lightsout5", 12),
        ("pyraminx", 30),
    ],
)
def test_moves_that_scramble_well(name: str, moves: int) -> None:
    assert puzzle(name).mixing == moves


@pytest.mark.parametrize("name", ["lightsout3", "lightsout5", "lightsout7"])
def test_every_seed_has_its_own_scramble(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    boards = set()
    for seed in ("1", "2", "3"):
        assert main(["scramble", name, "--seed", seed]) == 0
        boards.add(State.solved(name).moved(capsys.readouterr().out).text)
    assert len(boards) == 3
