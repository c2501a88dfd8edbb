"""Runs in the environment of `cayleypy`: beam search by Hamming distance; it ships no cube model.

Its generators turn a layer about the axis of a face: `f2`, the last layer seen from the front,
turns as B' does. The states are made by the same scrambles as everybody's.
"""

import json
import sys
import time

import torch
from cayleypy import CayleyGraph, Predictor, Puzzles

OURS = {"f0": "F", "f2": "B'", "r0": "R", "r2": "L'", "d0": "D", "d2": "U'"}


def inverse(move):
    return move[:-1] if move.endswith("'") else move + "'"


with open(sys.argv[1]) as file:
    question = json.load(file)
started = time.perf_counter()
definition = Puzzles.rubik_cube(3, metric="QTM")
graph = CayleyGraph(definition, device="cpu")
predictor = Predictor(graph, "hamming")
names = [
    inverse(OURS[name[:-1]]) if name.endswith("'") else OURS[name]
    for name in definition.generator_names
]
home = torch.tensor(definition.central_state)
with open(sys.argv[2], "a", buffering=1) as out:
    out.write(json.dumps({"load": time.perf_counter() - started}) + "\n")
    for job in question["jobs"]:
        state = graph.apply_path(home, [names.index(move) for move in job["scramble"]])
        started = time.perf_counter()
        found = graph.beam_search(
            start_state=state,
            beam_width=question["width"],
            max_steps=question["steps"],
            predictor=predictor,
            return_path=True,
        )
        seconds = time.perf_counter() - started
        moves = [names[number] for number in found.path] if found.path_found else None
        out.write(json.dumps({"index": job["index"], "moves": moves, "seconds": seconds}) + "\n")
