"""Numbers for states: every reachable state of a puzzle has its own, and there are no others."""

from homeward.puzzles.ranking.base import LIMIT, UNKNOWN, Ranking, flood
from homeward.puzzles.ranking.choose import ranking

__all__ = ["LIMIT", "UNKNOWN", "Ranking", "flood", "ranking"]
