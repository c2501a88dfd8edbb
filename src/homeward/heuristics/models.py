"""Model files: weights as `NAME.safetensors` and their card `NAME.json` beside them.

Models that ship lie in the package `homeward.models`, named after their puzzles. Nothing is ever
unpickled, and a file that is damaged or made for something else is refused with the reason.
"""

from __future__ import annotations

import dataclasses
import datetime
import difflib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward import cache
from homeward.heuristics.card import Card
from homeward.heuristics.inputs import net_input
from homeward.heuristics.layers import Tensors
from homeward.heuristics.ranges import ranges
from homeward.puzzles.base import Puzzle
from homeward.puzzles.digest import puzzle_digest
from homeward.puzzles.status import PuzzleError

_SUFFIXES = (".json", ".safetensors")
_DTYPES = ("float16", "float32", "int8")


@dataclass(frozen=True)
class Model:
    """A card and its weights, as float32: `layerN.weight` `[in, out]` and `layerN.bias` `[out]`.

    `scales` has, for matrices that are kept in 8 bits, the unit of each column `[out]`.
    """

    name: str
    card: Card
    tensors: dict[str, NDArray[np.float32]] = field(repr=False)
    scales: dict[int, NDArray[np.float32]] = field(repr=False, default_factory=dict)

    @property
    def matrices(self) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Weight and bias of each matrix in order."""
        count = len(self.card.shapes)
        return [
            (self.tensors[f"layer{i}.weight"], self.tensors[f"layer{i}.bias"]) for i in range(count)
        ]

    def require_fits(self, puzzle: Puzzle) -> None:
        """Raises `PuzzleError` unless the model was made for a puzzle like this one."""
        card = self.card
        try:
            reading = net_input(puzzle, card.input)
        except PuzzleError as error:
            told = f"model {self.name} is for {card.puzzle}, not for {puzzle.name}: {error}"
            raise PuzzleError(told) from None
        outputs = {"children": puzzle.moves, "value": 1, "policy_value": 1 + puzzle.moves}
        for what, has, wants in (
            ("positions", card.positions, reading.positions),
            ("symbols", card.symbols, reading.symbols),
            ("outputs", card.outputs, outputs[card.head]),
        ):
            if has != wants:
                raise PuzzleError(
                    f"model {self.name} is for {card.puzzle}: it has {has} {what}, "
                    f"and {puzzle.name} needs {wants}"
                )
        if card.digest != puzzle_digest(puzzle):
            raise PuzzleError(
                f"model {self.name} is for {card.puzzle} with another goal or other moves "
                f"than this {puzzle.name}"
            )


# --- which models there are


def shipped_models() -> list[str]:
    """The names of the models that ship with the package."""
    return sorted(p.name[:-5] for p in _folder().iterdir() if p.name.endswith(".json"))


def model_for(puzzle: Puzzle, name_or_path: str | Path | None = None) -> Model:
    """A puzzle's own model, or the one that is named; `PuzzleError` if it is none for it."""
    if name_or_path is None:
        known = shipped_models()
        if puzzle.name not in known:
            has = f"; there are models for {', '.join(known)}" if known else ""
            raise PuzzleError(
                f"there is no model for {puzzle.name}{has}; "
                "train one with `homeward train` and name it with --model"
            )
        name_or_path = puzzle.name
    model = read_model(name_or_path)
    model.require_fits(puzzle)
    return model


def _folder() -> Path:
    # A package that is installed is a folder, so that its files have paths.
    return Path(str(resources.files("homeward.models")))


def _base(name_or_path: str | Path) -> Path:
    """The path of a model's files without their suffixes."""
    path = Path(name_or_path)
    if path.suffix in _SUFFIXES:
        return path.with_suffix("")
    known = shipped_models()
    if name_or_path in known:
        return _folder() / name_or_path
    if path.is_dir():  # a training's folder
        return path / "model"
    if isinstance(name_or_path, Path) or path.name != name_or_path:
        return path
    near = difflib.get_close_matches(name_or_path, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known) or 'none'}"
    raise PuzzleError(f"there is no model named {name_or_path!r}; {hint}")


def _files(base: Path) -> tuple[Path, Path]:
    """The card and the weights."""
    return base.with_name(base.name + ".json"), base.with_name(base.name + ".safetensors")


# --- reading


def read_card(name_or_path: str | Path) -> Card:
    """The card alone of a shipped model or of one in a file; the weights are not looked at."""
    return _card(_base(name_or_path))


def weight_bytes(name_or_path: str | Path) -> int:
    """The size of a model's file of weights."""
    return _files(_base(name_or_path))[1].stat().st_size


def read_model(name_or_path: str | Path) -> Model:
    """A shipped model by its name, or one by the path of its card, weights or training's folder.

    Raises `PuzzleError` if a file is missing, damaged, or not what its card says.
    """
    base = _base(name_or_path)
    card = _card(base)
    path = _files(base)[1]
    content = _read(path)
    if hashlib.sha256(content).hexdigest() != card.sha256:
        raise PuzzleError(f"{path}: these are not the weights of the card beside them")
    try:
        return _model(base.name, card, content)
    except PuzzleError as error:
        raise PuzzleError(f"{path}: {error}") from error


