"""Heuristics by name: who may have which, what they promise, and attempts to refute that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from homeward import solve, solvers
from homeward.cli import main
from homeward.heuristics.base import Heuristic
from homeward.learning.examples import on_the_way
from homeward.notation.archives import load_set
from homeward.puzzles import PuzzleError, puzzle
from homeward.search.base import Budget, Meter
from homeward.solvers.estimates import ESTIMATES, estimate
from homeward.solvers.names import SOLVERS
from refute import too_large_nearby, too_large_on_graph, too_large_on_walks

HARDEST = "8 6 7 2 5 4 3 0 1"

WHOLE_GRAPHS = {
    "bound": ("puzzle8", 1),
    "proof": ("puzzle8", 1),
    "distances": ("pyraminx", 1),
    "manhattan": ("puzzle8", 1),
    "conflicts": ("puzzle8", 1),
    "databases": ("puzzle8", 1),
    "databases-light": ("puzzle8", 1),
    "sticker-errors": ("cube2", 5),
    "sticker-distance": ("cube2", 5),
    "sticker-pairs-different": ("cube2", 5),
    "sticker-face-different": ("cube2", 5),
    "sticker-face-error": ("cube2", 5),
    "stickers": ("cube2-htm", 7),
}
ON_THE_CUBE = {name for name in WHOLE_GRAPHS if name.startswith("sticker")} | {"korf"}
ELSEWHERE = {
    "matching": "test_sokoban_optimal.py, on whole levels",
    "cube-table": "test_cube_optimal.py: the table takes minutes",
    "eight": "test_cube_features.py: all eight by themselves",
    "korf7": "test_patterns.py: as korf, with tables of 255 MB",
}


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOMEWARD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def made(name: str, on: str) -> Heuristic:
    return estimate(name).make(puzzle(on), Meter(Budget()))


# --- never too large


def test_every_promise_is_put_to_the_test() -> None:
    admissible = {name for name, each in ESTIMATES.items() if each.admissible}
    assert admissible == set(WHOLE_GRAPHS) | ON_THE_CUBE | set(ELSEWHERE)


@pytest.mark.parametrize("name", WHOLE_GRAPHS)
def test_never_too_large_on_a_whole_graph(name: str) -> None:
    on, every = WHOLE_GRAPHS[name]
    heuristic = made(name, on)
    assert heuristic.admissible
    assert too_large_on_graph(puzzle(on), heuristic, every) == 0


@pytest.mark.parametrize("name", sorted(ON_THE_CUBE))
def test_never_too_large_on_the_cube(name: str, data_dir: Path) -> None:
    """On all cubes near home, on walks, and on the way of public cubes with known distances."""
    cube = puzzle("cube3")
    heuristic = made(name, "cube3")
    assert too_large_nearby(cube, heuristic, 1200) == 0
    assert too_large_on_walks(cube, heuristic, 500, 14, seed=4) == 0
    known = load_set(data_dir / "cube3.npz", cube)
    assert known.optimal_moves is not None
    states, lengths = on_the_way(cube, known.states, known.optimal_moves)
    assert len(states) > 8000
    assert int((np.asarray(heuristic.values(states)) > lengths).sum()) == 0


def test_the_same_attempts_refute_sums() -> None:
    heuristic = made("stickers-sum", "cube2")
    assert not ESTIMATES["stickers-sum"].admissible
    assert not heuristic.admissible
    assert too_large_nearby(puzzle("cube2"), heuristic, 100) > 0


# --- who asks them


@pytest.mark.parametrize("name", ["manhattan", "conflicts", "databases-light", "bound"])
def test_astar_asks_any_bound(name: str) -> None:
    found = solve("puzzle8", HARDEST, "astar", optimal=True, settings={"heuristic": name})
    assert (found.length, found.lower_bound, found.proof) == (31, 31, "optimal")


def test_better_bounds_expand_less() -> None:
    names = ("manhattan", "conflicts", "databases-light", "databases")
    expanded = [
        solve("puzzle8", HARDEST, "astar", settings={"heuristic": name}).expanded for name in names
    ]
    assert expanded == sorted(expanded, reverse=True)
    assert len(set(expanded)) == 4


def test_bounds_for_boards_that_have_no_table() -> None:
    start = puzzle("puzzle15").walks(1, 30, np.random.default_rng(0)).states[-1, 0]
    expected = solve("puzzle15", start, "ida-light")
    for solver, name in (("astar", "conflicts"), ("ida", "conflicts"), ("ida-light", "manhattan")):
        found = solve("puzzle15", start, solver, optimal=True, settings={"heuristic": name})
        assert (found.length, found.proof) == (expected.length, "optimal")


def test_one_ida_for_all() -> None:
    cube = puzzle("cube3")
    start = cube.walks(1, 5, np.random.default_rng(3)).states[-1, 0]
    lengths = {
        name: solve("cube3", start, "ida", settings={"heuristic": name}).length
        for name in ("stickers", "sticker-distance", "korf")
    }
    assert lengths == dict.fromkeys(lengths, 5)


@pytest.mark.parametrize(
    ("on", "solver", "settings", "message"),
    [
        (
            "puzzle8",
            "astar",
            {"heuristic": "manhatan"},
            "there is no heuristic named 'manhatan'; did you mean manhattan?",
        ),
        ("cube3", "astar", {"heuristic": "manhattan"}, "cube3 is no sliding board"),
        ("cube4", "ida", {}, "cube4 is no sliding board"),
        ("cube4", "astar", {}, "no lower bound is known for cube4"),
        (
            "coiled15",
            "ida",
            {"heuristic": "conflicts"},
            "coiled15: linear conflicts do not hold on a coiled board",
        ),
        (
            "cube2-free",
            "astar",
            {"heuristic": "stickers"},
            "stickers are counted on cubes solved to six colours, which cube2-free is not",
        ),
        (
            "cube3-htm",
            "ida-hnn",
            {},
            "the features are those of cube3, not of cube3-htm",
        ),
        (
            "puzzle8",
            "table",
            {"heuristic": "manhattan"},
            "table has no setting 'heuristic': it asks what it was made for",
        ),
        (
            "topspin",
            "astar",
            {"heuristic": "net"},
            "there is no model for topspin; train one and name it with --model",
        ),
    ],
)
def test_wishes_that_cannot_be_met(
    on: str, solver: str, settings: dict[str, str], message: str
) -> None:
    with pytest.raises(PuzzleError) as caught:
        solvers.prepare(puzzle(on), solver, settings)
    assert str(caught.value) == message


def test_only_what_proves_is_optimal() -> None:
    """A* with a smaller weight, without reopening, or with what may be too large proves nothing."""
    proving = ", ".join(s.name for s in SOLVERS.values() if s.proves)
    for settings, message in (
        ({"weight": "0.5"}, "astar with these settings does not prove its solutions shortest"),
        ({"reopen": "no"}, "astar with these settings does not prove its solutions shortest"),
        (
            {"heuristic": "stickers-sum"},
            "astar with heuristic=stickers-sum does not prove every solution shortest; "
            f"these do: {proving}",
        ),
    ):
        with pytest.raises(PuzzleError) as caught:
            solvers.prepare(puzzle("cube2"), "astar", settings, optimal=True)
        assert str(caught.value) == message
    # Without the wish for a proof they may; and none is claimed where there is none.
    for settings in ({"weight": "0.5"}, {"reopen": "no"}):
        for seed in range(5):
            start = puzzle("puzzle8").random_states(1, np.random.default_rng(seed))[0]
            wish = {"heuristic": "manhattan", **settings}
            found = solve("puzzle8", start, "astar", settings=wish)
            best = solve("puzzle8", start, "bidirectional").length
            assert found.length is not None
            assert best is not None
            assert found.lower_bound <= best <= found.length
            assert found.proof == "none" or found.length == best
    wide = {"heuristic": "manhattan", "weight": "0.5", "improve": "yes"}
    assert solve("puzzle8", HARDEST, "astar", optimal=True, settings=wide).proof == "optimal"


def test_heuristics_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "heuristics", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == ["net", *ESTIMATES]
    assert rows["manhattan"] == {
        "name": "manhattan",
        "help": "each tile by itself",
        "admissible": True,
    }
    assert rows["hnn+"]["admissible"] is False


def test_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", "puzzle8", "--state", HARDEST, "--solver", "astar", "--json"]
    assert main([*words, "--set", "heuristic=conflicts"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["solver"], record["length"], record["proof"]) == ("astar", 31, "optimal")
    assert main([*words, "--set", "heuristic=korf"]) == 2
    assert capsys.readouterr().err == "homeward: puzzle8 is no 3×3×3 cube\n"
