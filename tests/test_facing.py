"""States that face one way, and nets that look at them so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward.heuristics.cpu_net import CpuNet
from homeward.heuristics.graph import distances
from homeward.heuristics.models import read_model
from homeward.heuristics.table import DistanceTable
from homeward.puzzles import puzzle
from homeward.puzzles.base import Puzzle
from homeward.puzzles.facing import Facing, facing
from homeward.puzzles.status import PuzzleError
from homeward.search.ball import Ball
from homeward.search.base import Budget, Meter
from homeward.search.beam import Beam
from homeward.search.views import views
from homeward.search.zobrist import hasher, held_hasher

torch = pytest.importorskip("torch")

from homeward.heuristics.torch_net import TorchNet  # noqa: E402
from homeward.learning.export import export  # noqa: E402
from homeward.learning.settings import preset  # noqa: E402
from homeward.learning.trainer import Trainer  # noqa: E402

SMALL = {"first": 64, "width": 32, "blocks": 1, "batch": 128, "greedy": 0, "steps": 20}


def way_of(name: str) -> Facing:
    return way_of_puzzle(puzzle(name))


def way_of_puzzle(made: Puzzle) -> Facing:
    found = facing(made)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["puzzle8", "puzzle24", "coiled15"])
def test_a_board_and_its_mirror_image_face_one_way(name: str) -> None:
    board, way = puzzle(name), way_of(name)
    states = board.random_states(300, np.random.default_rng(1))
    mirror = board.symmetries()[1]
    faced, mirrored = way.face(states)
    row, column = np.divmod(board.blanks(faced), board.columns)  # type: ignore[attr-defined]
    assert (row <= column).all()
    assert (row == column).sum() > 50
    assert np.array_equal(way.face(mirror.image(states))[0], faced)
    assert 0.3 < mirrored.mean() < 0.7
    assert np.array_equal(faced[~mirrored], states[~mirrored])
    assert np.array_equal(faced[mirrored], mirror.image(states)[mirrored])


def test_moves_come_back_as_the_states_own() -> None:
    """What is known of the image's children is said of the state's children by the same moves."""
    board, way = puzzle("puzzle15"), way_of("puzzle15")
    states = board.random_states(200, np.random.default_rng(2))
    faced, _ = way.face(states)
    legal = way.back(states, board.legal(faced))
    assert np.array_equal(legal, board.legal(states))

    def weights(boards: Any) -> Any:  # a number that is the same for a board and its image
        cells = np.arange(board.cells)
        return np.stack([(way.face(b)[0] * (cells + 1) ** 2).sum(1) for b in boards], 1)

    children = [board.step(states, move) for move in range(4)]
    images = [board.step(faced, move) for move in range(4)]
    assert np.array_equal(way.back(states, weights(images))[legal], weights(children)[legal])
    values = np.ones((200, 1))
    assert way.back(states, values) is values


def test_tensors_face_as_arrays_do() -> None:
    board, way = puzzle("puzzle15"), way_of("puzzle15")
    states = board.random_states(50, np.random.default_rng(3))
    answers = np.random.default_rng(4).random((50, 4))
    faced, mirrored = way.face(torch.from_numpy(states))
    assert np.array_equal(faced.numpy(), way.face(states)[0])
    assert np.array_equal(mirrored.numpy(), way.face(states)[1])
    back = way.back(torch.from_numpy(states), torch.from_numpy(answers))
    assert np.array_equal(back.numpy(), way.back(states, answers))


@pytest.mark.parametrize("name", ["cube2-free", "cube4", "cube6-htm"])
def test_a_cube_turned_as_a_whole_faces_one_way(name: str) -> None:
    cube, way = puzzle(name), way_of(name)
    states = cube.walks(40, 30, np.random.default_rng(1)).states[-1]
    faced, which = way.face(states)
    assert len(np.unique(which)) > 10
    assert (faced[:, cube.mark] == cube.goal[cube.mark]).all()
    for turn in cube.turns():
        assert np.array_equal(way.face(turn.image(states))[0], faced)
    # A move of the image is the move of the state that it is said to be.
    said = way.back(states, np.tile(np.arange(cube.moves), (len(states), 1)))
    for move in range(cube.moves):
        own, there = cube.step(states, move), cube.step(faced, said[:, move])
        assert np.array_equal(way.face(own)[0], way.face(there)[0])
    tensors, turned = way.face(torch.from_numpy(states))
    assert np.array_equal(tensors.numpy(), faced)
    assert np.array_equal(turned.numpy(), which)


def test_another_goal_of_a_cube_is_held_as_that_goal_is() -> None:
    cube = puzzle("cube2-free")
    goal = cube.walks(1, 9, np.random.default_rng(2)).states[-1, 0]
    other = cube.with_goal(goal)
    faced, _ = way_of_puzzle(other).face(other.goals)
    assert (faced == other.goal).all()


def test_a_turned_cube_has_the_same_hash() -> None:
    cube = puzzle("cube4")
    states = cube.walks(60, 20, np.random.default_rng(3)).states[-1]
    keys = held_hasher(cube)(states)
    assert len(np.unique(keys)) == 60
    for turn in cube.turns():
        assert np.array_equal(held_hasher(cube)(turn.image(states)), keys)
    assert np.array_equal(held_hasher(cube)(torch.from_numpy(states)).numpy(), keys)
    assert held_hasher(puzzle("cube3")) is hasher(puzzle("cube3"))


def test_a_ball_knows_a_cube_however_it_is_held() -> None:
    """Free, the 2×2×2 has as many states at each distance as with a corner that is held."""
    free = Ball(puzzle("cube2-free"), 1 + 6 + 27 + 120 + 534)
    assert (free.radius, len(free)) == (4, 688)
    for state in puzzle("cube2-free").walks(10, 4, np.random.default_rng(4)).states[-1]:
        way = free.way_home(state)
        assert way is not None
        assert len(way) <= 4


def test_beams_keep_a_cube_in_one_turn() -> None:
    """Two layers turned one way are the other two turned the other way, to a beam as well."""
    cube = puzzle("cube2-free")
    table = DistanceTable(cube, distances(cube))
    start = cube.random_states(1, np.random.default_rng(5))[0]
    found = Beam(width=10**6, ball=1)(cube, start, table, Meter(Budget()))
    assert found.length == int(table.values(start[None])[0])
    held = puzzle("cube2")
    assert found.generated < 2 * distances(held).states * cube.moves


def test_a_cube_has_all_its_views_although_it_faces_one_way() -> None:
    cube = puzzle("cube4")
    start = cube.random_states(1, np.random.default_rng(6))[0]
    assert len(list(views(cube, start, facing=True))) == len(cube.symmetries()) == 48


def test_a_net_says_the_same_of_a_turned_cube(tmp_path: Path) -> None:
    cube = puzzle("cube4")
    made = Trainer(cube, preset("cube4", "diffusion").changed(**SMALL), tmp_path)
    assert made.settings.facing
    made.run()
    read = export(made, tmp_path / "model")
    states = cube.random_states(50, np.random.default_rng(7))
    exact = made.average(torch.from_numpy(states)).detach().numpy()
    turn = cube.turns()[9]
    for net, error in ((CpuNet(cube, read, "float32"), 0.05), (CpuNet(cube, read), 0.5)):
        said = net.answers(states)
        assert np.abs(said - exact).max() < error
        assert np.allclose(net.answers(turn.image(states))[:, np.argsort(turn.moves)], said)


@pytest.mark.parametrize("name", ["sliding-2x3", "cube2", "lightsout1", "pyraminx"])
def test_others_cannot(name: str) -> None:
    assert facing(puzzle(name)) is None
    settings = preset(name, "diffusion").changed(net="residual", facing=True, **SMALL)
    with pytest.raises(PuzzleError) as error:
        Trainer(puzzle(name), settings, Path("nowhere"))
    expected = f"states of {name} cannot face one way: square boards and even cubes can"
    assert str(error.value) == expected


def test_only_residual_nets_face_one_way() -> None:
    settings = preset("puzzle8", "qlearning").changed(facing=True, net="convolutional", **SMALL)
    with pytest.raises(PuzzleError) as error:
        Trainer(puzzle("puzzle8"), settings, Path("nowhere"))
    assert str(error.value) == "only a residual net can have facing, not a convolutional one"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    settings = preset("puzzle8", "qlearning").changed(facing=True, play=0.25, **SMALL)
    made = Trainer(puzzle("puzzle8"), settings, tmp_path_factory.mktemp("facing"))
    made.run()
    return made


def test_a_net_says_the_same_of_mirrored_boards(trained: Trainer, tmp_path: Path) -> None:
    """In torch as it was trained, and as a model in NumPy, in onnxruntime and in torch."""
    board = puzzle("puzzle8")
    states = board.random_states(100, np.random.default_rng(5))
    mirror = board.symmetries()[1]
    images = mirror.image(states)
    model = export(trained, tmp_path / "model")
    assert model.card.input == "facing"
    read = read_model(tmp_path / "model.json")
    exact = trained.average(torch.from_numpy(states)).detach().numpy()
    nets: list[Any] = [CpuNet(board, read, "float32"), CpuNet(board, read)]
    nets.append(TorchNet(board, read, "cpu"))
    for net, error in zip(nets, (0.05, 0.5, 0.05), strict=True):
        said = np.asarray(net.answers(net.place(states)))
        there = np.asarray(net.answers(net.place(images)))
        assert net.facing
        assert np.allclose(there[:, mirror.moves], said, atol=1e-5)
        assert np.abs(said - exact).max() < error  # 16 and 8 bits


def test_beams_have_no_mirrored_view_to_look_at(trained: Trainer, tmp_path: Path) -> None:
    board = puzzle("puzzle8")
    net = CpuNet(board, export(trained, tmp_path / "model"))
    start = board.random_states(1, np.random.default_rng(6))[0]
    assert len(list(views(board, start))) == 2
    assert len(list(views(board, start, facing=True))) == 1
    one, both = (
        Beam(width=20, views=number, ball=1)(board, start, net, Meter(Budget()))
        for number in (1, 2)
    )
    assert one.generated == both.generated
    net.facing = False
    assert (
        Beam(width=20, views=2, ball=1)(board, start, net, Meter(Budget())).generated
        > one.generated
    )


def test_a_net_that_faces_one_way_can_start_from_one_that_does_not(tmp_path: Path) -> None:
    plain = preset("puzzle8", "qlearning").changed(**SMALL)
    first = Trainer(puzzle("puzzle8"), plain, tmp_path)
    first.run()
    model = export(first, tmp_path / "model")
    second = Trainer(puzzle("puzzle8"), plain.changed(facing=True), tmp_path / "second")
    second.start_from({k: torch.from_numpy(v) for k, v in model.tensors.items()})
    states = torch.from_numpy(puzzle("puzzle8").random_states(50, np.random.default_rng(7)))
    same = ~way_of("puzzle8").face(states)[1]
    assert same.sum() > 10
    said, before = second.average(states), first.average(states)
    assert torch.allclose(said[same], before[same], atol=0.05)


def test_a_model_that_faces_one_way_is_for_no_other_puzzle(
    trained: Trainer, tmp_path: Path
) -> None:
    model = export(trained, tmp_path / "model")
    with pytest.raises(PuzzleError) as error:
        CpuNet(puzzle("sliding-2x3"), model)
    why = "states of sliding-2x3 cannot face one way, as this model needs"
    assert str(error.value) == f"model model is for puzzle8, not for sliding-2x3: {why}"
