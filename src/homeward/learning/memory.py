"""Memory that is used up is said in a sentence."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from homeward.puzzles.status import PuzzleError

_SAID = re.compile("allocate|out of memory|enough memory|size.* overflowed|ALLOC_FAILED")
"""How torch's errors say it, which on a CPU have no class of their own."""


@contextlib.contextmanager
def enough_memory() -> Iterator[None]:
    """Raises `PuzzleError` where a training asks for more memory than there is."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not _SAID.search(str(error)):
            raise
        raise PuzzleError(
            "this training takes more memory than there is: "
            "a smaller batch, depth or net takes less"
        ) from error
