"""Model files: what is written reads back, and every defect has its sentence."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save

from homeward import PuzzleError, puzzle
from homeward.cli import main
from homeward.heuristics import inputs, models, tail
from homeward.heuristics.card import Card
from homeward.heuristics.layers import forward
from homeward.heuristics.models import (
    Model,
    make_card,
    model_for,
    read_card,
    read_model,
    shipped_models,
    write_card,
    write_model,
)
from homeward.heuristics.tail import column_scales
from net_tools import LAYERS, random_tensors, residual_tensors, small_model

CUBE = puzzle("cube2")
BOARD = puzzle("puzzle8")


@pytest.fixture
def written(tmp_path: Path) -> Model:
    return small_model(
        CUBE,
        tmp_path / "mine",
        method="diffusion",
        command="homeward train cube2 --method diffusion",
        seconds=12.5,
        states_seen=1000,
        device="a CPU",
        date="2026-01-02",
        results=[{"beam": 64, "mean_length": 10.5}],
    )


def refusal(path: Path) -> str:
    with pytest.raises(PuzzleError) as caught:
        read_model(path)
    return str(caught.value)


# --- files


def test_a_written_model_reads_back(written: Model, tmp_path: Path) -> None:
    for path in ("mine", "mine.json", "mine.safetensors"):
        model = read_model(tmp_path / path)
        assert model.name == "mine"
        assert model.card == written.card
        assert model.tensors.keys() == written.tensors.keys()
        for name, values in model.tensors.items():
            np.testing.assert_array_equal(values, written.tensors[name])
    card = json.loads((tmp_path / "mine.json").read_text())
    weights = (tmp_path / "mine.safetensors").read_bytes()
    assert card["sha256"] == hashlib.sha256(weights).hexdigest()
    assert card["puzzle"] == "cube2"
    assert card["layers"] == list(LAYERS)
    assert card["shapes"] == [[144, 64], [64, 32], [32, 32], [32, 32], [32, 6]]
    assert card["results"] == [{"beam": 64, "mean_length": 10.5}]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.json", "mine.safetensors"]


def test_weights_are_kept_in_16_bits(written: Model, tmp_path: Path) -> None:
    stored = load_file(tmp_path / "mine.safetensors")
    assert {k: v.dtype.name for k, v in stored.items() if "weight" in k} == {
        f"layer{i}.weight": "float16" for i in range(5)
    }
    exact = residual_tensors(CUBE, 6)
    for name, values in written.tensors.items():
        np.testing.assert_allclose(values, exact[name], rtol=2**-10, atol=1e-7)


def test_weights_on_steps_are_kept_in_8_bits(tmp_path: Path) -> None:
    exact = residual_tensors(CUBE, 6)
    scales = [np.abs(exact[f"layer{i}.weight"]).max(0) / 100 for i in range(4)]
    for i, scale in enumerate(scales):
        exact[f"layer{i}.weight"] = np.rint(exact[f"layer{i}.weight"] / scale) * scale
    model = write_model(tmp_path / "stepped", exact, make_card(CUBE, exact, LAYERS), scales)
    stored = load_file(tmp_path / "stepped.safetensors")
    kinds = {k: v.dtype.name for k, v in stored.items()}
    assert [kinds[f"layer{i}.weight"] for i in range(5)] == ["int8"] * 4 + ["float16"]
    again = read_model(tmp_path / "stepped")
    for i, scale in enumerate(scales):
        np.testing.assert_array_equal(model.tensors[f"layer{i}.weight"], exact[f"layer{i}.weight"])
        np.testing.assert_array_equal(again.scales[i], scale)
    assert again.scales.keys() == model.scales.keys() == set(range(4))


def test_8_bit_passes_take_the_units_that_weights_are_kept_in(tmp_path: Path) -> None:
    """Unless two neighbouring ones might add up to too much there."""
    exact = residual_tensors(CUBE, 6)
    for most, kept in ((60, True), (127, False)):
        scales = [np.abs(exact[f"layer{i}.weight"]).max(0) / most for i in range(4)]
        model = write_model(tmp_path / str(most), exact, make_card(CUBE, exact, LAYERS), scales)
        for i in range(1, 4):
            units = column_scales(model.matrices[i][0]) if not kept else scales[i]
            np.testing.assert_array_equal(tail._scales(model, i), units)


def test_numbers_too_large_for_16_bits_are_not_written(tmp_path: Path) -> None:
    tensors = residual_tensors(CUBE, 6)
    card = make_card(CUBE, tensors, LAYERS)
    tensors["layer1.weight"][0, 0] = 1e6
    with pytest.raises(PuzzleError, match=r"^the tensor 'layer1.weight' holds numbers that are"):
        write_model(tmp_path / "bad", tensors, card)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    tensors = residual_tensors(CUBE, 6)
    path = tmp_path / "file" / "mine"
    with pytest.raises(PuzzleError) as caught:
        write_model(path, tensors, make_card(CUBE, tensors, LAYERS))
    assert str(caught.value) == f"{path}.safetensors cannot be written: File exists"


def test_results_are_added_to_a_card(written: Model, tmp_path: Path) -> None:
    more = ({"beam": 1024, "mean_length": 9.0},)
    write_card(tmp_path / "mine", dataclasses.replace(written.card, results=more))
    assert read_model(tmp_path / "mine").card.results == more
    (tmp_path / "mine.safetensors").unlink()
    assert read_card(tmp_path / "mine").results == more


def test_ranges_cover_what_enters_each_matrix(written: Model) -> None:
    states = CUBE.random_states(500, np.random.default_rng(9))
    entering: list[Any] = []
    forward(written.card.layers, written.tensors, states, CUBE.symbols, inputs=entering)
    assert len(written.card.ranges) == 4
    for top, x in zip(written.card.ranges, entering[1:], strict=True):
        assert 0.9 * x.max() < top < 1.5 * x.max()


def test_nets_that_are_not_all_relu_have_no_ranges() -> None:
    tensors = random_tensors([(144, 16), (16, 1)])
    assert make_card(CUBE, tensors, ("dense elu", "dense"), head="value").ranges == ()


# --- defects


def rewrite(path: Path, **changes: Any) -> None:
    """Changes entries of a card."""
    facts = json.loads(path.read_text())
    path.write_text(json.dumps({**facts, **changes}))


def without(path: Path, entry: str) -> Path:
    """The path of a card from which an entry was taken."""
    facts = json.loads(path.read_text())
    del facts[entry]
    path.write_text(json.dumps(facts))
    return path


def replace_weights(folder: Path, change: Any) -> None:
    """Changes tensors, and the card's hash with them."""
    stored = load_file(folder / "mine.safetensors")
    change(stored)
    content = save(stored)
    (folder / "mine.safetensors").write_bytes(content)
    rewrite(folder / "mine.json", sha256=hashlib.sha256(content).hexdigest())


