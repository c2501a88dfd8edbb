"""How wide a beam may be to end with its time."""

from __future__ import annotations

import time

_KEPT = 0.5
"""How much of what was measured still counts when another level has been timed."""


class Pace:
    """How wide the next level of a beam may be, so that the beam lasts until `until`.

    Narrow beams say little about the speed of wide ones, and machines have other work too: so each
    level that is at least half full is timed, and the next one is as wide as the time that is left
    allows. To begin with, a level of `width` states is reckoned to take `seconds`. `until` is a
    time of `time.perf_counter`.
    """

    def __init__(self, until: float, width: int, seconds: float) -> None:
        self.until = until
        self._states, self._seconds = float(width), seconds
        """What the last levels expanded, and how long that took."""
        self._last: tuple[float, int] | None = None
        """When the last level was begun, and how many states it expands, if it is to be timed."""

    def width(self, states: int, levels: int) -> int:
        """The width for the next level, which expands `states`, one of `levels` to come."""
        now = time.perf_counter()
        if self._last is not None:
            began, expanded = self._last
            self._states = _KEPT * self._states + expanded
            self._seconds = _KEPT * self._seconds + now - began
        each = self._seconds / self._states
        # Half a level more: one that outlasts the time would be given up.
        width = max(1, int((self.until - now) / (each * (max(levels, 1) + 0.5))))
        self._last = (now, states) if 2 * states >= width else None
        return width
