"""How puzzles given by their moves are written and drawn: rows of symbols, names of moves.

Moves are names between spaces: `U R' L2 (U R)3`. A number repeats a move or a bracket, a prime
takes it back. States are the symbols of all cells in order, numbers or the letters of the puzzle's
file.
"""

from __future__ import annotations

import colorsys
import difflib
import html
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from numpy.typing import NDArray

from homeward.notation import pictures
from homeward.notation.format import Format, ParseError, as_row
from homeward.puzzles.base import Puzzle
from homeward.puzzles.permutation import PermutationPuzzle

_MOST_MOVES = 100_000
"""A sequence may be this long when its brackets are written out."""
_MOST_WRITTEN = 4 * _MOST_MOVES
"""What nested brackets may come to while they are written out one by one."""
_PRIMES = "’‘′`´ʹʼ＇"
_SUFFIX = r"('?)([0-9]{0,6})('?)"
_FEW = ("#d62839", "#1f6feb", "#12a150", "#ffd43b", "#ff8c1a", "#8f3fd1", "#19b5c4", "#e3e6ea")
_WIDTH = 78
"""Columns of a drawing in the terminal."""


class PermutationFormat(Format):
    """Rows of symbols, and moves by name."""

    def read_state(self, puzzle: Puzzle, text: str) -> tuple[Puzzle, NDArray[Any]]:
        names = symbol_names(puzzle)
        numbers = {name: i for i, name in enumerate(names)}
        pattern = r"[^\s,|]" if _one_each(names) else r"[^\s,|]+"
        values = []
        for match in re.finditer(pattern, text):
            if match.group() not in numbers:
                known = f"{names[0]} to {names[-1]}" if len(names) > 12 else " ".join(names)
                message = f"unknown symbol {_short(match.group())}"
                raise ParseError(message, text, match.start(), f"the symbols are {known}")
            values.append(numbers[match.group()])
        return puzzle, as_row(puzzle, values)

    def write_state(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        names = symbol_names(puzzle)
        letters = _one_each(names) and not all(name.isdigit() for name in names)
        return ("" if letters else " ").join(names[symbol] for symbol in state.tolist())

    def read_moves(self, puzzle: Puzzle, text: str) -> list[int]:
        # The sequence at each depth of brackets, with the place where its bracket opened.
        open_: list[tuple[int, list[int]]] = [(-1, [])]
        written = 0  # out of brackets, those of inner brackets once for each around them
        for match in re.finditer(rf"\(|\){_SUFFIX}|[^\s(),]+", _plain(text)):
            word, place = match.group(), match.start()
            if word == "(":
                open_.append((place, []))
                continue
            if word[0] == ")":
                if len(open_) == 1:
                    raise ParseError("')' closes nothing", text, place)
                _, inner = open_.pop()
                found = _repeated(puzzle, inner, match.groups(), text, place)
                written += len(found)
            else:
                found = self._move(puzzle, word, text, place)
            open_[-1][1].extend(found)
            if len(open_[-1][1]) > _MOST_MOVES or written > _MOST_WRITTEN:
                _too_long(text, place)
        if len(open_) > 1:
            raise ParseError("'(' is never closed", text, open_[-1][0])
        return open_[0][1]

    def _move(self, puzzle: Puzzle, word: str, text: str, place: int) -> list[int]:
        """One move with its prime and count; of several readings the longest name wins."""
        if word in puzzle.move_names:
            return [puzzle.move_names.index(word)]
        for name in sorted(puzzle.move_names, key=len, reverse=True):
            suffix = re.fullmatch(_SUFFIX, word[len(name) :]) if word.startswith(name) else None
            if suffix:
                prime, count, late = suffix.groups()
                if name.endswith("'") and (prime or late):
                    _second_prime(text, place)
                move = puzzle.move_names.index(name)
                return _repeated(puzzle, [move], (prime, count, late), text, place)
        hint = _nearest(word, puzzle.move_names)
        raise ParseError(f"unknown move {_short(word)}", text, place, hint)

    def write_moves(self, puzzle: Puzzle, moves: Sequence[int]) -> str:
        return " ".join(puzzle.move_names[move] for move in moves)

    def draw(self, puzzle: Puzzle, state: NDArray[Any], colour: bool = False) -> str:
        names = symbol_names(puzzle)
        width = max(len(name) for name in names)
        joint = "" if width == 1 else "-"
        lines = []
        for group in layout(puzzle):
            row, used = "", 0
            for piece in group:
                symbols = state[piece].tolist()
                wide = (width + len(joint)) * len(piece) - len(joint)
                if used and used + 1 + wide > _WIDTH:
                    lines.append(row)
                    row, used = "", 0
                shown = [_cell(names[s].rjust(width), s, len(names), colour) for s in symbols]
                row += " " * (used > 0) + joint.join(shown)
                used += wide + (used > 0)
            lines.append(row)
        return "\n".join(lines)

    def svg(self, puzzle: Puzzle, state: NDArray[Any]) -> str:
        names = symbol_names(puzzle)
        side, gap, most = 26, 8, 640
        shapes: list[str] = []
        x = y = gap
        right = 0
        for group in layout(puzzle):
            x = gap
            for piece in group:
                if x > gap and x + side * len(piece) > most:
                    x, y = gap, y + side + gap // 2
                for symbol in state[piece].tolist():
                    shapes.append(_svg_cell(x, y, side, names[symbol], symbol, len(names)))
                    x += side
                right = max(right, x)
                x += gap if len(piece) > 1 else 2
            y += side + 2 * gap
        return pictures.svg(right + gap, y - gap, html.escape(puzzle.name), shapes)


def symbol_names(puzzle: Puzzle) -> tuple[str, ...]:
    """`[symbols]`: how each symbol is written."""
    letters: tuple[str, ...] = getattr(puzzle, "letters", ())
    return letters or tuple(str(i) for i in range(puzzle.symbols))


def layout(puzzle: Puzzle) -> list[list[list[int]]]:
    """The cells of each piece, pieces that can change places in one group.

    Pieces that only turn where they are share a group by size, and cells that never move come last.
    """
    if not isinstance(puzzle, PermutationPuzzle):
        return [[[cell] for cell in range(puzzle.cells)]]
    groups: list[list[list[int]]] = []
    turning: dict[int, list[list[int]]] = {}
    seen: set[int] = set()
    for orbit in puzzle.pieces.orbits:
        pieces = [orbit.together[row].tolist() for row in orbit.blocks]
        pieces = [piece for piece in pieces if not seen.intersection(piece)]
        seen.update(cell for piece in pieces for cell in piece)
        if len(pieces) == 1:
            turning.setdefault(len(pieces[0]), []).append(pieces[0])
        elif pieces:
            groups.append(pieces)
    still = [[cell] for cell in range(puzzle.cells) if cell not in seen]
    return [group for group in [*groups, *turning.values(), still] if group]


# --- reading


def _plain(text: str) -> str:
    """The text with every kind of prime as `'`; characters keep their places."""
    return text.translate(str.maketrans(_PRIMES, "'" * len(_PRIMES)))


def _one_each(names: Sequence[str]) -> bool:
    return all(len(name) == 1 for name in names)


def _short(word: str) -> str:
    return repr(word if len(word) <= 20 else word[:20] + "…")


def _repeated(
    puzzle: Puzzle, moves: list[int], suffix: tuple[str, ...], text: str, place: int
) -> list[int]:
    """Moves taken back and repeated as their suffix (prime, count, prime) says."""
    prime, count, late = suffix
    times = int(count) if count else 1
    if times == 0:
        raise ParseError("0 repetitions", text, place)
    if prime and late:
        _second_prime(text, place)
    if prime or late:
        moves = puzzle.inverses[moves[::-1]].tolist()
        if any(move < 0 for move in moves):
            raise ParseError("a move that nothing takes back has no prime", text, place)
    if len(moves) * times > _MOST_MOVES:
        _too_long(text, place)
    return moves * times


def _second_prime(text: str, place: int) -> NoReturn:
    raise ParseError("a second prime", text, place, "two cancel out: leave both away")


def _too_long(text: str, place: int) -> NoReturn:
    raise ParseError(f"more than {_MOST_MOVES} moves", text, place)


def _nearest(word: str, names: Sequence[str]) -> str:
    """A suggestion: the name in other letters, the nearest one, or all of them."""
    same = [name for name in names if name.casefold() == word.casefold()]
    near = same or difflib.get_close_matches(word[:40], names, n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0]}?"
    return "the moves are " + " ".join(names[:12]) + " …" * (len(names) > 12)


