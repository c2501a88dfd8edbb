"""How far from home is a sliding board? Hand-made estimates and additive pattern databases."""
