"""Numbers for states: every reachable state of a puzzle has its own, and there are no others."""

from homeward.puzzles.ranking.base import LIMIT, UNKNOWN, Ranking, flood
from homeward.puzzles.ranking.choose import count_states, ranking, why_no_ranking

__all__ = ["LIMIT", "UNKNOWN", "Ranking", "count_states", "flood", "ranking", "why_no_ranking"]
