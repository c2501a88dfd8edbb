"""Numbers for states: every reachable state of a puzzle has its own, and there are no others."""

from homeward.puzzles.ranking.base import LIMIT, Distances, Ranking, flood, unknown, unreached
from homeward.puzzles.ranking.choose import count_states, ranking, why_no_ranking

__all__ = [
    "LIMIT",
    "Distances",
    "Ranking",
    "count_states",
    "flood",
    "ranking",
    "unknown",
    "unreached",
    "why_no_ranking",
]
