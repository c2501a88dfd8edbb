"""When a search found each of its solutions: the anytime curve of one instance."""

from __future__ import annotations

import time

from homeward.search.base import Progress


class Milestones(Progress):
    """A search's progress that notes the time whenever `best` is set.

    `steps` has (seconds, length), the seconds counted from the moment it was made.
    """

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._best: int | None = None
        self.steps: list[tuple[float, int]] = []
        super().__init__()

    @property
    def best(self) -> int | None:
        """The best length so far."""
        return self._best

    @best.setter
    def best(self, length: int | None) -> None:
        if length is not None and (self._best is None or length < self._best):
            self.steps.append((time.perf_counter() - self._started, length))
        self._best = length
