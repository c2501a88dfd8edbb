"""How an estimate becomes a path. Knows puzzles and heuristics by protocol only."""
