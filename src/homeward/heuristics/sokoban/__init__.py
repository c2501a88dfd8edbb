"""How far from home is a Sokoban board? Pushes that a matching of boxes and targets needs."""
