"""The suites of results: plans that hold together, raw JSON, and the page made of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

import report
import suite
from homeward.heuristics.graph import distances
from homeward.heuristics.models import read_card, read_model, write_model
from homeward.puzzles import PuzzleError, puzzle
from homeward.puzzles.registry import names
from homeward.solvers import SOLVERS, solve
from suites import analysis, instances, measures, peers, plan, results, sections, store
from suites.results import Paper, Results


@pytest.mark.parametrize("name", plan.names())
def test_plans_hold_together(name: str, tmp_path: Path) -> None:
    made = plan.load(name)
    runs = [run.name for run in made.runs]
    results = Results(name, tmp_path)
    results.found = [store_found(run) for run in runs]
    for run in made.runs:
        assert run.kind in measures.KINDS
        assert run.solver in ("auto", *SOLVERS)
        assert puzzle(run.puzzle).name == run.puzzle
        assert run.solver == "auto" or run.kind in ("solve", "cluster")
        assert run.kind != "peer" or (peers.SCRIPTS / f"{run.peer}.py").exists()
    for section in made.sections:
        assert section["kind"] in sections.KINDS
        wanted = [*section.get("entries", []), *(f"run:{n}" for n in runs_of(section))]
        for entry in wanted:
            assert results.entries([entry]), f"{entry} names nothing"
        keys = [section["paper"]] if "paper" in section else section.get("papers", [])
        assert all(results.paper(key).facts for key in keys)


def store_found(name: str):  # type: ignore[no-untyped-def]
    from suites.results import Found

    return Found(name, "x.json", {})


def runs_of(section: dict) -> list[str]:  # type: ignore[type-arg]
    pairs = [name for pair in section.get("pairs", []) for name in pair]
    return [*pairs, *([section["reference"]] if "reference" in section else [])]


def test_quick_has_every_puzzle() -> None:
    assert {run.puzzle for run in plan.load("quick").runs} == set(names())


def test_combinations_are_spelled_out() -> None:
    runs = {run.name: run for run in plan.load("deepcubea").runs}
    assert len([name for name in runs if name.startswith("grid-")]) == 24
    assert runs["grid-0.6-100"].set == {"weight": 0.6, "batch": 100}
    assert runs["puzzle48-rows"].data == "puzzle48.npz"


def test_what_is_measured_depends_on_the_net() -> None:
    run = plan.Run("one", puzzle="cube2")
    own = plan.Run("one", puzzle="cube2", model="runs/mine/model.json")
    marks = {made.digest(model=given) for made in (run, own) for given in (None, "a", "b")}
    assert len(marks) == 3
    assert run.digest() != own.digest()


def test_a_suite_runs_once_and_the_page_follows(tmp_path: Path) -> None:
    out, page = tmp_path / "docs" / "results", tmp_path / "docs" / "results.md"
    place = ["--out", str(out), "--work", str(tmp_path / "work"), "--limit", "2"]
    assert suite.main(["quick", "--only", "puzzle8", "lightsout5", *place]) == 0
    stored = json.loads((out / "quick.json").read_text())
    assert list(stored["runs"]) == ["puzzle8", "lightsout5"]
    run = stored["runs"]["puzzle8"]
    assert run["command"] == "python3 bench/suite.py quick --only puzzle8 --limit 2"
    assert run["columns"]["status"] == ["solved", "solved"]
    assert run["machine"]["cores"] >= 1
    before = (out / "quick.json").read_bytes()
    assert suite.main(["quick", "--only", "puzzle8", *place]) == 0
    assert (out / "quick.json").read_bytes() == before  # nothing was run again
    assert report.main(["--results", str(out), "--page", str(page)]) == 0
    text = page.read_text()
    mean = np.mean(run["columns"]["length"])
    assert f"| `puzzle8` | bidirectional | 2 | 100.0 | {mean:.2f}" in text
    assert "*deepcubea, Table 5: DeepCubeA*" not in text  # nothing of ours to stand beside
    assert "Not run: no raw results yet." in text
    assert report.main(["--results", str(out), "--page", str(page)]) == 0
    assert page.read_text() == text


def test_another_net_is_measured_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--out", str(tmp_path), "--work", str(tmp_path / "work"), "--limit", "1"]
    command = ["thesis", "--only", "3x3-greedy", *place]
    assert suite.main(command) == 0

    def stored() -> dict[str, Any]:
        runs: dict[str, Any] = json.loads((tmp_path / "thesis.json").read_text())["runs"]
        return runs["3x3-greedy"]

    shipped = stored()
    card = read_card("puzzle8")
    assert shipped["asked"] == {"weights": card.sha256, "device": "cpu"}
    assert not results.Found("3x3-greedy", "thesis.json", shipped).older
    capsys.readouterr()
    assert suite.main(command) == 0
    assert capsys.readouterr().out.startswith("thesis 3x3-greedy: there already, of ")
    model = read_model("puzzle8")
    other = write_model(tmp_path / "puzzle8", {k: 0.9 * v for k, v in model.tensors.items()}, card)
    named = [*command, "--model", f"puzzle8={tmp_path / 'puzzle8'}"]
    assert suite.main(named) == 0
    assert stored()["asked"]["weights"] == other.card.sha256
    assert stored()["command"].endswith(f"--limit 1 --model puzzle8={tmp_path / 'puzzle8'}")
    assert results.Found("3x3-greedy", "thesis.json", stored()).older
    before = stored()
    gone = ["--model", f"puzzle8={tmp_path / 'gone'}"]
    assert suite.main([*command, "--again", *gone]) == 0
    assert stored() == before  # what cannot be run leaves it as it is


def test_runs_of_other_states_are_not_paired(tmp_path: Path) -> None:
    def run(label: str, mark: str) -> dict[str, Any]:
        columns = {"index": [0, 1], "key": [mark, mark], "status": ["solved"] * 2}
        return {"label": label, "kind": "solve", "columns": {**columns, "length": [3, 4]}}

    runs = {"ours": run("ours", "a"), "same": run("same", "a"), "other": run("other", "b")}
    stored = {"suite": "deepcube", "runs": runs}
    (tmp_path / "deepcube.json").write_text(json.dumps(stored))
    found = Results("deepcube", tmp_path)
    section = {"entries": ["run:same", "run:other"], "reference": "ours"}
    lines = sections.KINDS["beats"](section, found, tmp_path / "none.svg").splitlines()
    assert lines[-2] == "| same | 2 | 0.0 | 100.0 | 0.0 |"
    assert lines[-1].startswith("| other | other states |")


def test_what_cannot_run_is_stored_with_the_reason(tmp_path: Path) -> None:
    place = ["--out", str(tmp_path), "--work", str(tmp_path / "work"), "--data", str(tmp_path)]
    assert suite.main(["deepcubea", "--only", "lightsout7-lights", *place]) == 0
    run = json.loads((tmp_path / "deepcubea.json").read_text())["runs"]["lightsout7-lights"]
    assert run["skipped"] == "there is no file DATA/lightsout7.npz"


def test_paper_and_run_share_a_table(tmp_path: Path, data_dir: Path) -> None:
    place = ["--out", str(tmp_path), "--work", str(tmp_path / "work"), "--data", str(data_dir)]
    suite.main(["deepcubea", "--only", "lightsout7-lights", "--limit", "3", *place])
    found = Results("deepcubea", tmp_path)
    section = next(s for s in plan.load("deepcubea").sections if "Lights" in s["title"])
    text = sections.runs(section, found, tmp_path / "x.svg")
    assert "*24.26*" in text
    assert "| `lightsout7` | elimination | 3 | 100.0 |" in text


def test_the_same_states_for_every_solver() -> None:
    one = plan.Run("a", puzzle="cube3", walks=(5, 9), count=4, random=2)
    other = plan.Run("b", puzzle="cube3", walks=(9,), count=70, solver="bfs")
    cube = puzzle("cube3")
    first = {job.index: job.state for job in instances.instances(one, cube, Path(), None).jobs}
    second = {job.index: job.state for job in instances.instances(other, cube, Path(), None).jobs}
    shared = first.keys() & second.keys()
    assert (len(first), len(second), len(shared)) == (10, 70, 4)  # fewer are the first of more
    assert all(np.array_equal(first[index], second[index]) for index in shared)
    led = instances.scrambles(one, cube, None)
    for index, moves in led.items():
        numbers = [cube.move_names.index(move) for move in moves]
        assert np.array_equal(cube.apply(cube.goal, numbers), first[index])


def test_states_along_solutions_have_their_distances(tmp_path: Path) -> None:
    p = puzzle("puzzle8")
    states = p.random_states(3, np.random.default_rng(0))
    found = solve("puzzle8", states)
    moves = np.full((3, 40), -1, np.int8)
    for row, solution in zip(moves, found, strict=True):
        row[: solution.length] = solution.moves
    lengths = np.array([s.length for s in found], np.int16)
    np.savez(tmp_path / "x.npz", states=states, optimal_moves=moves, optimal_length=lengths)
    run = plan.Run("x", puzzle="puzzle8", data="x.npz")
    rows, exact = instances.along_solutions(run, p, tmp_path, None)
    graph = distances(p)
    assert exact.tolist() == graph.distances[graph.ranking.rank(rows)].tolist()
    assert len(exact) == lengths.sum()


def test_mirrored_moves_solve_mirrored_states() -> None:
    cube = puzzle("cube3")
    state = cube.walks(1, 5, np.random.default_rng(3)).states[-1, 0]
    solution = solve("cube3", state)
    moves = " ".join(cube.move_names[m] for m in solution.moves)
    image = instances.mirror(cube).image(state[None])[0]
    numbers = [cube.move_names.index(m) for m in analysis.mirrored(moves).split()]
    assert cube.is_solved(cube.apply(image, numbers)[None])[0]
    row = {"index": 0, "moves": moves, "length": 5}
    same = analysis.symmetric([row], [{**row, "moves": analysis.mirrored(moves)}])
    assert same == {"count": 1, "symmetric_percent": 100.0, "same_length_percent": None}
    told = analysis.symmetric([row], [row])
    assert told == {"count": 1, "symmetric_percent": 0.0, "same_length_percent": 100.0}


def test_triplets_are_counted() -> None:
    shares = analysis.triplets(["R U R' U", "F F B", "F B B", "R U R"])
    counts = {name: round(share * 5 / 100) for name, share in shares.items()}
    assert counts == {"aba'": 1, "aba": 2, "aab": 1, "abb": 1}  # U R' U is one too
    assert analysis.triplets([]) == {"aba'": 0, "aba": 0, "aab": 0, "abb": 0}


def test_moves_too_many_and_beaten() -> None:
    rows = [{"index": i, "length": n, "optimal_length": 10} for i, n in enumerate([10, 12, None])]
    assert analysis.excess(rows) == {"0": 100 / 3, "2": 100 / 3, "unsolved": 100 / 3}
    reference = [{"index": i, "length": n} for i, n in enumerate([12, 12, 12])]
    other = [{**row, "key": "another state"} for row in reference]
    with pytest.raises(ValueError, match="instance 0 is not the same state in both runs"):
        analysis.beaten(rows, other)
    told = analysis.beaten(rows, reference)
    assert told == {"count": 2, "shorter": 50.0, "equal": 50.0, "longer": 0.0}


def test_rows_and_columns_are_the_same(tmp_path: Path) -> None:
    rows = [
        {"index": 0, "status": "solved", "length": 2, "moves": ["U", "R'"], "seconds": 0.1},
        {"index": 1, "status": "out_of_time", "length": None, "moves": None, "seconds": 1.0},
    ]
    columns = store.columns(rows, ("moves",))
    assert columns["moves"] == ["U R'", None]
    store.write(tmp_path / "x.json", {"suite": "s", "runs": {"r": {"columns": columns}}})
    again = store.rows(store.read(tmp_path / "x.json")["runs"]["r"])
    assert again == [{**row, "moves": m} for row, m in zip(rows, ["U R'", None], strict=True)]


def test_a_peer_that_cannot_be_installed_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(PuzzleError, match=r"^no-such-peer could not be installed: .+"):
        peers.installed("no-such-peer", tmp_path / "environment")


def test_bytes_that_a_heuristic_holds() -> None:
    cube = puzzle("puzzle8")
    heuristic = measures.made_heuristic("distances", cube, measures.Surroundings(Path(), Path()))
    assert 181_440 <= measures.held_bytes(heuristic) < 400_000
    assert isinstance(Results("", Path("none")).paper("deepcubea.cube3"), Paper)


def test_a_gpu_stands_beside_the_cpu(tmp_path: Path) -> None:
    columns = {"index": [0], "status": ["solved"], "length": [20], "seconds": [1.0]}
    run = {"date": "2026-01-01", "command": "c", "label": "A*", "puzzle": "cube3", "kind": "solve"}
    here = {**run, "machine": {"processor": "x", "cores": 2}, "columns": columns}
    there = {**here, "machine": {"processor": "y", "cores": 8, "gpu": "H200"}}
    missing = {**run, "skipped": "there is no model"}
    runs = {"cube3-beam": here, "cube3-bwas": missing, "cube3-optimal": missing}
    store.write(tmp_path / "a.json", {"suite": "deepcubea", "runs": runs})
    gpu = {"cube3-beam": there, "cube3-bwas": there}
    store.write(tmp_path / "a-h200.json", {"suite": "deepcubea", "runs": gpu})
    found = Results("deepcubea", tmp_path)
    labels = [(f.name, f.label, f.skipped) for f in found.entries(["run:cube3-*"])]
    assert sorted(labels) == [
        ("cube3-beam", "A*", ""),
        ("cube3-beam", "A*, on one H200", ""),
        ("cube3-bwas", "A*, on one H200", ""),
        ("cube3-optimal", "A*", "there is no model"),
    ]
    section = {"entries": ["run:cube3-*"], "columns": ["label", "count", "length"]}
    lines = sections.runs(section, found, tmp_path / "x.svg").splitlines()
    assert "| A\\*, on one H200 | 1 | 20.00 |" in lines
    assert "| A\\*: not run: there is no model | – | – |" in lines


def test_estimates_speeds_and_grids(tmp_path: Path, data_dir: Path) -> None:
    place = ["--out", str(tmp_path), "--work", str(tmp_path / "work"), "--data", str(data_dir)]
    asked = ["over-lightsout7", "speed-lightsout7", "grid-0.0-1", "grid-0.0-100"]
    limits = ["--limit", "1", "--time", "0.5"]
    assert suite.main(["deepcubea", "--only", *asked, *limits, *place]) == 0
    found = Results("deepcubea", tmp_path)
    reasons = {f.name: f.skipped for f in found.found if f.skipped}
    if reasons:
        pytest.skip(f"no models here: {reasons}")
    wanted = {s["kind"]: s for s in plan.load("deepcubea").sections}
    texts = {
        kind: sections.KINDS[kind](wanted[kind], found, tmp_path / f"{kind}.svg")
        for kind in ("estimates", "speed", "grid")
    }
    assert "| lightsout7, states along shortest solutions | 23 |" in texts["estimates"]
    assert "| *66.8* | *97.4* | *0.24* |" in texts["estimates"]
    assert (tmp_path / "estimates.svg").stat().st_size > 1000
    assert texts["speed"].splitlines()[-1].startswith("| `lightsout7`, net | 0.00")
    assert texts["speed"].splitlines()[-1].endswith("| *0.2* / *0.001* |")
    assert texts["grid"].splitlines()[2] == "|  | N = 1 | N = 100 |"
