"""The server and its page: puzzles to look at, turn, paint and have solved.

`app.py` has the addresses, `schemas.py` what goes to and fro, `jobs.py` the queue, `process.py` a
worker as the server holds it, `worker.py` what runs in it, `catalogue.py` what a request may name,
`guard.py` what every request must pass, `server.py` the beginning and the end. `page/` holds the
page: plain modules, nothing to build.
"""
