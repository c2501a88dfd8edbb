"""The few array operations of a search that NumPy and torch spell differently."""

from __future__ import annotations

from collections.abc import Sequence
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


def ordered(keys: Array) -> Array:
    """`[n]`: the keys in rising order."""
    return namespace(keys).sort(keys).values if is_torch(keys) else np.sort(keys)


def contains(known: Array, keys: Array) -> Array:
    """`[n]` bool: which of `keys` `[n]` are among `known` `[m]`, which is in rising order."""
    xp = namespace(keys)
    at = xp.searchsorted(known, keys)
    return known[xp.where(at < len(known), at, 0)] == keys


def any_each(*masks: Array) -> Array:
    """`[n]` bool: for each of n masks whether some entry is True."""
    found = [mask.any() for mask in masks]
    return namespace(found[0]).stack(found)


def least_of_each(keys: Array, values: Array) -> Array:
    """`[n]` bool: for each different key of `keys` `[n]` the position of its smallest value.

    Both are whole numbers from 0 on, values below 2³¹; of equals the first counts.
    """
    xp = namespace(keys)
    order = xp.argsort((keys << 31) + values, stable=True)
    sorted_keys = keys[order]
    least = xp.ones_like(keys, dtype=xp.bool if xp is not np else bool)
    least[order[1:]] = sorted_keys[1:] != sorted_keys[:-1]
    return least


def counts_up_to(ordered: Array, bounds: Sequence[int]) -> list[int]:
    """How many of `ordered` `[n]`, in rising order, are no larger than each bound."""
    if not is_torch(ordered):
        found: list[int] = np.searchsorted(ordered, bounds, side="right").tolist()
        return found
    xp = namespace(ordered)
    wanted = xp.tensor(bounds, device=ordered.device)
    return [int(n) for n in xp.searchsorted(ordered, wanted, side="right").tolist()]


def partition(values: Array, n: int) -> None:
    """Reorders `values` `[m]` in place so that the `n` smallest, `n` < m, come first."""
    if is_torch(values):
        values.copy_(values.sort().values)
    else:
        values.partition(n)


def partition_bytes(values: Array) -> int:
    """Bytes that `partition` needs besides `values` `[m]` of 8 bytes each."""
    return 24 * len(values) if is_torch(values) else 0


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
