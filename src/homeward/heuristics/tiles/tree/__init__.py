"""Depth-first search of sliding boards, cut off by their estimates."""

from homeward.heuristics.tiles.tree.boardtree import BoardTree

__all__ = ["BoardTree"]
