"""Comparing two runs: intervals, paired differences, pictures, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homeward.bench.compare import as_json, compare, interval
from homeward.bench.figures import anytime_curve, plot_anytime, plot_lengths
from homeward.cli import main
from homeward.puzzles import PuzzleError


def row(index: int, length: int | None, seconds: float = 1.0, **more: Any) -> dict[str, Any]:
    """A row as `bench` writes them, of made-up states."""
    status = "out_of_time" if length is None else "solved"
    counters = {"generated": 10 * index, "evaluated": index, "proof": "none", "state": f"s{index}"}
    known = {"optimal_length": 10, "status": status, "length": length, "seconds": seconds}
    return {"index": index, **counters, **known, **more}


def test_an_interval_holds_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for seed in range(200):
        found = interval(rng.normal(5, 2, 40).tolist(), resamples=400, seed=seed)
        assert found is not None
        covered += found.low <= 5 <= found.high
    assert 180 <= covered <= 199  # 95 % of 200 is 190; the bootstrap is a little narrow
    assert interval([]) is None


def test_the_same_rows_give_the_same_interval() -> None:
    values = np.random.default_rng(1).exponential(1, 300).tolist()
    assert interval(values) == interval(values)
    found = interval(values)
    assert found is not None
    assert found.mean == pytest.approx(np.mean(values))
    error = np.std(values) / 300**0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_pairs_tell_what_means_cannot() -> None:
    lengths = np.random.default_rng(2).integers(10, 60, 50)
    a = [row(i, int(n)) for i, n in enumerate(lengths)]
    b = [row(i, int(n) - 1) for i, n in enumerate(lengths)]
    found = {one.measure: one for one in compare(a, b, resamples=500)}["length"]
    assert found.a is not None
    assert found.b is not None
    assert found.difference is not None
    assert found.a.low < found.b.high  # the two intervals overlap
    difference = found.difference
    assert (difference.mean, difference.low, difference.high) == (-1, -1, -1)


def test_only_shared_and_solved_instances_are_paired() -> None:
    a = [row(0, 12), row(1, None), row(2, 10)]
    b = [row(1, 14), row(2, 16), row(3, 10)]
    told = as_json(compare(a, b, resamples=100))
    assert told["length"]["difference"] == {"mean": 6.0, "low": 6.0, "high": 6.0, "count": 1}
    assert told["length"]["a"] == {"mean": 10.0, "low": 10.0, "high": 10.0, "count": 1}
    assert told["solved_percent"]["difference"]["mean"] == 50.0
    assert told["solved_percent"]["b"]["count"] == 2  # and not the third, which a has not
    apart = as_json(compare(a[:1], b[2:], resamples=100))
    assert apart["length"]["difference"] is None
    assert apart["length"]["b"]["mean"] == 10.0


def test_other_states_under_the_same_index_are_refused() -> None:
    with pytest.raises(PuzzleError) as refused:
        compare([row(4, 10)], [row(4, 10, state="x")])
    text = "instance 4 is s4 in the first run and x in the second; these are runs of different sets"
    assert str(refused.value) == text


def test_the_command_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    timed = {"anytime": [[0.1, 14], [0.5, 12]]}
    one.write_text(json.dumps({"rows": [row(0, 12, **timed), row(1, 14, **timed)]}))
    other.write_text(json.dumps({"rows": [row(0, 10), row(1, 10)]}))
    arguments = ["bench", "--compare", str(one), str(other)]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "2 instances in both" in shown
    assert "-3 [-4, -2]" in shown
    lengths, curve = tmp_path / "lengths.svg", tmp_path / "anytime.svg"
    plots = ["--plot-lengths", str(lengths), "--plot-anytime", str(curve)]
    assert main([*arguments, *plots, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["length"]["difference"]["mean"] == -3.0
    assert "other, mean 10.00" in lengths.read_text()
    assert curve.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a puzzle and --data FILE.npz, or --compare A.json B.json"),
        (["cube3", "--compare", "a", "b"], "--compare takes two results and neither a puzzle"),
        (["--compare", "none.json", "b"], "cannot read none.json: No such file or directory"),
        (["cube3", "--data", "x", "--cluster", "nowhere:1"], "there is no file x"),
    ],
)
def test_what_the_command_refuses(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_what_is_left_out_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text(json.dumps({"rows": [row(0, 12), row(1, 14), row(2, 40)]}))
    other.write_text(json.dumps({"rows": [row(0, 10), row(1, 10)]}))
    assert main(["bench", "--compare", str(one), str(other)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "2 instances in both, of 3 and 2 (over these)" in shown
    assert "13 [12, 14]" in shown


def test_a_number_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"rows": [{**row(7, 12), "seconds": "x"}]}))
    assert main(["bench", "--compare", str(path), str(path)]) == 2
    assert "is no result of a benchmark: seconds of row 7 is 'x'" in capsys.readouterr().err


def test_a_file_that_is_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"rows": [{"index": 1}]}')
    assert main(["bench", "--compare", str(path), str(path)]) == 2
    assert "x.json is no result of a benchmark" in capsys.readouterr().err


def test_an_anytime_curve_starts_when_all_are_solved() -> None:
    rows = [
        {"anytime": [[0.1, 30], [4.0, 20]]},
        {"anytime": [[1.0, 28], [2.0, 24]]},
        {"anytime": []},
    ]
    seconds, means = anytime_curve(rows)
    assert seconds.tolist() == [1.0, 2.0, 4.0]
    assert means.tolist() == [29.0, 27.0, 22.0]


def test_pictures_are_the_same_for_the_same_rows(tmp_path: Path) -> None:
    runs = {"a": [row(0, 12, anytime=[[0.5, 12]]), row(1, 14, anytime=[[1.0, 14]])], "b": []}
    paths = [tmp_path / name for name in ("1.svg", "2.svg")]
    for path in paths:
        plot_lengths(runs, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with pytest.raises(PuzzleError, match="the plot cannot be written to"):
        plot_anytime(runs, tmp_path / "x.nonsense")
