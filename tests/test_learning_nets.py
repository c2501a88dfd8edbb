"""Nets: their folded form says the same, and training can go on from it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from homeward.heuristics.layers import forward
from homeward.learning.nets import (
    ConvolutionalNet,
    Net,
    ResidualNet,
    TanhNet,
    TwoHeadedNet,
    make_net,
)
from homeward.learning.nets.convolutional import board_of
from homeward.learning.nets.parts import Block
from homeward.learning.settings import Settings
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.codes import piece_codes

torch.set_num_threads(1)


def states_of(name: str, n: int = 300) -> torch.Tensor:
    rng = torch.Generator().manual_seed(1)
    return puzzle(name).walks(n, 12, rng).states[-1]


def settled(net: Net, states: torch.Tensor) -> Net:
    """A net whose weights and norms are no longer those of a fresh one."""
    torch.manual_seed(2)
    with torch.no_grad():
        for weight in net.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
        net.train()
        for part in states.split(60):
            net(part)
    return net.eval()


def residual() -> Net:
    return ResidualNet(24, 6, 6, first=48, width=20, blocks=2, offset=7.0, scale=7.0)


def convolutional() -> Net:
    return ConvolutionalNet((10, 10), 7, 4, channels=6, width=16, blocks=2, offset=3.0, scale=9.0)


def by_cell() -> Net:
    return ConvolutionalNet((5, 5), 2, 25, channels=6, blocks=2, offset=3.0, scale=9.0)


def two_headed(name: str = "cube2") -> Net:
    return TwoHeadedNet(puzzle(name), first=40, width=24, own_width=12)


NETS = {
    "residual": (residual, "cube2"),
    "convolutional": (convolutional, "sokoban"),
    "convolutional by cell": (by_cell, "lightsout5"),
    "two-headed on pieces": (two_headed, "cube2"),
    "two-headed on cells": (lambda: two_headed("puzzle8"), "puzzle8"),
    "tanh": (lambda: TanhNet(puzzle("cube2"), offset=5.0, scale=2.0), "cube2"),
}


@pytest.mark.parametrize("kind", NETS)
def test_folded_numpy_pass_equals_torch(kind: str) -> None:
    make, name = NETS[kind]
    states = states_of(name)
    net = settled(make(), states)
    with torch.no_grad():
        said = net(states).numpy()
    if isinstance(net, TwoHeadedNet):
        said[:, 0] = 2 - said[:, 0]  # a return becomes a distance
    codes = states.numpy()
    symbols = puzzle(name).symbols
    if net.input == "pieces":
        reading = piece_codes(puzzle(name))
        assert reading is not None
        codes, symbols = reading.encode(codes), reading.symbols
    tensors = {key: value.numpy() for key, value in net.folded().items()}
    folded = forward(net.layers, tensors, codes, symbols, net.board)
    assert folded.shape == said.shape
    assert np.abs(folded - said).max() < 1e-3
    assert said.std(0).min() > 0.01  # the comparison is not one of constants


def test_unfold_goes_on_from_a_model() -> None:
    states = states_of("cube2")
    net = settled(residual(), states)
    other = ResidualNet(24, 6, 6, first=48, width=20, blocks=2, offset=7.0, scale=7.0)
    assert isinstance(net, ResidualNet)
    other.unfold(net.folded(), states)
    with torch.no_grad():
        assert (other.eval()(states) - net(states)).abs().max() < 1e-4
        # Norms agree with the batch itself, so training starts where the model is.
        assert (other.train()(states) - net(states)).abs().max() < 1e-2
    assert other.training


def test_a_net_grows_from_a_model_with_fewer_blocks() -> None:
    states = states_of("cube2")
    net = settled(residual(), states)
    assert isinstance(net, ResidualNet)
    deeper = ResidualNet(24, 6, 6, first=48, width=20, blocks=4, offset=7.0, scale=7.0)
    deeper.unfold(net.folded(), states)
    with torch.no_grad():
        said = net(states)
        assert (deeper.eval()(states) - said).abs().max() < 1e-4
    train = torch.optim.SGD(deeper.parameters(), lr=1e-3)
    for _ in range(3):
        train.zero_grad()
        (deeper.train()(states) - said - 1).square().mean().backward()
        train.step()
    new = deeper.blocks[3]
    assert isinstance(new, Block)
    assert new.outer.norm.weight.abs().min() > 0  # the new blocks learn
    assert new.inner.linear.weight.grad is not None
    assert new.inner.linear.weight.grad.abs().max() > 0


@pytest.mark.parametrize(
    ("width", "blocks", "sizes"),
    [(5, 1, "144-8-5-5-5-6"), (4, 0, "144-8-4-6"), (5, 2, "144-8-5-5-5-5-5-6")],
)
def test_unfold_wants_the_same_size_or_more_blocks(width: int, blocks: int, sizes: str) -> None:
    small = ResidualNet(24, 6, 6, first=8, width=4, blocks=1)
    net = ResidualNet(24, 6, 6, first=8, width=width, blocks=blocks)
    with pytest.raises(PuzzleError) as error:
        net.unfold(small.folded(), states_of("cube2"))
    assert str(error.value) == f"the model's layers are 144-8-4-4-4-6, but the net's are {sizes}"


def test_a_fresh_net_says_the_offset() -> None:
    states = states_of("cube2", 20)
    assert torch.equal(residual().eval()(states), torch.full((20, 6), 7.0))


def test_deepcube_reads_twenty_pieces_of_24() -> None:
    net = TwoHeadedNet(puzzle("cube3"))
    shapes = [tuple(w.shape) for key, w in net.folded().items() if key.endswith("weight")]
    assert (net.input, net.layers) == ("pieces", ["dense elu"] * 3 + ["dense"])
    assert shapes == [(480, 4096), (4096, 2048), (2048, 1024), (1024, 13)]


def test_deepcubea_size() -> None:
    net = ResidualNet(54, 6, 1, 5000, 1000, 4)
    assert sum(p.numel() for p in net.parameters()) == 14_663_001


def test_tanh_net_takes_features() -> None:
    net = TanhNet(puzzle("cube2"), features=lambda states: states[:, :22].float())
    shapes = [tuple(w.shape) for key, w in net.folded().items() if key.endswith("weight")]
    assert shapes == [(22, 40), (40, 36), (36, 36), (36, 10), (10, 1)]
    assert net.input == "features"


@pytest.mark.parametrize(
    ("name", "board"),
    [("sokoban", (10, 10)), ("sliding-2x5", (2, 5)), ("lightsout7", (7, 7)), ("cube3", None)],
)
def test_boards(name: str, board: tuple[int, int] | None) -> None:
    assert board_of(puzzle(name)) == board


# --- pieces


def test_piece_codes_by_hand() -> None:
    """The goal has every piece in its own place; a turn moves its four corners alone."""
    cube = puzzle("cube2")
    codes = piece_codes(cube)
    assert codes is not None
    home = codes.encode(cube.goal[None])[0]
    turned = codes.encode(cube.step(cube.goal[None], 0))[0]
    assert len(set(home.tolist())) == codes.pieces == 7
    assert (home != turned).sum() == 4
    assert (codes.encode(cube.step(cube.step(cube.goal[None], 0), 1))[0] == home).all()


@pytest.mark.parametrize("name", ["cube2", "cube3", "pyraminx", "topspin", "cube2x2x2x2"])
def test_piece_codes_tell_states_apart(name: str) -> None:
    made = puzzle(name)
    codes = piece_codes(made)
    assert codes is not None
    states = made.walks(500, 3, np.random.default_rng(0)).states.reshape(-1, made.cells)
    read = codes.encode(states)
    assert read.min() >= 0
    assert read.max() < codes.symbols
    assert len(np.unique(read, axis=0)) == len(np.unique(states, axis=0))
    assert torch.equal(codes.encode(torch.as_tensor(states)), torch.as_tensor(read))


@pytest.mark.parametrize("name", ["cube4", "puzzle15", "sokoban"])
def test_no_piece_codes_where_pieces_look_alike(name: str) -> None:
    assert piece_codes(puzzle(name)) is None


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("os:system", "the feature function fails on states: "),
        ("os:sep", "the feature function fails on states: 'str' object is not callable"),
        ("builtins:type", "the feature function gives no floats [B, count] of states [B, cells]"),
        ("torch:ones_like", "the feature function gives no floats [B, count] of states"),
        ("torch.nn.functional:normalize", "the feature function fails on states: "),
        ("os:nothing", "there is no feature function 'os:nothing': "),
    ],
)
def test_features_that_are_none_of_states(path: str, message: str) -> None:
    settings = Settings("cube2").changed(net="tanh", features=path)
    with pytest.raises(PuzzleError) as error:
        make_net("tanh", puzzle("cube2"), settings, 1)
    assert str(error.value).startswith(message)
