"""Settings of trainings, and the presets that ship."""

from __future__ import annotations

import dataclasses
import math
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward.heuristics.models import read_card, shipped_models
from homeward.learning.reach import reach, walk_depth
from homeward.learning.settings import Settings, preset
from homeward.puzzles import Puzzle, PuzzleError, puzzle
from homeward.puzzles.files import read_toml


def test_presets_of_the_papers() -> None:
    davi = preset("cube3", "davi")
    assert (davi.batch, davi.depth, davi.check_every, davi.threshold) == (10000, 30, 5000, 0.05)
    assert (davi.first, davi.width, davi.blocks, davi.optimiser) == (5000, 1000, 4, "adam")
    assert (davi.decay, davi.clip, davi.average, davi.lookahead) == (0, 0, 0, 1)
    depths = {"puzzle15": 500, "puzzle24": 500, "lightsout7": 500}
    depths |= {"puzzle35": 1000, "puzzle48": 1000, "sokoban": 1000}
    assert {name: preset(name, "davi").depth for name in depths} == depths
    assert preset("puzzle24", "davi").blocks == 6
    adi = preset("cube3", "adi")
    assert (adi.first, adi.width, adi.own_width, adi.optimiser) == (4096, 2048, 512, "rmsprop")


def test_a_cpu_has_smaller_nets_and_batches() -> None:
    for name, method in [("cube3", "diffusion"), ("puzzle24", "qlearning")]:
        here, there = preset(name, method, "cpu"), preset(name, method, "cuda")
        for size in ("batch", "first", "width", "blocks"):
            assert getattr(here, size) < getattr(there, size)
        assert here.depth == there.depth
    assert preset("cube3", "davi", "cpu") == preset("cube3", "davi", "cuda")


def test_every_puzzle_has_a_method() -> None:
    names = ["cube3", "topspin", "lightsout5", "puzzle24", "sliding-2x9", "coiled15", "sokoban-8x8"]
    methods = ["diffusion"] * 3 + ["qlearning"] * 4
    assert [preset(name).method for name in names] == methods


def test_boards_without_a_preset_have_that_of_another() -> None:
    wide, square = preset("sliding-4x5"), preset("puzzle24")
    assert (wide.depth, wide.bend, wide.play_ahead) == (300, 35, 16)
    assert (wide.facing, square.facing) == (False, True)  # a mirror image is no 4x5 board
    assert wide.changed(puzzle="puzzle24", facing=True) == square
    assert preset("sliding-9x9").bend == preset("puzzle48").bend
    assert preset("sliding-2x2").depth == preset("puzzle8").depth
    assert preset("sokoban-8x8").depth == preset("sokoban").depth


def test_a_puzzle_file_never_takes_another_puzzles_preset(tmp_path: Path) -> None:
    for name in ("default", "cpu", "cube3"):
        path = tmp_path / f"{name}.toml"
        path.write_text('index = 1\n[moves]\nL = "(1 2 3 4)"\nR = "(4 5 6 7)"\n')
        assert preset(str(path)).depth == walk_depth(puzzle(str(path))) == 13  # 8.5 on average


# --- how deep walks are where nobody has said it


@pytest.mark.parametrize(
    ("name", "mean"), [("cube2", 10.7), ("pancake", 8.7), ("cube3", 20.7), ("cube3-htm", 17.7)]
)
def test_reach_is_the_mean_distance(name: str, mean: float) -> None:
    assert reach(puzzle(name)) == pytest.approx(mean, abs=0.7)


def test_reach_grows_with_the_puzzle() -> None:
    sizes = [reach(puzzle(f"cube{n}")) for n in (2, 3, 4, 5)]
    assert sizes == sorted(sizes)  # type: ignore[type-var]
    assert walk_depth(puzzle("topspin")) > 60
    assert walk_depth(puzzle("lightsout7")) == 32  # 24.5 on average


