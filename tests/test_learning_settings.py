"""Settings of trainings, and the presets that ship."""

from __future__ import annotations

import math
from typing import Any

import pytest

from homeward.learning.settings import Settings, preset
from homeward.puzzles import PuzzleError


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widht": 3}, "training has no setting 'widht'; did you mean width?"),
        ({"batch": "many"}, "batch must be a whole number, not 'many'"),
        ({"batch": 1}, "batch is at least 2, not 1"),
        ({"lookahead": 3}, "lookahead is at most 2, not 3"),
        ({"minutes": math.nan}, "minutes is at least 0, not nan"),
        ({"optimiser": "sgd"}, "there is no optimiser 'sgd'; there are muon, adamw, adam, rmsprop"),
        ({"net": "residul"}, "there is no net 'residul'; did you mean residual?"),
    ],
)
def test_settings_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PuzzleError) as error:
        Settings("cube2").changed(**changes)
    assert str(error.value) == message


def test_command_spells_out_what_differs() -> None:
    settings = preset("cube3", "davi").changed(minutes=15, rate=5e-4, start="my model")
    assert settings.command() == (
        "homeward train cube3 --method davi --minutes 15 --set 'start=my model' --set rate=0.0005"
    )
