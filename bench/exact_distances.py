"""Cubes with exact distances, for `homeward train cube3 --method supervised --set source=file`.

    PYTHONPATH=src python3 bench/exact_distances.py walk --walks N --out walked.npz
        [--farthest 20] [--longest 26] [--minutes M] [--seed N]
    PYTHONPATH=src python3 bench/exact_distances.py spread walked.npz … --out examples.npz
        [--each 10000] [--most 24] [--seed N]

`walk` makes random walks from the solved cube that never lose the distance. In quarter turns a
neighbour of a cube at distance d is at distance d-1 or d+1, and one search of d-1 moves with the
big table tells which. So a cube at distance 20 costs a search of 18 moves, a second or so, where
solving a random cube with proof takes minutes. The file is written every minute.

`spread` lists those cubes with some of those that are as far from home: images by the 48 symmetries
of the cube, and their inverses. Pattern databases do not look at all of them in the same way, so
each is one more thing to learn from. It takes as many images as make about `--each` cubes of every
distance, but at most `--most` of one cube: some features are the same for all.

Both files are like the public sets: `states`, and distances in `optimal_length`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.cube.bigtable import BigTable
from homeward.notation.archives import load_set
from homeward.notation.facelets import to_numbering
from homeward.puzzles import puzzle
from homeward.puzzles.cube import Cube
from homeward.search.base import Budget, Meter
from homeward.search.idastar import deepen

_KEEP_EVERY = 60.0


def cube3() -> Cube:
    """The cube in quarter turns."""
    found = puzzle("cube3")
    assert isinstance(found, Cube)
    return found


def keep(path: Path, states: NDArray[Any], distances: list[int]) -> None:
    """Writes cubes `[n, 54]` and their distances as the public sets are written."""
    lengths = np.array(distances, np.int8)
    np.savez_compressed(path, states=to_numbering(states), optimal_length=lengths)


# --- walk


def is_nearer(table: BigTable, state: NDArray[Any], distance: int, threads: int) -> bool:
    """Whether a neighbour of a cube at a distance is nearer to home than that."""
    meter = Meter(Budget())
    meter.progress.lower_bound = distance - 1
    return deepen(table.tree(state), meter, threads, shorter_than=distance + 1) is not None


def walk(args: argparse.Namespace) -> None:
    """Walks until there are enough, or the time is over."""
    cube = cube3()
    table = BigTable(cube)
    states, distances = [cube.goal], [0]
    began = kept = time.perf_counter()
    for number in range(args.walks):
        rng = np.random.default_rng([args.seed, number])
        state, distance, last = cube.goal, 0, -1
        for _ in range(args.longest):
            move = int(rng.choice([m for m in range(cube.moves) if m != last]))
            state, last = cube.apply(state, [move]), int(cube.inverses[move])
            nearer = distance > 0 and is_nearer(table, state, distance, args.threads)
            distance += -1 if nearer else 1
            states.append(state)
            distances.append(distance)
            if distance == args.farthest:
                break
        now = time.perf_counter()
        if now - kept > _KEEP_EVERY:
            kept = now
            keep(args.out, np.array(states), distances)
            print(f"{now - began:.0f} s: {number + 1} walks", flush=True)
        if now - began > 60 * args.minutes:
            break
    keep(args.out, np.array(states), distances)
    print(f"{len(states)} cubes; by distance: {np.bincount(distances).tolist()}")


# --- spread


def images(
    cube: Cube, states: NDArray[Any], wanted: int, most: int, rng: np.random.Generator
) -> NDArray[Any]:
    """`[about wanted, 54]`: cubes as far from home as states `[n, 54]`, these among them."""
    symmetries, both = cube.symmetries(), (states, cube.inverted(states))
    count = int(np.clip(-(-wanted // len(states)), 1, most))
    chosen = rng.choice(2 * len(symmetries), size=count, replace=False)
    others = [symmetries[i // 2].image(both[i % 2]) for i in chosen]
    return np.unique(np.concatenate([states, *others]), axis=0)


def spread(args: argparse.Namespace) -> None:
    """Lists every cube on the way with some that are as far from home."""
    cube, rng = cube3(), np.random.default_rng(args.seed)
    by_distance: dict[int, list[NDArray[Any]]] = {}
    for path in args.walked:
        known = load_set(path, cube)
        assert known.optimal_length is not None
        for state, distance in zip(known.states, known.optimal_length.tolist(), strict=True):
            by_distance.setdefault(distance, []).append(state)
    spreads = {
        distance: images(cube, np.unique(states, axis=0), args.each, args.most, rng)
        for distance, states in sorted(by_distance.items())
    }
    listed = np.concatenate(list(spreads.values()))
    distances = np.repeat(list(spreads), [len(states) for states in spreads.values()])
    keep(args.out, listed, distances.tolist())
    print(f"{len(listed)} cubes; by distance: {np.bincount(distances).tolist()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("walk", help="walk with exact distances")
    one.add_argument("--walks", type=int, default=1000)
    one.add_argument("--farthest", type=int, default=20, help="where walks end")
    one.add_argument("--longest", type=int, default=26, help="most moves of a walk")
    one.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    one.add_argument("--threads", type=int, default=0)
    one.set_defaults(run=walk)
    other = commands.add_parser("spread", help="list all cubes on the way, and their like")
    other.add_argument("walked", type=Path, nargs="+")
    other.add_argument("--each", type=int, default=10_000, help="cubes of each distance")
    other.add_argument("--most", type=int, default=24, help="images of one cube, up to 96")
    other.set_defaults(run=spread)
    for each in (one, other):
        each.add_argument("--seed", type=int, default=0)
        each.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
