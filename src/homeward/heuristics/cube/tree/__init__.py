"""Depth-first search for the cube, cut off by the big table."""

from homeward.heuristics.cube.tree.cubetree import CubeTree

__all__ = ["CubeTree"]
