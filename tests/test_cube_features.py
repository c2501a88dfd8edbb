"""The sticker heuristics and the 22 features of the heuristic-learning paper, and its net."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from cube_tools import cube
from homeward import solvers
from homeward.heuristics.cpu_net import CpuNet
from homeward.heuristics.cube.features import COUNT, STICKERS, StickerHeuristic, features
from homeward.heuristics.cube.features.learned import JudgedFeatures
from homeward.heuristics.cube.features.stickers import counting
from homeward.heuristics.layers import forward
from homeward.heuristics.models import Model, make_card, write_model
from homeward.heuristics.torch_net import TorchNet
from homeward.learning.examples import on_the_way
from homeward.learning.nets import TanhNet
from homeward.notation import State
from homeward.notation.archives import load_set
from homeward.puzzles import PuzzleError, puzzle
from homeward.search.base import Budget, Meter
from net_tools import random_tensors

LAYERS = [*["dense tanh"] * 4, "dense"]


def after(moves: str) -> np.ndarray:
    return State.solved("cube3").moved(moves).cells[None]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A net of random weights on the features."""
    sizes = [(22, 40), (40, 36), (36, 36), (36, 10), (10, 1)]
    tensors = random_tensors(sizes)
    tensors["layer4.bias"][:] = 9.0
    card = make_card(cube("cube3"), tensors, LAYERS, head="value", reads="cube-features")
    return write_model(tmp_path_factory.mktemp("model") / "m", tensors, card)


# --- stickers


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("cube3", [12, 12, 12, 72, 3]),
        ("cube3-htm", [12, 24, 12, 72, 3]),
        ("cube2", [8, 8, 8, 16, 2]),
        ("cube4", [16, 16, 32, 192, 4]),
    ],
)
def test_what_one_move_can_mend(name: str, most: list[int]) -> None:
    assert counting(cube(name)).most.tolist() == most


@pytest.mark.parametrize(
    ("moves", "counts"),
    [
        ("", [0, 0, 0, 0, 0]),
        ("U", [12, 12, 12, 72, 0]),
        ("U2", [12, 24, 12, 72, 0]),
        ("R", [12, 12, 12, 72, 3]),
        ("R L", [24, 24, 24, 4 * 27, 6]),
        ("U2 D2 R2 L2 F2 B2", [24, 48, 72, 6 * 20, 4]),  # a chequered face: 4 of the other colour
    ],
)
def test_counts_by_hand(moves: str, counts: list[int]) -> None:
    found = [
        float(StickerHeuristic(cube("cube3"), name).values(after(moves))[0]) for name in STICKERS
    ]
    assert found == pytest.approx(np.array(counts) / [12, 12, 12, 72, 3])


def test_children_are_the_estimates_of_children() -> None:
    made = cube("cube3")
    states = made.random_states(20, np.random.default_rng(0))
    for name in STICKERS:
        heuristic = StickerHeuristic(made, name)
        expected = [heuristic.values(made.step(states, move)) for move in range(made.moves)]
        assert np.array_equal(heuristic.children(states), np.stack(expected, axis=1))
        on_torch = heuristic.values(torch.as_tensor(states))
        assert np.array_equal(on_torch.numpy(), heuristic.values(states))


def test_stickers_need_a_cube_of_six_colours() -> None:
    scrambled = cube("cube3").with_goal(after("R U")[0])
    for wrong in (puzzle("puzzle8"), puzzle("cube2-free"), scrambled):
        with pytest.raises(PuzzleError) as caught:
            StickerHeuristic(wrong, "errors")
        assert str(caught.value) == (
            f"stickers are counted on cubes solved to six colours, which {wrong.name} is not"
        )
    with pytest.raises(PuzzleError) as caught:
        StickerHeuristic(cube("cube3"), "error")
    assert str(caught.value) == "there is no sticker heuristic 'error'; did you mean errors?"


# --- features


@pytest.mark.parametrize(
    ("moves", "corners", "edges"),
    [
        ("", [8, 0, 0, 0], [12, 0, 0, 0, 0]),
        ("U", [4, 4, 0, 0], [8, 4, 0, 0, 0]),
        ("U2", [4, 0, 4, 0], [8, 0, 4, 0, 0]),
        ("R L'", [0, 8, 0, 0], [4, 8, 0, 0, 0]),
        ("U2 D2 R2 L2 F2 B2", [8, 0, 0, 0], [0, 0, 0, 0, 12]),
    ],
)
def test_relations_by_hand(moves: str, corners: list[int], edges: list[int]) -> None:
    found = features(after(moves))[0]
    assert found[13:17].tolist() == corners
    assert found[17:].tolist() == edges


def test_features_are_22_and_the_paper_s() -> None:
    states = cube("cube3").random_states(200, np.random.default_rng(1))
    found = features(states)
    assert (found.shape, found.dtype, COUNT) == ((200, 22), np.float32, 22)
    assert 0 <= found.min() <= found.max() <= 20  # "within range [0, 20]"
    assert set(found[:, 13:17].sum(1).tolist()) == {8.0}
    assert set(found[:, 17:].sum(1).tolist()) == {12.0}
    for column, name in enumerate(STICKERS, start=8):
        expected = StickerHeuristic(cube("cube3"), name).values(states)
        assert np.array_equal(found[:, column], expected)
    assert np.array_equal(features(torch.as_tensor(states)).numpy(), found)


