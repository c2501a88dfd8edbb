"""Puzzles from TOML and GAP files: what is read, and what is said about broken ones."""

from __future__ import annotations

import doctest
import importlib.util
import math
import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gap_geometry import megaminx, pyraminx, skewb
from homeward.puzzles import PermutationPuzzle, PuzzleError, Status, puzzle
from homeward.puzzles.check import check_puzzle
from homeward.puzzles.files import load, read_toml
from homeward.puzzles.gap import read_gap
from homeward.puzzles.nearby import layers
from homeward.puzzles.registry import shipped_files

ROOT = Path(__file__).resolve().parents[1]


def said(reader: object, text: str) -> str:
    """The message of the error that reading a text raises."""
    with pytest.raises(PuzzleError) as caught:
        reader(text)  # type: ignore[operator]
    return str(caught.value)


# --- TOML


def test_a_cycle_takes_what_lies_in_each_cell_to_the_next() -> None:
    p = read_toml('[moves]\nL = "(0 1 2)"', "ring")
    assert (p.name, p.family, p.cells, p.symbols) == ("ring", "permutation", 3, 3)
    assert p.move_names == ("L", "L'")
    assert p.apply(np.array([7, 8, 9]), [0]).tolist() == [9, 7, 8]
    assert p.apply(np.array([7, 8, 9]), [1]).tolist() == [8, 9, 7]


def test_a_list_is_what_the_row_looks_like_after_the_move() -> None:
    for text in ("[moves]\nL = [2, 0, 1, 3]", "index = 1\n[moves]\nL = [3, 1, 2, 4]"):
        p = read_toml(text)
        assert p.apply(p.goal, [0]).tolist() == [2, 0, 1, 3]


def test_cycles_and_lists_of_one_move_are_the_same() -> None:
    lists = read_toml("index = 1\n[moves]\nA = [4, 1, 2, 3, 5]\nB = [1, 2, 4, 3, 5]")
    cycles = read_toml('index = 1\ncells = 5\n[moves]\nA = "(1, 2 ,3 4)(5)"\nB = " ( 4 3 ) () "')
    assert np.array_equal(lists.table.numpy, cycles.table.numpy)


def test_inverses_are_added_once_and_named_with_a_prime() -> None:
    text = """[moves]
A = "(0 1 2)"
B = "(0 1)"
C = "(2 1 3)"
D = "(2 3 1)"
"E'" = "(0 2 1 3)"
"""
    p = read_toml(text)
    assert p.move_names == ("A", "A'", "B", "C", "D", "E'", "E")
    assert p.inverses.tolist() == [1, 0, 2, 4, 3, 6, 5]


@pytest.mark.parametrize(
    ("goal", "symbols", "letters"),
    [
        ('"RRGG B"', [0, 0, 1, 1, 2], ("R", "G", "B")),
        ("[0, 0, 1, 1, 2]", [0, 0, 1, 1, 2], ()),
        ("[5, 5, 1, 1, 30]", [1, 1, 0, 0, 2], ("1", "5", "30")),
        ("[1, 2, 3, 4, 5]", [0, 1, 2, 3, 4], ("1", "2", "3", "4", "5")),
        ('["red", "red", "sea", "sea", "é"]', [0, 0, 1, 1, 2], ("red", "sea", "é")),
    ],
)
def test_goals(goal: str, symbols: list[int], letters: tuple[str, ...]) -> None:
    p = read_toml(f'goal = {goal}\n[moves]\nL = "(0 1 2 3 4)"')
    assert p.goal.tolist() == symbols
    assert p.letters == letters
    assert p.symbols == len(set(symbols))


def test_names_and_descriptions() -> None:
    p = read_toml('name = " my ring "\ndescription = "Turns."\n[moves]\nL = "(0 1 2)"', "file")
    assert (p.name, p.description) == ("my ring", "Turns.")


def test_more_than_256_symbols() -> None:
    p = read_toml(f"[moves]\nL = {[*range(1, 300), 0]}")
    assert (p.symbols, p.dtype) == (300, np.dtype(np.int16))
    assert check_puzzle(p).failed == ()


