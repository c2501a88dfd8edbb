"""What is learned from: walks and levels; and greedy play, which shows what was learned."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from homeward.learning import walker as walking
from homeward.learning.greedy import solved_by_depth
from homeward.learning.levels import with_levels
from homeward.learning.playing import Playing
from homeward.learning.walker import Pairs, Walker
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.sokoban import Sokoban

# --- walks


def walker(seed: int = 3, **changes: Any) -> Walker:
    given = {"batch": 40, "depth": 9, **changes}
    return Walker(puzzle("cube2"), rng=torch.Generator().manual_seed(seed), **given)


def test_every_state_of_a_walk_is_served_once() -> None:
    made = walker()
    lengths = torch.stack([made.states()[1] for _ in range(10)])
    assert torch.equal(lengths.sort(0).values, torch.arange(10)[:, None].expand(10, 40))


def test_neighbours_on_a_long_walk_are_not_both_used() -> None:
    """Length k + 1 comes from another walk than length k; k + `apart` from the same."""
    board = puzzle("puzzle35")
    made = Walker(board, 16, 200, torch.Generator().manual_seed(1))
    assert made.apart == 5
    states = torch.zeros((201, 16, 36), dtype=torch.uint8)
    for _ in range(201):
        served, lengths = made.states()
        states[lengths, torch.arange(16)] = served

    def changed(moves: int) -> Tensor:
        return (states[150:190] != states[150 + moves : 190 + moves]).sum(2)

    assert int(changed(5).max()) <= 6  # five slides move five tiles and the blank at most
    assert int(changed(1).min()) > 6


def test_several_rounds_of_batches_come_from_one_making_of_walks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each has walks of its own, of all lengths alike, and may be the first that is asked for."""
    monkeypatch.setitem(walking._MOST_ROUNDS, "cpu", 3)
    made = walker()
    assert made.rounds == 3
    rounds = [[made.pairs() for _ in range(10)] for _ in range(6)]
    for batches in rounds:
        lengths = torch.stack([pairs.lengths for pairs in batches]).sort(0).values
        assert torch.equal(lengths, torch.arange(10)[:, None].expand(10, 40))
    far = [torch.cat([pairs.states[pairs.lengths == 9] for pairs in each]) for each in rounds]
    seen = {tuple(state) for states in far for state in states.tolist()}
    assert len(seen) > 0.9 * 6 * 40  # no round repeats another
    later = walker()
    later.served = 47
    for mine, other in zip(later.pairs(), rounds[4][7], strict=True):
        assert torch.equal(mine, other)


def test_skewed_walks_are_mostly_short() -> None:
    """Squares of the lengths: a quarter of the depth is reached by half of the states."""
    made = walker(depth=40, skew=2.0, batch=8)
    batches = [made.states() for _ in range(41)]
    lengths = torch.stack([each[1] for each in batches])
    assert lengths.min() == 0
    assert lengths.max() == 40
    assert torch.equal((lengths <= 10).sum(0), torch.full((8,), 21))
    for states, length in batches:
        assert torch.equal(puzzle("cube2").is_solved(states[length <= 1]), length[length <= 1] == 0)


def test_batches_jump_along_the_walks() -> None:
    made = walker(depth=30)
    steps = torch.stack([made.states()[1] for _ in range(31)]).diff(dim=0) % 31
    assert torch.equal(steps, steps[:, :1].expand(30, 40))  # all walks alike
    assert len(set(steps[:, 0].tolist())) > 10


def test_walked_states_are_no_farther_than_their_walk() -> None:
    made = walker(batch=500, depth=2)
    for _ in range(3):
        states, lengths = made.states()
        solved = puzzle("cube2").is_solved(states)
        assert torch.equal(solved, lengths == 0)


def test_pairs_lead_to_their_states() -> None:
    made = walker()
    for _ in range(12):
        pairs = made.pairs()
        assert torch.equal(puzzle("cube2").step(pairs.befores, pairs.moves), pairs.states)


@pytest.mark.parametrize("served", [0, 1, 7, 8, 9, 10, 23, 31])
def test_batches_are_a_function_of_their_number(served: int) -> None:
    one, other = walker(), walker()
    for _ in range(served):
        one.pairs()
    other.served = served
    for _ in range(3):
        a, b = one.pairs(), other.pairs()
        assert torch.equal(a.befores, b.befores)
        assert torch.equal(a.moves, b.moves)
        assert torch.equal(a.lengths, b.lengths)


def test_batches_are_as_large_as_asked_for_from_now_on() -> None:
    one, other = walker(batch=40), walker(batch=12)
    one.pairs()
    one.batch, other.served = 12, 1
    assert all(map(torch.equal, one.pairs(), other.pairs()))


