"""Compiled loops on all cores, one at a time.

numba has several thread pools, and the one it falls back to where OpenMP is missing ends the whole
process when two Python threads enter it at once. Whoever runs a parallel loop holds `ALL_CORES`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec

from homeward.compiling import njit

P = ParamSpec("P")

ALL_CORES = threading.Lock()


def on_all_cores(function: Callable[P, None]) -> Callable[P, None]:
    """Compiles a function whose `prange` loops run on all cores; a second caller waits."""
    compiled: Callable[P, None] = njit(cache=True, parallel=True, nogil=True)(function)

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with ALL_CORES:
            compiled(*args, **kwargs)

    return run