A3 = 'A = "(0 1 2)"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no moves; list them below [moves]"),
        ("[moves]", "there are no moves; list them below [moves]"),
        ("moves = 3", "moves is a table, [moves], not 3"),
        (f"[moves]\n{A3}\nB = ,", "line 3, column 5: invalid value"),
        (f"[moves]\n{A3}\nB = \n", "line 3, column 5: invalid value"),
        ("[moves]\nA = [0, 1", "line 2, the end of the file: unclosed array"),
        (f"[moves]\n{A3}\n{A3}\n", "line 3, column 14: this name is given twice"),
        (f"gaol = 3\n[moves]\n{A3}", "unknown key 'gaol'; did you mean goal?"),
        (
            A3,
            "unknown key 'A': the keys are name, description, goal, cells, index, moves, "
            "and a move stands below [moves]",
        ),
        (
            f'[moves]\n{A3}\ngoal = "AAB"',
            "goal stands below [moves], where it would be a move; put it above",
        ),
        (f"name = 3\n[moves]\n{A3}", "name is text in quotation marks, not 3"),
        (f"name = ' '\n[moves]\n{A3}", "name is text in quotation marks, not ' '"),
        (f"index = 2\n[moves]\n{A3}", "index is the number of the first cell, 0 or 1, not 2"),
        (f"index = true\n[moves]\n{A3}", "index is the number of the first cell, 0 or 1, not True"),
        (f"cells = 0\n[moves]\n{A3}", "cells is a number from 1 to 30000, not 0"),
        (f"cells = {10**12}\n[moves]\n{A3}", f"cells is a number from 1 to 30000, not {10**12}"),
        (
            f"cells = {10**99}\n[moves]\n{A3}",
            "cells is a number from 1 to 30000, not a huge number",
        ),
        (
            f"cells = 2\n[moves]\n{A3}",
            "line 3, move A: there is no cell 2: the 2 cells are 0 to 1",
        ),
        (
            f"index = 1\n[moves]\n{A3}",
            "line 3, move A: there is no cell 0: the 2 cells are 1 to 2",
        ),
        # goals
        (f"goal = 3\n[moves]\n{A3}", "goal is a text or a list of symbols, not 3"),
        (f"goal = ''\n[moves]\n{A3}", "the goal has 0 entries; 1 to 30000 are possible"),
        (f"goal = [1, 'a']\n[moves]\n{A3}", "goal, entry 2: the goal mixes numbers and letters"),
        (
            f"goal = [1, 2.5]\n[moves]\n{A3}",
            "goal, entry 2: a symbol is a number or a letter, not 2.5",
        ),
        (f"goal = [1, -2]\n[moves]\n{A3}", "goal, entry 2: numbers go from 0 to 65535, not -2"),
        (
            f"goal = ['a', 'b c']\n[moves]\n{A3}",
            "goal, entry 2: a symbol has no spaces, commas or bars, unlike 'b c'",
        ),
        (f'goal = ["a", "\\u0007"]\n[moves]\n{A3}', "goal, entry 2: '\\x07' cannot be printed"),
        (
            f"goal = 'AAA'\n[moves]\n{A3}",
            "the goal shows one symbol everywhere, so every state would be solved",
        ),
        (
            f"goal = 'AAB'\ncells = 4\n[moves]\n{A3}",
            "the goal has 3 entries, but there are 4 cells",
        ),
        (
            f"goal = 'AB'\n[moves]\n{A3}",
            "line 3, move A: there is no cell 2: the 2 cells are 0 to 1",
        ),
        # lists
        (
            "[moves]\nA = [0, 1, 1]",
            "line 2, move A: not a permutation: 1 appears twice and 2 is missing",
        ),
        (
            "index = 1\n[moves]\nA = [1, 4, 4, 4]",
            "line 3, move A: not a permutation: 4 appears 3 times and 2 is missing",
        ),
        ("[moves]\nA = [1, 0]\nB = [1, 2, 0]", "line 2, move A: 2 numbers for 3 cells"),
        ("[moves]\nA = [0, 7]", "line 2, move A: there is no cell 7: the 2 cells are 0 to 1"),
        ("[moves]\nA = [0, -1]", "line 2, move A: there is no cell -1: the 2 cells are 0 to 1"),
        ("[moves]\nA = [1, 0.0]", "line 2, move A: entry 2 is 0.0, not the number of a cell"),
        ("[moves]\nA = [1, false]", "line 2, move A: entry 2 is False, not the number of a cell"),
        (
            f"[moves]\nA = [1, {10**40}]",
            "line 2, move A: there is no cell a huge number: the 2 cells are 0 to 1",
        ),
        ("[moves]\nA = []", "line 2, move A: 0 numbers for 1 cells"),
        # cycles
        (
            "[moves]\nA = '(0 1 0)'",
            "line 2, move A: not a permutation: 0 appears twice in the cycles",
        ),
        (
            "[moves]\nA = '(0 1)(1 2)'",
            "line 2, move A: not a permutation: 1 appears twice in the cycles",
        ),
        (
            "[moves]\nA = ''",
            "line 2, move A: cycles look like (0 1 2)(3 4), but this text is empty",
        ),
        (
            "[moves]\nA = '(0 1) 2'",
            "line 2, move A: cycles look like (0 1 2)(3 4), but character 7 is '2'",
        ),
        (
            "[moves]\nA = '(0 1'",
            "line 2, move A: cycles look like (0 1 2)(3 4), but character 1 is '('",
        ),
        ("[moves]\nA = '(0 x)'", "line 2, move A: 'x' is not the number of a cell"),
        (
            "[moves]\nA = '(0 1234567890)'",
            "line 2, move A: '1234567890' is not the number of a cell",
        ),
        (
            "[moves]\nA = '(0 123456789)'",
            "line 2, move A: there is no cell 123456789: the 30000 cells are 0 to 29999",
        ),
        # moves
        (
            "[moves]\nA = 5",
            'line 2, move A: a move is cycles such as "(0 1 2)" or a list such as [1, 2, 0], not 5',
        ),
        ("[moves]\nA = '(0)'", "line 2, move A: it moves nothing"),
        ("[moves]\nA = [0, 1]", "line 2, move A: it moves nothing"),
        (
            f"[moves]\n{A3}\nB = [2, 0, 1]",
            "line 3, move B: it is the same permutation as A",
        ),
        (
            f"[moves]\n{A3}\n\"A'\" = '(0 1)'",
            "line 3, move A': by its name it should undo A, but does not",
        ),
        (
            "moves = {A = '(0 1)', \"B'\" = '(0 1 2)', B = '(0 2)'}",
            "move B': by its name it should undo B, but does not",
        ),
        *(
            (
                f'[moves]\n{A3}\n"{name}" = "(0 1)"',
                f"line 3, move {name}: a name is one word without commas, brackets and quotation "
                "marks; only a prime may stand at its end",
            )
            for name in ("", "B C", "(B)", "B,C", "'B", "B''")
        ),
        (
            "[moves]\n" + "\n".join(f'm{i} = "(0 {i + 1})"' for i in range(1001)),
            "1001 moves are too many; 1000 are possible",
        ),
    ],
)
def test_broken_toml(text: str, message: str) -> None:
    assert said(read_toml, text) == message


