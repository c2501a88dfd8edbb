"""Depth-first search cut off by pattern databases, for any permutation puzzle."""

from homeward.heuristics.patterns.tree.patterntree import PatternMax, PatternTree

__all__ = ["PatternMax", "PatternTree"]
