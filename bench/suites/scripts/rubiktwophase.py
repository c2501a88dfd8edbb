"""Runs in the environment of `RubikTwoPhase`: the best solution of each cube in so many seconds."""

import json
import re
import sys
import time

started = time.perf_counter()
import twophase.solver as solver  # noqa: E402 - makes its tables, for half an hour the first time

with open(sys.argv[1]) as file:
    question = json.load(file)
TURNS = {"1": "", "2": "2", "3": "'"}
with open(sys.argv[2], "a", buffering=1) as out:
    out.write(json.dumps({"load": time.perf_counter() - started}) + "\n")
    for job in question["jobs"]:
        started = time.perf_counter()
        answer = solver.solve(job["state"], 0, question["seconds"])
        seconds = time.perf_counter() - started
        moves = [face + TURNS[turn] for face, turn in re.findall(r"\b([URFDLB])([123])\b", answer)]
        out.write(json.dumps({"index": job["index"], "moves": moves, "seconds": seconds}) + "\n")
