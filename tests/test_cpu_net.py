"""The net on the CPU: folding, ONNX graphs, 8-bit passes, and the heuristic made of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch

from homeward import PuzzleError, puzzle
from homeward.heuristics import load
from homeward.heuristics.base import Heuristic
from homeward.heuristics.cpu_net import CpuNet
from homeward.heuristics.kernels import sum_rows
from homeward.heuristics.layers import forward
from homeward.heuristics.models import Model, make_card, read_model, shipped_models, write_model
from homeward.heuristics.onnx import Graph
from homeward.heuristics.places import places_of, row_sum
from homeward.heuristics.policy import PolicyNet
from homeward.heuristics.tail import column_scales, float_tail, int8_tail
from homeward.heuristics.torch_net import TorchNet
from homeward.learning.nets import ConvolutionalNet, Net, ResidualNet, TwoHeadedNet
from homeward.puzzles.arrays import to_numpy
from homeward.puzzles.base import Puzzle
from homeward.search.mcts import Policy
from net_tools import LAYERS, random_tensors, small_model

CUBE = puzzle("cube2")
BOARD = puzzle("puzzle8")


def some_states(which: Puzzle, n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    walks = which.walks(n, 20, rng).states
    return walks[rng.integers(21, size=n), np.arange(n)]


def plain(model: Model, which: Puzzle, states: Any) -> Any:
    card = model.card
    board = card.board if card.layers[0].startswith("conv") else None
    return forward(card.layers, model.tensors, states, which.symbols, board)


# --- the ONNX writer


def run(graph: bytes, x: Any) -> Any:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def test_a_graph_runs_in_onnxruntime_as_in_numpy() -> None:
    rng = np.random.default_rng(0)
    weight, bias = rng.normal(size=(5, 3)).astype(np.float32), np.ones(3, np.float32)
    graph = Graph()
    x = graph.input("x", np.float32, 5)
    y = graph.node("Gemm", x, graph.constant(weight), graph.constant(bias))
    y = graph.node("Reshape", graph.node("Relu", y), graph.constant(np.array([-1, 1, 3])))
    y = graph.node("Transpose", y, perm=[0, 2, 1])
    y = graph.node("Reshape", y, graph.constant(np.array([-1, 3])))
    values = rng.normal(size=(300, 5)).astype(np.float32)
    answer = run(graph.model(y, np.float32, 3), values)
    np.testing.assert_allclose(answer, np.maximum(values @ weight + bias, 0), atol=1e-5)


def test_the_8_bit_graph_equals_its_arithmetic(tmp_path: Path) -> None:
    model = small_model(CUBE, tmp_path / "m")
    tops = model.card.ranges
    codes = np.random.default_rng(1).integers(0, 256, size=(70, 64)).astype(np.uint8)

    def multiplied(codes: Any, top: float, number: int) -> Any:
        weight, bias = model.matrices[number]
        scale = column_scales(weight)
        whole = np.rint(weight / scale).astype(np.int64)
        return (codes.astype(np.int64) @ whole) * (scale * np.float32(top / 255)) + bias

    def quantised(x: Any, top: float) -> Any:
        return np.clip(np.rint(x / np.float32(top / 255)), 0, 255)

    x = np.maximum(multiplied(codes, tops[0], 1), 0)
    inner = quantised(multiplied(quantised(x, tops[1]), tops[1], 2), tops[2])
    x = np.maximum(x + multiplied(inner, tops[2], 3), 0)
    weight, bias = model.matrices[4]
    # A number that lies between two codes may fall to either side.
    np.testing.assert_allclose(run(int8_tail(model, tops), codes), x @ weight + bias, atol=0.02)


def test_no_pair_of_8_bit_products_overflows_16_bits() -> None:
    weight = np.random.default_rng(0).normal(size=(101, 40)).astype(np.float32)
    weight[:, 0] = 1.0
    weight[:, 1] = 0.0
    whole = np.rint(weight / column_scales(weight)).astype(np.int64)
    assert np.abs(whole).max() <= 127
    pairs = np.pad(whole, ((0, 1), (0, 0))).reshape(-1, 2, 40)
    most = 255 * np.maximum(pairs, 0).sum(1).max()
    least = 255 * np.minimum(pairs, 0).sum(1).min()
    assert least >= -(2**15)
    assert 2**14 < most < 2**15


# --- the first layer as a sum of rows


@pytest.mark.parametrize(
    ("name", "places", "rows"),
    [
        ("cube2", 7, 7 * 21),
        ("cube3", 20, 480),
        ("cube4", 44, 8 * 24 + 24 * 24 + 12 * 36),
        ("puzzle8", 9, 81),
        ("puzzle15", 16, 256),
        ("lightsout5", 5, 4 * 64 + 2),
        ("sokoban", 50, 50 * 49),
        ("pyraminx", 7, 27 + 36 + 5 * 12),
        ("topspin", 20, 400),
        ("cube2x2x2x2", 16, 15 * 180 + 1),
    ],
)
def test_row_sums_equal_the_one_hot_layer(name: str, places: int, rows: int) -> None:
    which = puzzle(name)
    tensors = random_tensors([(which.cells * which.symbols, 48)])
    weight, bias = tensors["layer0.weight"], tensors["layer0.bias"]
    found = places_of(which)
    layer = row_sum(found, which.symbols, weight, bias)
    states = some_states(which, 200)
    out = np.empty((200, 48), np.float32)
    sum_rows(states, layer.cells, layer.strides, layer.starts, layer.rows, layer.table, out)
    hot = (states[..., None] == np.arange(which.symbols)).reshape(200, -1)
    np.testing.assert_allclose(out, hot.astype(np.float64) @ weight + bias, atol=3e-5)
    assert np.abs(out).max() <= layer.bound() + 1e-4
    assert (len(found), len(layer.table) - 1) == (places, rows)


# --- the net as a heuristic


def keep(net: Net, which: Puzzle, path: Path, head: str) -> Model:
    """The folded net as a model file."""
    tensors = {name: values.detach().numpy() for name, values in net.folded().items()}
    layers = tuple(net.layers)
    card = make_card(which, tensors, layers, head=head, reads=net.input, board=net.board)
    return write_model(path, tensors, card)


def unsettled(net: Net) -> Net:
    """The net with norms and an answer that are not those of a fresh one."""
    generator = torch.Generator().manual_seed(1)
    for name, values in (*net.named_parameters(), *net.named_buffers()):
        if "norm" in name and values.is_floating_point():
            noise = torch.rand(values.shape, generator=generator)
            values.data = 0.5 + noise if values.data.min() > 0 else noise - 0.5
        if name.startswith("last."):
            values.data = values.data + torch.randn(values.shape, generator=generator)
    return net.eval()


def residual(which: Puzzle) -> Net:
    torch.manual_seed(0)
    net = ResidualNet(which.cells, which.symbols, which.moves, 256, 96, 2, offset=9.0, scale=2.0)
    return unsettled(net)


NETS: dict[str, tuple[str, str, Callable[[Puzzle], Net]]] = {
    "residual": ("cube3", "children", residual),
    "convolutional": (
        "puzzle8",
        "children",
        lambda p: unsettled(ConvolutionalNet((3, 3), p.symbols, p.moves, 16, 32, 1)),
    ),
    "two-headed, pieces": ("cube3", "policy_value", lambda p: TwoHeadedNet(p, 64, 48, 16).eval()),
    "two-headed, cells": ("puzzle8", "policy_value", lambda p: TwoHeadedNet(p, 64, 48, 16).eval()),
}


@pytest.mark.parametrize("kind", NETS)
def test_folded_passes_equal_torch(kind: str, tmp_path: Path) -> None:
    name, head, make = NETS[kind]
    which = puzzle(name)
    net = make(which)
    model = keep(net, which, tmp_path / "m", head)
    # Against weights in the 16 bits that the file keeps.
    states = some_states(which, 300)
    fast = CpuNet(which, model, "float32")
    there = TorchNet(which, model, "cpu")
    answers = there.answers(there.place(states)).numpy()
    np.testing.assert_allclose(fast.answers(states), answers, atol=1e-3)
    with torch.no_grad():
        exact = net(torch.as_tensor(states)).numpy()
    if head == "policy_value":  # folded, the value is a distance
        exact[:, 0] = 2 - exact[:, 0]
    np.testing.assert_allclose(fast.answers(states), exact, atol=0.02 * exact.std())
    children = there.children(there.place(states)).numpy()
    np.testing.assert_allclose(fast.children(states), children, atol=1e-3)


def test_the_plain_pass_equals_torch_before_rounding() -> None:
    which = puzzle("cube3")
    net = residual(which)
    tensors = {name: values.detach().numpy() for name, values in net.folded().items()}
    states = some_states(which, 100)
    with torch.no_grad():
        exact = net(torch.as_tensor(states)).numpy()
    plain_pass = forward(net.layers, tensors, states, which.symbols)
    np.testing.assert_allclose(plain_pass, exact, atol=1e-3)


def test_8_bits_stay_near_the_floats(tmp_path: Path) -> None:
    which = puzzle("cube3")
    model = keep(residual(which), which, tmp_path / "m", "children")
    states = some_states(which, 1000, seed=3)
    exact = plain(model, which, states)
    error = CpuNet(which, model, "int8").answers(states) - exact
    assert 0 < np.sqrt((error**2).mean()) < 0.03 * exact.std()


@pytest.mark.parametrize("name", shipped_models())
def test_8_bits_of_shipped_models_stay_near_the_floats(name: str) -> None:
    """On 99 of 100 states: numbers beyond the sampled ranges are cut, as near the goal."""
    model = read_model(name)
    which = puzzle(model.card.puzzle)
    net = CpuNet(which, model)
    if net.precision == "int8":
        states = which.walks(20, 100, np.random.default_rng(3)).states.reshape(-1, which.cells)
        states = states[~which.is_solved(states)]
        exact = CpuNet(which, model, "float32").answers(states)
        error = net.answers(states) - exact
        error -= error.mean(1, keepdims=True)  # what all children have too much changes no order
        squares = np.sort((error**2).mean(1))[: len(states) * 99 // 100]
        assert np.sqrt(squares.mean()) < 0.03 * exact.std()


@pytest.mark.parametrize("precision", ["int8", "float32"])
def test_batches_and_threads_do_not_matter(precision: str, tmp_path: Path) -> None:
    model = small_model(BOARD, tmp_path / "m")
    states = some_states(BOARD, 2100)
    one, three = (CpuNet(BOARD, model, precision, threads) for threads in (1, 3))
    exact = one.answers(states)
    for n in (0, 1, 31, 64, 65, 1024, 1025, 2100):
        for net in (one, three):
            np.testing.assert_allclose(net.answers(states[:n]), exact[:n], atol=1e-5)
    assert three.answers(states[:0]).shape == (0, 4)
    assert one.answers(np.asfortranarray(states)).tolist() == exact.tolist()


def test_illegal_moves_are_infinitely_far(tmp_path: Path) -> None:
    net = CpuNet(BOARD, small_model(BOARD, tmp_path / "m"))
    states = some_states(BOARD, 50)
    children = net.children(states)
    np.testing.assert_array_equal(np.isinf(children), ~BOARD.legal(states))
    assert children.dtype == np.float32
    values = net.values(states)
    home = BOARD.is_solved(states)
    assert home.any()
    np.testing.assert_array_equal(values[home], 0)
    np.testing.assert_allclose(values[~home], 1 + children[~home].min(1))


@pytest.mark.parametrize("head", ["value", "policy_value"])
def test_value_nets_score_children_by_expanding(head: str, tmp_path: Path) -> None:
    net = CpuNet(BOARD, small_model(BOARD, tmp_path / "m", head=head), "float32")
    states = some_states(BOARD, 40)
    children = net.children(states)
    for move in range(BOARD.moves):
        legal = BOARD.legal(states)[:, move]
        there = BOARD.step(states, move)
        assert np.isinf(children[~legal, move]).all()
        np.testing.assert_allclose(children[legal, move], net.values(there)[legal], atol=1e-4)


def test_a_net_with_two_heads_has_a_policy(tmp_path: Path) -> None:
    model = small_model(BOARD, tmp_path / "m", head="policy_value")
    net = load(BOARD, tmp_path / "m.json", "cpu", threads=1)
    assert isinstance(net, Policy)
    states = some_states(BOARD, 40)
    logits = plain(model, BOARD, states)[:, 1:]
    expected = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    for said in (net, PolicyNet(TorchNet(BOARD, model, "cpu"))):
        there = said.place(states)
        np.testing.assert_allclose(to_numpy(said.policy(there)), expected, atol=0.02)
        assert said.children(there).shape == (40, 4)
        assert said.values(there).shape == (40,)
    small_model(BOARD, tmp_path / "v", head="value")
    assert not isinstance(load(BOARD, tmp_path / "v.json", "cpu"), Policy)


@pytest.mark.parametrize("layers", ["dense relu, dense", "dense relu, block relu, dense"])
def test_8_bits_of_short_nets(layers: str, tmp_path: Path) -> None:
    words = tuple(layers.split(", "))
    sizes = [(144, 32), *[(32, 32)] * (2 * len(words) - 4), (32, 6)]
    tensors = random_tensors(sizes)
    model = write_model(tmp_path / "m", tensors, make_card(CUBE, tensors, words))
    states = some_states(CUBE, 200)
    exact = plain(model, CUBE, states)
    error = CpuNet(CUBE, model, "int8").answers(states) - exact
    assert 0 < np.sqrt((error**2).mean()) < 0.02 * exact.std()


def test_a_net_that_says_the_same_of_all_states(tmp_path: Path) -> None:
    tensors = {
        name: values * 0 for name, values in small_model(CUBE, tmp_path / "m").tensors.items()
    }
    tensors["layer4.bias"] = np.arange(6, dtype=np.float32)
    model = write_model(tmp_path / "same", tensors, make_card(CUBE, tensors, LAYERS))
    assert model.card.ranges == (0.0,) * 4
    assert CpuNet(CUBE, model).answers(CUBE.goal[None]).tolist() == [[0, 1, 2, 3, 4, 5]]


def test_nets_are_heuristics(tmp_path: Path) -> None:
    model = small_model(CUBE, tmp_path / "m")
    for net in (CpuNet(CUBE, model), TorchNet(CUBE, model, "cpu")):
        assert isinstance(net, Heuristic)
        assert net.admissible is False
        assert net.name == "m"
        assert net.children(net.place(CUBE.goal[None])).shape == (1, 6)


def test_ranges_are_worked_out_where_the_card_has_none(tmp_path: Path) -> None:
    model = small_model(CUBE, tmp_path / "m")
    bare = dataclasses.replace(model, card=dataclasses.replace(model.card, ranges=()))
    states = some_states(CUBE, 10)
    one, other = CpuNet(CUBE, model), CpuNet(CUBE, bare)
    assert other.precision == "int8"
    # From the weights of the file, not from those before they were rounded to 16 bits.
    np.testing.assert_allclose(one.answers(states), other.answers(states), atol=0.01)


def test_what_a_net_refuses(tmp_path: Path) -> None:
    model = small_model(CUBE, tmp_path / "m")

    def refusal(make: Callable[[], object]) -> str:
        with pytest.raises(PuzzleError) as caught:
            make()
        return str(caught.value)

    text = "precision is int8, float32 or auto, not 'int4'"
    assert refusal(lambda: CpuNet(CUBE, model, "int4")) == text
    text = "model m is for cube2: it has 24 positions, and puzzle8 needs 9"
    assert refusal(lambda: CpuNet(BOARD, model)) == text
    net = CpuNet(CUBE, model)
    text = "states of cube2 are rows of 24 integers; these are uint8 of shape [1, 9]"
    assert refusal(lambda: net.answers(BOARD.goal[None])) == text
    text = "states of cube2 are rows of 24 integers; these are float64 of shape [1, 24]"
    assert refusal(lambda: net.answers(CUBE.goal[None] / 2)) == text
    text = "symbols of cube2 go from 0 to 5"
    assert refusal(lambda: net.answers(CUBE.goal[None] + 1)) == text
    assert refusal(lambda: net.answers(CUBE.goal[None].astype(np.int8) - 1)) == text
    tensors = random_tensors([(144, 16), (16, 1)])
    card = make_card(CUBE, tensors, ("dense tanh", "dense"), head="value")
    tanh = write_model(tmp_path / "tanh", tensors, card)
    assert CpuNet(CUBE, tanh).precision == "float32"
    text = "model tanh cannot run in int8: not all its layers are relu"
    assert refusal(lambda: CpuNet(CUBE, tanh, "int8")) == text


def test_states_with_symbols_of_two_bytes(tmp_path: Path) -> None:
    which = puzzle("sliding-17x16")
    assert which.dtype == np.int16
    tensors = random_tensors([(272 * 272, 16), (16, 4)])
    model = write_model(tmp_path / "m", tensors, make_card(which, tensors, ("dense elu", "dense")))
    states = some_states(which, 5)
    np.testing.assert_allclose(
        CpuNet(which, model, "float32").answers(states), plain(model, which, states), atol=1e-3
    )
    there = TorchNet(which, model, "cpu")
    np.testing.assert_allclose(
        there.answers(there.place(states)), plain(model, which, states), atol=1e-3
    )


def test_graphs_are_the_same_every_time(tmp_path: Path) -> None:
    model = small_model(CUBE, tmp_path / "m")
    assert float_tail(model) == float_tail(model)
    assert int8_tail(model, model.card.ranges) == int8_tail(model, model.card.ranges)