def test_other_seeds_and_later_batches_differ() -> None:
    one, other = walker(3), walker(4)
    first = one.states()[0]
    assert not torch.equal(first, other.states()[0])
    assert all(not torch.equal(first, one.states()[0]) for _ in range(25))


# --- play


def batches(name: str, count: int, moves: float, ahead: int = 0) -> Iterator[tuple[Playing, Pairs]]:
    """Batches of 200, their first `count` rows played on by wrong estimates."""
    made, rng = puzzle(name), torch.Generator().manual_seed(2)
    walks = Walker(made, 200 - count, 20, rng)
    playing = Playing(made, count, moves, rng, ahead)
    for step in itertools.count():
        here = playing.mixed(walks.pairs())
        yield playing, playing.earlier(here)
        legal = made.legal(here.states)
        wrong = torch.rand(legal.shape, generator=rng).masked_fill(~legal, torch.inf)
        playing.go_on(here, wrong, playing.draw(step, 200))


def played(name: str, count: int, moves: float, steps: int) -> Pairs:
    """The batch after `steps` steps."""
    return next(itertools.islice(batches(name, count, moves), steps, None))[1]


def test_play_makes_the_best_moves_that_do_not_go_back() -> None:
    board, rng = puzzle("puzzle8"), torch.Generator().manual_seed(2)
    pairs = Walker(board, 800, 20, rng).pairs()
    playing = Playing(board, 1000, 1e9, rng)
    here = playing.mixed(pairs)
    rows = [*range(800), *range(200), *range(800)]  # play begins at walked states, some twice
    assert all(map(torch.equal, here, (part[rows] for part in pairs)))
    children = torch.rand((1800, 4), generator=rng)
    children = children.masked_fill(~board.legal(here.states), torch.inf)
    playing.go_on(here, children, playing.draw(1, 1800))
    after = playing.mixed(pairs)
    on = ~board.is_solved(here.states[:1000])  # the others begin anew
    best = children[:1000].scatter(1, board.undo(here.moves[:1000])[:, None], torch.inf).argmin(1)
    same = (after.moves[:1000] == best)[on]
    assert 0.9 < same.float().mean() < 1  # some are random
    assert torch.equal(after.befores[:1000][on], here.states[:1000][on])
    assert torch.equal(after.lengths[:1000][on], here.lengths[:1000][on] + 1)
    assert torch.equal(after.states[1000:], pairs.states)
    back = board.undo(here.moves[:1000])[on]
    assert not (after.moves[:1000][on] == back).any()


@pytest.mark.parametrize("name", ["sliding-2x3", "cube2", "lightsout3"])
def test_played_states_are_reached_by_legal_moves_within_their_bound(name: str) -> None:
    from homeward.heuristics.graph import distances
    from homeward.heuristics.table import DistanceTable

    pairs = played(name, count=150, moves=10, steps=40)
    made = puzzle(name)
    assert torch.equal(made.step(pairs.befores, pairs.moves), pairs.states)
    assert made.legal(pairs.befores)[torch.arange(200), pairs.moves].all()
    if name != "cube2":  # all of it would take longer than the rest
        table = DistanceTable(made, distances(made, use_cache=False))
        assert (table.values(pairs.states.numpy()) <= pairs.lengths.numpy()).all()
    beyond = (pairs.lengths[:150] > 20).float().mean()
    assert 0.02 < beyond < 0.9  # some have gone on, and all of them begin anew at times


def test_play_that_is_over_begins_at_walked_states() -> None:
    """With one move each, what is played is one move away from states of the batch before."""
    assert played("cube2", count=100, moves=1, steps=30).lengths.max() <= 21


def test_play_looks_ahead_along_its_own_path() -> None:
    """By exact distances a target is exact; by estimates that are wrong far from home, better."""
    from homeward.heuristics.graph import distances
    from homeward.heuristics.table import DistanceTable

    board = puzzle("sliding-2x3")
    table = DistanceTable(board, distances(board, use_cache=False))

    def exact(states: Tensor) -> Tensor:
        return torch.from_numpy(table.values(states.numpy())).float()

    taken, better = 0, 0
    for playing, pairs in itertools.islice(batches("sliding-2x3", 150, 30, ahead=4), 60):
        now, true = exact(pairs.states), exact(board.step(pairs.befores, pairs.moves))
        far = torch.where(now > 8, 2 * now, now)
        wanted = playing.wanted(far)
        earlier = (board.step(pairs.befores, pairs.moves) != pairs.states).any(1)
        assert (wanted >= true).all()
        assert (wanted <= torch.where(true > 8, 2 * true, true))[earlier].all()
        taken += int(earlier.sum())
        better += int((wanted < 2 * true)[earlier & (true > 8)].sum())
    assert taken > 3000
    assert better > 100
    for playing, pairs in itertools.islice(batches("sliding-2x3", 150, 30, ahead=4), 60):
        true = exact(board.step(pairs.befores, pairs.moves))
        assert torch.equal(playing.wanted(exact(pairs.states)), true)


