"""Iterative deepening on sliding boards."""
