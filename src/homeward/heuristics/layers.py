"""What a folded net is made of, and a plain NumPy pass through it.

A model's card lists its layers as words, one entry for each step of the pass:

- `dense`: a matrix and a bias;
- `block`: two of them and a short cut around both;
- `conv`: a 3×3 convolution over the board, which keeps the board's size;
- `conv-block`: two of them and a short cut around both.

An entry ends with what comes after it, `relu`, `elu` or `tanh`, or with nothing: `"block relu"`.
The matrices are `layerN.weight` `[in, out]` and `layerN.bias` `[out]`, numbered from 0 in the order
in which entries use them, one for `dense` and `conv`, two for a block. The rows of a convolution's
matrix are its nine cells row by row, each with all channels. Between board and `dense` the board is
flattened cell by cell.

The first entry reads the one-hot code of the input, number `symbols * position + value`. The card's
`input` says what that is: `cells` (the state as it is), `pieces` (see `homeward.puzzles.codes`) or
`facing` (see `homeward.puzzles.facing`).
Features (`cube-features`) are real numbers and are read as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Tensors: TypeAlias = Mapping[str, NDArray[Any]]
"""Folded weights by name, as NumPy arrays."""

MATRICES = {"dense": 1, "conv": 1, "block": 2, "conv-block": 2}
"""How many matrices each kind of layer has."""


def forward(
    layers: Sequence[str],
    tensors: Tensors,
    codes: NDArray[Any],
    symbols: int,
    board: tuple[int, int] | None = None,
    inputs: list[Floats] | None = None,
) -> Floats:
    """`[B, outputs]`: a pass through a folded net for input codes `[B, positions]`.

    `symbols` is the number of values that a position can have, `board` the rows and columns that
    convolutions see. Codes that are floats are features. `inputs` collects what enters each
    matrix. This is what the fast passes are compared with.
    """
    keep = (lambda x: None) if inputs is None else inputs.append
    x: Floats = np.asarray(codes)
    if x.dtype.kind != "f":
        x = (x[..., None] == np.arange(symbols)).astype(np.float32)
    x = x.reshape(len(x), *board, symbols) if board else x.reshape(len(x), -1)
    number = 0
    for layer in layers:
        kind, _, after = layer.partition(" ")
        steps = [
            (
                np.asarray(tensors[f"layer{number + i}.weight"], np.float32),
                np.asarray(tensors[f"layer{number + i}.bias"], np.float32),
            )
            for i in range(MATRICES[kind])
        ]
        number += len(steps)
        apply = _convolve if kind.startswith("conv") else _multiply
        keep(x)
        y = apply(x, *steps[0])
        if len(steps) == 2:
            inner = _after(after, y)
            keep(inner)
            y = x + apply(inner, *steps[1])
        x = _after(after, y)
    return x


def _multiply(x: Floats, weight: Floats, bias: Floats) -> Floats:
    product: Floats = x.reshape(len(x), -1) @ weight + bias
    return product


def _convolve(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """A 3×3 convolution of `[B, rows, columns, in]`, with zeros around the board."""
    rows, columns = x.shape[1:3]
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shifted = [padded[:, i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    result: Floats = np.concatenate(shifted, axis=-1) @ weight + bias
    return result


def _after(name: str, x: Floats) -> Floats:
    if name == "relu":
        return np.maximum(x, 0)
    if name == "elu":
        grown: Floats = np.where(x > 0, x, np.expm1(np.minimum(x, 0)))
        return grown
    return np.tanh(x) if name == "tanh" else x
