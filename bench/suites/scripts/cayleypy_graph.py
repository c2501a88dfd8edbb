"""Runs in the environment of `cayleypy`: the pancake graph, level by level."""

import json
import sys
import time

from cayleypy import CayleyGraph, PermutationGroups

with open(sys.argv[1]) as file:
    question = json.load(file)
CayleyGraph(PermutationGroups.pancake(6), device="cpu").bfs()
with open(sys.argv[2], "a", buffering=1) as out:
    graph = CayleyGraph(PermutationGroups.pancake(question["pancakes"]), device="cpu")
    started = time.perf_counter()
    counts = [int(n) for n in graph.bfs().layer_sizes]
    seconds = time.perf_counter() - started
    out.write(json.dumps({"counts": counts, "seconds": seconds}) + "\n")
