"""Permutation puzzles in the GAP files that puzzle-geometry writes.

    # comments
    M_U:=(1,2,3)(4,5,6);           one generator after the other, over several lines if need be
    Gen:=[
    M_U,M_R
    ];                             the generators that count
    ip:=[[1],[4,7],[10]];          pieces that look alike, each by its first point

Points count from 1, and a cycle takes what lies on each point to the next.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.generators import (
    MOST_CELLS,
    permutation_of_cycles,
    puzzle_of_moves,
    shown,
)
from homeward.puzzles.partition import Partition
from homeward.puzzles.permutation import PermutationPuzzle
from homeward.puzzles.status import PuzzleError


@dataclass(frozen=True)
class _Token:
    text: str
    line: int


@dataclass(frozen=True)
class _Generator:
    cycles: list[list[int]]
    line: int


_END = ""


def read_gap(text: str, name: str = "puzzle") -> PermutationPuzzle:
    """The puzzle that GAP text describes.

    Names lose their `M_`. Generators that move nothing, or that repeat or undo an earlier one, are
    left out: the moves stay the same without them.

    >>> read_gap("M_U:=(1,2,3); Gen:=[M_U];").move_names
    ('U', "U'")
    """
    reader = _Reader(text)
    reader.read()
    chosen = reader.chosen()
    points = [p for g in chosen.values() for cycle in g.cycles for p in cycle]
    points += [p for group in reader.alike for p in group]
    cells = max(points, default=1)
    rows: dict[str, NDArray[np.int64]] = {}
    lines: dict[str, int] = {}
    known = {np.arange(cells).tobytes()}
    for full, generator in chosen.items():
        move = full.removeprefix("M_") or full
        if move in rows:
            raise PuzzleError(f"line {generator.line}: two generators are called {move}")
        try:
            row = permutation_of_cycles(generator.cycles, cells, index=1)
        except PuzzleError as error:
            raise PuzzleError(f"line {generator.line}, {full}: {error}") from None
        if row.tobytes() not in known:
            known |= {row.tobytes(), np.argsort(row).tobytes()}
            rows[move], lines[move] = row, generator.line
    if not rows:
        raise PuzzleError("no generator moves anything")
    goal = None
    if any(len(group) > 1 for group in reader.alike):
        goal = _with_alike(np.array(list(rows.values())), reader.alike)
    return puzzle_of_moves(name, rows, goal, lambda move: f"line {lines[move]}, {move}")


def _with_alike(table: NDArray[np.int64], alike: list[list[int]]) -> NDArray[np.int64]:
    """`[cells]`: symbols 0, 1, …, the same on pieces that look alike.

    A piece is named by its first point and has the points up to the next piece's first, as far as
    they travel with it. Alike pieces are alike point by point.
    """
    firsts: set[int] = set()
    for group in alike:
        for point in group:
            if point - 1 in firsts:
                where = "stands twice in a set" if group.count(point) > 1 else "stands in two sets"
                raise PuzzleError(f"ip: point {point} {where}; a piece is like those of one set")
            firsts.add(point - 1)
    same = Partition(table.shape[1])
    for group in filter(None, alike):
        model = group[0] - 1
        for cell in (point - 1 for point in group[1:]):
            same.join(cell, model)
            for k in itertools.count(1):
                one, other = cell + k, model + k
                if max(one, other) >= table.shape[1] or firsts & {one, other}:
                    break
                if _travels(table, cell, one) and _travels(table, model, other):
                    same.join(one, other)
    symbols: NDArray[np.int64] = np.empty(table.shape[1], dtype=np.int64)
    for symbol, cells in enumerate(same.groups()):
        symbols[cells] = symbol
    return symbols


def _travels(table: NDArray[np.int64], cell: int, other: int) -> bool:
    """Whether the place of `cell` tells the place of `other` after any moves."""
    beside = {cell: other}
    queue = [cell]
    for place in queue:  # grows while it is read
        for there, mate in table[:, [place, beside[place]]].tolist():
            if there not in beside:
                beside[there] = mate
                queue.append(there)
            elif beside[there] != mate:
                return False
    return True


class _Reader:
    """Reads the statements of a file one after the other."""

    def __init__(self, text: str) -> None:
        self.generators: dict[str, _Generator] = {}
        self.listed: list[_Token] | None = None
        self.alike: list[list[int]] = []
        self._tokens = list(_tokens(text))
        self._next = 0

    def read(self) -> None:
        """Every statement up to the end."""
        while self._peek().text != _END:
            name = self._take()
            if not re.match(r"\w", name.text):
                self._fail("a name", name)
            if self._peek().text == "(":  # a question to GAP, such as Size(Group(Gen));
                while self._peek().text not in (";", _END):
                    self._take()
            else:
                self._expect(":=")
                self._assign(name)
            if self._peek().text != _END:
                self._expect(";")

    def _assign(self, name: _Token) -> None:
        """What stands to the right of `name:=`."""
        if name.text == "Gen":
            if self.listed is not None:
                raise PuzzleError(f"line {name.line}: Gen is given twice")
            self.listed = self._list_of_names()
        elif name.text == "ip":
            self.alike = self._list_of_groups()
        elif name.text in self.generators:
            first = self.generators[name.text].line
            raise PuzzleError(
                f"line {name.line}: {name.text} is given twice, first in line {first}"
            )
        else:
            self.generators[name.text] = _Generator(self._cycles(), name.line)

    def chosen(self) -> dict[str, _Generator]:
        """The generators that Gen lists, in its order."""
        if self.listed is None:
            raise PuzzleError("there is no Gen:=[…]; it lists the generators that count")
        if not self.listed:
            raise PuzzleError("Gen lists no generators")
        found: dict[str, _Generator] = {}
        for token in self.listed:
            if token.text not in self.generators:
                raise PuzzleError(
                    f"line {token.line}: Gen lists {token.text}, which is not in the file"
                )
            found[token.text] = self.generators[token.text]
        return found

    def _cycles(self) -> list[list[int]]:
        cycles = []
        self._require("(")
        while self._peek().text == "(":
            cycles.append(self._numbers("(", ")"))
        return cycles

    def _numbers(self, opening: str, closing: str) -> list[int]:
        """`(1,2,3)` or `[1,2,3]`, possibly empty."""
        self._expect(opening)
        numbers: list[int] = []
        while self._peek().text != closing:
            if numbers:
                self._expect(",")
            token = self._take()
            if not re.fullmatch(r"[0-9]{1,9}", token.text):
                self._fail("a point", token)
            if not 1 <= int(token.text) <= MOST_CELLS:
                raise PuzzleError(
                    f"line {token.line}: points go from 1 to {MOST_CELLS}, not {token.text}"
                )
            numbers.append(int(token.text))
        self._expect(closing)
        return numbers

    def _list_of_names(self) -> list[_Token]:
        self._expect("[")
        names: list[_Token] = []
        while self._peek().text != "]":
            if names:
                self._expect(",")
            token = self._take()
            if not re.match(r"\w", token.text):
                self._fail("the name of a generator", token)
            names.append(token)
        self._expect("]")
        return names

    def _list_of_groups(self) -> list[list[int]]:
        self._expect("[")
        groups: list[list[int]] = []
        while self._peek().text != "]":
            if groups:
                self._expect(",")
            groups.append(self._numbers("[", "]"))
        self._expect("]")
        return groups

    # --- tokens

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def _require(self, text: str) -> None:
        if self._peek().text != text:
            self._fail(repr(text), self._peek())

    def _expect(self, text: str) -> None:
        self._require(text)
        self._take()

    @staticmethod
    def _fail(wanted: str, token: _Token) -> NoReturn:
        found = "the end of the file" if token.text == _END else shown(token.text)
        raise PuzzleError(f"line {token.line}: {wanted} was expected, not {found}")


def _tokens(text: str) -> Iterator[_Token]:
    """Words, numbers and signs with their lines; the last one is the end of the file."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        for word in re.findall(r":=|[\w']+|\S", line.partition("#")[0]):
            yield _Token(word, number)
    yield _Token(_END, len(lines))