def test_numbers_and_nesting_that_toml_itself_cannot_take() -> None:
    assert said(read_toml, "cells = " + "9" * 5000).startswith("not TOML that can be read: ")
    deep = said(read_toml, "cells = " + "[" * 50_000)
    assert deep == "not TOML that can be read: nested too deeply"


# --- files on disk


def test_files_are_puzzles_by_their_path(tmp_path: Path) -> None:
    path = tmp_path / "ring.toml"
    path.write_bytes(b"\xef\xbb\xbf[moves]\r\nL = '(0 1 2)'\r\n")
    for p in (load(path), load(str(path)), puzzle(str(path))):
        assert (p.name, p.move_names) == ("ring", ("L", "L'"))
    path = tmp_path / "ring.g"
    path.write_text("M_L:=(1,2,3);Gen:=[M_L];")
    assert puzzle(str(path)).move_names == ("L", "L'")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert said(load, str(missing)) == f"there is no file {missing}"
    folder = tmp_path / "folder.gap"
    folder.mkdir()
    assert said(load, str(folder)) == f"{folder} is a folder, not a puzzle file"
    assert said(load, "a.txt") == "a.txt: a puzzle file ends in .toml, .gap or .g"
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"# one\n# two \xe9\n")
    assert said(load, str(latin)) == "latin.toml: line 2: the byte 0xe9 is not UTF-8 text"
    broken = tmp_path / "broken.toml"
    broken.write_text('[moves]\nA = "(0)"')
    assert said(load, str(broken)) == "broken.toml: line 2, move A: it moves nothing"
    assert said(load, "a\0b.toml") == "a\0b.toml cannot be read: embedded null byte"
    long = "x" * 5000 + ".toml"
    assert said(load, long) == f"{long} cannot be read: File name too long"


