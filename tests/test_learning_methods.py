"""Methods: their targets by hand, and the examples that they learn from."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from homeward.heuristics.graph import distances
from homeward.heuristics.table import DistanceTable
from homeward.learning.examples import on_the_way
from homeward.learning.methods.adi import Adi
from homeward.learning.methods.davi import Davi
from homeward.learning.methods.diffusion import Diffusion
from homeward.learning.methods.qlearning import QLearning
from homeward.learning.methods.supervised import Supervised
from homeward.learning.settings import Settings
from homeward.learning.walker import Pairs
from homeward.puzzles import PuzzleError, puzzle


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # numba's loops on all cores set it to all


SMALL = {"batch": 128, "first": 64, "width": 32, "blocks": 1, "own_width": 32, "greedy": 0}


class Says(nn.Module):
    """A net whose answers are known."""

    def __init__(self, answer: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.answer = answer

    def forward(self, states: Tensor) -> Tensor:
        return self.answer(states)


def always(*outputs: float) -> Says:
    return Says(lambda states: torch.tensor(outputs).repeat(len(states), 1))


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def small(name: str, method: str, **changes: Any) -> Settings:
    return Settings(name, method).changed(**{"depth": 12, **SMALL, **changes})


def boards(*texts: str) -> Tensor:
    return torch.tensor([[int(c) for c in text] for text in texts], dtype=torch.uint8)


HOME, ONE, TWO = "123456780", "123456708", "123456078"
"""The 8-puzzle at home, one move and two moves away (by L, and L L)."""


# --- targets


def pairs_of(states: Tensor, lengths: list[int]) -> Pairs:
    return Pairs(states, torch.zeros(len(states)).long(), states, torch.tensor(lengths))


def test_diffusion_wants_the_length_of_the_walk() -> None:
    method = Diffusion(puzzle("puzzle8"), small("puzzle8", "diffusion"), rng())
    pairs = pairs_of(boards(HOME, ONE, TWO), [0, 1, 8])
    assert method.wanted(pairs, always(0, 0, 0, 0), 0.5).tolist() == [0, 1, 8]


def test_bent_lengths_are_wanted_until_bellman_targets_begin() -> None:
    """Up to `bend` moves as they are, then the root; a cap is the length of the walk itself."""
    changes = {"bend": 4.0, "walk_share": 0.5}
    pairs = pairs_of(boards(HOME, ONE, TWO, TWO), [0, 4, 9, 16])
    for method in (
        Diffusion(puzzle("puzzle8"), small("puzzle8", "diffusion", **changes), rng()),
        QLearning(puzzle("puzzle8"), small("puzzle8", "qlearning", **changes), rng()),
    ):
        assert method.wanted(pairs, always(0, 0, 0, 0), 0.4).tolist() == [0, 4, 6, 8]
    assert method.wanted(pairs, always(99, 99, 99, 99), 0.6).tolist() == [0, 4, 9, 16]
    capped = QLearning(puzzle("puzzle8"), small("puzzle8", "qlearning", cap=1.25, **changes), rng())
    assert capped.wanted(pairs, always(99, 99, 99, 99), 0.6).tolist() == [0, 4, 7.5, 10]
    assert capped.wanted(pairs, always(99, 6, 99, 99), 0.6).tolist() == [0, 4, 7, 7]
    changes |= {"cap": 1.25, "cap_share": 0.7}
    for_a_while = QLearning(puzzle("puzzle8"), small("puzzle8", "qlearning", **changes), rng())
    for progress, stage, wanted in (
        (0.4, "walks", [0, 4, 6, 8]),
        (0.6, "capped", [0, 4, 7.5, 10]),
        (0.7, "bellman", [0, 4, 9, 16]),
    ):
        assert for_a_while.stage(progress) == stage  # recorded steps are made anew for each
        assert for_a_while.wanted(pairs, always(99, 99, 99, 99), progress).tolist() == wanted


def test_diffusion_loss_by_hand() -> None:
    """Only the move that was made counts, and pairs without a move count as 0."""
    method = Diffusion(puzzle("puzzle8"), small("puzzle8", "diffusion", batch=3), rng())
    states = boards(HOME, ONE, TWO)
    pairs = Pairs(states, torch.tensor([2, 3, -1]), states, torch.tensor([4, 5, 6]))
    method.walker.pairs = lambda: pairs  # type: ignore[method-assign]
    loss = method.loss(always(9, 9, 1, 2), always(0, 0, 0, 0), method.batch(0.0), 0.0)
    assert float(loss) == ((1 - 4) ** 2 + (2 - 5) ** 2 + 0) / 3


def test_diffusion_choices_by_hand() -> None:
    """Legal moves share what is certain, by how much smaller their answers are."""
    method = Diffusion(puzzle("puzzle8"), small("puzzle8", "diffusion", choice=0.5), rng())
    net = method.make_net()
    with torch.no_grad():
        net.sharpness.fill_(2.0)  # type: ignore[operator]
    states = boards(HOME, ONE, TWO)  # D and R are legal; D, L and R; D and L
    pairs = Pairs(states, torch.tensor([3, 2, -1]), states, torch.tensor([2, 1, 6]))
    loss = method.loss(always(0, 3, 1, 2), always(0, 0, 0, 0), pairs, 0.0)
    shares = [1 / (1 + math.exp(-2)), 1 / (1 + math.exp(-2) + math.exp(-4)), 1]
    surprise = -sum(math.log(share) for share in shares) / 3
    wanted = 0.5 * method.unit**2 * surprise  # lengths are right
    assert float(loss.detach()) == pytest.approx(wanted)
    loss.backward()  # type: ignore[no-untyped-call]
    assert bool(torch.isfinite(net.sharpness.grad))  # type: ignore[arg-type,union-attr]
    plain = Diffusion(puzzle("puzzle8"), small("puzzle8", "diffusion"), rng()).make_net()
    assert net.folded().keys() == plain.folded().keys()  # no model has it


def test_choice_is_for_walks_alone() -> None:
    with pytest.raises(PuzzleError, match="choice learns from walks alone: it is for diffusion"):
        QLearning(puzzle("puzzle8"), small("puzzle8", "qlearning", choice=0.1), rng())


def test_qlearning_targets_by_hand() -> None:
    """min(walk, 1 + best legal child), 0 at home; walk lengths alone in the first part."""
    settings = small("puzzle8", "qlearning", walk_share=0.5)
    method = QLearning(puzzle("puzzle8"), settings, rng())
    pairs = pairs_of(boards(HOME, ONE, TWO, TWO), [0, 9, 9, 4])
    # U D L R: at TWO the blank is in the lower left corner, so D and L are legal; U and R are not.
    target = always(-50.0, 7.0, 6.0, -50.0)
    assert method.wanted(pairs, target, 0.4).tolist() == [0, 9, 9, 4]
    # At ONE the blank is in the lower row: U is illegal, R is not and says -50, which counts as 0.
    assert method.wanted(pairs, target, 0.5).tolist() == [0, 1, 7, 4]


@pytest.mark.parametrize(
    ("changes", "offset", "unit"),
    [({}, 50, 50), ({"bend": 25.0}, 25, 25), ({"bend": 400.0}, 50, 50), ({"walk_share": 0}, 0, 50)],
)
def test_a_fresh_net_is_of_the_size_of_what_it_learns(
    changes: dict[str, Any], offset: float, unit: float
) -> None:
    """Half of the longest walk, bent; with Bellman targets alone it begins at home's distance."""
    settings = small("puzzle8", "qlearning", depth=100, walk_share=0.5).changed(**changes)
    method = QLearning(puzzle("puzzle8"), settings, rng())
    said = method.make_net().eval()(boards(HOME, TWO))
    assert (method.offset, method.unit) == (offset, unit)
    assert torch.equal(said, torch.full((2, 4), offset))


