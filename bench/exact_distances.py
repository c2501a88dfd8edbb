"""Cubes with exact distances, for `homeward train cube3 --method supervised --set source=file`.

    PYTHONPATH=src python3 bench/exact_distances.py solve --minutes M --out solved.npz
        [--shortest 10] [--longest 30] [--time S] [--seed N] [--model PATH]
    PYTHONPATH=src python3 bench/exact_distances.py spread solved.npz … --out examples.npz
        [--each 10000] [--seed N]

`solve` scrambles cubes by walks of random length and solves them with `optimal`, as the
heuristic-learning paper had Cube Explorer do. It keeps those that were proved within the time for
each, and writes the file every minute. The file is like the public sets: starts in `states` and
shortest solutions in `optimal_moves`, so every cube on the way has an exact distance too.

`spread` lists those cubes one by one, each with some of those that are as far from home: its images
by the 48 symmetries of the cube, and their inverses. Pattern databases do not look at all of them
in the same way, so each is one more thing to learn from. It takes as many images as make about
`--each` cubes of every distance.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward import solvers
from homeward.notation.archives import load_set
from homeward.notation.facelets import to_numbering
from homeward.puzzles import puzzle
from homeward.puzzles.cube import Cube
from homeward.search.base import Budget, Meter

_KEEP_EVERY = 60.0


def cube3() -> Cube:
    """The cube in quarter turns."""
    found = puzzle("cube3")
    assert isinstance(found, Cube)
    return found


# --- solve


def solve(args: argparse.Namespace) -> None:
    """Solves scrambles until the time is over."""
    cube, rng = cube3(), np.random.default_rng(args.seed)
    net = solvers.Net(args.model, args.device)
    prepared = solvers.prepare(cube, "optimal", {"threads": args.threads}, net=net)
    prepared.load(Meter(Budget()))
    starts: list[NDArray[Any]] = []
    solutions: list[tuple[int, ...]] = []
    tried, began, kept = 0, time.perf_counter(), time.perf_counter()
    while time.perf_counter() - began < 60 * args.minutes:
        length = int(rng.integers(args.shortest, args.longest + 1))
        start = cube.walks(1, length, rng).states[-1, 0]
        found = prepared.solve(start, Meter(Budget(seconds=args.time)))
        tried += 1
        if found.moves is not None and found.proof == "optimal":
            starts.append(start)
            solutions.append(found.moves)
        if time.perf_counter() - kept > _KEEP_EVERY:
            kept = time.perf_counter()
            keep(args.out, starts, solutions)
            print(f"{kept - began:.0f} s: {len(starts)} of {tried} solved", flush=True)
    keep(args.out, starts, solutions)
    lengths = np.bincount([len(moves) for moves in solutions])
    print(f"{len(starts)} of {tried} solved; by distance: {lengths.tolist()}")


def keep(path: Path, starts: list[NDArray[Any]], solutions: list[tuple[int, ...]]) -> None:
    """Writes solved cubes as the public sets are written."""
    longest = max((len(moves) for moves in solutions), default=0)
    padded = np.full((len(solutions), longest), -1, np.int8)
    for row, moves in zip(padded, solutions, strict=True):
        row[: len(moves)] = moves
    np.savez_compressed(
        path, states=to_numbering(np.array(starts, np.uint8).reshape(-1, 54)), optimal_moves=padded
    )


# --- spread


def on_the_way(cube: Cube, start: NDArray[Any], moves: list[int]) -> NDArray[Any]:
    """`[moves + 1, 54]`: the cubes from a start to the goal."""
    states = [start]
    for move in moves:
        states.append(cube.step(states[-1][None], np.array([move]))[0])
    return np.array(states)


def images(cube: Cube, states: NDArray[Any], wanted: int, rng: np.random.Generator) -> NDArray[Any]:
    """`[about wanted, 54]`: cubes as far from home as states `[n, 54]`, these among them."""
    symmetries, both = cube.symmetries(), (states, cube.inverted(states))
    count = int(np.clip(-(-wanted // len(states)), 1, 2 * len(symmetries)))
    chosen = rng.choice(2 * len(symmetries), size=count, replace=False)
    others = [symmetries[i // 2].image(both[i % 2]) for i in chosen]
    return np.unique(np.concatenate([states, *others]), axis=0)


def spread(args: argparse.Namespace) -> None:
    """Lists every cube on the way with some that are as far from home."""
    cube, rng = cube3(), np.random.default_rng(args.seed)
    by_distance: dict[int, list[NDArray[Any]]] = {}
    for path in args.solved:
        known = load_set(path, cube)
        assert known.optimal_moves is not None
        for start, moves in zip(known.states, known.optimal_moves, strict=True):
            for left, state in enumerate(reversed(on_the_way(cube, start, moves))):
                by_distance.setdefault(left, []).append(state)
    spreads = {
        distance: images(cube, np.unique(states, axis=0), args.each, rng)
        for distance, states in sorted(by_distance.items())
    }
    listed = np.concatenate(list(spreads.values()))
    distances = np.repeat(list(spreads), [len(states) for states in spreads.values()])
    np.savez_compressed(
        args.out, states=to_numbering(listed), optimal_length=distances.astype(np.int8)
    )
    print(f"{len(listed)} cubes; by distance: {np.bincount(distances).tolist()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("solve", help="solve scrambles, with proof")
    one.add_argument("--minutes", type=float, default=10)
    one.add_argument("--shortest", type=int, default=10, help="moves of the shortest scramble")
    one.add_argument("--longest", type=int, default=30, help="moves of the longest scramble")
    one.add_argument("--time", type=float, default=10, help="seconds for each")
    one.add_argument("--threads", type=int, default=0)
    one.add_argument("--model", help="the model for first solutions; the cube's own if not given")
    one.add_argument("--device", default="auto")
    one.set_defaults(run=solve)
    other = commands.add_parser("spread", help="list all cubes on the way, and their like")
    other.add_argument("solved", type=Path, nargs="+")
    other.add_argument("--each", type=int, default=10_000, help="cubes of each distance")
    other.set_defaults(run=spread)
    for each in (one, other):
        each.add_argument("--seed", type=int, default=0)
        each.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
