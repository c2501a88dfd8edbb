"""Pattern databases of permutation puzzles, made from a set of cells."""

from homeward.heuristics.patterns.database import MaxOf, PatternDatabase, SumOf
from homeward.heuristics.patterns.placements import MoveTables, Placements

__all__ = ["MaxOf", "MoveTables", "PatternDatabase", "Placements", "SumOf"]
