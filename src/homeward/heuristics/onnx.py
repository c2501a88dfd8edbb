"""A writer of ONNX graphs, just large enough for the nets that ship.

An ONNX file is a protobuf message; this module writes the few message types a small graph needs,
so that running a net takes onnxruntime alone and not the `onnx` package as well. The numbers below
are field numbers of `onnx.proto`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_IR_VERSION = 8
_OPSETS = {"": 15, "com.microsoft": 1}


class Graph:
    """A graph that is built node by node; names are made up as it grows.

    >>> graph = Graph()
    >>> x = graph.input("x", np.float32, 2)
    >>> y = graph.node("MatMul", x, graph.constant(np.eye(2, dtype=np.float32)))
    >>> import onnxruntime
    >>> session = onnxruntime.InferenceSession(graph.model(y, np.float32, 2))
    >>> session.run(None, {"x": np.array([[3, 4]], dtype=np.float32)})[0]
    array([[3., 4.]], dtype=float32)
    """

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._inputs: list[bytes] = []

    def input(self, name: str, dtype: DTypeLike, width: int) -> str:
        """An input `[batch, width]`."""
        self._inputs.append(_value_info(name, dtype, width))
        return name

    def constant(self, values: NDArray[Any]) -> str:
        """An array that belongs to the graph."""
        name = f"c{len(self._constants)}"
        array = np.asarray(values)
        tensor = b"".join(_number(1, n) for n in array.shape)
        tensor += _number(2, _KINDS[array.dtype.name]) + _text(8, name)
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        self._constants.append(tensor + _bytes(9, little.tobytes()))
        return name

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: list[int]) -> str:
        """The output of an operator; an input that is left out is an empty name."""
        name = f"n{len(self._nodes)}"
        node = b"".join(_text(1, one) for one in inputs) + _text(2, name) + _text(4, kind)
        node += b"".join(_bytes(5, _attribute(key, v)) for key, v in attributes.items())
        self._nodes.append(node + _text(7, domain))
        return name

    def model(self, output: str, dtype: DTypeLike, width: int) -> bytes:
        """The file with `output` `[batch, width]` as its only output."""
        graph = _messages(1, self._nodes) + _text(2, "net") + _messages(5, self._constants)
        graph += _messages(11, self._inputs) + _bytes(12, _value_info(output, dtype, width))
        opsets = [_text(1, domain) + _number(2, v) for domain, v in _OPSETS.items()]
        return _number(1, _IR_VERSION) + _bytes(7, graph) + _messages(8, opsets)


def _value_info(name: str, dtype: DTypeLike, width: int) -> bytes:
    shape = _bytes(1, _text(2, "batch")) + _bytes(1, _number(1, width))
    tensor = _number(1, _KINDS[np.dtype(dtype).name]) + _bytes(2, shape)
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _attribute(name: str, values: list[int]) -> bytes:
    return _text(1, name) + b"".join(_number(8, value) for value in values) + _number(20, 7)


# --- protobuf: a field is its number and kind, then its content


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth bit says that more follow."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, content: str) -> bytes:
    return _bytes(field, content.encode())


def _messages(field: int, contents: Sequence[bytes]) -> bytes:
    return b"".join(_bytes(field, content) for content in contents)