@pytest.mark.usefixtures("written")
def test_missing_files(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none") == f"there is no file {tmp_path / 'none.json'}"
    (tmp_path / "mine.safetensors").unlink()
    assert refusal(tmp_path / "mine") == f"there is no file {tmp_path / 'mine.safetensors'}"
    (tmp_path / "mine.safetensors").mkdir()
    text = f"{tmp_path / 'mine.safetensors'} cannot be read: Is a directory"
    assert refusal(tmp_path / "mine") == text


@pytest.mark.usefixtures("written")
def test_weights_of_another_card(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert refusal(path) == f"{path}: these are not the weights of the card beside them"


@pytest.mark.usefixtures("written")
def test_weights_that_are_no_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    path.write_bytes(b"\x80\x04K\x01.")  # a pickle
    rewrite(tmp_path / "mine.json", sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    assert refusal(path).startswith(f"{path}: this is not a safetensors file: ")


def _missing(t: dict[str, Any]) -> None:
    del t["layer2.bias"]


def _extra(t: dict[str, Any]) -> None:
    t["layer9.bias"] = np.zeros(3, np.float32)


def _shape(t: dict[str, Any]) -> None:
    t["layer1.weight"] = np.zeros((64, 31), np.float16)


def _kind(t: dict[str, Any]) -> None:
    t["layer1.bias"] = np.zeros(32, np.int64)


def _infinite(t: dict[str, Any]) -> None:
    t["layer4.bias"] = np.full(6, np.nan, np.float32)


def _no_scale(t: dict[str, Any]) -> None:
    t["layer0.weight"] = np.zeros((144, 64), np.int8)


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_missing, "the tensor 'layer2.bias' is missing"),
        (_extra, "there is a tensor 'layer9.bias' that belongs to no layer"),
        (_shape, "the tensor 'layer1.weight' has the shape [64, 31], but the card says [64, 32]"),
        (_kind, "the tensor 'layer1.bias' is int64, not float16 or float32 or int8"),
        (_infinite, "the tensor 'layer4.bias' holds numbers that are not finite"),
        (_no_scale, "the tensor 'layer0.scale' is missing"),
    ],
)
def test_tensors_that_are_not_the_cards(tmp_path: Path, change: Any, text: str) -> None:
    replace_weights(tmp_path, change)
    assert refusal(tmp_path / "mine") == f"{tmp_path / 'mine.safetensors'}: {text}"


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"format": 2}, "its format is 2, and only format 1 is known"),
        ({"colour": "red"}, "it has an unknown entry 'colour'"),
        ({"finer": [1]}, "it has matrix 1 finer, which is none that can be"),
        ({"finer": ["2"]}, "its entry 'finer' is not a list of whole numbers from 0 on"),
        ({"head": "tail"}, "its entry 'head' is not one of children, value, policy_value"),
        (
            {"input": "smell"},
            "its entry 'input' is not one of cells, pieces, facing, cube-features",
        ),
        ({"symbols": 0}, "its entry 'symbols' is not a whole number above 0"),
        ({"positions": True}, "its entry 'positions' is not a whole number above 0"),
        ({"seconds": "many"}, "its entry 'seconds' is not a number from 0 on"),
        ({"seconds": float("nan")}, "its entry 'seconds' is not a number from 0 on"),
        ({"sha256": "12"}, "its entry 'sha256' is not a sha256 in hexadecimal"),
        (
            {"layers": ["dense gelu"]},
            "its entry 'layers' is not a list of layers such as 'dense relu'",
        ),
        ({"layers": []}, "its entry 'layers' is not a list of layers such as 'dense relu'"),
        ({"layers": ["dense"]}, "its layers have 1 matrices, but 5 shapes"),
        ({"ranges": [1.0]}, "it has 1 ranges and should have 4"),
        ({"symbols": 7}, "matrix 0 has 144 rows and should have 168"),
        (
            {"shapes": [[144, 64], [64, 32], [32, 32], [31, 32], [32, 6]]},
            "matrix 3 has 31 rows and should have 32",
        ),
        (
            {"shapes": [[144, 64], [64, 32], [32, 32], [32, 30], [30, 6]]},
            "matrix 3 of a block has 30 columns, not 32",
        ),
        (
            {"layers": ["conv relu", "dense relu", "block relu", "dense"], "board": [4, 4]},
            "its board (4, 4) is not one of 24 positions",
        ),
        (
            {"layers": ["dense relu", "conv relu", "block relu", "dense"]},
            "its layer 'conv relu' stands behind a dense one",
        ),
    ],
)
def test_cards_that_make_no_sense(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    path = tmp_path / "mine.json"
    rewrite(path, **changes)
    assert refusal(path) == f"{path}: this is no card of a model: {text}"


@pytest.mark.usefixtures("written")
def test_older_cards_name_no_finer_matrices(tmp_path: Path) -> None:
    path = without(tmp_path / "mine.json", "finer")
    assert read_model(path).card.finer == ()


@pytest.mark.usefixtures("written")
def test_cards_that_cannot_be_read(tmp_path: Path) -> None:
    path = without(tmp_path / "mine.json", "method")
    assert refusal(path) == f"{path}: this is no card of a model: it has no entry 'method'"
    path.write_text("[]")
    assert refusal(path) == f"{path}: this is no card of a model: it is not a JSON object"
    for content in (b"\xff\xfe", b"[" * 100_000):
        path.write_bytes(content)
        assert refusal(path).startswith(f"{path}: this is no card of a model: it is not JSON: ")


# --- whether a model fits a puzzle


def unfit(name: str, model: Model) -> str:
    with pytest.raises(PuzzleError) as caught:
        model.require_fits(puzzle(name))
    return str(caught.value)


def test_a_model_of_another_puzzle_is_refused(written: Model, tmp_path: Path) -> None:
    written.require_fits(CUBE)
    text = "model mine is for cube2: it has 24 positions, and cube3 needs 54"
    assert unfit("cube3", written) == text
    board = small_model(BOARD, tmp_path / "board")
    assert (
        unfit("cube2", board)
        == "model board is for puzzle8: it has 9 positions, and cube2 needs 24"
    )
    value = small_model(CUBE, tmp_path / "value", head="value")
    children = dataclasses.replace(value.card, head="children")
    text = "model value is for cube2: it has 1 outputs, and cube2 needs 6"
    assert unfit("cube2", dataclasses.replace(value, card=children)) == text


def test_a_model_for_another_goal_is_refused(written: Model, tmp_path: Path) -> None:
    other = CUBE.with_goal(CUBE.step(CUBE.goal[None], 0)[0])
    text = "model mine is for cube2 with another goal or other moves than this cube2"
    with pytest.raises(PuzzleError) as caught:
        model_for(other, tmp_path / "mine.json")
    assert str(caught.value) == text


def test_pieces_are_read_only_where_there_are_some() -> None:
    with pytest.raises(PuzzleError) as caught:
        inputs.net_input(BOARD, "pieces")
    assert str(caught.value) == "puzzle8 cannot be read as pieces, which this model needs"


# --- names


def test_unknown_names() -> None:
    known = shipped_models()
    with pytest.raises(PuzzleError) as caught:
        read_model("nothing-like-it")
    names = ", ".join(known) or "none"
    assert str(caught.value) == f"there is no model named 'nothing-like-it'; there are {names}"
    with pytest.raises(PuzzleError) as caught:
        model_for(puzzle("topspin"))
    has = f"; there are models for {', '.join(known)}" if known else ""
    assert str(caught.value) == (
        f"there is no model for topspin{has}; "
        "train one with `homeward train` and name it with --model"
    )


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_models_are_whole_and_fit_their_puzzle(name: str) -> None:
    model = read_model(name)
    model.require_fits(puzzle(model.card.puzzle))
    assert model.card.command.startswith("homeward train ")
    assert model.card.states_seen > 0
    assert model.card.results


def test_shipped_models_are_small() -> None:
    folder = Path(models.__file__).parents[1] / "models"
    sizes = [path.stat().st_size for path in folder.glob("*.safetensors")]
    assert max(sizes, default=0) <= 10_000_000
    assert sum(sizes) <= 40_000_000
    assert sorted(p.stem for p in folder.glob("*.safetensors")) == shipped_models()


def test_a_card_reads_back_from_its_own_text(written: Model) -> None:
    assert Card.from_json(written.card.to_json()) == written.card


def test_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "models", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == shipped_models()
    cube = rows["cube3"]
    assert (cube["puzzle"], cube["method"], cube["device"]) == ("cube3", "diffusion", "NVIDIA H200")
    assert cube["bytes"] == len(models._read(models._folder() / "cube3.safetensors"))
