"""Work shared among threads whose compiled loops let go of the interpreter."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sized
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Part = TypeVar("Part")

_LOOK = 0.05
"""Seconds between two looks at whether to go on."""


def cores() -> int:
    """How many threads can run at once: the cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class Crew:
    """Threads that take parts of a job one after the other.

    `stop` is an array of one byte. Compiled loops look at it often and end when it is not 0.
    """

    def __init__(self, threads: int = 0) -> None:
        """`threads` is how many work at once, 0 for one on each core."""
        self.threads = threads or cores()
        self.stop: NDArray[np.uint8] = np.zeros(1, np.uint8)

    def run(
        self,
        parts: Iterable[Part],
        work: Callable[[Part, int], object],
        check: Callable[[], object],
    ) -> None:
        """Calls `work` with each part and the number of the thread that does it.

        Returns when all are done, or when `work` sets `stop`.
        `check` is called about 20 times a second by the calling thread. If it raises, or if a part
        does, everything stops and the exception goes on.
        """
        self.stop[0] = 0
        left = iter(parts)
        taking = threading.Lock()
        errors: list[BaseException] = []

        def labour(hand: int) -> None:
            try:
                while not self.stop[0]:
                    with taking:
                        part = next(left, _NOTHING)
                    if part is _NOTHING:
                        return
                    work(part, hand)  # type: ignore[arg-type]
            except BaseException as error:
                errors.append(error)
                self.stop[0] = 1

        count = min(self.threads, len(parts)) if isinstance(parts, Sized) else self.threads
        hands = [threading.Thread(target=labour, args=(i,), daemon=True) for i in range(count)]
        for hand in hands:
            hand.start()
        try:
            for hand in hands:
                while hand.is_alive():
                    hand.join(_LOOK)
                    check()
        finally:
            if any(hand.is_alive() for hand in hands):
                self.stop[0] = 1
            for hand in hands:
                hand.join()
        if errors:
            raise errors[0]


_NOTHING = object()