# --- what ships


def definitions() -> dict[str, str]:
    path = ROOT / "tools" / "definitions.py"
    spec = importlib.util.spec_from_file_location("definitions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["definitions"] = module
    spec.loader.exec_module(module)
    made: dict[str, str] = module.definitions()
    return made


def test_shipped_files_are_what_their_generator_writes() -> None:
    shipped = {name: path.read_text("utf-8") for name, path in shipped_files().items()}
    assert shipped == definitions()


def test_every_turn_of_the_2x2x2x2_cube_has_order_four() -> None:
    p = puzzle("cube2x2x2x2")
    for move in range(p.moves):
        states = [p.apply(p.goal, [move] * n) for n in range(5)]
        assert np.array_equal(states[4], states[0])
        assert len({s.tobytes() for s in states}) == 4
        assert (states[1] != states[0]).sum() == 16  # the others turn within their cells
    held = [c for c in range(64) if (p.table.numpy[:, c] == c).all()]  # type: ignore[attr-defined]
    assert sorted(p.letters[p.goal[c]] for c in held) == list("BDIL")  # type: ignore[attr-defined]


def test_topspin_and_pancake_by_hand() -> None:
    spin = puzzle("topspin")
    left, right, flip = range(3)
    assert spin.move_names == ("L", "R", "F")
    assert spin.apply(spin.goal, [left]).tolist() == [*range(1, 20), 0]
    assert spin.apply(spin.goal, [right]).tolist() == [19, *range(19)]
    assert spin.apply(spin.goal, [flip]).tolist() == [3, 2, 1, 0, *range(4, 20)]
    cakes = puzzle("pancake")
    assert cakes.inverses.tolist() == list(range(9))
    assert cakes.apply(cakes.goal, [2, 8]).tolist() == [9, 8, 7, 6, 5, 4, 0, 1, 2, 3]


# --- GAP


def test_gap_text_as_it_comes() -> None:
    text = """# a comment
M_U:=(1,2,3)
 (4 , 5);
M_2R := (3,4,5) ;   # another
M_M_X:=(1,5);
M_UNUSED:=(8,9);
Gen:=[
M_U,M_2R,
M_M_X
];
ip:=[[1],[2],[3],[4],[7]];
# Size(Group(Gen));
Size(Stabilizer(Group(Gen), ip, OnTuplesSets))
"""
    p = read_gap(text, "thing")
    assert (p.name, p.cells) == ("thing", 7)
    assert p.move_names == ("U", "U'", "2R", "2R'", "M_X")
    assert p.apply(p.goal, [0]).tolist() == [2, 0, 1, 4, 3, 5, 6]


def test_gap_generators_that_add_nothing_are_left_out() -> None:
    text = "M_A:=(1,2,3);M_B:=();M_C:=(1,3,2);M_D:=(2,3,1);M_E:=(1,2);Gen:=[M_A,M_B,M_C,M_D,M_E];"
    assert read_gap(text).move_names == ("A", "A'", "E")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no Gen:=[…]; it lists the generators that count"),
        ("M_A:=(1,2);", "there is no Gen:=[…]; it lists the generators that count"),
        ("M_A:=(1,2);\nGen:=[];", "Gen lists no generators"),
        ("M_A:=(1,2);\nGen:=[M_A];\nGen:=[M_A];", "line 3: Gen is given twice"),
        ("M_A:=(1,2);\nGen:=[M_B];", "line 2: Gen lists M_B, which is not in the file"),
        ("M_A:=(1,2);\n\nM_A:=(1,3);", "line 3: M_A is given twice, first in line 1"),
        ("M_A:=(1,2);A:=(1,3);\nGen:=[M_A,A];", "line 1: two generators are called A"),
        ("M_A:=(1,2)\nM_B:=(3,4);", "line 2: ';' was expected, not 'M_B'"),
        ("M_A:=(1,2;", "line 1: ',' was expected, not ';'"),
        ("M_A:=(1,,2);", "line 1: a point was expected, not ','"),
        ("M_A:=(1,2", "line 1: ',' was expected, not the end of the file"),
        ("M_A:=\n", "line 2: '(' was expected, not the end of the file"),
        ("M_A=(1,2);", "line 1: ':=' was expected, not '='"),
        (
            "M_A:=(1,2,1);\nGen:=[M_A]",
            "line 1, M_A: not a permutation: 1 appears twice in the cycles",
        ),
        ("M_A:=(0,1);", "line 1: points go from 1 to 30000, not 0"),
        ("M_A:=(1,40000);", "line 1: points go from 1 to 30000, not 40000"),
        ("M_A:=(1,x);", "line 1: a point was expected, not 'x'"),
        ("M_A:=(1,-2);", "line 1: a point was expected, not '-'"),
        ("M_A:=();\nGen:=[M_A];", "no generator moves anything"),
        (";", "line 1: a name was expected, not ';'"),
        ("Gen:=[(];", "line 1: the name of a generator was expected, not '('"),
        ("ip:=[1];", "line 1: '[' was expected, not '1'"),
        (
            "M_A:=(1,2);Gen:=[M_A];ip:=[[1,2]];",
            "the goal shows one symbol everywhere, so every state would be solved",
        ),
        (
            "M_A'':=(1,2);Gen:=[M_A''];",
            "line 1, A'': a name is one word without commas, brackets and quotation marks; "
            "only a prime may stand at its end",
        ),
    ],
)
def test_broken_gap(text: str, message: str) -> None:
    assert said(read_gap, text) == message


