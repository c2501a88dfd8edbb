"""How far is home? Tables, nets and hand-made estimates."""

from homeward.heuristics.loading import load

__all__ = ["load"]
