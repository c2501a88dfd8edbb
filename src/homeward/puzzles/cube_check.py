"""Can this cube be solved? Every reason why not, with the piece and how to mend it.

Moves keep three things: the sum of the corners' twists, the sum of the edges' flips, and whether
corners and edges are exchanged an even number of times in all. Which of them bind depends on the
size:

- 2×2×2: twist alone; any arrangement of the corners can be reached.
- 3×3×3 and larger odd cubes: all three, for the corners and the middle edges.
- 4×4×4 and larger even cubes: twist alone. There are no middle edges, wings can be arranged in any
  way but never flipped in place, and centres of one colour look alike, which hides their parity.

`with_goal` takes only goals that this check passes, and those are reached from the solved cube: so
a state can reach any such goal exactly when it can reach the solved cube.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homeward.puzzles import cube_pieces
from homeward.puzzles.base import Puzzle
from homeward.puzzles.cube import FACES, Cube
from homeward.puzzles.cube_pieces import Kind
from homeward.puzzles.status import Problem, Status, times


def cube_problems(cube: Cube, state: NDArray[Any]) -> list[Problem]:
    """Everything that keeps one state `[6N²]` from being solved; empty if nothing does."""
    found = Puzzle.problems(cube, state)
    if found:
        return found
    found += _counts(cube, state)
    upright = cube_pieces.upright(cube, state)
    if upright is not None and not np.array_equal(upright, state):
        found.append(_turned(cube))
        state = upright  # so that the rest speaks of the cube as it will be held
    elif cube.size % 2:
        found += _fixed_centres(cube, state)
    found += _moving_centres(cube, state)
    corners = _read(cube_pieces.corners(cube.size), state)
    found += corners.problems()
    found += _twist(corners)
    for kind in cube_pieces.wings(cube.size):
        found += _read(kind, state).problems()
    if cube.size % 2:
        edges = _read(cube_pieces.edges(cube.size), state)
        found += edges.problems()
        found += _flip(edges)
        found += _parity(edges, corners)
    return found


# --- stickers


def _counts(cube: Cube, state: NDArray[Any]) -> Iterator[Problem]:
    want = cube.size**2
    for colour, have in enumerate(np.bincount(state.astype(np.int64), minlength=6)):
        if have != want:
            face = FACES[colour]
            text = f"colour {face} appears {times(have)} and should appear {want} times"
            yield Problem(Status.COLOUR_COUNT, text, face)


def _turned(cube: Cube) -> Problem:
    if cube.held:
        text = (
            "the corner DBL is the one that is held: turn the whole cube until it is at the "
            "bottom, back and left with its D sticker below"
        )
        return Problem(Status.UNREACHABLE, text, "DBL")
    text = "the whole cube is turned: hold it with the U centre on top and the F centre in front"
    return Problem(Status.CENTRES, text, "U F")


def _fixed_centres(cube: Cube, state: NDArray[Any]) -> Iterator[Problem]:
    for face, colour in zip(FACES, state[cube_pieces.fixed_centres(cube.size)], strict=True):
        if FACES[colour] != face:
            text = f"the centre of face {face} shows {FACES[colour]} and never moves"
            yield Problem(Status.CENTRES, f"{text}: it must show {face}", face)


def _moving_centres(cube: Cube, state: NDArray[Any]) -> Iterator[Problem]:
    for cells in cube_pieces.centre_orbits(cube.size):
        row, column = divmod(int(cells[0]), cube.size)
        spot = f"row {row + 1}, column {column + 1}"
        for colour, have in enumerate(np.bincount(state[cells], minlength=6)):
            if have != 4:
                text = (
                    f"of the 24 centres that turns bring to {spot} of a face, {have} "
                    f"{'is' if have == 1 else 'are'} {FACES[colour]} and 4 should be"
                )
                yield Problem(Status.CENTRES, text, f"{FACES[colour]} {spot}")


# --- pieces


@dataclass(frozen=True)
class _Placement:
    """Which piece stands in each place, and how it is turned.

    `pieces` is `[places]`, -1 where the colours are no piece; `turns` is `[places]`: how many
    stickers clockwise of the first the piece's own first sticker is. `colours` is
    `[places, stickers]`.
    """

    kind: Kind
    pieces: NDArray[np.int64]
    turns: NDArray[np.int64]
    colours: NDArray[np.int64]

    @property
    def complete(self) -> bool:
        """Whether every piece is there once."""
        return np.array_equal(np.sort(self.pieces), np.arange(len(self.pieces)))

    def problems(self) -> Iterator[Problem]:
        """Pieces that cannot be, those there more than once, and those not there at all."""
        word, names = self.kind.word, self.kind.names
        for place in np.flatnonzero(self.pieces < 0):
            shown = [FACES[c] for c in self.colours[place]]
            text = f"the {word} at {names[place]} shows {_joined(shown)}, but {_why(shown)}"
            yield Problem(Status.IMPOSSIBLE_PIECE, text, names[place])
        counts = np.bincount(self.pieces[self.pieces >= 0], minlength=len(names))
        for piece in np.flatnonzero(counts > 1):
            places = [names[p] for p in np.flatnonzero(self.pieces == piece)]
            text = f"the {word} {names[piece]} appears {times(counts[piece])}, at "
            text += _joined(places) + self._flipped_wing(int(piece), counts)
            yield Problem(Status.DUPLICATE_PIECE, text, " ".join(places))
        for piece in np.flatnonzero(counts == 0):
            text = f"the {word} {names[piece]} is missing"
            yield Problem(Status.DUPLICATE_PIECE, text, names[piece])

    def _flipped_wing(self, piece: int, counts: NDArray[np.int64]) -> str:
        """A hint where a wing was stickered the other way round."""
        faces = self.kind.faces
        other = np.flatnonzero((faces == faces[piece][::-1]).all(1))
        if self.kind.word != "wing" or counts[other[0]]:
            return ""
        return ": a wing cannot be flipped in its place, so exchange the two stickers of one"


def _read(kind: Kind, state: NDArray[Any]) -> _Placement:
    colours = state[kind.cells].astype(np.int64)
    found = [kind.looks.get(tuple(row), (-1, 0)) for row in colours.tolist()]
    pieces, turns = np.array(found).T
    return _Placement(kind, pieces, turns, colours)


def _why(shown: list[str]) -> str:
    """Why no piece shows these colours."""
    for colour in shown:
        if shown.count(colour) > 1:
            return "no piece has a colour twice"
    for colour, opposite in ("UD", "RL", "FB"):
        if colour in shown and opposite in shown:
            return f"{colour} and {opposite} are opposite faces and share no piece"
    return "clockwise they go the other way: exchange two of its stickers"


# --- what moves keep


def _twist(corners: _Placement) -> Iterator[Problem]:
    total = int(corners.turns.sum()) % 3
    if not corners.complete or total == 0:
        return
    names = corners.kind.names
    way, back = [("clockwise", "counter-clockwise"), ("counter-clockwise", "clockwise")][total - 1]
    at_home = np.flatnonzero((corners.pieces == np.arange(8)) & (corners.turns == total))
    if len(at_home):
        name = names[at_home[0]]
        text = f"the corner at {name} is twisted {way}: take it out and turn it {back}"
    else:
        name = names[np.flatnonzero(corners.turns)[0]]
        text = (
            f"all corners together are twisted a third of a turn {way}: take out one, "
            f"say the one at {name}, and turn it {back}"
        )
    yield Problem(Status.TWISTED_CORNER, text, name)


def _flip(edges: _Placement) -> Iterator[Problem]:
    if not edges.complete or edges.turns.sum() % 2 == 0:
        return
    word, names = edges.kind.word, edges.kind.names
    at_home = np.flatnonzero((edges.pieces == np.arange(12)) & (edges.turns == 1))
    if len(at_home):
        name = names[at_home[0]]
        text = f"the {word} at {name} is flipped: take it out and put it back the other way round"
    else:
        name = names[np.flatnonzero(edges.turns)[0]]
        text = (
            f"an odd number of {word}s is flipped: take out one, say the one at {name}, "
            "and put it back the other way round"
        )
    yield Problem(Status.FLIPPED_EDGE, text, name)


def _parity(edges: _Placement, corners: _Placement) -> Iterator[Problem]:
    if not (edges.complete and corners.complete):
        return
    if _odd(edges.pieces) == _odd(corners.pieces):
        return
    placement, one, other = _pair_to_swap(edges, corners)
    kind = placement.kind
    ways = [
        f"from {FACES[a]} to {FACES[b]}"
        for a, b in zip(kind.faces[one], kind.faces[other], strict=True)
    ]
    text = (
        "only an even number of exchanges can be undone by turning, and this cube has an odd "
        f"number: take out two pieces, say the {kind.word}s at {kind.names[one]} and "
        f"{kind.names[other]}, and put each in the other's place (the stickers of the first go "
        f"{_joined(ways)}, those of the second back)"
    )
    yield Problem(Status.SWAPPED_PIECES, text, f"{kind.names[one]} {kind.names[other]}")


def _pair_to_swap(edges: _Placement, corners: _Placement) -> tuple[_Placement, int, int]:
    """Two pieces in each other's place if there are such, or one to be put in its own."""
    homes = [(p, i, int(p.pieces[i])) for p in (edges, corners) for i in range(len(p.pieces))]
    away = [(p, place, home) for p, place, home in homes if place != home]
    exchanged = [(p, place, home) for p, place, home in away if p.pieces[home] == place]
    return (exchanged or away)[0]


def _odd(permutation: NDArray[np.int64]) -> bool:
    """Whether a permutation is an odd number of exchanges."""
    seen: set[int] = set()
    odd = False
    for start in range(len(permutation)):
        place = start
        while place not in seen:
            seen.add(place)
            place = int(permutation[place])
            odd ^= place != start
    return odd


# --- words


def _joined(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
