"""Cube algorithms as people paste them, read into a flat list of turns.

Faces `R`, half turns and primes in any order (`R2'`, `R'2`, `R3`), wide turns `Rw`, `r`, `3Rw`,
single inner layers `2R`, ranges `2-3Rw`, slices `M E S` (`m e s` turn every inner layer), rotations
`x y z`, groups `(A)3`, commutators `[A, B]`, conjugates `[A: B]`, comments `// …`, `/* … */` and
`# …`, with or without spaces. A number right after a move or a bracket repeats it; before a move it
names a layer, so `R2R` is `R2 R` and `R 2R` turns the second layer.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple, NoReturn

from homeward.notation.format import ParseError

TURNS = 100_000
"""An algorithm may be this many turns long when written out."""
DEPTH = 100
"""Brackets may be nested this deep."""
_WRITTEN = 4 * TURNS
"""What nested brackets may come to while they are written out one by one."""
DIGITS = 9
"""Numbers may have this many digits."""

_PRIMES = "'’‘′`´ʹʼ＇"
_DASHES = "-‐‑–−"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_CLOSERS = {"(": ")", "[": "]"}
_SLICES = {"M": "L", "E": "D", "S": "F", "m": "L", "e": "D", "s": "F"}
_ROTATIONS = {"x": "R", "y": "U", "z": "F"}
_FACES = frozenset("URFDLBurfdlb")
_MEANT = {
    **dict(zip("ВЕМЅхуΒΕΜ", "BEMSxyBEM", strict=True)),  # Cyrillic and Greek look-alikes
    **dict(zip("TPXYZW", "UBxyzw", strict=True)),
    **dict.fromkeys('iI"″', "'"),
    **dict.fromkeys("*×^", "the number alone, right behind the move or bracket"),
}


class Turn(NamedTuple):
    """Layers `first` to `last`, counted from 1 at `face`, turned clockwise as seen from there.

    `quarters` is 1, 2 or 3. A rotation of the whole cube turns every layer.
    """

    face: str
    first: int
    last: int
    quarters: int

    @property
    def inverse(self) -> Turn:
        """The turn that takes this one back."""
        return self._replace(quarters=4 - self.quarters)


def parse(text: str, size: int) -> list[Turn]:
    """The turns of an algorithm for a cube of `size` layers; `ParseError` where it has a mistake.

    >>> [turn.face for turn in parse("[R, U]", 3)]
    ['R', 'U', 'R', 'U']
    >>> parse("M2", 3)
    [Turn(face='L', first=2, last=2, quarters=2)]
    """
    reader = _Reader(text, size)
    turns = reader.sequence(0)
    if reader.peek():
        closer = reader.peek()
        if closer in ",:":
            hint = "a commutator is written [A, B], a conjugate [A: B]"
            reader.fail(f"'{closer}' outside of brackets", hint=hint)
        reader.fail(f"'{closer}' closes nothing")
    return turns


def inverted(turns: list[Turn]) -> list[Turn]:
    """The turns that take a sequence back."""
    return [turn.inverse for turn in reversed(turns)]


class _Reader:
    """Reads from `at` onwards; every method leaves `at` behind what it has read."""

    def __init__(self, text: str, size: int) -> None:
        self.text, self.size, self.at = text, size, 0
        self.written = 0
        """Turns written out of brackets so far; inner ones count once for each around them."""

    def peek(self, ahead: int = 0) -> str:
        """The next character, or nothing at the end."""
        return self.text[self.at + ahead : self.at + ahead + 1]

    def fail(self, message: str, at: int | None = None, hint: str = "") -> NoReturn:
        raise ParseError(message, self.text, self.at if at is None else at, hint)

    # --- sequences and brackets

    def sequence(self, depth: int) -> list[Turn]:
        """Turns up to the end or to a character that may close or divide a bracket."""
        turns: list[Turn] = []
        self.skip()
        while self.peek() and self.peek() not in ")],:":
            start = self.at
            turns += self.bracket(depth + 1) if self.peek() in _CLOSERS else self.move()
            if len(turns) > TURNS:
                self.too_long(start)
            self.skip()
        return turns

    def bracket(self, depth: int) -> list[Turn]:
        opened, kind = self.at, self.peek()
        if depth > DEPTH:
            self.fail(f"brackets are nested more than {DEPTH} deep")
        self.at += 1
        turns = self.sequence(depth)
        if kind == "[":
            divider = self.close(",:", opened)
            second = self.sequence(depth)
            turns += second + inverted(turns) + (inverted(second) if divider == "," else [])
        self.close(_CLOSERS[kind], opened)
        count_at = self.at
        count = self.amount()
        if count == 0:
            self.fail("a part repeated 0 times", count_at)
        self.written += len(turns) * abs(count)
        if len(turns) * abs(count) > TURNS or self.written > _WRITTEN:
            self.too_long(opened)
        return (turns if count > 0 else inverted(turns)) * abs(count)

    def close(self, wanted: str, opened: int) -> str:
        """Takes one of the characters `wanted`, which the bracket at `opened` needs."""
        found = self.peek()
        if not found:
            self.fail(f"'{self.text[opened]}' is never closed", opened)
        if found not in wanted:
            hint = ""
            if wanted == ",:":
                hint = "a commutator is written [A, B], a conjugate [A: B]"
            elif found in ",:":
                hint = "give the inner part brackets of its own"
            wish = " or ".join(f"'{c}'" for c in wanted)
            self.fail(f"{wish} should stand here, not '{found}',", hint=hint)
        self.at += 1
        return found

    def too_long(self, at: int) -> NoReturn:
        self.fail(f"written out, this is more than {TURNS} turns", at)

    def skip(self) -> None:
        """Goes past white space and comments."""
        while self.peek():
            if self.peek().isspace() or self.peek() in _INVISIBLE:
                self.at += 1
            elif self.peek() == "#" or self.text.startswith("//", self.at):
                while self.peek() and self.peek() not in "\r\n":
                    self.at += 1
            elif self.text.startswith("/*", self.at):
                end = self.text.find("*/", self.at + 2)
                if end < 0:
                    self.fail("'/*' begins a comment that never ends")
                self.at = end + 2
            else:
                return

    # --- single moves

    def move(self) -> list[Turn]:
        start = self.at
        layers = self.layers()
        letter = self.peek()
        if letter in _FACES:
            self.at += 1
            face, first, last = letter.upper(), *self.depths(letter, layers)
        elif letter in _SLICES or letter in _ROTATIONS:
            if layers:
                self.fail(f"{letter} takes no layer number", start)
            face, first, last = self.middle(letter)
            self.at += 1
        else:
            self.unknown(start)
        quarters = self.amount() % 4
        return [Turn(face, first, last, quarters)] if quarters else []

    def layers(self) -> tuple[int, ...]:
        """The layer numbers before a letter: none, one, or the two ends of a range."""
        found: list[int] = []
        while self.digit():
            start = self.at
            layer = self.number()
            if not 1 <= layer <= self.size:
                self.fail(f"a cube of {self.size} layers has no layer {layer}", start)
            if found and layer < found[0]:
                hint = f"did you mean {layer}-{found[0]}?"
                self.fail("a range of layers goes from the outside in", start, hint)
            found.append(layer)
            if len(found) == 1 and self.dash():
                self.at += 1
            else:
                break
        return tuple(found)

    def depths(self, letter: str, layers: tuple[int, ...]) -> tuple[int, int]:
        """The layers that a face's letter turns with the numbers before and the `w` after it."""
        wide = letter.islower() or self.peek() == "w"
        if self.peek() == "w":
            self.at += 1
        if len(layers) == 2:
            return layers[0], layers[1]
        if wide:
            return 1, layers[0] if layers else 2
        return (layers[0], layers[0]) if layers else (1, 1)

    def middle(self, letter: str) -> tuple[str, int, int]:
        """Slices turn the middle layer, both where there are two; rotations turn all."""
        if letter in _ROTATIONS:
            return _ROTATIONS[letter], 1, self.size
        if self.size == 2:
            self.fail(f"a cube of 2 layers has no middle layer for {letter}")
        face = _SLICES[letter]
        if letter.islower():
            return face, 2, self.size - 1
        return face, (self.size + 1) // 2, self.size // 2 + 1

    def amount(self) -> int:
        """A count and a prime in either order; 1 where there is neither."""
        primes = self.prime()
        # In `R 2-3Rw` pasted without the space the number belongs to the next move.
        count = self.number() if self.digit() and not self.starts_range() else 1
        primes += self.prime() if not primes else 0
        if self.peek() and self.peek() in _PRIMES:
            self.fail("a second prime", hint="two primes cancel out: leave both away")
        return -count if primes else count

    def prime(self) -> int:
        if self.peek() and self.peek() in _PRIMES:
            self.at += 1
            return 1
        return 0

    def digit(self, ahead: int = 0) -> bool:
        return bool(self.peek(ahead)) and self.peek(ahead) in "0123456789"

    def dash(self, ahead: int = 0) -> bool:
        dash = self.peek(ahead)
        return bool(dash) and dash in _DASHES and self.digit(ahead + 1)

    def starts_range(self) -> bool:
        ahead = 0
        while self.digit(ahead):
            ahead += 1
        return self.dash(ahead)

    def number(self) -> int:
        start = self.at
        while self.digit():
            self.at += 1
            if self.at - start > DIGITS:
                self.fail(f"a number of more than {DIGITS} digits", start)
        return int(self.text[start : self.at])

    def unknown(self, start: int) -> NoReturn:
        """What stands here is no move: says so, with what may have been meant."""
        letter = self.peek()
        if start < self.at and (not letter or letter.isspace() or letter in "()[],:"):
            hint = "to repeat a move or a bracket, write the number right behind it"
            self.fail(f"the number {self.text[start : self.at]} without a move", start, hint)
        if letter in _PRIMES:
            self.fail("a prime without a move")
        plain = unicodedata.normalize("NFKC", letter)
        meant = _MEANT.get(letter) or (plain if plain != letter and plain.isascii() else None)
        self.fail(f"unknown move {letter!r}", hint=f"did you mean {meant}?" if meant else "")
