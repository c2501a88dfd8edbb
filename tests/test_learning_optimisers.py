"""Who changes the weights."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from homeward.learning.nets import ConvolutionalNet, ResidualNet, TwoHeadedNet
from homeward.learning.optimisers import Muon, hidden_matrices, optimisers, orthogonal
from homeward.learning.settings import Settings
from homeward.puzzles import puzzle


@pytest.mark.parametrize("shape", [(3, 20, 20), (2, 12, 50), (1, 50, 12)])
def test_orthogonal_matrices_keep_their_directions(shape: tuple[int, int, int]) -> None:
    given = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    made = orthogonal(given)
    assert made.shape == given.shape
    spread = torch.linalg.svdvals(given)
    assert (spread.amax(1) / spread.amin(1)).max() > 2  # so that there is something to even out
    assert torch.linalg.svdvals(made).min() > 0.5
    assert torch.linalg.svdvals(made).max() < 1.3
    # U and V of the singular values stay, so U^T (made) V is diagonal.
    u, _, v = torch.linalg.svd(given, full_matrices=False)
    inside = u.mT @ made @ v.mT
    off = inside - torch.diag_embed(torch.diagonal(inside, dim1=1, dim2=2))
    assert off.abs().max() < 1e-3


def test_muon_takes_the_matrices_between_hidden_layers() -> None:
    net = nn.Sequential(
        nn.Linear(7, 8, bias=False),
        nn.BatchNorm1d(8),
        nn.Linear(8, 8),
        nn.Linear(8, 6),
        nn.Linear(6, 2),
    )
    settings = Settings("cube2").changed(optimiser="muon", rate=0.5)
    adam, muon = optimisers(net, settings, torch.device("cpu"))
    assert isinstance(muon, Muon)
    assert [tuple(p.shape) for g in muon.param_groups for p in g["params"]] == [(8, 8), (6, 8)]
    both = [p for o in (adam, muon) for g in o.param_groups for p in g["params"]]
    assert {id(p) for p in both} == {id(p) for p in net.parameters()}
    assert len(both) == len(list(net.parameters()))
    (alone,) = optimisers(nn.Linear(3, 1), settings, torch.device("cpu"))
    assert isinstance(alone, torch.optim.AdamW)


def test_muon_takes_no_answer_of_two_heads() -> None:
    net = TwoHeadedNet(puzzle("cube2"), first=12, width=10, own_width=8)
    taken = hidden_matrices(net)
    own = [net.second, net.value_own, net.policy_own]
    assert [id(p) for p in taken] == [id(layer.weight) for layer in own]


def test_muon_takes_what_stands_behind_convolutions() -> None:
    net = ConvolutionalNet((3, 3), 9, 4, channels=2, width=8, blocks=1)
    assert [id(p) for p in hidden_matrices(net)] == [id(net.second.linear.weight)]


@pytest.mark.parametrize("rate", [0.5, torch.tensor(0.5)])
def test_muon_decays_weights(rate: float | Tensor) -> None:
    """By `rate * decay` of what they were; the rate of a recorded step is a tensor."""
    settings = Settings("cube2").changed(optimiser="muon", rate=0.5)
    after = []
    for decay in (0.0, 0.1):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 8), nn.Linear(8, 1))
        before = net[1].weight.detach().clone()
        _, muon = optimisers(net, settings.changed(decay=decay), torch.device("cpu"))
        muon.param_groups[0]["lr"] = rate
        net(torch.ones(2, 3)).sum().backward()
        muon.step()
        after.append(net[1].weight.detach())
    torch.testing.assert_close(after[0] - after[1], 0.05 * before)


@pytest.mark.parametrize("optimiser", ["muon", "adamw", "adam", "rmsprop"])
def test_what_decays(optimiser: str) -> None:
    """Weights before the last layer do; what norms do not undo, and answers, do not."""
    net = ResidualNet(9, 9, 4, first=8, width=6, blocks=1)
    settings = Settings("puzzle8").changed(optimiser=optimiser, decay=0.1)
    groups = [g for o in optimisers(net, settings, torch.device("cpu")) for g in o.param_groups]
    decayed = {id(p) for g in groups if g["weight_decay"] == 0.1 for p in g["params"]}
    inner = [net.entry, net.second, net.blocks[0].inner, net.blocks[0].outer]
    assert decayed == {id(each.linear.weight) for each in inner}
    kept = [p for g in groups if g["weight_decay"] == 0 for p in g["params"]]
    assert len(kept) + len(decayed) == len(list(net.parameters()))


def test_a_step_of_muon_is_as_large_as_one_of_adamw() -> None:
    weight = nn.Parameter(torch.zeros(64, 128))
    weight.grad = torch.randn(64, 128, generator=torch.Generator().manual_seed(0))
    Muon([weight], lr=0.01).step()
    size = float(weight.detach().square().mean().sqrt())
    assert 0.15 * 0.01 < size < 0.25 * 0.01
    assert float((weight.detach() * weight.grad).sum()) < 0
