"""Compiled loops: numba's decorator, and how long it has been compiling in this process.

The first time on a machine, loops are compiled, which takes seconds; later they are read from a
cache. A budget is for searching, so it leaves this time out.
"""

from __future__ import annotations

import time

from numba import njit
from numba.core import event

__all__ = ["njit", "seconds"]


class _Clock(event.Listener):
    """Adds up the time of compilations. One may begin within another; numba makes them in turn."""

    def __init__(self) -> None:
        self._depth, self._began, self._passed = 0, 0.0, 0.0

    def on_start(self, event: event.Event) -> None:
        if self._depth == 0:
            self._began = time.perf_counter()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._passed += time.perf_counter() - self._began

    @property
    def seconds(self) -> float:
        running = time.perf_counter() - self._began if self._depth else 0.0
        return self._passed + running


_clock = _Clock()
event.register("numba:compile", _clock)  # type: ignore[no-untyped-call]


def seconds() -> float:
    """How long loops have been compiled in this process so far, the one at hand included."""
    return _clock.seconds
