"""A net behind its first layer as an ONNX graph, in 32-bit floats or in 8-bit integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.models import Model
from homeward.heuristics.onnx import Graph


def float_tail(model: Model) -> bytes:
    """From `x` `[B, first]`, the first layer before its activation, to `[B, outputs]`.

    For nets that begin with a convolution `x` is the one-hot code `[B, positions * symbols]`, for
    nets that read features it is these.
    """
    card, matrices = model.card, list(model.matrices)
    graph = Graph()
    convolves = card.layers[0].startswith("conv")
    from_start = convolves or not card.one_hot
    width = card.positions * card.symbols if from_start else card.shapes[0][1]
    x = graph.input("x", np.float32, width)
    layers = list(card.layers)
    if convolves:
        assert card.board is not None
        x = _reshaped(graph, x, *card.board, card.symbols)
        x = graph.node("Transpose", x, perm=[0, 3, 1, 2])
    elif not from_start:
        matrices.pop(0)
        x = _after(graph, layers.pop(0), x)
    for layer in layers:
        kind = layer.partition(" ")[0]
        if convolves and not kind.startswith("conv"):
            convolves = False
            x = graph.node("Transpose", x, perm=[0, 2, 3, 1])
            x = _reshaped(graph, x, matrices[0][0].shape[0])
        apply = _convolve if convolves else _multiply
        y = apply(graph, x, *matrices.pop(0))
        if kind.endswith("block"):
            y = _after(graph, layer, y)
            y = graph.node("Add", x, apply(graph, y, *matrices.pop(0)))
        x = _after(graph, layer, y)
    return graph.model(x, np.float32, card.outputs)


def _multiply(graph: Graph, x: str, weight: NDArray[Any], bias: NDArray[Any]) -> str:
    return graph.node("Gemm", x, graph.constant(weight), graph.constant(bias))


def _convolve(graph: Graph, x: str, weight: NDArray[Any], bias: NDArray[Any]) -> str:
    kernel = weight.reshape(3, 3, -1, weight.shape[1]).transpose(3, 2, 0, 1)
    constants = graph.constant(np.ascontiguousarray(kernel)), graph.constant(bias)
    return graph.node("Conv", x, *constants, pads=[1, 1, 1, 1])


def _reshaped(graph: Graph, x: str, *shape: int) -> str:
    return graph.node("Reshape", x, graph.constant(np.array([-1, *shape], np.int64)))


def _after(graph: Graph, layer: str, x: str) -> str:
    """The activation at the end of a layer."""
    after = layer.partition(" ")[2]
    return graph.node(after.capitalize(), x) if after else x


def int8_tail(model: Model, ranges: Sequence[float]) -> bytes:
    """From `x` `[B, first]`, uint8 in steps of `ranges[0]` / 255, to float32 `[B, outputs]`.

    Only for nets of `dense relu` and `block relu`. Matrices are multiplied in 8 bits, weights with
    a scale for each column; what passes between them stays float32, and so does the last layer.
    Those that the card has as `finer` also get what 8 bits leave of their input, as 8 bits more.
    """
    card = model.card
    graph = Graph()
    matrices = list(enumerate(zip(model.matrices[1:], ranges, strict=True), start=1))
    codes = graph.input("x", np.uint8, card.shapes[0][1])
    zero, middle = (graph.constant(np.array(n, np.uint8)) for n in (0, 128))

    def multiplied(digits: str, x: str) -> str:
        """What the next matrix makes of its input, of which there are codes, floats or both."""
        number, ((weight, bias), top) = matrices.pop(0)
        step, scale = graph.constant(np.array(step_of(top))), _scales(model, number)
        whole, scales = (
            graph.constant(np.rint(weight / scale).astype(np.int8)),
            graph.constant(scale),
        )

        def times(digits: str, step: str, origin: str, *bias: str) -> str:
            given = digits, whole, step, scales, origin, "", *bias
            return graph.node("MatMulIntegerToFloat", *given, domain="com.microsoft")

        # From 0 on, so that this is a relu as well.
        digits = digits or graph.node("QuantizeLinear", x, step, zero)
        y = times(digits, step, zero, graph.constant(bias))
        if number not in card.finer:
            return y
        rest = graph.node("Sub", x, graph.node("DequantizeLinear", digits, step, zero))
        # The rest is half a step at most, of either sign.
        small = graph.constant(np.array(step_of(top) / 254, np.float32))
        rest = graph.node("QuantizeLinear", rest, small, middle)
        return graph.node("Add", y, times(rest, small, middle))

    x, first = "", graph.constant(np.array(step_of(ranges[0])))  # only codes of it so far
    for layer in card.layers[1:-1]:
        y = multiplied(codes, x)
        if layer.startswith("block"):
            x = x or graph.node("DequantizeLinear", codes, first, zero)
            y = graph.node("Add", x, multiplied("", y))
        x, codes = graph.node("Relu", y), ""
    x = x or graph.node("DequantizeLinear", codes, first, zero)
    _, (matrix, _) = matrices.pop(0)
    return graph.model(_multiply(graph, x, *matrix), np.float32, card.outputs)


_MOST = 128
"""What two neighbouring weights of one sign may add up to: 255 * 128 is still below 2^15."""


def _scales(model: Model, number: int) -> NDArray[np.float32]:
    """`[out]`: the units of a matrix's columns, those that it is kept in if they will do."""
    weight, kept = model.matrices[number][0], model.scales.get(number)
    if kept is not None and _largest_pairs(np.rint(weight / kept)).max() <= _MOST:
        return kept
    return column_scales(weight)


def column_scales(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """`[out]`: the unit of each column of `weight` `[in, out]` as 8-bit integers.

    Processors without 8-bit dot products (AVX2) add products of neighbouring rows in 16 bits. The
    units are such that no input from 0 to 255 makes those overflow, so that all machines agree.
    """
    units: NDArray[np.float32] = _largest_pairs(weight) / np.float32(_MOST - 1)  # rounding adds one
    return np.maximum(units, np.float32(1e-12))


def _largest_pairs(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """`[out]`: the most that two neighbouring weights of one sign add up to in each column."""
    even = np.pad(weight, ((0, len(weight) % 2), (0, 0)))
    pairs = [np.maximum(sign * even, 0).reshape(-1, 2, even.shape[1]).sum(1) for sign in (1, -1)]
    largest: NDArray[np.float32] = np.maximum(*pairs).max(0)
    return largest


def step_of(top: float) -> np.float32:
    """The step in which numbers from 0 to `top` are kept in 8 bits."""
    return np.float32(max(top, 1e-6) / 255)