def test_qlearning_plays_on_with_its_target_net() -> None:
    settings = small("puzzle8", "qlearning", walk_share=0.5, play=0.25)
    method = QLearning(puzzle("puzzle8"), settings, rng())
    net = always(1.0, 2.0, 3.0, 4.0)
    method.loss(net, net, method.batch(0.4), 0.4)
    assert method.kept() == {}  # nothing is played before there are Bellman targets
    assert [len(method.batch(progress)[0]) for progress in (0.4, 0.5)] == [128, 96]  # walked rows
    first, _ = method.lesson(method.batch(0.5), net, 0.5)
    second, _ = method.lesson(method.batch(0.5), net, 0.5)
    on = (second.befores == first.states).all(1)
    assert on[:32].sum() > 24  # the others are at home, or their play is over
    assert on[32:].sum() < 20


def test_looking_ahead_needs_play() -> None:
    settings = Settings("puzzle8", "qlearning", play_ahead=4)
    with pytest.raises(PuzzleError, match="play_ahead looks along what is played, and play is 0"):
        QLearning(puzzle("puzzle8"), settings, torch.Generator())


def test_a_cap_needs_bent_lengths() -> None:
    settings = Settings("puzzle8", "qlearning", cap=1.2)
    with pytest.raises(PuzzleError, match="cap is a number of bent lengths, and bend is 0"):
        QLearning(puzzle("puzzle8"), settings, torch.Generator())


