"""Suites, tables and figures: how good and how fast, against the papers and the peers."""