@pytest.mark.parametrize("ahead", [0, 3])
def test_play_is_kept_unless_its_size_is_another(ahead: int) -> None:
    board, rng = puzzle("puzzle8"), torch.Generator().manual_seed(2)
    walks, values = Walker(board, 15, 20, rng), torch.rand(20)
    one, other, wider = (Playing(board, n, 10, rng, ahead) for n in (5, 5, 6))
    assert one.kept() == {}
    pairs = walks.pairs()
    other.restore({})
    assert all(map(torch.equal, (part[5:] for part in other.mixed(pairs)), pairs))
    for step in range(9):
        here = one.mixed(pairs := walks.pairs())
        one.wanted(values)
        children = torch.rand((20, 4)).masked_fill(~board.legal(here.states), torch.inf)
        one.go_on(here, children, one.draw(step, 20))
    other.restore(one.kept())
    wider.restore(one.kept())
    for step in range(9, 14):  # they go on alike, each in memory of its own
        here = one.mixed(pairs := walks.pairs())
        assert all(map(torch.equal, other.mixed(pairs), here))
        assert all(map(torch.equal, other.earlier(here), one.earlier(here)))
        assert torch.equal(other.wanted(values), one.wanted(values))
        children = torch.rand((20, 4)).masked_fill(~board.legal(here.states), torch.inf)
        for each in (one, other):
            each.go_on(here, children, one.draw(step, 20))
    assert torch.equal(wider.mixed(pairs).lengths[:6], pairs.lengths[:6])


def test_play_needs_a_way_back() -> None:
    with pytest.raises(PuzzleError) as error:
        Playing(puzzle("sokoban"), 5, 10, torch.Generator())
    assert str(error.value) == "play needs moves that can be taken back; sokoban has others"


# --- greedy play


def test_greedy_play_by_exact_distances_solves_everything() -> None:
    from homeward.heuristics.graph import distances
    from homeward.heuristics.table import DistanceTable

    board = puzzle("sliding-2x3")
    table = DistanceTable(board, distances(board, use_cache=False))
    shares = solved_by_depth(board, table.children, [2, 5, 21], 50, torch.Generator())
    assert shares == {2: 1.0, 5: 1.0, 21: 1.0}


def test_greedy_play_that_runs_in_circles_solves_nothing() -> None:
    """Always U on the cube; only scrambles of turns of U alone come home by that."""
    cube = puzzle("cube2")

    def always_u(states: Tensor) -> Tensor:
        return torch.tensor([[0.0, 1, 1, 1, 1, 1]]).repeat(len(states), 1)

    walks = cube.walks(200, 1, torch.Generator().manual_seed(5)).moves[0]
    shares = solved_by_depth(cube, always_u, [1], 200, torch.Generator().manual_seed(5))
    assert shares == {1: float(np.isin(walks, [0, 1]).mean())}


# --- levels

LEVELS = """; 1
######
#@$ .#
######

; 2
#####
#.$@#
#####
"""


def test_levels_from_xsb(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    path.write_text(LEVELS)
    made = with_levels(puzzle("sokoban-3x6"), str(path))
    assert isinstance(made, Sokoban)
    assert made.levels is not None
    rows = ["".join(" #.$*@+"[c] for c in level) for level in made.levels]
    assert rows == ["#######@$ .#######", "######" + "#.$@##" + "######"]


def test_without_a_file_rooms_are_the_seeds() -> None:
    made = [with_levels(puzzle("sokoban-6x6"), "", 30, seed) for seed in (1, 1, 2)]
    levels = [each.levels for each in made if isinstance(each, Sokoban)]
    one, again, other = (set(map(bytes, each)) for each in levels if each is not None)
    assert one == again
    assert len(one) == len(other) == 30
    assert len(one & other) < 5
    assert with_levels(puzzle("cube2"), "", 30) is puzzle("cube2")


def test_levels_from_npz(data_dir: Path) -> None:
    made = with_levels(puzzle("sokoban"), str(data_dir / "sokoban_medium.npz"))
    assert isinstance(made, Sokoban)
    assert made.levels is not None
    assert made.levels.shape == (400, 100)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("cube2", LEVELS, "levels are for sokoban, not for cube2"),
        ("sokoban", "nothing", "there is no Sokoban board in {path}"),
        (
            "sokoban-3x5",
            LEVELS,
            "level 1 is 3x6, which does not fit into 3x5: train a larger board, "
            "such as sokoban-3x6",
        ),
    ],
)
def test_levels_that_do_not_do(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    path.write_text(text)
    with pytest.raises(PuzzleError) as error:
        with_levels(puzzle(name), str(path))
    assert str(error.value) == message.format(path=path)