def test_qlearning_copies_every_refresh_steps() -> None:
    method = QLearning(puzzle("cube2"), small("cube2", "qlearning", refresh=3), rng())
    assert [s for s in range(1, 10) if method.refresh_due(s, torch.tensor(99.0))] == [3, 6, 9]


def test_davi_targets_by_hand() -> None:
    method = Davi(puzzle("puzzle8"), small("puzzle8", "davi"), rng())
    states = boards(HOME, ONE, TWO)
    assert method.wanted(states, always(7.0), 1).tolist() == [0, 1, 8]
    assert method.wanted(states, always(7.0), 2).tolist() == [0, 1, 2]
    assert method.wanted(states, always(-3.0), 1).tolist() == [0, -2, -2]


def test_davi_leaves_out_illegal_children() -> None:
    """An illegal move leaves a board as it is; were it a child, TWO would be its own best one."""
    board = puzzle("puzzle8")
    method = Davi(board, small("puzzle8", "davi"), rng())
    two, far = boards(TWO), boards("876543210")
    target = Says(lambda s: torch.where((s == two).all(1, keepdim=True), 0.0, 5.0))
    assert method.wanted(two, target, 1).tolist() == [6]
    # Two moves ahead: the boards next to `far` say 0, but two legal moves never end there.
    near = board.expand(far)[0][board.legal(far)[0]]
    target = Says(lambda s: torch.where((s[:, None] == near).all(2).any(1), 0.0, 5.0)[:, None])
    assert method.wanted(far, target, 2).tolist() == [7]


def test_davi_refresh_rule() -> None:
    settings = small("puzzle8", "davi", check_every=4, threshold=0.5)
    method = Davi(puzzle("puzzle8"), settings, rng())
    low, high = torch.tensor(0.49), torch.tensor(0.5)
    assert [s for s in range(1, 13) if method.refresh_due(s, low)] == [4, 8, 12]
    assert not any(method.refresh_due(s, high) for s in range(1, 13))


def test_davi_walks_have_1_to_k_moves() -> None:
    method = Davi(puzzle("cube2"), small("cube2", "davi", depth=5, batch=1000), rng())
    lengths = torch.cat([method.walker.states()[1] for _ in range(10)])
    assert torch.bincount(lengths).tolist() == [0, 2000, 2000, 2000, 2000, 2000]


def test_adi_targets_by_hand() -> None:
    """+1 for the way home, else -1 and what the net says; a goal is worth 0."""
    method = Adi(puzzle("puzzle8"), small("puzzle8", "adi"), rng())
    values, moves = method.wanted(boards(HOME, ONE, TWO), always(-4.0, 0, 0, 0, 0))
    assert values.tolist() == [0, 1, -5]
    assert moves[1] == 2  # L slides tile 8 home


def test_adi_loss_by_hand() -> None:
    method = Adi(puzzle("puzzle8"), small("puzzle8", "adi"), rng())
    batch = boards(HOME, ONE, TWO), torch.tensor([4, 1, 2])
    method.walker.states = lambda: batch  # type: ignore[method-assign]
    net = always(-4.0, 0.0, 0.0, math.log(2), 0.0)  # moves U D L R, L twice as likely
    # Values wanted 0, 1, -5; moves L at ONE, and at TWO the first of D and L, which are alike.
    errors = [16.0, 25 + math.log(5 / 2), 1 + math.log(5)]
    wanted = (errors[0] / 4 + errors[1] + errors[2] / 2) / (1 / 4 + 1 + 1 / 2)
    assert float(method.loss(net, net, method.batch(0.0), 0.0)) == pytest.approx(wanted, rel=1e-6)


