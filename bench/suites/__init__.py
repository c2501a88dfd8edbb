"""Suites as data: a TOML file says what is run, one mechanism runs it and writes raw JSON."""
