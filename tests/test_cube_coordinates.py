"""The coordinates of the big table: moves, symmetries, classes, and what three axes tell."""

from __future__ import annotations

import numpy as np
import pytest

from cube_tools import applied, cube, scrambled
from homeward.heuristics.cube import coordinates
from homeward.heuristics.cube.bigtable import BYTES
from homeward.heuristics.cube.coordinates import read_coordinates
from homeward.heuristics.cube.pieces import read_pieces, turns_and_mirrors
from homeward.puzzles.cube_pieces import corners, edges


@pytest.mark.parametrize("name", ["cube3", "cube3-htm"])
def test_coordinates_follow_the_moves(name: str) -> None:
    made = cube(name)
    states = made.random_states(300, np.random.default_rng(0))
    tables = coordinates.move_tables(made.half_turns)
    for move in range(made.moves):
        expected = read_coordinates(made.step(states, move))
        found = applied(tables, move, *read_coordinates(states))
        assert np.array_equal(found, expected)


def test_coordinates_follow_the_symmetries() -> None:
    states = cube("cube3").random_states(300, np.random.default_rng(1))
    tables, classes = coordinates.symmetry_tables(), coordinates.classes()
    number = classes.of[read_coordinates(states)[0]] >> 4
    for i, symmetry in enumerate(turns_and_mirrors(False)[:16]):
        corner, edge = read_coordinates(symmetry.image(states))
        assert np.array_equal(applied(tables, i, *read_coordinates(states)), (corner, edge))
        assert np.array_equal(classes.of[corner] >> 4, number)
    inverse = coordinates.inverses(False)[1]
    for i in range(16):
        there = applied(tables, i, *read_coordinates(states))
        assert np.array_equal(applied(tables, inverse[i], *there), read_coordinates(states))


def test_as_many_values_as_the_combinatorics_say() -> None:
    assert len(coordinates.classes().first) == 9930
    assert (coordinates.CORNERS, coordinates.EDGES, BYTES) == (153_090, 190_080, 943_747_200)
    states = cube("cube3").random_states(20_000, np.random.default_rng(2))
    corner, edge = read_coordinates(states)
    assert len(np.unique(corner // coordinates.TWISTS)) == 70
    assert corner.max() < 153_090
    assert len(np.unique(edge % 16)) == 16
    assert edge.max() < 190_080


def test_the_classes_are_those_of_brute_force() -> None:
    """Two corner coordinates are in one class just when a symmetry takes one to the other."""
    made = cube("cube3")
    rng = np.random.default_rng(3)
    first = made.random_states(400, rng)
    images = np.stack(
        [read_coordinates(s.image(first))[0] for s in turns_and_mirrors(False)[:16]], axis=1
    )
    classes = coordinates.classes()
    assert np.array_equal(classes.first[classes.of[images[:, 0]] >> 4], images.min(1))
    symmetry = classes.of[images[:, 0]] & 15
    assert np.array_equal(images[np.arange(400), symmetry], images.min(1))


def test_three_axes_tell_the_whole_cube() -> None:
    made = cube("cube3")
    views = turns_and_mirrors(False)[::16]
    home = [read_coordinates(view.image(made.goals)) for view in views]
    assert len({tuple(int(n[0]) for n in pair) for pair in home}) == 1
    for moves in ("U", "D'", "U2 D"):  # about the axis, they change nothing along it
        assert read_coordinates(scrambled(moves)[None]) == home[0]
    assert len({views[i].symbols[face] % 3 for i, face in enumerate((0, 1, 2))}) == 1


def test_pieces_are_read_as_the_puzzle_reads_them() -> None:
    made = cube("cube3")
    states = made.random_states(50, np.random.default_rng(4))
    permutations = made.permutations(states)
    for kind in (corners(3), edges(3)):
        piece, turn = read_pieces(kind, states)
        stickers = kind.cells[piece, -turn % kind.turns]
        assert np.array_equal(permutations[:, kind.cells[:, 0]], stickers)
    assert (read_pieces(corners(3), np.zeros((1, 54), np.uint8))[0] == -1).all()
