"""Kociemba's two-phase search for the 3×3×3 cube."""

from homeward.search.twophase.search import TwoPhase

__all__ = ["TwoPhase"]
