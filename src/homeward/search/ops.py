"""The few array operations of a search that NumPy and torch spell differently."""

from __future__ import annotations

import numpy as np

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


def ordered(keys: Array) -> Array:
    """`[n]`: the keys in rising order."""
    return namespace(keys).sort(keys).values if is_torch(keys) else np.sort(keys)


def contains(known: Array, keys: Array) -> Array:
    """`[n]` bool: which of `keys` `[n]` are among `known` `[m]`, which is in rising order."""
    xp = namespace(keys)
    at = xp.searchsorted(known, keys)
    return known[xp.where(at < len(known), at, 0)] == keys


def any_true(*masks: Array) -> list[bool]:
    """For each mask whether some entry is True; waits for a GPU, once for all of them."""
    found = [mask.any() for mask in masks]
    answers = namespace(found[0]).stack(found).tolist()
    return [bool(answer) for answer in answers]