def test_skewb() -> None:
    p = read_gap(skewb())
    assert (p.cells, p.move_names) == (30, ("A", "A'", "B", "B'", "C", "C'", "D", "D'"))
    assert p.group.order == 3_149_280
    assert check_puzzle(p).failed == ()
    assert [len(layer) for layer in layers(p, 100_000)][:6] == [1, 8, 48, 288, 1728, 10248]


def test_megaminx() -> None:
    p = read_gap(megaminx())
    assert (p.cells, p.moves) == (120, 24)
    order = math.factorial(20) // 2 * 3**19 * (math.factorial(30) // 2) * 2**29
    assert p.group.order == order
    assert order == 100669616553523347122516032313645505168688116411019768627200000000000
    assert [len(o.blocks) for o in p.pieces.orbits] == [20, 30]
    states = p.random_states(5, np.random.default_rng(0))
    assert [p.problems(state) for state in states] == [[]] * 5


def test_the_same_pyraminx_from_gap_and_from_toml() -> None:
    p = read_gap(pyraminx())
    assert p.group.order == 933_120
    assert [len(layer) for layer in layers(p, 100_000)] == [1, 8, 48, 288, 1728, 9896, 51808]


def test_pieces_that_look_alike() -> None:
    """Three alike edges can go round unseen: a third of the states, and any two edges can swap."""
    p = read_gap(pyraminx(alike=[[0, 1, 2]]))
    first, second, third = ([2 * i, 2 * i + 1] for i in range(3))
    assert p.goal[first].tolist() == p.goal[second].tolist() == p.goal[third].tolist()
    assert p.symbols == 24 - 4
    assert not p.invertible
    reached = np.concatenate(list(layers(p, 10**7)))
    assert len(reached) == 933_120 // 3
    known = {row.tobytes() for row in reached}

    rng = np.random.default_rng(0)
    assert all(state.tobytes() in known for state in p.random_states(100, rng))
    odd = p.goal.copy()
    odd[[6, 7, 8, 9]] = odd[[8, 9, 6, 7]]  # edges 3 and 4 change places
    for state in [*reached[rng.integers(len(reached), size=30)], odd]:
        assert state.tobytes() in known
        assert p.problems(state) == []

    flipped = p.goal.copy()
    flipped[[6, 7]] = flipped[[7, 6]]
    assert flipped.tobytes() not in known
    assert [(f.status, f.sentence) for f in p.problems(flipped)] == [
        (Status.UNREACHABLE, "no sequence of moves of puzzle leads there")
    ]
    mixed = p.goal.copy()
    mixed[[1, 7]] = mixed[[7, 1]]
    assert [f.sentence for f in p.problems(mixed)] == [
        "the symbols in cells 0, 1 belong to no piece of this puzzle"
    ]