# --- drawing


def _paint(symbol: int, symbols: int) -> tuple[str, bool]:
    """The colour of a symbol as `#rrggbb`, and whether it is light."""
    if symbols <= len(_FEW):
        paint = _FEW[symbol]
    else:  # from red to violet, so that order shows
        red, green, blue = colorsys.hsv_to_rgb(0.8 * symbol / symbols, 0.55, 0.95)
        paint = f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
    red, green, blue = (int(paint[i : i + 2], 16) for i in (1, 3, 5))
    return paint, 0.3 * red + 0.59 * green + 0.11 * blue > 140


def _cell(label: str, symbol: int, symbols: int, colour: bool) -> str:
    if not colour:
        return label
    paint, light = _paint(symbol, symbols)
    red, green, blue = (round(int(paint[i : i + 2], 16) / 51) for i in (1, 3, 5))
    back, front = 16 + 36 * red + 6 * green + blue, 16 if light else 231
    return pictures.ansi(f"48;5;{back};38;5;{front}", label)


def _svg_cell(x: int, y: int, side: int, label: str, symbol: int, symbols: int) -> str:
    paint, light = _paint(symbol, symbols)
    size = {1: 14, 2: 12, 3: 10}.get(len(label), 7)
    middle = side / 2
    return pictures.rect(x + 1, y + 1, side - 2, side - 2, paint, 5) + pictures.text(
        x + middle, y + middle, size, html.escape(label[:6]), "#1b1e23" if light else "#ffffff"
    )
