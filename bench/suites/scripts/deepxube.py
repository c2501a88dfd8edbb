"""Runs in the environment of `deepxube`: its A* with the all-zero heuristic; it ships no model."""

import argparse
import json
import pickle
import shutil
import sys
import time

from deepxube._solve import parse_solve, solve_cli
from deepxube.domains.cube3 import Cube3, Cube3Action

with open(sys.argv[1]) as file:
    question = json.load(file)
started = time.perf_counter()
domain = Cube3()
names = [name[0] + ("'" if name.endswith("-1") else "") for name in domain.atomic_actions]
states, goals = [], []
for job in question["jobs"]:
    homes, home_goals = domain.sample_goalstate_goal_pairs(1)
    state = homes[0]
    for move in job["scramble"]:
        state = domain.next_state([state], [Cube3Action(names.index(move))])[0][0]
    states.append(state)
    goals.append(home_goals[0])
with open("problems.pkl", "wb") as file:
    pickle.dump({"states": states, "goals": goals}, file)
shutil.rmtree("results", ignore_errors=True)
parser = argparse.ArgumentParser()
parse_solve(parser)
asked = "--domain cube3 --heur_type V --file problems.pkl --results results --redo"
asked += f" --pathfind {question['pathfind']} --time_limit {question['seconds']}"
loaded = time.perf_counter() - started
terminal = sys.stdout
solve_cli(parser.parse_args(asked.split()))
sys.stdout = terminal
with open("results/results.pkl", "rb") as file:
    results = pickle.load(file)
with open(sys.argv[2], "a", buffering=1) as out:
    out.write(json.dumps({"load": loaded}) + "\n")
    for i, job in enumerate(question["jobs"]):
        moves = None
        if results["solved"][i]:
            moves = [names[action.action] for action in results["actions"][i]]
        line = {"index": job["index"], "moves": moves, "seconds": results["times"][i]}
        out.write(json.dumps(line) + "\n")
