"""One code path for NumPy arrays and torch tensors.

A puzzle's rules are written once with the handful of operations that both libraries spell alike
(indexing, comparison, arithmetic) and the few helpers below for those they do not. torch is never
imported here: a tensor can only reach us from code that has imported it already.
"""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = Any
"""A NumPy array or a torch tensor; shapes are given in docstrings as `[B, cells]`."""

Rng: TypeAlias = Any
"""A `numpy.random.Generator` (makes arrays) or a `torch.Generator` (tensors on its device)."""


def is_torch(x: object) -> bool:
    """Whether `x` is a torch tensor or generator, asked without importing torch."""
    return type(x).__module__.partition(".")[0] == "torch"


def namespace(x: object) -> Any:
    """The module, `numpy` or `torch`, whose functions work on `x` (an array or a generator)."""
    return sys.modules["torch"] if is_torch(x) else np


class Table:
    """A constant NumPy array, with a copy on each torch device that has asked for one.

    >>> Table(np.arange(3)).on(np.zeros(1))
    array([0, 1, 2])
    """

    def __init__(self, values: NDArray[Any]) -> None:
        self.numpy = np.ascontiguousarray(values)
        self.numpy.setflags(write=False)
        self._copies: dict[str, Array] = {}

    def on(self, x: object) -> Array:
        """The table beside `x`: NumPy for arrays, a tensor on the same device for tensors."""
        if not is_torch(x):
            return self.numpy
        device = str(getattr(x, "device"))
        if device not in self._copies:
            torch = sys.modules["torch"]
            self._copies[device] = torch.as_tensor(self.numpy.copy(), device=device)
        return self._copies[device]

    def __getstate__(self) -> dict[str, Any]:
        return {"numpy": self.numpy, "_copies": {}}


def indices(x: Array) -> Array:
    """`x` as integers fit for indexing on its own device."""
    return x.long() if is_torch(x) else np.asarray(x).astype(np.intp, copy=False)


def row_numbers(states: Array) -> Array:
    """`[B]`: 0, 1, … B-1 on the device of `states`."""
    if is_torch(states):
        return sys.modules["torch"].arange(len(states), device=states.device)
    return np.arange(len(states))


def gather(states: Array, columns: Array) -> Array:
    """`[B, k]`: entry `columns[b, k]` of each row of `states` `[B, cells]`."""
    if is_torch(states):
        return states.gather(1, columns)
    return np.take_along_axis(states, columns, axis=1)


def fill(rows: Array, columns: Array, value: float) -> None:
    """Writes `value` into entry `columns[b]` of each row of `rows` `[B, n]`.

    A number that is assigned to indexed places would be sent to a GPU, which waits for it.
    """
    if is_torch(rows):
        rows.scatter_(1, columns.long()[:, None], value)
    else:
        rows[np.arange(len(rows)), columns] = value


def copy(states: Array) -> Array:
    """A copy that may be written to."""
    return states.clone() if is_torch(states) else states.copy()


def zeros(count: int, like: Array) -> Array:
    """`[count]` zeros of the same kind as the numbers `like`; they cost memory once written to."""
    return like.new_zeros(count) if is_torch(like) else np.zeros(count, like.dtype)


def as_moves(moves: Array | int, states: Array) -> Array:
    """`[B]`: `moves` as indices, one number given for all rows or one per row."""
    if is_torch(states):
        torch = sys.modules["torch"]
        if not is_torch(moves) and np.ndim(moves) == 0:
            return torch.full((len(states),), int(moves), device=states.device)
        given = torch.as_tensor(moves, device=states.device).long()
        return given.expand(len(states)) if given.ndim == 0 else given
    given = np.asarray(moves, dtype=np.intp)
    return np.broadcast_to(given, (len(states),)) if given.ndim == 0 else given


def to_numpy(x: Array) -> NDArray[Any]:
    """The same numbers as a NumPy array; waits for a GPU."""
    return x.cpu().numpy() if is_torch(x) else np.asarray(x)


def empty(shape: tuple[int, ...], dtype: Any, rng: Rng) -> Array:
    """An uninitialised array of the kind that `rng` makes; `dtype` is a NumPy one."""
    if is_torch(rng):
        torch = sys.modules["torch"]
        kind = getattr(torch, np.dtype(dtype).name)
        return torch.empty(shape, dtype=kind, device=rng.device)
    return np.empty(shape, dtype)


def random_integers(high: int, shape: tuple[int, ...], rng: Rng) -> Array:
    """Uniform integers `0 … high-1`."""
    if is_torch(rng):
        torch = sys.modules["torch"]
        return torch.randint(high, shape, generator=rng, device=rng.device)
    return rng.integers(high, size=shape)


def random_uniforms(shape: tuple[int, ...], rng: Rng) -> Array:
    """Uniform float32 in `[0, 1)`."""
    if is_torch(rng):
        torch = sys.modules["torch"]
        return torch.rand(shape, generator=rng, device=rng.device)
    return rng.random(size=shape, dtype=np.float32)
