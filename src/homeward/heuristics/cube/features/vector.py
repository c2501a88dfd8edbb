"""The 22 features of the heuristic-learning paper (Brunetto and Trunda, 2017), for `cube3`.

In this order: the eight pattern databases (corners, seven sets of six edges), the five sticker
heuristics, the numbers of corners that are 0, 1, 2 and 3 edges of the cube from home, and the
numbers of edges that are at home, next to it on a face, across a face, askew and opposite.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.heuristics.cube.features import stickers
from homeward.heuristics.cube.korf import pattern_set
from homeward.heuristics.cube.pieces import KINDS
from homeward.heuristics.patterns import PatternMax
from homeward.puzzles import arrays, registry
from homeward.puzzles.arrays import Array
from homeward.puzzles.cube import FACES, Cube, normal
from homeward.puzzles.cube_pieces import Kind

DATABASES = 8
COUNT = 22
INPUT = "cube-features"
"""What the card of a model that reads these features says of its input."""


class CubeFeatures:
    """The features of `cube3` states, `[B, 54]` to float32 `[B, 22]`.

    The databases are made when they are first asked for, which takes seconds.
    """

    def __init__(self) -> None:
        cube = registry.puzzle("cube3")
        assert isinstance(cube, Cube)
        self.databases: PatternMax = pattern_set(cube, "eight")
        self._counting = stickers.counting(cube)
        self._kinds = [(kind.cells, _pieces(kind), _relations(kind)) for kind in KINDS]

    def __call__(self, states: NDArray[Any]) -> NDArray[np.float32]:
        from homeward.heuristics.cube.features.kernels import count_relations

        rows = np.ascontiguousarray(states)
        columns = [database.values(rows)[:, None] for database in self.databases.heuristics]
        columns.append(stickers.count(self._counting, rows))
        for cells, pieces, relations in self._kinds:
            found = np.zeros((len(rows), int(relations.max()) + 1), np.float32)
            count_relations(rows, cells, pieces, relations, found)
            columns.append(found)
        return np.hstack(columns)


@lru_cache(maxsize=1)
def cube_features() -> CubeFeatures:
    """The features with their databases, made once."""
    return CubeFeatures()


def features(states: Array) -> Array:
    """`[B, 22]` float32: the features of states `[B, 54]`, tensors for tensors.

    For training: `--set features=homeward.heuristics.cube.features:features`.
    """
    found = cube_features()(arrays.to_numpy(states))
    if not arrays.is_torch(states):
        return found
    return arrays.namespace(states).as_tensor(found, device=states.device)


features.input = INPUT  # type: ignore[attr-defined]


def _pieces(kind: Kind) -> NDArray[np.int64]:
    """`[6^stickers]`: the piece that shows these colours, read as a number in base 6."""
    found = np.zeros((6,) * kind.cells.shape[1], np.int64)
    for shown, (piece, _) in kind.looks.items():
        found[shown] = piece
    return found.ravel()


def _relations(kind: Kind) -> NDArray[np.int64]:
    """`[places, places]`: how two places of a kind lie to each other, the same place first."""
    middle = np.array([sum(normal(FACES[face]) for face in row) for row in kind.faces])
    squares = ((middle[:, None] - middle) ** 2).sum(-1)
    relations: NDArray[np.int64] = np.searchsorted(np.unique(squares), squares)
    return relations
