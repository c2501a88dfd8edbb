"""`homeward scramble`: how many moves it makes, and how many it refuses to make."""

from __future__ import annotations

import tracemalloc

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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["puzzle8", "--depth", "100000000"],
         "a scramble has at most 100,000 moves, not 100,000,000"),
        (["sokoban", "--depth", "100000000"],
         "a scramble has at most 100,000 moves, not 100,000,000"),
        (["puzzle8", "--count", "1000000"],
         "1,000,000 scrambles of 81 moves are more than 10,000,000 moves in all: "
         "make them in parts, with a --seed for each"),
        (["puzzle8", "--depth", "0", "--count", "1000000000"],
         "1,000,000,000 scrambles of 0 moves are more than 10,000,000 moves in all: "
         "make them in parts, with a --seed for each"),
    ],
)  # fmt: skip
def test_what_would_not_end_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scramble", *arguments]) == 2
    assert capsys.readouterr() == ("", f"homeward: {message}\n")


def test_the_largest_boards_have_a_scramble(capsys: pytest.CaptureFixture[str]) -> None:
    assert puzzle("sliding-20x20").mixing > 100_000
    assert main(["scramble", "sliding-20x20", "--seed", "1"]) == 0
    assert len(capsys.readouterr().out.split()) == 100_000


def test_states_on_the_way_are_not_kept(capsys: pytest.CaptureFixture[str]) -> None:
    tracemalloc.start()
    try:
        assert main(["scramble", "cube10", "--count", "50", "--depth", "1000"]) == 0
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(capsys.readouterr().out.splitlines()) == 50
    assert most < 10e6  # the states are 30 MB


def test_more_scrambles_than_are_walked_together(capsys: pytest.CaptureFixture[str]) -> None:
    wish = ["--depth", "2", "--count", "2500", "--seed", "1"]
    assert main(["scramble", "puzzle8", *wish]) == 0
    assert [len(line.split()) for line in capsys.readouterr().out.splitlines()] == [2] * 2500
    assert main(["scramble", "sokoban", *wish]) == 0
    assert len(capsys.readouterr().out.split("\n\n")) == 2500