def test_no_database_is_too_large_on_walks_but_their_sum_is() -> None:
    made = cube("cube3")
    walks = made.walks(500, 12, np.random.default_rng(5)).states
    found = features(walks.reshape(-1, 54)).reshape(13, 500, 22)
    moves = np.arange(13)[:, None]
    assert int((found[:, :, :13] > moves[..., None]).sum()) == 0
    assert int((found[:, :, :8].sum(-1) > moves).sum()) > 5000


# --- nets on features


def test_all_passes_agree(model: Model) -> None:
    made = cube("cube3")
    states = made.random_states(300, np.random.default_rng(2))
    seen = features(states)
    exact = forward(model.card.layers, model.tensors, seen, 1)
    assert exact.std() > 0.1
    net = CpuNet(made, model)
    assert net.precision == "float32"
    np.testing.assert_allclose(net.answers(states), exact, atol=1e-4)
    on_torch = TorchNet(made, model, "cpu").answers(torch.as_tensor(states))
    np.testing.assert_allclose(on_torch.numpy(), exact, atol=1e-4)


def test_a_trained_net_is_kept_as_a_model() -> None:
    net = TanhNet(cube("cube3"), features=features).eval()
    states = cube("cube3").random_states(50, np.random.default_rng(3))
    tensors = {name: tensor.numpy() for name, tensor in net.folded().items()}
    card = make_card(cube("cube3"), tensors, net.layers, head="value", reads=net.input)
    assert (card.input, card.positions, card.symbols) == ("cube-features", 22, 1)
    assert card.shapes == ((22, 40), (40, 36), (36, 36), (36, 10), (10, 1))
    with torch.no_grad():
        expected = net(torch.as_tensor(states)).numpy()
    np.testing.assert_allclose(forward(card.layers, tensors, features(states), 1), expected)
    nameless = TanhNet(cube("cube3"), features=lambda x: x[:, :2].float())
    assert nameless.input == "features"  # which no card knows


def test_the_learned_heuristic_and_its_plus(model: Model, tmp_path: Path) -> None:
    made = cube("cube3")
    write_model(tmp_path / "m", model.tensors, model.card)
    plain, plus = (JudgedFeatures(made, p, tmp_path / "m.json") for p in (False, True))
    assert (plain.name, plain.admissible, plus.name, plus.admissible) == (
        "hNN",
        False,
        "hNN+",
        False,
    )
    states = np.concatenate(
        [made.goals, made.random_states(5000, np.random.default_rng(4))]
    )  # more than one batch
    said, databases = plain.values(states), features(states)[:, :8].max(1)
    assert said[0] == plus.values(made.goals)[0] == 0
    np.testing.assert_allclose(
        said[1:], np.maximum(CpuNet(made, model).answers(states[1:])[:, 0], 0), atol=1e-4
    )
    np.testing.assert_allclose(plus.values(states), np.maximum(said, databases), atol=1e-4)
    assert (said[1:] < databases[1:]).any()
    children = plain.children(states[1:3])
    assert np.array_equal(children[:, 5], plain.values(made.step(states[1:3], 5)))


def test_the_shipped_net_knows_distances(data_dir: Path) -> None:
    """On all cubes of public solutions; the paper's mean square error was 4.8."""
    made = cube("cube3")
    known = load_set(data_dir / "cube3.npz", made)
    assert known.optimal_moves is not None
    states, lengths = on_the_way(made, known.states[:100], known.optimal_moves[:100])
    error = JudgedFeatures(made).values(states) - lengths
    square = (error**2).mean()
    assert 3 < square < 7
    guess = float(((lengths - lengths.mean()) ** 2).mean())  # saying the same of all
    assert square < guess / 5
    largest = features(states)[:, :8].max(1)
    assert square < ((largest - lengths) ** 2).mean() / 2  # the databases alone
    near = lengths <= 6
    assert np.abs(error[near]).mean() < 0.5
    plus = JudgedFeatures(made, plus=True).values(states) - lengths
    assert (plus >= error - 1e-4).all()


@pytest.mark.parametrize("name", ["ida-hnn", "ida-hnn+"])
def test_ida_with_the_learned_heuristic(name: str) -> None:
    made = cube("cube3")
    prepared = solvers.prepare(made, name)
    assert (prepared.model, prepared.device) == ("cube3-features", "cpu")
    for depth in range(9):
        start = made.walks(1, depth, np.random.default_rng(depth)).states[-1, 0]
        found = prepared.solve(start, Meter(Budget()))
        assert found.length is not None
        assert (found.length - depth) % 2 == 0
        assert found.length <= depth + 2
        assert found.lower_bound == min(found.length, 1)  # no learned heuristic proves more
    with pytest.raises(PuzzleError, match=f"^{re.escape(name)} does not prove every solution"):
        solvers.prepare(made, name, optimal=True)


def test_features_are_for_cube3_alone(model: Model, tmp_path: Path) -> None:
    write_model(tmp_path / "m", model.tensors, model.card)
    with pytest.raises(PuzzleError) as caught:
        JudgedFeatures(cube("cube3-htm"), model=tmp_path / "m.json")
    why = "cube3-htm has no cube-features, which this model needs"
    assert str(caught.value) == f"model m is for cube3, not for cube3-htm: {why}"
