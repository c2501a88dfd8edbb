"""Puzzles from TOML files: what is read, and what is said about broken ones."""

from __future__ import annotations

import doctest
import importlib.util
import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broken_text import damaged, require_puzzle_or_error, said
from homeward.puzzles import puzzle
from homeward.puzzles.check import check_puzzle
from homeward.puzzles.files import load, read_toml
from homeward.puzzles.registry import shipped_files

ROOT = Path(__file__).resolve().parents[1]


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
        (
            f'name = "two\\nlines"\n[moves]\n{A3}',
            r"name holds characters that cannot be printed: 'two\nlines'",
        ),
        (
            f'description = "a bell \\u0007"\n[moves]\n{A3}',
            r"description holds characters that cannot be printed: 'a bell \x07'",
        ),
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


@given(chance=st.randoms(use_true_random=True), noise=st.text(max_size=60))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_a_puzzle_or_a_puzzle_error(chance: random.Random, noise: str) -> None:
    """500 × 20 damaged files, and 500 texts of anything."""
    for broken in [noise, *(damaged(TOML, chance) for _ in range(20))]:
        require_puzzle_or_error(read_toml, broken)
