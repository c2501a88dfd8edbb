"""Groups of many parts, and of orbits too large for a chain of stabilisers."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from homeward.puzzles import PermutationPuzzle, PuzzleError, Status, puzzle
from homeward.puzzles.files import read_toml
from homeward.puzzles.giants import find_giants, odd
from homeward.puzzles.group import PermutationGroup
from homeward.puzzles.pieces import Pieces


def cycles(degree: int, *given: tuple[int, ...]) -> NDArray[np.int64]:
    row = np.arange(degree)
    for cycle in given:
        row[list(cycle)] = np.roll(cycle, 1)
    return row


def copies(count: int, size: int) -> list[NDArray[np.int64]]:
    """A cycle and an exchange for each of `count` sets of cells: all their permutations."""
    cells = [tuple(range(size * k, size * k + size)) for k in range(count)]
    return [cycles(count * size, part) for own in cells for part in (own, own[:2])]


@pytest.mark.parametrize("size", [4, 5, 6, 7])
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_independent_parts_is_their_product(size: int, seed: int) -> None:
    group = PermutationGroup(np.array(copies(13, size)), seed=seed)
    assert group.order == math.factorial(size) ** 13


@pytest.mark.parametrize("seed", range(3))
def test_parts_that_a_move_ties_together_are_all_found(seed: int) -> None:
    tie = cycles(280, *[(7 * k + 1, 7 * k + 2) for k in range(40)])
    group = PermutationGroup(np.array([*copies(40, 7), tie]), seed=seed)
    assert group.order == math.factorial(7) ** 40


def test_states_of_many_independent_parts_are_reached() -> None:
    moves = [
        f'a{k} = "({" ".join(map(str, range(7 * k, 7 * k + 7)))})"\nb{k} = "({7 * k} {7 * k + 1})"'
        for k in range(13)
    ]
    puzzle = read_toml("[moves]\n" + "\n".join(moves))
    rng = np.random.default_rng(0)
    for state in puzzle.walks(20, 200, rng).states[-1]:
        assert puzzle.problems(state) == []


@pytest.mark.parametrize("seed", range(4))
def test_random_moves_of_three_large_orbits(seed: int) -> None:
    # Two random moves of 24 cells give every even permutation, and the signs that they have.
    rng = np.random.default_rng(seed)
    moves = np.array([[24 * k + rng.permutation(24) for k in range(3)] for _ in range(3)])
    signs = odd((moves - 24 * np.arange(3)[:, None]).reshape(9, 24)).reshape(3, 3)
    spanned = {tuple((np.array(c) @ signs % 2).tolist()) for c in np.ndindex(2, 2, 2)}
    group = PermutationGroup(moves.reshape(3, 72))
    assert group.order == (math.factorial(24) // 2) ** 3 * len(spanned)
    drawn = group.random_elements(40, rng)
    assert all(element in group for element in drawn)
    seen = odd((drawn.reshape(40, 3, 24) - 24 * np.arange(3)[:, None]).reshape(-1, 24))
    assert {tuple(row) for row in seen.reshape(40, 3).astype(int).tolist()} == spanned


def test_signs_decide_what_belongs_to_a_group_of_large_orbits() -> None:
    both = cycles(40, (0, 1), (20, 21))
    turns = [cycles(40, tuple(range(19))), cycles(40, (1, 19, 2))]
    other = [cycles(40, tuple(range(20, 39))), cycles(40, (21, 39, 22))]
    group = PermutationGroup(np.array([both, *turns, *other]))
    assert group.order == math.factorial(20) ** 2 // 2
    assert cycles(40, (5, 6), (30, 31)) in group
    assert cycles(40, (5, 6, 7)) in group
    assert cycles(40, (5, 6)) not in group
    assert cycles(40, (5, 30), (6, 31)) not in group  # from one orbit to the other


def test_cells_that_go_along_are_no_orbit_of_their_own() -> None:
    pairs = [cycles(60, tuple(range(0, 60, 2)), tuple(range(1, 60, 2))), cycles(60, (0, 2), (1, 3))]
    group = PermutationGroup(np.array(pairs))
    assert len(find_giants(pairs, np.random.default_rng(0))) == 1
    assert group.order == math.factorial(30)
    assert cycles(60, (10, 12), (11, 13)) in group
    assert cycles(60, (10, 12)) not in group
    element = group.random_elements(1, np.random.default_rng(1))[0]
    assert (element[1::2] == element[0::2] + 1).all()


def test_a_large_orbit_whose_cells_turn_in_pairs_is_no_giant() -> None:
    # Fifteen pieces of two cells that can be flipped, and fifteen places that go with them.
    move = cycles(45, tuple(range(0, 30, 2)), tuple(range(1, 30, 2)), tuple(range(30, 45)))
    swap, flip = cycles(45, (0, 2), (1, 3), (30, 31)), cycles(45, (0, 1))
    group = PermutationGroup(np.array([move, swap, flip]))
    assert group.order == math.factorial(15) * 2**15
    assert cycles(45, (30, 31)) not in group


def even_orbits(first: str, second: str) -> PermutationPuzzle:
    """Two sets of 20 cells of which exchanges come in pairs, with the colours given."""
    return read_toml(
        f'goal = "{first}{second}"\n[moves]\nA = "({" ".join(map(str, range(19)))})"\n'
        f'B = "(1 19 2)"\nC = "({" ".join(map(str, range(20, 39)))})"\nD = "(21 39 22)"\n'
        'E = "(0 1)(20 21)"'
    )


def test_colours_that_repeat_hide_the_sign() -> None:
    letters = "abcdefghijklmnopqrst"
    plain = even_orbits(letters, letters.upper())
    swapped = plain.goal.copy()
    swapped[[3, 4]] = swapped[[4, 3]]
    assert [p.status for p in plain.problems(swapped)] == [Status.UNREACHABLE]
    alike = even_orbits(letters, letters.upper().replace("B", "A"))
    state = alike.goal.copy()
    state[[3, 4]] = state[[4, 3]]
    assert alike.problems(state) == []
    found = alike.group.carrying(alike.goal, state, np.random.default_rng(0))
    assert found is not None
    assert found in alike.group
    assert alike.goal[found].tolist() == state.tolist()
    state[[5, 25]] = state[[25, 5]]
    assert alike.problems(state) != []


# --- size


def in_a_row(cells: int) -> PermutationPuzzle:
    """One cycle of all cells and one exchange."""
    return read_toml(f'[moves]\nA = "({" ".join(map(str, range(cells)))})"\nB = "(0 1)"')


def test_five_hundred_cells_take_little_memory() -> None:
    puzzle = in_a_row(500)
    tracemalloc.start()
    assert puzzle.group.order == math.factorial(500)
    assert puzzle.problems(puzzle.goal[::-1].copy()) == []
    assert tracemalloc.get_traced_memory()[1] < 64_000_000
    tracemalloc.stop()


def test_a_group_that_is_too_large_leaves_open_what_is_reached() -> None:
    # A thousand pieces of two cells, in a row and with a flip.
    steps = [f"({' '.join(map(str, range(i, 2000, 2)))})" for i in (0, 1)]
    puzzle = read_toml(f'[moves]\nA = "{"".join(steps)}"\nB = "(0 2)(1 3)"\nC = "(0 1)"')
    with pytest.raises(PuzzleError, match="the moves mix 2000 cells in too many ways: which"):
        _ = puzzle.group
    assert not puzzle.uniform
    assert not puzzle.fixed_parity
    state = puzzle.start_states(1, np.random.default_rng(0))[0]
    assert puzzle.problems(state) == []


def test_every_orbit_of_a_large_cube_but_its_corners_is_a_giant() -> None:
    cube = puzzle("cube40")
    assert isinstance(cube, PermutationPuzzle)
    assert len(cube.pieces.orbits) == 20 * 20  # and each is found by the moves that touch it
    # Of an edge's piece both stickers are orbits, of which one goes along with the other. Layers at
    # different depths can be turned oddly or evenly as one likes, and that gives all signs.
    edges, centres = 19, 19 * 19
    even = math.factorial(8) // 2 * 3**7 * (math.factorial(24) // 2) ** (edges + centres)
    assert cube.group.order == even * 2**20


def test_a_large_cube_is_known_to_be_too_large_from_its_first_orbits() -> None:
    cube = puzzle("cube40")
    assert isinstance(cube, PermutationPuzzle)
    fresh = Pieces(cube.table.numpy, cube.goal)
    assert not fresh.distinct
    assert "orbits" not in vars(fresh)


@pytest.mark.parametrize("name", ["cube4", "pyraminx", "topspin"])
def test_moves_commute_where_their_order_never_matters(name: str) -> None:
    given = puzzle(name)
    assert isinstance(given, PermutationPuzzle)
    table = given.table.numpy
    expected = [[np.array_equal(a[b], b[a]) for b in table] for a in table]
    assert given.commuting.tolist() == expected


def test_a_row_of_too_many_cells_is_refused_in_a_sentence() -> None:
    with pytest.raises(PuzzleError, match=r"^moves carry 9000 cells into one another, too many to"):
        _ = in_a_row(9000).pieces.orbits
