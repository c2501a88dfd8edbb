"""The few array operations of a search that NumPy and torch spell differently."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles.arrays import Array, is_torch, namespace


def smallest(scores: Array, k: int) -> Array:
    """`[k]`: indices of the k smallest of `scores` `[n]`, in no particular order."""
    if k >= len(scores):
        return namespace(scores).argsort(scores)
    if is_torch(scores):
        return scores.topk(k, largest=False, sorted=False).indices
    return np.argpartition(scores, k)[:k]


def first_of_each(keys: Array) -> Array:
    """`[n]` bool: one position for each different key of `keys` `[n]`."""
    xp = namespace(keys)
    order = xp.argsort(keys)
    ordered = keys[order]
    first = xp.ones_like(keys, dtype=xp.bool if xp is not np else bool)
    first[order[1:]] = ordered[1:] != ordered[:-1]
    return first


def narrow(numbers: Array) -> Array:
    """The same numbers in 32 bits, to be kept."""
    return numbers.int() if is_torch(numbers) else numbers.astype(np.int32)


def merged(known: Array, keys: Array) -> Array:
    """`[m + n]`: `known` `[m]`, which is in rising order, and `keys` `[n]` together in order."""
    both = namespace(keys).concatenate([known, keys])
    if is_torch(both):
        return both.sort().values
    both.sort(kind="stable")  # makes use of what is in order already
    return both


def contains(known: Array, keys: Array) -> Array:
    """`[n]` bool: which of `keys` `[n]` are among `known` `[m]`, which is in rising order."""
    xp = namespace(keys)
    at = xp.searchsorted(known, keys)
    return known[xp.where(at < len(known), at, 0)] == keys


def count_each(*masks: Array) -> Array:
    """`[n]`: for each of n masks how many entries are True."""
    found = [mask.sum() for mask in masks]
    return namespace(found[0]).stack(found)


def lower(values: Array, at: Array, to: Array) -> None:
    """Makes each entry `at` `[n]` of `values` `[m]` the least of itself and its numbers `to` `[n]`.

    >>> values = np.array([5, 5, 5])
    >>> lower(values, np.array([0, 2, 0, 2]), np.array([4, 7, 3, 9]))
    >>> values
    array([3, 5, 5])
    """
    if is_torch(values):
        values.scatter_reduce_(0, at, to, "amin")
    else:
        np.minimum.at(values, at, to)


def put(values: Array, at: Array, to: Array) -> None:
    """Makes each entry `at` `[n]` of `values` `[m]` one of its numbers `to` `[n]`.

    The last one, but with torch the least: on a GPU the last would be a matter of chance.
    """
    if is_torch(values):
        values.scatter_reduce_(0, at, to, "amin", include_self=False)
    else:
        values[at] = to


def counts_up_to(ordered: Array, bounds: Array) -> list[int]:
    """How many of `ordered` `[n]`, in rising order, are no larger than each of `bounds` `[m]`."""
    found: list[int] = namespace(ordered).searchsorted(ordered, bounds, side="right").tolist()
    return found


def order_smallest(values: Array, n: int) -> None:
    """Reorders `values` `[m]` in place so that the `n` smallest come first, in rising order."""
    if is_torch(values):
        values.copy_(values.sort().values)
        return
    if n < len(values):
        values.partition(n)
    values[:n].sort()


def ordering_bytes(n: int, like: Array) -> int:
    """Bytes that `order_smallest` needs besides `n` values of 8 bytes each."""
    return 24 * n if is_torch(like) else 0


def as_float32(x: Array) -> Array:
    """`x` as 32-bit floating point numbers."""
    return x.float() if is_torch(x) else x.astype(np.float32)


def on_cpu(x: Array) -> NDArray[Any]:
    """`x` as a NumPy array."""
    found: NDArray[Any] = x.cpu().numpy() if is_torch(x) else np.asarray(x)
    return found


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that the memory of this machine or of a GPU is used up."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
