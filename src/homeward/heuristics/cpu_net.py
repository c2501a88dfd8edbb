"""A learned net on the CPU, without torch."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.inputs import net_input
from homeward.heuristics.models import Model
from homeward.heuristics.places import RowSum, places_of, places_of_positions, row_sum
from homeward.heuristics.ranges import ranges
from homeward.heuristics.tail import float_tail, int8_tail, step_of
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.workers import cores

_BATCH = 1024
"""States in one pass: more of them leave the cache, fewer do not fill the pass."""
_SMALLEST = 64
"""States for which a second thread is not worth its start."""

First: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]


class CpuNet:
    """A model as a heuristic on the CPU: the first layer in numba, the rest in onnxruntime.

    `precision` is `int8`, `float32`, or `auto`: int8 where the net allows it. Passes are split
    into batches that `threads` threads work on (0: one for each core that we may use).
    """

    admissible = False

    def __init__(
        self, puzzle: Puzzle, model: Model, precision: str = "auto", threads: int = 0
    ) -> None:
        if precision not in ("auto", "int8", "float32"):
            raise PuzzleError(f"precision is int8, float32 or auto, not {precision!r}")
        model.require_fits(puzzle)
        self.puzzle, self.model, self.name = puzzle, model, model.name
        self.threads = threads or cores()
        self._input = net_input(puzzle, model.card.input)
        self.facing = model.card.input == "facing"
        tops = () if precision == "float32" else model.card.ranges
        if not tops and precision != "float32":
            tops = ranges(puzzle, model.card, model.tensors)
        if precision == "int8" and not tops:
            raise PuzzleError(f"model {model.name} cannot run in int8: not all its layers are relu")
        self.precision = "int8" if tops else "float32"
        self._first = self._make_first(tops[0] if tops else None)
        self._session = _session(int8_tail(model, tops) if tops else float_tail(model))
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    # --- what every heuristic answers

    def place(self, states: NDArray[Any]) -> NDArray[Any]:
        """The states as they are: this net works beside the CPU."""
        return np.asarray(states)

    def children(self, states: NDArray[Any]) -> NDArray[np.float32]:
        """`[B, moves]` float32: the estimated distance of each child, +inf where illegal."""
        if self.model.card.head == "children":
            scores = self.answers(states)
        else:
            expanded = self.puzzle.expand(states).reshape(-1, self.puzzle.cells)
            scores = self.values(expanded).reshape(len(states), self.puzzle.moves)
        if not self.puzzle.always_legal:
            scores[~self.puzzle.legal(states)] = np.inf
        return scores

    def values(self, states: NDArray[Any]) -> NDArray[np.float32]:
        """`[B]` float32: the estimated distance of the states themselves, 0 at a goal."""
        if self.model.card.head == "children":
            found: NDArray[np.float32] = 1 + self.children(states).min(1)
        else:
            found = self.answers(states)[:, 0]
        found[self.puzzle.is_solved(states)] = 0
        return found

    # --- passes of the net

    def answers(self, states: NDArray[Any]) -> NDArray[np.float32]:
        """`[B, outputs]` float32: what the net says of states `[B, cells]`."""
        self._require_states(states)
        out = np.empty((len(states), self.model.card.outputs), np.float32)
        parts = self._parts(len(states))
        if self._pool is None or len(parts) == 1:
            for part in parts:
                self._pass(states[part], out[part])
        else:
            jobs = [self._pool.submit(self._pass, states[part], out[part]) for part in parts]
            for job in jobs:
                job.result()
        return out

    def _pass(self, states: NDArray[Any], out: NDArray[np.float32]) -> None:
        answers = self.answers_of(np.ascontiguousarray(self._input.encode(states)))
        out[:] = self._input.decode(states, answers)

    def answers_of(self, codes: NDArray[Any]) -> NDArray[np.float32]:
        """`[B, outputs]` float32: one pass for states that are encoded already."""
        found: NDArray[np.float32] = self._session.run(None, {"x": self._first(codes)})[0]
        return found

    def _parts(self, count: int) -> list[slice]:
        """The batch in even parts, a multiple of the threads where there are enough states."""
        rounds = -(-count // (_BATCH * self.threads))
        parts = max(1, min(rounds * self.threads, count // _SMALLEST))
        edges = [count * i // parts for i in range(parts + 1)]
        return [slice(start, end) for start, end in pairwise(edges)]

    def _require_states(self, states: NDArray[Any]) -> None:
        """The compiled loops do not look where they read, so we do."""
        cells, symbols = self.puzzle.cells, self.puzzle.symbols
        if states.ndim != 2 or states.shape[1] != cells or states.dtype.kind not in "iu":
            raise PuzzleError(
                f"states of {self.puzzle.name} are rows of {cells} integers; these are "
                f"{states.dtype} of shape {list(states.shape)}"
            )
        if states.size and not 0 <= int(states.min()) <= int(states.max()) < symbols:
            raise PuzzleError(f"symbols of {self.puzzle.name} go from 0 to {symbols - 1}")

    # --- the first layer

    def _make_first(self, top: float | None) -> First:
        """The function from codes `[B, positions]` to the input of the graph.

        `top` is the largest number that 8 bits are to hold, None for floats.
        """
        card = self.model.card
        if not card.one_hot:
            return lambda features: features
        if card.layers[0].startswith("conv"):
            return self._one_hot
        places = (
            places_of(self.puzzle)
            if card.input in ("cells", "facing")
            else places_of_positions(card.positions, card.symbols)
        )
        layer = row_sum(places, card.symbols, *self.model.matrices[0])
        return _float_first(layer) if top is None else _uint8_first(layer, top)

    def _one_hot(self, codes: NDArray[Any]) -> NDArray[np.float32]:
        symbols = np.arange(self.model.card.symbols)
        hot: NDArray[np.float32] = (codes[..., None] == symbols).astype(np.float32)
        return hot.reshape(len(codes), -1)


def _float_first(layer: RowSum) -> First:
    from homeward.heuristics.kernels import sum_rows

    def run(codes: NDArray[Any]) -> NDArray[Any]:
        out = np.empty((len(codes), layer.table.shape[1]), np.float32)
        sum_rows(codes, layer.cells, layer.strides, layer.starts, layer.rows, layer.table, out)
        return out

    return run


def _uint8_first(layer: RowSum, top: float) -> First:
    """The first layer with its relu, in steps of `top` / 255.

    The table holds 16-bit integers in units of a step over 2^shift, as fine as sums of them allow.
    """
    from homeward.heuristics.kernels import sum_rows_uint8

    steps = layer.table / step_of(top)
    largest = max(layer.bound(), float(np.abs(layer.table).max())) / float(step_of(top))
    shift = int(np.clip(np.floor(np.log2(2**15 / (largest + len(layer.cells)))), 0, 7))
    half = np.zeros(len(steps), np.float32)  # so that sums are rounded, not cut
    half[np.unique(layer.rows[: layer.starts[1]])] = 2**shift / 2
    table = np.rint(steps * 2**shift + np.floor(half)[:, None]).astype(np.int16)

    def run(codes: NDArray[Any]) -> NDArray[Any]:
        out = np.empty((len(codes), table.shape[1]), np.uint8)
        where = layer.cells, layer.strides, layer.starts, layer.rows
        sum_rows_uint8(codes, *where, table, shift, out)
        return out

    return run


def _session(graph: bytes) -> Any:
    """A session that works in the thread that calls it."""
    # Since 1.29 onnxruntime tells its makers about every session, unless this is set beforehand.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