def test_adi_distance_is_2_minus_the_value() -> None:
    """d - 1 moves at -1 and the last one at +1."""
    method = Adi(puzzle("puzzle8"), small("puzzle8", "adi"), rng())
    said = method.distances(always(-4.0, 0, 0, 0, 0), boards(HOME, TWO))
    assert said.tolist() == [0, 6]


# --- examples


def test_solved_sequences_give_every_state_on_the_way() -> None:
    board = puzzle("puzzle8")
    starts = boards(TWO, ONE, HOME).numpy()
    states, lengths = on_the_way(board, starts, [[2, 2], [2], []])
    rows = ["".join(map(str, row)) for row in states.tolist()]
    found = list(zip(rows, lengths.tolist(), strict=True))
    assert found == [(TWO, 2), (ONE, 1), (HOME, 0), (ONE, 1), (HOME, 0), (HOME, 0)]


def test_solved_sequences_must_solve() -> None:
    with pytest.raises(PuzzleError) as error:
        on_the_way(puzzle("puzzle8"), boards(TWO).numpy(), [[2]])
    assert str(error.value) == "the moves of a solved sequence do not solve it"


@pytest.mark.parametrize("source", ["table", "solver"])
def test_supervised_distances_are_exact(source: str) -> None:
    board = puzzle("sliding-2x3")
    settings = small("sliding-2x3", "supervised", source=source, examples=20)
    method = Supervised(board, settings, rng())
    states, lengths = method.batch(0.0)
    table = DistanceTable(board, distances(board, use_cache=False))
    assert torch.equal(torch.as_tensor(table.values(states)), lengths.float())
    assert int(lengths.max()) > 5


def test_supervised_walks_are_upper_bounds() -> None:
    board = puzzle("sliding-2x3")
    states, lengths = Supervised(board, small("sliding-2x3", "supervised"), rng()).batch(0.0)
    exact = torch.as_tensor(DistanceTable(board, distances(board, use_cache=False)).values(states))
    assert (exact <= lengths).all()
    assert (exact < lengths).any()


def test_supervised_file(tmp_path: Path) -> None:
    board = puzzle("puzzle8")
    path = tmp_path / "set.npz"
    states = boards(TWO, ONE).numpy()
    np.savez(path, states=states, optimal_moves=np.array([[2, 2], [2, -1]], dtype=np.int8))
    method = Supervised(board, small("puzzle8", "supervised", source="file", data=str(path)), rng())
    drawn, lengths = method.batch(0.0)
    rows = {
        ("".join(map(str, r)), n) for r, n in zip(drawn.tolist(), lengths.tolist(), strict=True)
    }
    assert rows == {(TWO, 2), (ONE, 1), (HOME, 0)}
    np.savez(path, states=states, optimal_moves=np.array([[2, 2], [-1, -1]], dtype=np.int8))
    method = Supervised(board, small("puzzle8", "supervised", source="file", data=str(path)), rng())
    assert set(method.batch(0.0)[1].tolist()) == {2, 1, 0}
    np.savez(path, states=states, optimal_length=np.array([2, -1]))
    method = Supervised(board, small("puzzle8", "supervised", source="file", data=str(path)), rng())
    assert set(method.batch(0.0)[1].tolist()) == {2}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": "file"}, "source=file needs a file: --set data=FILE.npz"),
        ({"source": "table", "net": "two-headed"}, None),
    ],
)
def test_supervised_says_what_is_missing(changes: dict[str, Any], message: str | None) -> None:
    wanted = message or "supervised trains residual and convolutional and tanh nets, not two-headed"
    with pytest.raises(PuzzleError) as error:
        Supervised(puzzle("puzzle8"), small("puzzle8", "supervised", **changes), rng()).make_net()
    assert str(error.value) == wanted


def test_only_boards_have_convolutional_nets() -> None:
    with pytest.raises(PuzzleError) as error:
        Davi(puzzle("cube2"), small("cube2", "davi", net="convolutional"), rng()).make_net()
    assert str(error.value) == "cube2 is no board: it cannot have a convolutional net"
