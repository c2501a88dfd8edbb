"""How wide a beam may be to end with its time."""

from __future__ import annotations

import time

_KEPT = 0.5
"""How much of what was measured still counts when another level has been timed."""


class Pace:
    """How wide the next level of a beam may be, so that the beam lasts until `until`.

    Narrow beams say little about the speed of wide ones, and machines have other work too: so each
    level is timed, and the next one is as wide as the time that is left allows. To begin with, a
    level of `width` states is reckoned to take `seconds`. `until` is a time of `time.perf_counter`.
    """

    def __init__(self, until: float, width: int, seconds: float) -> None:
        self.until = until
        self._states, self._seconds = float(width), seconds
        """What the last levels expanded, and how long that took."""
        self._last: tuple[float, int] | None = None
        """When the last level was begun, and how many states it expands."""

    def width(self, states: int, levels: int) -> int:
        """The width for the next level, which expands `states`, one of `levels` to come."""
        now = time.perf_counter()
        if self._last is not None:
            began, expanded = self._last
            self._states = _KEPT * self._states + expanded
            self._seconds = _KEPT * self._seconds + now - began
        self._last = now, states
        each = self._seconds / self._states
        return max(1, int((self.until - now) / (each * max(levels, 1))))
