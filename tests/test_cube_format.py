"""Cubes as pictures: nets for the terminal, SVG for documents."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from homeward.notation import State, format_of
from homeward.puzzles import PuzzleError, puzzle

FILL = re.compile(r'<polygon points="[^"]*" fill="([^"]*)"')
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_net() -> None:
    assert str(State.solved("cube3").moved("R U F'")) == (
        "       U U U\n"
        "       U U U\n"
        "       U R R\n"
        "\n"
        "F F F  R D D  B B B  L L L\n"
        "L L F  R F F  D R R  U B B\n"
        "L L F  R F F  D R R  U B B\n"
        "\n"
        "       D L L\n"
        "       D D B\n"
        "       D D B"
    )


@pytest.mark.parametrize("name", ["cube2", "cube3", "cube4", "cube7"])
def test_net_shows_every_sticker_once(name: str) -> None:
    here = puzzle(name)
    state = State(here, here.random_states(1, np.random.default_rng(0))[0])
    rows = [line.split() for line in str(state).splitlines() if line]
    size = round((here.cells / 6) ** 0.5)
    net = {"U": rows[:size], "D": rows[2 * size :]}
    for i, face in enumerate("LFRB"):
        net[face] = [row[i * size : (i + 1) * size] for row in rows[size : 2 * size]]
    assert "".join(c for face in "URFDLB" for row in net[face] for c in row) == state.text


def test_coloured_net_keeps_its_letters() -> None:
    state = State.solved("cube3").moved("R U F'")
    drawn = state.draw(colour=True)
    plain = [line.split() for line in state.draw().splitlines() if line]
    assert [ANSI.sub("", line).split() for line in drawn.splitlines()] == plain
    assert drawn.splitlines()[0] == " " * 9 + "\x1b[48;5;231;38;5;16m U " * 3 + "\x1b[0m"
    assert all(line.endswith("\x1b[0m") for line in drawn.splitlines())


@pytest.mark.parametrize("name", ["cube2", "cube3", "cube5"])
def test_svg(name: str) -> None:
    here = puzzle(name)
    state = State(here, here.random_states(1, np.random.default_rng(0))[0])
    root = ET.fromstring(state._repr_svg_())
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    assert root.findtext(f"{space}title") == name
    shapes = root.findall(f"{space}polygon")
    assert {shape.tag for shape in root} == {f"{space}polygon", f"{space}title"}
    # Nine faces, the three of the view and the six of the net: their stickers and bodies.
    assert len(shapes) == 9 * (here.cells // 6 + 1)
    fills = [shape.get("fill") for shape in shapes]
    assert len(set(fills)) == 7
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for shape in shapes:
        for point in (shape.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 0 < x < width
            assert 0 < y < height


def test_svg_faces_show_the_state() -> None:
    state = State.solved("cube3").moved("R U F'")
    shapes = FILL.findall(state._repr_svg_())
    faces = [shapes[10 * i + 1 : 10 * i + 10] for i in range(9)]
    paint = dict(zip("URFDLB", (State.solved("cube3").text[4::9]), strict=True))
    solved = re.findall(
        r'<polygon points="[^"]*" fill="([^"]*)"', State.solved("cube3")._repr_svg_()
    )
    paint = {face: solved[10 * i + 1] for i, face in enumerate("UFRULFRBD")}
    letter = {colour: face for face, colour in paint.items()}
    shown = {face: "".join(letter[c] for c in faces[i]) for i, face in enumerate("UFRULFRBD")}
    assert "".join(shown[face] for face in "URFDLB") == state.text
    assert faces[:3] == [faces[3], faces[5], faces[6]]


def test_only_cubes_are_drawn() -> None:
    from homeward.notation.cube import CubeFormat

    with pytest.raises(PuzzleError, match=r"^puzzle8 is no cube$"):
        CubeFormat().draw(puzzle("puzzle8"), puzzle("puzzle8").goal)
    assert isinstance(format_of(puzzle("cube3")), CubeFormat)
