"""Permutation puzzles from files: TOML written by hand, or GAP as puzzle-geometry writes it.

A TOML file lists the moves under `[moves]`, each as cycles or as a list:

    index = 1                      # cells are counted from 1 (from 0 without this line)
    goal = "AABB"                  # optional: all cells differ without it
    [moves]
    L = "(1 2 3 4)"                # what lies in cell 1 goes to cell 2, 2 to 3, 3 to 4, 4 to 1
    S = [2, 1, 3, 4]               # what the row 1 2 3 4 looks like after the move

Missing inverses are added and named with a prime.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.gap import read_gap
from homeward.puzzles.generators import (
    MOST_CELLS,
    permutation_of_cycles,
    permutation_of_list,
    puzzle_of_moves,
    shown,
)
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.status import PuzzleError

_KEYS = ("name", "description", "goal", "cells", "index", "moves")
_MOST_SYMBOL = 65535


def load(path: Path | str) -> PermutationPuzzle:
    """The puzzle in a file that ends in `.toml`, `.gap` or `.g`.

    Anything wrong with the file raises a `PuzzleError` that starts with the file's name.
    """
    path = Path(path)
    readers = {".toml": read_toml, ".gap": read_gap, ".g": read_gap}
    if path.suffix not in readers:
        raise PuzzleError(f"{path.name}: a puzzle file ends in .toml, .gap or .g")
    text = _text(path)
    try:
        return readers[path.suffix](text, path.stem)
    except PuzzleError as error:
        raise PuzzleError(f"{path.name}: {error}", error.problems) from None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise PuzzleError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise PuzzleError(f"{path} is a folder, not a puzzle file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PuzzleError(f"{path} cannot be read: {reason}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise PuzzleError(
            f"{path.name}: line {line}: the byte 0x{byte:02x} is not UTF-8 text"
        ) from None


def read_toml(text: str, name: str = "puzzle") -> PermutationPuzzle:
    r"""The puzzle that TOML text describes; `name` is used unless the text has one.

    >>> puzzle = read_toml('[moves]\nL = "(0 1 2)"')
    >>> puzzle.move_names
    ('L', "L'")
    >>> puzzle.apply(puzzle.goal, [0]).tolist()
    [2, 0, 1]
    """
    given = _parsed(text)
    for key in given:
        if key not in _KEYS:
            _unknown_key(key)
    index = given.get("index", 0)
    if type(index) is not int or index not in (0, 1):
        raise PuzzleError(f"index is the number of the first cell, 0 or 1, not {shown(index)}")
    moves = given.get("moves", {})
    if not isinstance(moves, dict):
        raise PuzzleError(f"moves is a table, [moves], not {shown(moves)}")
    if not moves:
        raise PuzzleError("there are no moves; list them below [moves]")
    for key in _KEYS:
        if key in moves:
            raise PuzzleError(f"{key} stands below [moves], where it would be a move; put it above")
    goal, letters = _goal(given["goal"]) if "goal" in given else (None, ())
    cells = _cells(given, moves, goal, index)
    lines = _move_lines(text)

    def where(move: str) -> str:
        return f"line {lines[move]}, move {move}" if move in lines else f"move {move}"

    rows = {move: _permutation(where(move), moves[move], cells, index) for move in moves}
    puzzle = puzzle_of_moves(_sentence(given, "name", name), rows, goal, where)
    puzzle.letters = letters
    puzzle.description = _sentence(given, "description", "")
    return puzzle


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        place = place.rstrip(")")
        if place == "end of document":
            place = f"line {text.rstrip().count(chr(10)) + 1}, the end of the file"
        if message == "Cannot overwrite a value":
            message = "this name is given twice"
        elif message:
            message = message[0].lower() + message[1:]
        raise PuzzleError(f"{place}: {message}" if message else f"not TOML: {error}") from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, deep nesting
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise PuzzleError(f"not TOML that can be read: {reason}") from None


def _unknown_key(key: str) -> NoReturn:
    near = difflib.get_close_matches(key, _KEYS, n=1)
    if near:
        raise PuzzleError(f"unknown key {key!r}; did you mean {near[0]}?")
    raise PuzzleError(
        f"unknown key {key!r}: the keys are {', '.join(_KEYS)}, and a move stands below [moves]"
    )


def _sentence(given: dict[str, Any], key: str, default: str) -> str:
    value = given.get(key, default)
    if not isinstance(value, str) or (key in given and not value.strip()):
        raise PuzzleError(f"{key} is text in quotation marks, not {shown(value)}")
    text = value.strip()
    if not re.sub(r"\s", "", text).isprintable():  # lines it may have
        raise PuzzleError(f"{key} holds characters that cannot be printed: {shown(value)}")
    return text


def _cells(
    given: dict[str, Any], moves: dict[str, Any], goal: NDArray[np.int64] | None, index: int
) -> int:
    """How many cells: as given, as many as the goal has, or as the moves need."""
    count = given.get("cells")
    if count is not None:
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST_CELLS:
            raise PuzzleError(f"cells is a number from 1 to {MOST_CELLS}, not {shown(count)}")
        if goal is not None and len(goal) != count:
            raise PuzzleError(f"the goal has {len(goal)} entries, but there are {count} cells")
        return count
    if goal is not None:
        return len(goal)
    needed = 1
    for value in moves.values():
        if isinstance(value, list):
            needed = max(needed, len(value))
        elif isinstance(value, str):
            # Numbers of more digits than any cell has are reported when the move is read.
            numbers = (int(n) for n in re.findall(r"[0-9]+", value) if len(n) <= 9)
            needed = max(needed, max(numbers, default=0) + 1 - index)
    return min(needed, MOST_CELLS)


def _goal(value: object) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """`[cells]` symbol numbers and how each symbol is written (empty: as its number)."""
    if isinstance(value, str):
        symbols: list[Any] = [c for c in value if not c.isspace()]
    elif isinstance(value, list):
        symbols = value
    else:
        raise PuzzleError(f"goal is a text or a list of symbols, not {shown(value)}")
    if not 1 <= len(symbols) <= MOST_CELLS:
        raise PuzzleError(f"the goal has {len(symbols)} entries; 1 to {MOST_CELLS} are possible")
    numeric = isinstance(symbols[0], int)
    for number, symbol in enumerate(symbols, 1):
        _check_symbol(symbol, numeric, number)
    order = sorted(set(symbols)) if numeric else list(dict.fromkeys(symbols))
    place = {symbol: i for i, symbol in enumerate(order)}
    letters = () if order == list(range(len(order))) else tuple(str(s) for s in order)
    return np.array([place[symbol] for symbol in symbols]), letters


def _check_symbol(symbol: object, numeric: bool, number: int) -> None:
    where = f"goal, entry {number}"
    if isinstance(symbol, bool) or not isinstance(symbol, int | str):
        raise PuzzleError(f"{where}: a symbol is a number or a letter, not {shown(symbol)}")
    if isinstance(symbol, int) != numeric:
        raise PuzzleError(f"{where}: the goal mixes numbers and letters")
    if isinstance(symbol, int) and not 0 <= symbol <= _MOST_SYMBOL:
        raise PuzzleError(f"{where}: numbers go from 0 to {_MOST_SYMBOL}, not {shown(symbol)}")
    if isinstance(symbol, str) and not re.fullmatch(r"[^\s,|]+", symbol):
        raise PuzzleError(f"{where}: a symbol has no spaces, commas or bars, unlike {symbol!r}")
    if isinstance(symbol, str) and not symbol.isprintable():
        raise PuzzleError(f"{where}: {symbol!r} cannot be printed")


def _permutation(where: str, value: object, cells: int, index: int) -> NDArray[np.int64]:
    """`[cells]`: one move of the file."""
    try:
        if isinstance(value, list):
            return permutation_of_list(value, cells, index)
        if isinstance(value, str):
            return permutation_of_cycles(_cycles(value), cells, index)
        raise PuzzleError(
            f'a move is cycles such as "(0 1 2)" or a list such as [1, 2, 0], not {shown(value)}'
        )
    except PuzzleError as error:
        raise PuzzleError(f"{where}: {error}") from None


def _cycles(text: str) -> list[list[int]]:
    """The numbers in `(0 1 2)(3 4)`, separated by spaces or commas."""
    position = 0
    found = []
    for match in re.finditer(r"\s*\(([^()]*)\)\s*|(.)", text, re.DOTALL):
        if match.group(2) is not None:
            what = match.group(2)
            raise PuzzleError(
                f"cycles look like (0 1 2)(3 4), but character {match.start(2) + 1} is {what!r}"
            )
        entries = re.split(r"[\s,]+", match.group(1).strip(" ,\t\n\r"))
        found.append([_number(entry) for entry in entries if entry])
        position = match.end()
    if position == 0:
        raise PuzzleError("cycles look like (0 1 2)(3 4), but this text is empty")
    return found


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise PuzzleError(f"{shown(text)} is not the number of a cell")
    return int(text)


def _move_lines(text: str) -> dict[str, int]:
    """The line of each move that stands plainly below `[moves]`, for messages."""
    lines: dict[str, int] = {}
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*\[\s*([\w-]+)\s*\]\s*(#.*)?$", line)
        if header:
            inside = header.group(1) == "moves"
        entry = re.match(r"""\s*(?:"([^"\\]*)"|'([^']*)'|([\w-]+))\s*=""", line)
        if inside and entry:
            lines.setdefault(entry.group(entry.lastindex or 0), number)
    return lines
