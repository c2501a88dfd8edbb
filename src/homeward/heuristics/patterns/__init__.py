"""Pattern databases of permutation puzzles, made from a set of cells."""

from homeward.heuristics.patterns.database import MaxOf, PatternDatabase, SumOf
from homeward.heuristics.patterns.placements import MoveTables, Placements
from homeward.heuristics.patterns.tree import PatternMax, PatternTree

__all__ = [
    "MaxOf",
    "MoveTables",
    "PatternDatabase",
    "PatternMax",
    "PatternTree",
    "Placements",
    "SumOf",
]
