"""The public sets: every state reads in, every solution leads home, broken files say why."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward.notation.archives import InstanceSet, load_set
from homeward.notation.facelets import to_numbering
from homeward.puzzles import Puzzle, PuzzleError, puzzle

SETS = [
    # file, puzzle, states, mean optimal length, mean reference length
    ("cube3", "cube3", 400, 20.638, 21.273),
    ("cube3_antipodes", "cube3", 1, 26.0, None),
    ("puzzle15", "puzzle15", 200, 51.675, 51.675),
    ("puzzle15_korf100", "puzzle15", 40, 53.650, None),
    ("puzzle15_hard17", "puzzle15", 6, 80.0, None),
    ("puzzle24", "puzzle24", 198, 89.641, 89.652),
    ("puzzle35", "puzzle35", 200, None, 125.900),
    ("puzzle48", "puzzle48", 200, None, 255.505),
    ("lightsout7", "lightsout7", 200, 23.980, 23.980),
    ("sokoban", "sokoban", 400, 32.705, 33.377),
    ("sokoban_medium", "sokoban", 400, 50.028, None),
    ("sokoban_hard", "sokoban", 1332, 56.968, None),
]


def mean(lengths: Any) -> float | None:
    return None if lengths is None else float(lengths.mean())


def replayed(here: Puzzle, found: InstanceSet) -> Any:
    """`[n, cells]`: where the solutions lead, all states stepped at once."""
    assert found.optimal_moves is not None
    states = found.states
    for i in range(max(map(len, found.optimal_moves))):
        going = np.array([row for row, moves in enumerate(found.optimal_moves) if len(moves) > i])
        moves = np.array([found.optimal_moves[row][i] for row in going])
        legal = here.legal(states[going])[np.arange(len(going)), moves]
        assert legal.all()
        states = states.copy()
        states[going] = here.step(states[going], moves)
    return states


@pytest.mark.parametrize(("file", "name", "count", "optimal", "reference"), SETS)
def test_public_sets(
    data_dir: Path, file: str, name: str, count: int, optimal: Any, reference: Any
) -> None:
    here = puzzle(name)
    found = load_set(data_dir / f"{file}.npz", here)
    assert len(found) == count
    assert found.states.shape == (count, here.cells)
    assert found.states.dtype == here.dtype
    assert mean(found.optimal_length) == pytest.approx(optimal, abs=0.0006)
    assert mean(found.reference_length) == pytest.approx(reference, abs=0.0006)
    assert found.instance_index.tolist() == list(range(count))
    for state in found.states:
        assert here.problems(state) == []
    if optimal is None:
        assert found.optimal_moves is None
    else:
        assert found.optimal_moves is not None
        assert found.optimal_length is not None
        assert [len(moves) for moves in found.optimal_moves] == found.optimal_length.tolist()
        assert here.is_solved(replayed(here, found)).all()


def test_training_levels(data_dir: Path) -> None:
    here = puzzle("sokoban")
    found = load_set(data_dir / "sokoban_train.npz", here)
    assert len(found) == 300_000
    assert found.optimal_length is None
    assert found.optimal_moves is None
    for state in found.states[:1000]:
        assert here.problems(state) == []


def test_cube_numbers_come_back(data_dir: Path) -> None:
    found = load_set(data_dir / "cube3.npz", puzzle("cube3"))
    with np.load(data_dir / "cube3.npz") as file:
        assert np.array_equal(to_numbering(found.states), file["states"])


def test_other_moves_have_no_lengths(data_dir: Path) -> None:
    for file, name in (("cube3", "cube3-htm"), ("puzzle15", "coiled15")):
        found = load_set(data_dir / f"{file}.npz", puzzle(name))
        assert len(found) > 0
        assert (found.optimal_length, found.optimal_moves, found.reference_length) == (None,) * 3


# --- made up sets


def saved(folder: Path, **arrays: Any) -> Path:
    path = folder / "set.npz"
    np.savez(path, **arrays)
    return path


def boards(**changes: Any) -> dict[str, Any]:
    """A good set of two 8-puzzle boards, with changes."""
    arrays: dict[str, Any] = {
        "states": np.array([[1, 2, 3, 4, 5, 6, 7, 0, 8], [1, 2, 3, 4, 5, 0, 7, 8, 6]]),
        "optimal_length": np.array([1, 1]),
        "optimal_moves": np.array([[1, -1], [2, -1]]),
        "move_names": np.array(["R", "L", "U", "D"]),
        "solved": np.array([1, 2, 3, 4, 5, 6, 7, 8, 0]),
    }
    return {k: v for k, v in (arrays | changes).items() if v is not None}


@pytest.mark.parametrize("name", ["cube2", "cube3", "cube4"])
def test_cubes_may_come_as_colours(name: str, tmp_path: Path) -> None:
    cube = puzzle(name)
    states = cube.walks(5, 30, np.random.default_rng(1)).states[-1]
    found = load_set(saved(tmp_path, states=states, solved=cube.goal), cube)
    assert np.array_equal(found.states, states)
    with pytest.raises(PuzzleError, match="'states': "):  # neither colours nor sticker numbers
        load_set(saved(tmp_path, states=states + 3), cube)


def test_moves_go_by_name(tmp_path: Path) -> None:
    here = puzzle("puzzle8")
    found = load_set(saved(tmp_path, **boards()), here)
    assert found.optimal_moves == [[here.move_names.index("L")], [here.move_names.index("U")]]
    assert here.is_solved(replayed(here, found)).all()
    assert found.instance_index.tolist() == [0, 1]
    assert found.reference_length is None


def test_unknown_lengths(tmp_path: Path) -> None:
    some = saved(
        tmp_path,
        **boards(optimal_length=np.array([-1, 1]), optimal_moves=np.array([[-1], [2]])),
    )
    found = load_set(some, puzzle("puzzle8"))
    assert found.optimal_length is not None
    assert found.optimal_length.tolist() == [-1, 1]
    assert found.optimal_moves == [[], [0]]
    none = saved(tmp_path, **boards(optimal_length=np.array([-1, -1]), optimal_moves=None))
    assert load_set(none, puzzle("puzzle8")).optimal_length is None


def test_empty_set(tmp_path: Path) -> None:
    for name, shape in (("cube3", (0, 54)), ("sokoban", (0, 10, 10))):
        extra = {"cell_names": np.array(["floor"])} if name == "sokoban" else {}
        path = saved(tmp_path, states=np.zeros(shape, np.uint8), **extra)
        assert load_set(path, puzzle(name)).states.shape == (0, puzzle(name).cells)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": None}, "there is no array 'states'"),
        ({"states": np.zeros((2, 9))}, "'states' holds float64 instead of whole numbers"),
        ({"states": np.zeros((2, 8), int)}, "'states' has shape [2, 8], which is not for puzzle8"),
        ({"states": np.int64(3)}, "'states' has shape [], which is not for puzzle8"),
        (
            {"states": np.full((2, 9), 9)},
            "'states' holds 9 in row 0, cell 0; symbols of puzzle8 are 0 to 8",
        ),
        ({"solved": np.arange(9)}, "'solved' is not a goal of puzzle8"),
        ({"solved": np.arange(4)}, "'solved' is not a goal of puzzle8"),
        ({"cell_names": np.array(["floor"])}, "this is a Sokoban set"),
        ({"move_names": np.array(["U", "Q"])}, "puzzle8 has no move 'Q' ('move_names')"),
        ({"instance_index": np.array([7, 7])}, "'instance_index' has 7 more than once"),
        ({"optimal_length": np.array([1])}, "'optimal_length' has shape [1] beside 2 states"),
        ({"optimal_moves": np.array([1, 2])}, "'optimal_moves' has shape [2] beside 2 states"),
        (
            {"optimal_moves": np.array([[1], [4]])},
            "'optimal_moves' row 1 is not a row of moves padded with -1",
        ),
        (
            {"optimal_moves": np.array([[-1, 1], [2, -1]])},
            "'optimal_moves' row 0 is not a row of moves padded with -1",
        ),
        (
            {"optimal_moves": np.array([[1, -1], [2, 3]])},
            "'optimal_moves' row 1 has 2 moves, but 'optimal_length' says 1",
        ),
    ],
)
def test_wrong_sets(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = saved(tmp_path, **boards(**changes))
    with pytest.raises(PuzzleError) as caught:
        load_set(path, puzzle("puzzle8"))
    assert str(caught.value) == f"{path}: {message}"


def test_sets_of_other_puzzles(tmp_path: Path) -> None:
    path = saved(tmp_path, **boards())
    with pytest.raises(PuzzleError, match=r"'states' has shape \[2, 9\], which is not for cube3$"):
        load_set(path, puzzle("cube3"))
    with pytest.raises(PuzzleError, match=r"this is not a Sokoban set$"):
        load_set(path, puzzle("sokoban"))
    torn = saved(tmp_path, states=np.array([[1, 0, *range(2, 54)]]))
    with pytest.raises(PuzzleError) as caught:
        load_set(torn, puzzle("cube3"))
    assert str(caught.value) == (
        f"{torn}: 'states': the cube has not stickers 0 and 23 on one piece (row 0)"
    )


def test_broken_files(tmp_path: Path) -> None:
    here = puzzle("puzzle8")
    missing = tmp_path / "nothing.npz"
    with pytest.raises(PuzzleError) as caught:
        load_set(missing, here)
    assert str(caught.value) == f"there is no file {missing}"
    text = tmp_path / "text.npz"
    text.write_text("1 2 3")
    with pytest.raises(PuzzleError) as caught:
        load_set(text, here)
    assert str(caught.value) == f"{text}: this is not a NumPy archive (.npz)"
    array = tmp_path / "array.npy"
    np.save(array, np.zeros(3))
    with pytest.raises(PuzzleError, match=r"this is not a NumPy archive \(\.npz\)$"):
        load_set(array, here)
    objects = saved(tmp_path, states=np.array([{}], dtype=object))
    with pytest.raises(PuzzleError, match="this archive cannot be read: Object arrays"):
        load_set(objects, here)
    with zipfile.ZipFile(tmp_path / "odd.npz", "w") as file:
        file.writestr("states.npy", b"\x93NUMPY\x01\x00nonsense")
    with pytest.raises(PuzzleError, match="this archive cannot be read"):
        load_set(tmp_path / "odd.npz", here)
    with pytest.raises(PuzzleError, match="there is no file"):
        load_set(tmp_path, here)


def test_damaged_bytes(tmp_path: Path) -> None:
    good = saved(tmp_path, **boards()).read_bytes()
    rng = np.random.default_rng(0)
    path = tmp_path / "damaged.npz"
    refused = 0
    for _ in range(300):
        damaged = bytearray(good)
        for spot in rng.integers(len(good), size=3):
            damaged[spot] = int(rng.integers(256))
        path.write_bytes(bytes(damaged[: int(rng.choice([len(good), rng.integers(len(good))]))]))
        try:
            found = load_set(path, puzzle("puzzle8"))
        except PuzzleError:
            refused += 1
        else:
            assert found.states.shape == (2, 9)
    assert refused > 200