@pytest.mark.parametrize(
    ("cycles", "mean"), [("(0 1)", 0.5), ("(0 1 2 3 4)", 1.2), ("(0 1)(2 3 4)", 1.5)]
)
def test_reach_of_tiny_puzzles_is_exact(cycles: str, mean: float) -> None:
    assert reach(read_toml(f'[moves]\nA = "{cycles}"\n')) == pytest.approx(mean)


class Wheels(Puzzle):
    """Nobody has said how many states it has."""

    def __init__(self) -> None:
        names = [f"{sign}{w}" for w in range(12) for sign in "+-"]
        super().__init__("wheels", "permutation", 5, names, np.zeros((1, 12)))
        self.inverses = np.arange(24) ^ 1
        self._prepare()

    def step(self, states: Any, moves: Any) -> Any:
        moves = np.broadcast_to(moves, len(states))
        turned = states.copy()
        turned[np.arange(len(states)), moves // 2] += np.where(moves % 2, 4, 1).astype(np.uint8)
        return turned % 5


def test_walks_where_the_number_of_states_is_unknown() -> None:
    assert reach(Wheels()) is None
    assert walk_depth(Wheels()) == 30


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widht": 3}, "training has no setting 'widht'; did you mean width?"),
        ({"batch": "many"}, "batch must be a whole number, not 'many'"),
        ({"batch": 1}, "batch is at least 2, not 1"),
        ({"lookahead": 3}, "lookahead is at most 2, not 3"),
        ({"minutes": math.nan}, "minutes is at least 0, not nan"),
        ({"minutes": "inf"}, "minutes is at most 1e+12, not inf"),
        ({"skew": math.inf}, "skew is at most 1e+12, not inf"),
        ({"rate": "1e300"}, "rate is at most 1e+30, not 1e+300"),
        ({"depth": 10**400}, f"depth is at most 1e+12, not {10**400}"),
        ({"threads": 99999}, "threads is at most 1024, not 99999"),
        ({"optimiser": "sgd"}, "there is no optimiser 'sgd'; there are muon, adamw, adam, rmsprop"),
        ({"net": "residul"}, "there is no net 'residul'; did you mean residual?"),
    ],
)
def test_settings_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PuzzleError) as error:
        Settings("cube2").changed(**changes)
    assert str(error.value) == message


def test_every_number_is_finite() -> None:
    for each in dataclasses.fields(Settings):
        if isinstance(each.default, float):
            with pytest.raises(PuzzleError, match=f"{each.name} is at most .*, not inf"):
                Settings("cube2").changed(**{each.name: math.inf})


def test_command_spells_out_what_differs() -> None:
    settings = preset("cube3", "davi").changed(minutes=15, rate=5e-4, start="my model")
    assert settings.command() == (
        "homeward train cube3 --method davi --minutes 15 --set 'start=my model' --set rate=0.0005"
    )
    small = preset("cube3", "diffusion", "cpu").changed(minutes=5)
    assert small.command("cpu") == (
        "homeward train cube3 --method diffusion --minutes 5 --device cpu"
    )
    assert "--set batch=" in small.command("cuda")


def test_a_command_says_what_a_start_model_does_not(tmp_path: Path) -> None:
    """`--from` takes sizes from the model, so those that differ from it are spelt out."""
    given = {"start": "cube2", "first": 512, "width": 256}  # the model has one block
    one = preset("cube2").changed(blocks=1, **given).command()
    three = preset("cube2").changed(blocks=3, **given).command()
    assert "blocks" not in one
    assert "--set blocks=3" in three
    assert "first" not in three
    gone = preset("cube2").changed(start=str(tmp_path / "gone.json"), first=512).command()
    assert "--set first=512" in gone


def test_commands_of_shipped_cards_can_be_given() -> None:
    """Every setting that they name exists and takes its value."""
    for name in shipped_models():
        card = read_card(name)
        for command in card.command.split(" && "):
            words = shlex.split(command)
            if words[:2] != ["homeward", "train"]:
                continue
            given = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
            method = words[words.index("--method") + 1]
            settings = preset(words[2], method).changed(**dict(g.split("=", 1) for g in given))
            assert settings.puzzle == card.puzzle