def _card(base: Path) -> Card:
    path = _files(base)[0]
    text = _read(path).decode("utf-8", errors="replace")
    try:
        return Card.from_json(text)
    except PuzzleError as error:
        raise PuzzleError(f"{path}: this is no card of a model: {error}") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise PuzzleError(f"there is no file {path}") from None
    except OSError as error:
        raise PuzzleError(f"{path} cannot be read: {error.strerror}") from error


def _model(name: str, card: Card, content: bytes) -> Model:
    """A model from the content of its weights file, which is compared with the card."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        stored = load(content)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise PuzzleError(f"this is not a safetensors file: {error}") from error
    tensors: dict[str, NDArray[np.float32]] = {}
    scales: dict[int, NDArray[np.float32]] = {}
    for number, shape in enumerate(card.shapes):
        weight, bias = f"layer{number}.weight", f"layer{number}.bias"
        tensors[weight] = _tensor(stored, weight, shape)
        tensors[bias] = _tensor(stored, bias, shape[1:])
        scale = f"layer{number}.scale"
        if stored[weight].dtype == np.int8:
            scales[number] = _tensor(stored, scale, shape[1:])
            tensors[weight] = tensors[weight] * scales[number]
            stored.pop(scale)
        stored.pop(weight), stored.pop(bias)
    for name in stored:
        raise PuzzleError(f"there is a tensor {name!r} that belongs to no layer")
    return Model(name, card, tensors, scales)


def _tensor(stored: Tensors, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    if name not in stored:
        raise PuzzleError(f"the tensor {name!r} is missing")
    found = stored[name]
    if found.dtype.name not in _DTYPES:
        raise PuzzleError(f"the tensor {name!r} is {found.dtype}, not {' or '.join(_DTYPES)}")
    if found.shape != shape:
        has, wants = list(found.shape), list(shape)
        raise PuzzleError(f"the tensor {name!r} has the shape {has}, but the card says {wants}")
    values: NDArray[np.float32] = found.astype(np.float32)
    if not np.isfinite(values).all():
        raise PuzzleError(f"the tensor {name!r} holds numbers that are not finite")
    return values


# --- writing


def make_card(
    puzzle: Puzzle,
    tensors: Tensors,
    layers: Sequence[str],
    *,
    head: str = "children",
    reads: str = "cells",
    board: tuple[int, int] | None = None,
    method: str = "",
    command: str = "",
    seconds: float = 0.0,
    states_seen: int = 0,
    device: str = "",
    date: str = "",
    results: Sequence[dict[str, Any]] = (),
) -> Card:
    """The card of folded weights: what they are for, and the ranges that 8-bit passes need.

    `tensors` are what `Net.folded` gives, as NumPy arrays. `reads` is the card's `input`.
    """
    reading = net_input(puzzle, reads)
    shapes = tuple(tuple(tensors[f"layer{i}.weight"].shape) for i in range(len(tensors) // 2))
    card = Card(
        puzzle=puzzle.name,
        digest=puzzle_digest(puzzle),
        head=head,
        input=reads,
        positions=reading.positions,
        symbols=reading.symbols,
        board=board,
        layers=tuple(layers),
        shapes=shapes,
        method=method,
        command=command,
        seconds=seconds,
        states_seen=states_seen,
        device=device,
        date=date or datetime.date.today().isoformat(),
        results=tuple(results),
    )
    card.require_consistent()
    return dataclasses.replace(card, ranges=ranges(puzzle, card, tensors))


def write_model(
    path: str | Path,
    tensors: Tensors,
    card: Card,
    scales: Sequence[NDArray[np.float32]] = (),
) -> Model:
    """Writes weights and card to `path` with `.safetensors` and `.json`, each as a whole.

    Matrices are kept in 16 bits, those that there are `scales` for in 8 bits, in these units
    `[out]` of each column: others than a net has learned with would move its answers. The card gets
    the file's hash. Returns the model as it will be read.
    """
    from safetensors.numpy import save

    content = save(_packed(tensors, scales))
    card = dataclasses.replace(card, sha256=hashlib.sha256(content).hexdigest())
    card.require_consistent()
    base = _base(Path(path))
    model = _model(base.name, card, content)
    _write(_files(base)[1], content)
    write_card(base, card)
    return model


def write_card(path: str | Path, card: Card) -> None:
    """Replaces the card of a model, to add results to it."""
    _write(_files(_base(Path(path)))[0], card.to_json().encode())


def _write(path: Path, content: bytes) -> None:
    try:
        cache.write_atomically(path, lambda file: file.write(content))
    except OSError as error:
        raise PuzzleError(f"{path} cannot be written: {error.strerror}") from error


def _packed(tensors: Tensors, scales: Sequence[NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """The tensors as they are stored; biases are small and stay precise."""
    stored: dict[str, NDArray[Any]] = {}
    for name, values in tensors.items():
        if not name.endswith(".weight"):
            stored[name] = np.asarray(values, np.float32)
            continue
        number = int(name.removeprefix("layer").removesuffix(".weight"))
        if number < len(scales):
            scale = np.asarray(scales[number], np.float32)
            stored[name] = np.clip(np.rint(values / scale), -127, 127).astype(np.int8)
            stored[name.replace("weight", "scale")] = scale
        else:
            with np.errstate(over="ignore"):  # what is too large is found when it is read back
                stored[name] = np.asarray(values, np.float16)
    return {name: np.ascontiguousarray(values) for name, values in stored.items()}
