"""A model's card: what the weights are for, how they were made, and what they reach."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from homeward.heuristics.layers import MATRICES
from homeward.puzzles.status import PuzzleError

FORMAT = 1
"""The version of model files that this code writes, and the only one it reads."""
HEADS = ("children", "value", "policy_value")
CODES, FEATURES = ("cells", "pieces", "facing"), ("cube-features",)
INPUTS = CODES + FEATURES
AFTER = ("relu", "elu", "tanh", "")
_LATER = ("finer",)
"""Entries that older cards do not have."""

Shape = tuple[int, int]


@dataclass(frozen=True)
class Card:
    """The JSON beside a model's weights.

    `head` says what the net answers: `children` (one distance for each move), `value` (one
    distance) or `policy_value` (a distance, then a logit for each move). The net reads `positions`
    numbers below `symbols`: the state's cells, its pieces (see `homeward.puzzles.codes`), or its
    cells once it faces one way (see `homeward.puzzles.facing`). One that reads features, real
    numbers, has one symbol.
    `layers` are in the words of `homeward.heuristics.layers`, `shapes` their matrices. `ranges` are
    the largest numbers seen to enter each matrix after the first, for running it in 8 bits, and
    `finer` the numbers of matrices whose input needs 16 then.
    `results` are measurements, each an object with whatever it takes to repeat it.
    """

    puzzle: str
    digest: str
    head: str
    input: str
    positions: int
    symbols: int
    board: Shape | None
    layers: tuple[str, ...]
    shapes: tuple[Shape, ...]
    method: str
    command: str
    seconds: float
    states_seen: int
    device: str
    date: str
    results: tuple[dict[str, Any], ...] = ()
    ranges: tuple[float, ...] = ()
    finer: tuple[int, ...] = ()
    sha256: str = ""
    format: int = FORMAT

    @property
    def outputs(self) -> int:
        """How many numbers the net answers with."""
        return self.shapes[-1][1]

    @property
    def one_hot(self) -> bool:
        """Whether the first layer reads a one-hot code, and not features as they are."""
        return self.input in CODES

    @property
    def refinable(self) -> tuple[int, ...]:
        """The matrices that can be `finer`: those that read what a layer before left in floats."""
        if not self.ranges:
            return ()
        counts = [MATRICES[layer.partition(" ")[0]] for layer in self.layers]
        return tuple(sum(counts[:i]) for i in range(2, len(counts) - 1))

    def to_json(self) -> str:
        """The card as the text of its file."""
        return json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Card:
        """Reads a card and checks that it makes sense by itself; `PuzzleError` if it does not."""
        try:
            facts = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise PuzzleError(f"it is not JSON: {error}") from error
        if not isinstance(facts, dict):
            raise PuzzleError("it is not a JSON object")
        if facts.get("format") != FORMAT:
            given = facts.get("format")
            raise PuzzleError(f"its format is {given!r}, and only format {FORMAT} is known")
        names = [f.name for f in dataclasses.fields(cls)]
        for name in facts:
            if name not in names:
                raise PuzzleError(f"it has an unknown entry {name!r}")
        for name in names:
            if name not in facts and name in _LATER:
                continue
            if name not in facts:
                raise PuzzleError(f"it has no entry {name!r}")
            fits, what = _ENTRIES[name]
            if not fits(facts[name]):
                raise PuzzleError(f"its entry {name!r} is not {what}")
        card = cls(**{name: _frozen(value) for name, value in facts.items()})
        card.require_consistent()
        return card

    def require_consistent(self) -> None:
        """Raises `PuzzleError` unless the shapes are those of the layers."""
        wanted = sum(MATRICES[layer.partition(" ")[0]] for layer in self.layers)
        if len(self.shapes) != wanted:
            raise PuzzleError(f"its layers have {wanted} matrices, but {len(self.shapes)} shapes")
        if (self.head, self.input) == ("policy_value", "facing"):
            raise PuzzleError("its policy cannot be of states that face one way")
        if len(self.ranges) not in (0, wanted - 1):
            raise PuzzleError(f"it has {len(self.ranges)} ranges and should have {wanted - 1}")
        for matrix in self.finer:
            if matrix not in self.refinable:
                raise PuzzleError(f"it has matrix {matrix} finer, which is none that can be")
        if self.layers[0].startswith("conv") and (
            self.board is None or math.prod(self.board) != self.positions
        ):
            raise PuzzleError(f"its board {self.board} is not one of {self.positions} positions")
        planes = self.board is not None and self.layers[0].startswith("conv")
        width = self.symbols if planes else self.symbols * self.positions
        number = 0
        for layer in self.layers:
            kind = layer.partition(" ")[0]
            if kind.startswith("conv") and not planes:
                raise PuzzleError(f"its layer {layer!r} stands behind a dense one")
            if planes and not kind.startswith("conv"):
                planes, width = False, width * self.positions
            for _ in range(MATRICES[kind]):
                self._require_rows(number, 9 * width if planes else width)
                out = self.shapes[number][1]
                if MATRICES[kind] == 2 and out != width:
                    raise PuzzleError(f"matrix {number} of a block has {out} columns, not {width}")
                width, number = out, number + 1

    def _require_rows(self, number: int, wanted: int) -> None:
        rows = self.shapes[number][0]
        if rows != wanted:
            raise PuzzleError(f"matrix {number} has {rows} rows and should have {wanted}")


def _frozen(value: Any) -> Any:
    """Lists as tuples, so that a card cannot change."""
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


# --- what the entries may be


def _text(value: object) -> bool:
    return isinstance(value, str)


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _size(value: object) -> bool:
    return _count(value) and value != 0


def _number(value: object) -> bool:
    real = isinstance(value, int | float) and not isinstance(value, bool)
    return real and math.isfinite(value) and value >= 0  # type: ignore[arg-type,operator]


def _shape(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_size, value))


def _hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _layer(value: object) -> bool:
    if not isinstance(value, str):
        return False
    kind, _, after = value.partition(" ")
    return kind in MATRICES and after in AFTER


def _one_of(known: tuple[str, ...]) -> tuple[Callable[[object], bool], str]:
    return (lambda value: value in known), f"one of {', '.join(known)}"


def _list_of(fits: Callable[[object], bool], least: int = 0) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and len(value) >= least and all(map(fits, value))


_ENTRIES: dict[str, tuple[Callable[[object], bool], str]] = {
    "puzzle": (_text, "text"),
    "digest": (_hash, "a sha256 in hexadecimal"),
    "head": _one_of(HEADS),
    "input": _one_of(INPUTS),
    "positions": (_size, "a whole number above 0"),
    "symbols": (_size, "a whole number above 0"),
    "board": (lambda value: value is None or _shape(value), "null or two whole numbers above 0"),
    "layers": (_list_of(_layer, 1), "a list of layers such as 'dense relu'"),
    "shapes": (_list_of(_shape, 1), "a list of pairs of whole numbers above 0"),
    "method": (_text, "text"),
    "command": (_text, "text"),
    "seconds": (_number, "a number from 0 on"),
    "states_seen": (_count, "a whole number from 0 on"),
    "device": (_text, "text"),
    "date": (_text, "text"),
    "results": (_list_of(lambda value: isinstance(value, dict)), "a list of objects"),
    "ranges": (_list_of(_number), "a list of numbers from 0 on"),
    "finer": (_list_of(_count), "a list of whole numbers from 0 on"),
    "sha256": (_hash, "a sha256 in hexadecimal"),
    "format": (_count, "a whole number"),
}
