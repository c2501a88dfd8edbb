"""`homeward bench`: rows, summaries, and runs that go on where they stopped."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from homeward.bench.runner import Task, run
from homeward.bench.summary import summarise
from homeward.cli import main
from homeward.heuristics.models import read_card, read_model, write_model
from homeward.notation.archives import load_set
from homeward.puzzles import PuzzleError, puzzle
from homeward.solvers import Net, solve

ROW = {"status": "solved", "proof": "none", "generated": 10, "evaluated": 1}


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    """Six boards of the 8-puzzle with their shortest lengths, one of them not known."""
    p = puzzle("puzzle8")
    states = p.random_states(6, np.random.default_rng(1))
    lengths = np.array([s.length for s in solve("puzzle8", states)], np.int16)
    lengths[5] = -1
    path = tmp_path / "boards.npz"
    np.savez(
        path,
        states=states,
        optimal_length=lengths,
        deepcubea_length=np.array([40, 40, 40, 40, 40, -1], np.int16),
        move_names=np.array(p.move_names),
        solved=p.goal,
        instance_index=np.arange(10, 16, dtype=np.int32),
    )
    return path


def test_a_summary_counts_what_it_should() -> None:
    rows = [
        {**ROW, "length": 10, "optimal_length": 10, "seconds": 1.0},
        {**ROW, "length": 12, "optimal_length": 10, "seconds": 2.0, "proof": "optimal"},
        {**ROW, "length": 14, "optimal_length": None, "seconds": 6.0},
        {**ROW, "length": None, "optimal_length": 8, "seconds": 1.0, "status": "out_of_time"},
    ]
    assert summarise(rows) == {
        "count": 4,
        "solved_percent": 75.0,
        "mean_length": 12.0,
        "percent_optimal": 100 / 3,
        "percent_proved": 25.0,
        "mean_seconds": 2.5,
        "median_seconds": 1.5,
        "mean_generated": 10.0,
        "mean_evaluated": 1.0,
        "generated_per_second": 4.0,
    }


def test_an_empty_set_has_no_means() -> None:
    summary = summarise([])
    assert summary["count"] == 0
    assert summary["mean_length"] is summary["percent_optimal"] is None


def test_rows_hold_what_solve_prints_and_the_references(boards: Path) -> None:
    p = puzzle("puzzle8")
    result = run(Task(p, "bidirectional"), load_set(boards, p))
    assert result["summary"]["percent_optimal"] == 100
    assert result["summary"]["percent_proved"] == 100
    assert [row["index"] for row in result["rows"]] == list(range(10, 16))
    assert [row["reference_length"] for row in result["rows"]] == [40] * 5 + [None]
    assert result["rows"][5]["optimal_length"] is None
    assert list(result["rows"][0])[:6] == ["puzzle", "state", "solver", "model", "device", "status"]


def test_a_stopped_run_goes_on_and_another_one_is_not_mixed_in(
    boards: Path, tmp_path: Path
) -> None:
    p = puzzle("puzzle8")
    out = tmp_path / "rows.json"
    task = Task(p, "bidirectional")
    run(task, load_set(boards, p), limit=2, out=out)
    before = json.loads(out.read_text())["rows"]
    told: list[int] = []
    run(task, load_set(boards, p), out=out, tell=lambda rows: told.append(len(rows)))
    after = json.loads(out.read_text())["rows"]
    assert after[:2] == before  # kept, not solved again: their seconds are the same
    assert told == [3, 4, 5, 6]
    with pytest.raises(PuzzleError, match="holds the result of another benchmark"):
        run(Task(p, "bfs"), load_set(boards, p), out=out)
    out.write_text("no JSON")
    with pytest.raises(PuzzleError, match="is in the way and no result of a benchmark"):
        run(task, load_set(boards, p), out=out)


def test_auto_is_another_benchmark_where_it_chooses_another_solver(
    boards: Path, tmp_path: Path
) -> None:
    p, out, many = puzzle("puzzle8"), tmp_path / "rows.json", tmp_path / "many.npz"
    run(Task(p), load_set(boards, p), limit=3, out=out)
    np.savez(many, states=p.random_states(12, np.random.default_rng(5)))
    with pytest.raises(PuzzleError, match='its solver is "bidirectional", not "table"; name anoth'):
        run(Task(p), load_set(many, p), out=out)


def test_what_processes_held_is_kept(boards: Path, tmp_path: Path) -> None:
    p, out = puzzle("puzzle8"), tmp_path / "rows.json"
    task = Task(p, "bidirectional")
    run(task, load_set(boards, p), limit=4, out=out)
    told = json.loads(out.read_text())
    told["summary"]["peak_memory_bytes"] = 10**13  # by a process that held more than this one
    out.write_text(json.dumps(told))
    before = out.read_bytes()
    fewer = run(task, load_set(boards, p), limit=2, out=out)
    assert (fewer["summary"]["count"], fewer["summary"]["peak_memory_bytes"]) == (2, 10**13)
    assert out.read_bytes() == before  # nothing was solved
    assert list(tmp_path.glob("*.rows")) == []
    run(task, load_set(boards, p), limit=5, out=out)
    summary = json.loads(out.read_text())["summary"]
    assert (summary["count"], summary["peak_memory_bytes"]) == (5, 10**13)


def test_another_net_of_the_same_name_is_another_benchmark(boards: Path, tmp_path: Path) -> None:
    p, out, kept = puzzle("puzzle8"), tmp_path / "rows.json", tmp_path / "model"
    shipped = read_model("puzzle8")
    write_model(kept, shipped.tensors, shipped.card)
    task = Task(p, "beam", net=Net(kept))
    result = run(task, load_set(boards, p), limit=2, out=out)
    assert result["task"]["weights"] == read_card(kept).sha256
    run(task, load_set(boards, p), limit=3, out=out)
    trained_on = {key: 0.9 * tensor for key, tensor in shipped.tensors.items()}
    write_model(kept, trained_on, shipped.card)
    with pytest.raises(PuzzleError, match="holds the result of another benchmark"):
        run(task, load_set(boards, p), out=out)


def test_the_command(boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "puzzle8", "--data", str(boards), "--solver", "bfs", "--limit", "3"]
    assert main([*arguments, "--json", "--out", str(tmp_path / "x.json")]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["count"], summary["solved_percent"]) == (3, 100)
    assert summary["peak_memory_bytes"] > 1e7
    assert summary["machine"]["cores"] >= 1
    assert main(arguments) == 0
    assert "percent_optimal" in capsys.readouterr().out
    assert main(["bench", "puzzle8", "--data", str(tmp_path / "none.npz")]) == 2
    assert "there is no file" in capsys.readouterr().err
    assert main([*arguments, "--out", str(tmp_path / "no" / "folder" / "\0")]) == 2


def test_another_set_is_not_taken_for_the_same(boards: Path, tmp_path: Path) -> None:
    p, out, other = puzzle("puzzle8"), tmp_path / "rows.json", tmp_path / "other.npz"
    run(Task(p, "bidirectional"), load_set(boards, p), out=out)
    states = p.random_states(6, np.random.default_rng(2))
    np.savez(other, states=states, instance_index=np.arange(10, 16, dtype=np.int32))
    with pytest.raises(PuzzleError, match="holds another instance 10, of another set"):
        run(Task(p, "bidirectional"), load_set(other, p), out=out)
    fewer = run(Task(p, "bidirectional"), load_set(boards, p), limit=2, out=out)
    assert (fewer["summary"]["count"], len(fewer["rows"])) == (2, 6)  # nothing is thrown away


def test_what_cannot_be_solved_is_refused_before_anything_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    p, path = puzzle("puzzle15"), tmp_path / "set.npz"
    states = np.stack([p.goal, p.goal])
    states[1, [0, 1]] = states[1, [1, 0]]
    np.savez(path, states=states)
    with pytest.raises(PuzzleError, match=r"^instance 1: "):
        run(Task(p), load_set(path, p), out=tmp_path / "rows.json")
    assert not (tmp_path / "rows.json.rows").exists()
    assert main(["bench", "puzzle15", "--data", str(path)]) == 2
    assert capsys.readouterr().err.startswith("homeward: instance 1: ")


def test_a_folder_is_no_file(boards: Path, tmp_path: Path) -> None:
    p = puzzle("puzzle8")
    for folder in (tmp_path, Path(".")):
        with pytest.raises(PuzzleError, match="it is a folder"):
            run(Task(p, "bfs"), load_set(boards, p), out=folder)


def test_a_plot_that_cannot_be_is_refused_before_the_work(
    boards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("nowhere/a.png", "a.xyz"):
        words = ["bench", "puzzle8", "--data", str(boards), "--plot-lengths", str(tmp_path / name)]
        assert main(words) == 2
        assert "the plot cannot be written to" in capsys.readouterr().err
