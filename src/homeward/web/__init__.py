"""The server and its page: puzzles to look at, turn, paint and have solved.

`app.py` has the addresses, `jobs.py` the queue and the worker processes, `worker.py` what runs in
each of them, `catalogue.py` what a request may name, `guard.py` what every request must pass.
`page/` holds the page: plain modules, nothing to build.
"""
