"""Orders of things as digits: digit i counts the later things that are smaller than thing i."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def digits_of(orders: NDArray[Any]) -> NDArray[np.int64]:
    """`[B, k]`: the digits of k things `[B, k]` in order, out of things numbered from 0.

    The k things may be the first of more; digit i lies below their number less i.

    >>> digits_of(np.array([[2, 0, 3, 1]])).tolist()
    [[2, 0, 1, 0]]
    """
    orders = np.asarray(orders)
    digits = orders.astype(np.int64)
    for i in range(orders.shape[1]):
        digits[:, i] -= (orders[:, :i] < orders[:, i, None]).sum(1)
    return digits


def orders_of(digits: NDArray[Any]) -> NDArray[np.int64]:
    """`[B, k]`: the things in the order that has these digits; undoes `digits_of`.

    >>> orders_of(np.array([[2, 0, 1, 0]])).tolist()
    [[2, 0, 3, 1]]
    """
    orders = np.array(digits, dtype=np.int64)
    for i in range(orders.shape[1] - 2, -1, -1):
        later = orders[:, i + 1 :]
        later += later >= orders[:, i, None]
    return orders


def pack(digits: NDArray[Any], radices: NDArray[Any]) -> NDArray[np.int64]:
    """`[B]`: digits `[B, k]`, each below its radix, as one number; the first counts most."""
    numbers = np.zeros(len(digits), np.int64)
    for column, radix in zip(np.asarray(digits).T, np.asarray(radices).tolist(), strict=True):
        numbers = numbers * radix + column
    return numbers


def unpack(numbers: NDArray[Any], radices: NDArray[Any]) -> NDArray[np.int64]:
    """`[B, k]`: the digits of numbers; undoes `pack`."""
    rest = np.asarray(numbers, dtype=np.int64)
    digits = np.empty((len(rest), len(radices)), np.int64)
    for i in range(len(radices) - 1, -1, -1):
        rest, digits[:, i] = np.divmod(rest, int(radices[i]))
    return digits
