"""Nets whose units are made alike before they are kept in 8 bits."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward import puzzle
from homeward.heuristics import ranges
from homeward.heuristics.balance import balanced
from homeward.heuristics.cpu_net import CpuNet
from homeward.heuristics.finer import finer
from homeward.heuristics.layers import forward
from homeward.heuristics.models import Model, make_card, read_model, write_model
from homeward.puzzles.permutation import PermutationPuzzle
from net_tools import LAYERS, random_tensors, residual_tensors

CUBE = puzzle("cube2")
STATES = CUBE.walks(15, 20, np.random.default_rng(0)).states.reshape(-1, CUBE.cells)


EVERY_KIND = [((0,), (1,)), ((2,), (3,)), ((1, 3), (2, 4))]
"""The layers that make units of one kind and those that read them."""


def unbalanced(loud: float, kinds: list[Any] = EVERY_KIND) -> dict[str, np.ndarray]:
    """A net in which some units of such kinds have `loud` times the numbers that they need."""
    tensors = residual_tensors(CUBE, 6)
    for made_by, read_by in kinds:
        for i in made_by:
            tensors[f"layer{i}.weight"][:, 3:5] *= loud
            tensors[f"layer{i}.bias"][3:5] *= loud
        for i in read_by:
            tensors[f"layer{i}.weight"][3:5] /= loud
    return tensors


def test_a_balanced_net_answers_the_same() -> None:
    tensors = unbalanced(200.0)
    made = balanced(CUBE, LAYERS, tensors)
    said = forward(LAYERS, made, STATES, CUBE.symbols)
    np.testing.assert_array_equal(said, forward(LAYERS, tensors, STATES, CUBE.symbols))
    assert any((made[name] != tensors[name]).any() for name in tensors)
    ratio = made["layer0.bias"] / tensors["layer0.bias"]
    np.testing.assert_array_equal(np.log2(ratio), np.rint(np.log2(ratio)))


def test_loud_units_do_not_spoil_a_balanced_net(tmp_path: Path) -> None:
    errors = []
    for tensors in (unbalanced(200.0), balanced(CUBE, LAYERS, unbalanced(200.0)), unbalanced(1.0)):
        model = write_model(tmp_path / "m", tensors, make_card(CUBE, tensors, LAYERS))
        said = CpuNet(CUBE, model, "int8").answers(STATES)
        errors.append(
            float(np.abs(said - forward(LAYERS, model.tensors, STATES, CUBE.symbols)).std())
        )
    assert errors[1] < errors[0] / 8
    assert errors[1] < 2 * errors[2]


def test_a_unit_that_hardly_speaks_is_not_raised_beyond_the_others() -> None:
    tensors = residual_tensors(CUBE, 6)
    sums = forward(
        ("dense relu",),
        {k: tensors[k] for k in ("layer0.weight", "layer0.bias")},
        ranges.typical_states(CUBE),
        CUBE.symbols,
    )
    tensors["layer0.bias"][3] -= sums[:, 3].max() - 1e-4
    made = balanced(CUBE, LAYERS, tensors)
    raised = made["layer0.bias"] / tensors["layer0.bias"]
    assert raised[3] == raised.max() <= 32 * np.median(raised)


def test_a_puzzle_without_unsolved_states_can_be_balanced() -> None:
    """Nothing can be left out of the sample then."""
    home = PermutationPuzzle("home", ["stay"], np.arange(3)[None], np.arange(3)[None])
    tensors = random_tensors([(9, 8), (8, 8), (8, 1)])
    assert balanced(home, ("dense relu", "dense relu", "dense"), tensors).keys() == tensors.keys()


def test_ranges_leave_out_solved_states() -> None:
    assert not CUBE.is_solved(ranges.typical_states(CUBE)).any()


def loud_before_a_block(tmp_path: Path) -> Model:
    """A net in which two units carry so much into its block that 8 bits leave little of others."""
    tensors = unbalanced(8.0, [((1, 3), (2, 4))])
    tensors["layer4.weight"] *= 8.0  # answers as far apart as those of a large board
    return write_model(tmp_path / "m", tensors, make_card(CUBE, tensors, LAYERS))


@pytest.mark.parametrize("name", ["cube2", "puzzle48"])
def test_nets_that_ship_have_the_16_bits_that_they_need(name: str) -> None:
    model = read_model(name)
    assert finer(puzzle(name), model) == model.card.finer == ()


def test_16_bits_where_8_are_too_few(tmp_path: Path) -> None:
    plain = loud_before_a_block(tmp_path)
    assert finer(CUBE, plain) == (2,)
    fine = dataclasses.replace(plain, card=dataclasses.replace(plain.card, finer=(2,)))
    exact = CpuNet(CUBE, plain, "float32").answers(STATES)
    errors = [
        np.sqrt(np.square(CpuNet(CUBE, each, "int8").answers(STATES) - exact).mean())
        for each in (plain, fine)
    ]
    assert errors[1] < 0.7 * errors[0]


def test_nets_that_do_not_run_in_8_bits_stay_as_they_are() -> None:
    tensors = random_tensors([(144, 8), (8, 1)])
    made = balanced(CUBE, ("dense elu", "dense"), tensors)
    assert all((made[name] == tensors[name]).all() for name in tensors)


def test_a_net_without_blocks_and_units_that_are_never_used() -> None:
    tensors = random_tensors([(144, 8), (8, 8), (8, 6)])
    tensors["layer0.bias"][2] = -1e4
    made = balanced(CUBE, ("dense relu", "dense relu", "dense"), tensors)
    states = STATES[:50]
    answers = [
        forward(("dense relu", "dense relu", "dense"), t, states, 6) for t in (made, tensors)
    ]
    np.testing.assert_array_equal(*answers)
