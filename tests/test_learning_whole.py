"""Walks in which nothing is taken back, and learning of all children at once from them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from homeward.learning.methods.diffusion import Diffusion
from homeward.learning.methods.qlearning import QLearning
from homeward.learning.nets import ConvolutionalNet
from homeward.learning.settings import Settings, preset
from homeward.learning.trainer import Trainer
from homeward.learning.walker import Walker, Ways
from homeward.puzzles import PuzzleError, puzzle


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # numba's loops on all cores set it to all


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


# --- walks


def test_moves_that_commute() -> None:
    cube, board = puzzle("cube3"), puzzle("puzzle8")
    names = cube.move_names
    either = {names[i] for i in np.flatnonzero(cube.commuting[names.index("U")])}
    assert either == {"U", "U'", "D", "D'"}
    assert puzzle("lightsout5").commuting.all()
    assert not board.commuting.any()


def test_a_walk_presses_no_lamp_twice_before_all_are_pressed() -> None:
    lights = puzzle("lightsout5")
    moves = lights.walks(30, 40, np.random.default_rng(0)).moves
    assert all(len(set(walk)) == 25 for walk in moves[:25].T)
    assert (moves[1:] != moves[:-1]).all()  # then at least none is taken back at once


def test_no_turn_is_taken_back_past_one_of_the_opposite_face() -> None:
    cube = puzzle("cube3")
    walks = cube.walks(20_000, 3, np.random.default_rng(1)).moves.T
    seen = {tuple(cube.move_names[i] for i in walk) for walk in walks}
    assert ("U", "D", "U") in seen
    assert not {("U", "D", "U'"), ("U", "D'", "U'"), ("U", "U'", "R")} & seen


@pytest.mark.parametrize("name", ["cube3", "cube3-htm", "lightsout4", "topspin", "puzzle8"])
@pytest.mark.parametrize("kind", ["numpy", "torch"])
def test_homeward_moves_shorten_the_walk(name: str, kind: str) -> None:
    """Each leads where the walk would have come to without one of its moves."""
    made = puzzle(name)
    walks = made.walk_on(40, np.random.default_rng(2) if kind == "numpy" else rng())
    made_moves: list[list[int]] = [[] for _ in range(40)]
    several = 0
    for step in (next(walks) for _ in range(9)):
        states, homeward = np.asarray(step.states), np.asarray(step.homeward)
        if step.moves is None:
            assert not homeward.any()
            continue
        for row, move in enumerate(step.moves.tolist()):
            made_moves[row].append(move)
            ways = np.flatnonzero(homeward[row])
            several += len(ways) > 1
            assert move in ways
            for way in ways.tolist():
                rest = list(made_moves[row])
                del rest[len(rest) - 1 - rest[::-1].index(way)]
                shorter = made.apply(made.goal, [int(made.inverses[m]) for m in rest])
                assert made.apply(states[row], [way]).tolist() == shorter.tolist()
    assert (several > 0) == (name != "puzzle8" and name != "topspin")


def test_the_walker_serves_ways_with_their_states() -> None:
    """In Lights Out the moves that lead home are those that solve the board."""
    lights = puzzle("lightsout3")
    made = Walker(lights, 50, 6, rng(), ways=True)
    presses = torch.tensor(lights.presses.numpy).long()
    for _ in range(9):
        ways = made.ways()
        assert torch.equal(ways.homeward.sum(1), ways.lengths)
        assert torch.equal(ways.homeward.long() @ presses % 2, ways.states.long())
    plain = Walker(lights, 50, 6, rng())
    plain.served = made.served
    assert all(map(torch.equal, plain.states(), made.states()))
    assert len(made.pairs()) == 4


# --- the loss


def small(name: str, **changes: Any) -> Settings:
    sizes = {"batch": 64, "first": 32, "width": 16, "blocks": 1, "channels": 8, "greedy": 0}
    return Settings(name).changed(**{"depth": 6, "whole": True, **sizes, **changes})


def test_all_children_are_a_move_nearer_or_farther() -> None:
    lights = puzzle("lightsout2")
    method = Diffusion(lights, small("lightsout2"), rng())
    homeward = torch.tensor([[True, False, True, False], [False] * 4])
    ways = Ways(torch.zeros((2, 4), dtype=torch.uint8), torch.tensor([2, 0]), homeward)
    answers = torch.tensor([[1.0, 3, 4, 3], [1, 1, 1, 3]])
    loss = method.loss(_Says(answers), _Says(answers), ways, 0.0)
    assert float(loss) == pytest.approx((3**2 + 2**2) / 8)


def test_choices_of_all_children_by_hand() -> None:
    """Each way home has the same part in the surprise; at home there is none."""
    lights = puzzle("lightsout2")
    method = Diffusion(lights, small("lightsout2", choice=0.5), rng())
    method.make_net()
    homeward = torch.tensor([[True, False, True, False], [False] * 4])
    ways = Ways(torch.zeros((2, 4), dtype=torch.uint8), torch.tensor([2, 0]), homeward)
    answers = torch.tensor([[1.0, 3, 1, 3], [1, 1, 1, 1]])
    loss = float(method.loss(_Says(answers), _Says(answers), ways, 0.0).detach())
    share = 1 / (2 + 2 * math.exp(-2))
    assert loss == pytest.approx(0.5 * method.unit**2 * -math.log(share) / 2)


class _Says(torch.nn.Module):
    def __init__(self, answers: torch.Tensor) -> None:
        super().__init__()
        self.answers = answers

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.answers


def test_illegal_children_teach_nothing() -> None:
    board = puzzle("puzzle8")
    method = Diffusion(board, small("puzzle8", depth=9), rng())
    ways = method.walker.ways()
    right = torch.where(ways.homeward, -1.0, 1.0) + ways.lengths[:, None]
    wrong = right + 5 * ~board.legal(ways.states)
    assert float(method.loss(_Says(wrong), _Says(wrong), ways, 0.0)) == 0


def test_whole_is_for_diffusion() -> None:
    with pytest.raises(PuzzleError, match="whole learns from walks alone: it is for diffusion"):
        QLearning(puzzle("puzzle8"), small("puzzle8", method="qlearning"), rng())


# --- Lights Out


def test_a_net_with_an_output_for_each_cell_moves_with_the_board() -> None:
    """At first what it says of a lamp depends on what is around it alone."""
    net = ConvolutionalNet((15, 15), 2, 225, channels=4, blocks=1).eval()
    assert net.layers[-2:] == ["conv tanh", "dense"]
    lit = torch.zeros((2, 15, 15), dtype=torch.uint8)
    lit[0, 6, 7] = lit[1, 7, 6] = 1
    said = net(lit.flatten(1)).detach().view(2, 15, 15)
    assert torch.allclose(said[0, 5:8, 6:9], said[1, 6:9, 5:8], atol=1e-6)
    assert said[0].std() > 0


def test_lights_out_of_every_size_has_a_preset() -> None:
    there, here = preset("lightsout5"), preset("lightsout5", device="cpu")
    assert (there.net, there.whole, there.choice) == ("convolutional", True, 1)
    assert (here.net, here.whole, here.choice) == ("convolutional", True, 1)
    assert here.channels < there.channels
    assert here.batch < there.batch


def test_lights_out_is_learned_in_seconds(tmp_path: Path) -> None:
    settings = small(
        "lightsout4", depth=12, net="convolutional", choice=1.0, channels=16, blocks=2, steps=300
    )
    trainer = Trainer(puzzle("lightsout4"), settings, tmp_path)
    trainer.run()
    near = trainer.greedy(100)
    assert near[min(near)] > 0.9
