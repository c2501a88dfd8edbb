"""Features of cubes, and what a small net learns from them."""

from homeward.heuristics.cube.features.stickers import STICKERS, StickerHeuristic
from homeward.heuristics.cube.features.vector import COUNT, DATABASES, CubeFeatures, features

__all__ = ["COUNT", "DATABASES", "STICKERS", "CubeFeatures", "StickerHeuristic", "features"]
