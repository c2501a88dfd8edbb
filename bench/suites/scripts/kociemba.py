"""Runs in the environment of `kociemba`: the first solution of each cube, in half turns."""

import json
import sys
import time

import kociemba

with open(sys.argv[1]) as file:
    question = json.load(file)
with open(sys.argv[2], "a", buffering=1) as out:
    started = time.perf_counter()
    kociemba.solve(question["jobs"][0]["state"])  # reads its tables
    out.write(json.dumps({"load": time.perf_counter() - started}) + "\n")
    for job in question["jobs"]:
        started = time.perf_counter()
        moves = kociemba.solve(job["state"]).split()
        seconds = time.perf_counter() - started
        out.write(json.dumps({"index": job["index"], "moves": moves, "seconds": seconds}) + "\n")
