"""A* on Sokoban levels."""