def test_alike_pieces_of_single_points() -> None:
    text = "M_A:=(1,2,3,4);M_B:=(4,5,6);Gen:=[M_A,M_B];ip:={};"
    for ip in ("[[1,4],[2],[3],[5],[6]]", "[[1,4]]", "[[],[1,4],[]]"):
        # Points that do not travel with a piece are not its own, even if the list leaves them out.
        assert read_gap(text.format(ip)).goal.tolist() == [0, 1, 2, 0, 3, 4]
    assert read_gap(text.format("[[]]")).symbols == 6


# --- the page on new puzzles

PAGE = (ROOT / "docs" / "new-puzzle.md").read_text("utf-8")


def test_the_example_of_the_page(tmp_path: Path) -> None:
    example, printed = re.findall(r"```(?:toml|text)\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "hourglass.toml"
    path.write_text(example)
    assert str(check_puzzle(load(path))) == printed.rstrip("\n")


@pytest.mark.parametrize(
    ("line", "message"), re.findall(r"^\| `(L = .*)` \| `(.*)` \|$", PAGE, re.M)
)
def test_the_mistakes_of_the_page(tmp_path: Path, line: str, message: str) -> None:
    example = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0]
    path = tmp_path / "hourglass.toml"
    path.write_text(example.replace('L = "(1 2 3 4)"', line))
    assert said(load, str(path)) == message


def test_the_python_of_the_page() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "new-puzzle.md"), module_relative=False)
    assert (failed, tried) == (0, 12)


# --- anything else

TOML = """name = "x"
goal = [1, 2, 3, 1, 2, 3]
index = 1
cells = 6
[moves]
A = "(1 2 3)(4 5)"
"B'" = [2, 1, 4, 3, 6, 5]
"""
GAP = "# x\nM_A:=(1,2,3)(4,5);\nM_B:=(5,6);\nGen:=[\nM_A,M_B\n];\nip:=[[1,4],[2],[3]];\n"
SCRAPS = [
    *"0123456789'\"[](),=:;#\n .-_MABCé\0",
    "99999999999",
    "[moves]",
    "Gen:=",
    "ip:=",
    "goal",
    "()",
]


def damaged(text: str, chance: random.Random) -> str:
    """A text with some pieces cut out, put in or moved."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 1, 2, 5, 20)))
        text = text[:start] + "".join(chance.choices(SCRAPS, k=chance.randint(0, 2))) + text[end:]
    return text


@pytest.mark.parametrize(("reader", "text"), [(read_toml, TOML), (read_gap, GAP)])
@given(chance=st.randoms(use_true_random=True), noise=st.text(max_size=60))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_a_puzzle_or_a_puzzle_error(
    reader: object, text: str, chance: random.Random, noise: str
) -> None:
    """500 × 20 damaged files, and 500 texts of anything."""
    for broken in [noise, *(damaged(text, chance) for _ in range(20))]:
        try:
            p = reader(broken)  # type: ignore[operator]
        except PuzzleError:
            continue
        assert isinstance(p, PermutationPuzzle)
        assert p.is_solved(p.apply(p.apply(p.goal, [0]), [int(p.inverses[0])])[None])[0]
