"""The command line: what it prints, and with which status it ends."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from homeward import State, __version__
from homeward.cli import main
from homeward.cli.solve import _bytes
from homeward.puzzles import names, puzzle

KEYS = (
    "puzzle state solver model device status moves length proof lower_bound seconds "
    "expanded generated evaluated reopened"
).split()
LEVEL = "######\n#@$ .#\n######"
STUCK = "######\n#$   #\n#@ . #\n######"
SOLVED_CUBE = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
LINE = """
name = "line"
goal = [0, 1, 2]
[moves]
a = "(0 1)"
b = "(1 2)"
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "homeward", *arguments]


def ended(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False)


def solved(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What `solve --json` printed."""
    main(["solve", *arguments, "--json"])
    out = capsys.readouterr().out
    record = json.loads(out)
    assert out.count("\n") == 1
    assert isinstance(record, dict)
    return record


# --- exit statuses, each in a process of its own


def test_status_0_solved() -> None:
    done = ended("solve", "puzzle8", "--state", "1 2 3 4 5 6 0 7 8")
    drawing = str(State.read("puzzle8", "1 2 3 4 5 6 0 7 8"))
    first, moves, length, cost = done.stdout.removeprefix(drawing).split("\n", 1)[1].split("\n")[:4]
    assert (done.returncode, done.stderr) == (0, "")
    assert (first, moves, length) == ("", "L L", "2 moves, proved shortest")
    assert cost.endswith("states made by bidirectional")


def test_status_2_bad_input() -> None:
    done = ended("solve", "puzzle8", "--state", "1 2 3 4 5 6 7 8 8")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "homeward: the blank (0) is missing\nhomeward: tile 8 appears 2 times\n"


def test_status_2_usage() -> None:
    done = ended("solve", "puzzle8")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "homeward: give one of --scramble, --state and --random\n"


def test_status_3_unsolvable() -> None:
    done = ended("solve", "sokoban", "--state", STUCK)
    assert done.returncode == 3
    assert "no solution exists: the whole space was searched\n" in done.stdout
    assert done.stderr == ""


def test_status_4_budget_spent() -> None:
    done = ended("solve", "cube3", "--random", "--seed", "0", "--time", "0.2")
    assert done.returncode == 4
    assert "no solution found: the budget is spent; any solution has at least" in done.stdout
    assert done.stderr == ""


def test_status_130_interrupted() -> None:
    process = subprocess.Popen(
        command("solve", "cube3", "--random", "--seed", "0", "--solver", "dfs"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # the drawing: the search begins
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "no solution found: stopped; any solution has at least" in out
    assert err == ""


# --- solve


def test_json_has_exactly_the_promised_keys(capsys: pytest.CaptureFixture[str]) -> None:
    record = solved(capsys, "cube3", "--scramble", "R U2")
    assert list(record) == KEYS
    assert record["moves"] in (["U", "U", "R'"], ["U'", "U'", "R'"])
    fixed = {"puzzle": "cube3", "solver": "beam", "model": "cube3", "device": "cpu"}
    fixed |= {"status": "solved", "length": 3, "proof": "optimal", "lower_bound": 3}
    fixed |= {"state": State.solved("cube3").moved("R U2").text, "evaluated": 0, "reopened": 0}
    assert record.items() >= fixed.items()


def test_json_of_what_is_not_solved(capsys: pytest.CaptureFixture[str]) -> None:
    wish = ["--random", "--seed", "1", "--memory", "1M", "--solver", "bidirectional"]
    record = solved(capsys, "cube3", *wish)
    assert list(record) == KEYS
    assert record["status"] == "out_of_memory"
    assert record["moves"] is record["length"] is None
    assert record["proof"] == "none"


def test_a_solved_state_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "cube3", "--state", SOLVED_CUBE]) == 0
    assert capsys.readouterr().out.endswith("\n\nsolved already\n")


def test_a_cube_is_counted_in_both_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "cube3", "--scramble", "R2 F"]) == 0
    out = capsys.readouterr().out
    assert "\nF' R2\n3 moves (3 quarter turns, 2 with half turns), proved shortest\n" in out
    assert main(["solve", "cube3", "--scramble", "R"]) == 0
    assert "\n1 move (1 quarter turn, 1 with half turns), proved" in capsys.readouterr().out


def test_sokoban_solutions_tell_pushes_from_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "sokoban", "--state", "#######\n#@ $ .#\n#######"]) == 0
    assert "\nrRR\n3 moves, proved shortest\n" in capsys.readouterr().out


def test_a_bound_is_told_where_there_is_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--solver", "dfs", "--set", "limit=6", "--set", "deepen=no", "--set", "batch=1"]
    assert main(["solve", "cube3", "--scramble", "R F", *options]) == 0
    out = capsys.readouterr().out
    assert "\nF' R'\n6 moves (2 quarter turns, 2 with half turns), not proved shortest" in out


def test_random_repeats_with_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    states = [solved(capsys, "puzzle8", "--random", "--seed", s)["state"] for s in ("5", "5", "6")]
    assert states[0] == states[1] != states[2]


@pytest.mark.parametrize("name", ["cube2", "puzzle8", "lightsout5", "sokoban", "pyraminx"])
def test_random_states_of_every_family(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = solved(capsys, name, "--random", "--seed", "3")
    assert (record["status"], record["proof"]) == ("solved", "optimal")
    start = State.read(name, str(record["state"]))
    numbers = [start.puzzle.move_names.index(move) for move in record["moves"]]
    assert start.moved(numbers).is_solved


def test_optimal_takes_only_solvers_that_prove(capsys: pytest.CaptureFixture[str]) -> None:
    assert solved(capsys, "puzzle8", "--random", "--seed", "1", "--optimal")["proof"] == "optimal"
    assert main(["solve", "puzzle8", "--random", "--optimal", "--solver", "dfs"]) == 2
    assert "homeward: dfs does not prove every solution shortest" in capsys.readouterr().err


def test_states_come_from_files_and_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "level.xsb"
    path.write_text(LEVEL)
    assert solved(capsys, "sokoban", "--state", str(path))["moves"] == ["R", "R"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 2 3\n4 5 6\n7 0 8\n"))
    assert solved(capsys, "puzzle8", "--state", "-")["moves"] == ["L"]
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    assert main(["solve", "puzzle8", "--state", str(tmp_path / "bytes")]) == 2
    assert capsys.readouterr().err.startswith(f"homeward: cannot read {tmp_path}/bytes: ")


def test_a_file_stands_for_a_puzzle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "line.toml"
    path.write_text(LINE)
    record = solved(capsys, str(path), "--scramble", "a b a")
    assert (record["puzzle"], record["length"]) == ("line", 3)
    assert main(["check", str(path)]) == 0
    assert main(["scramble", str(path), "--depth", "2"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cubex", "--random"], "there is no puzzle named 'cubex'; did you mean cube5? "),
        (["cube3", "--scramble", "R Q"], "unknown move 'Q' at character 3"),
        (["cube3", "--random", "--scramble", "R"], "give one of --scramble, --state and --random"),
        (["cube3", "--random", "--solver", "bsf"], "there is no solver named 'bsf'; did you mean"),
        (["cube3", "--random", "--set", "a"], "--set takes KEY=VALUE, not 'a'"),
        (["cube2", "--random", "--set", "a=1"], "bidirectional has no setting 'a'; it has none"),
        (
            ["cube3", "--random", "--memory", "4Q"],
            "--memory takes a size such as 512M or 4G, not '4Q'",
        ),
        (["cube3", "--random", "--time", "-1"], "Invalid value for '--time'"),
        (["cube3", "--random", "--colour"], "No such option: --colour"),
        (["sokoban", "--scramble", "U"], "sokoban has no goal to scramble from; give a board"),
        (["nowhere.toml", "--random"], "nowhere.toml"),
    ],
)
def test_bad_arguments_say_what_is_wrong(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("homeward: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_sizes() -> None:
    sizes = ["0", "512", "1k", "1.5 MB", "4G", "2GiB", "1t"]
    want = [0, 512, 2**10, 3 * 2**19, 2**32, 2**31, 2**40]
    assert [_bytes(size) for size in sizes] == want


# --- scramble and show


@pytest.mark.parametrize(
    "name", ["cube2", "cube3-htm", "cube4", "puzzle8", "lightsout5", "topspin"]
)
def test_a_scramble_gives_its_state_back(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scramble", name, "--depth", "3", "--seed", "4", "--count", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    for line in lines:
        record = solved(capsys, name, "--scramble", line)
        assert record["state"] == State.solved(name).moved(line).text
        assert record["length"] in (1, 2, 3)  # a walk may cross its own way


def test_a_scramble_is_long_enough_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scramble", "puzzle8", "--seed", "0"]) == 0
    assert len(capsys.readouterr().out.split()) == 81


def test_sokoban_scrambles_are_boards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scramble", "sokoban", "--count", "2", "--seed", "1"]) == 0
    boards = capsys.readouterr().out.split("\n\n")
    assert len(boards) == 2
    states = [State.read("sokoban", board) for board in boards]
    assert [s.puzzle.name for s in states] == ["sokoban", "sokoban"]
    assert main(["scramble", "sokoban", "--depth", "0", "--seed", "1"]) == 0
    assert State.read("sokoban", capsys.readouterr().out).is_solved


def test_show_draws(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "cube3", SOLVED_CUBE]) == 0
    assert capsys.readouterr().out == str(State.solved("cube3")) + "\n"


def test_show_draws_in_colour_where_it_can(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main(["show", "cube3", SOLVED_CUBE]) == 0
    assert capsys.readouterr().out == State.solved("cube3").draw(colour=True) + "\n"


def test_show_writes_svg(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cube.svg"
    assert main(["show", "cube3", SOLVED_CUBE, "--svg", str(path)]) == 0
    assert capsys.readouterr().out == ""
    assert path.read_text() == State.solved("cube3")._repr_svg_()
    assert main(["show", "cube3", SOLVED_CUBE, "--svg", str(tmp_path / "no" / "x.svg")]) == 2
    assert capsys.readouterr().err.endswith("no/x.svg: No such file or directory\n")


# --- distances, check and list


@pytest.fixture
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOMEWARD_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("_own_cache")
def test_distances_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["distances", "sliding-2x3", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record) == ["puzzle", "states", "counts", "diameter", "hardest", "seconds"]
    assert record["puzzle"] == "sliding-2x3"
    assert record["counts"] == [
        *[1, 2, 3, 5, 6, 7, 10, 12, 12, 16, 23],
        *[25, 28, 39, 44, 40, 29, 21, 18, 12, 6, 1],
    ]
    assert (record["states"], record["diameter"]) == (360, 21)
    assert record["hardest"] == ["4 5 0 1 2 3"]


@pytest.mark.usefixtures("_own_cache")
def test_distances_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "counts.svg"
    assert main(["distances", "lightsout3", "--plot", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\n   4  126  " in out
    assert "\n512 states, worked out in " in out
    assert "at most 9 moves from home" in out
    assert "<svg" in path.read_text()
    assert main(["distances", "lightsout3"]) == 0
    assert "\n512 states, read in " in capsys.readouterr().out


def test_distances_of_too_many_states(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["distances", "cube3"]) == 2
    assert capsys.readouterr().err.startswith(
        "homeward: cube3 has 43,252,003,274,489,856,000 states, too many to number"
    )


def test_check_ticks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "sliding-2x2"]) == 0
    out = capsys.readouterr().out
    assert "✗" not in out
    assert out.count("✓") >= 10


def test_check_of_a_broken_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(LINE.replace("(1 2)", "(1 7)"))
    assert main(["check", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("homeward: ")


def test_list_puzzles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "puzzles", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == names()
    cube = next(row for row in rows if row["name"] == "cube3")
    assert (cube["family"], cube["cells"], cube["moves"]) == ("cube", 54, 12)
    assert cube["states"] == 43252003274489856000
    assert next(row for row in rows if row["name"] == "sokoban")["states"] is None
    assert main(["list", "puzzles"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed] == ["name", *names()]


def test_list_solvers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "solvers", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert next(iter(rows)) == "auto"
    assert rows["dfs"]["settings"] == {"limit": 40, "deepen": True, "batch": 256}
    assert rows["bidirectional"]["proves"] is True
    assert main(["list", "solvers"]) == 0
    assert "limit=40" in capsys.readouterr().out


def test_list_of_something_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "cubes"]) == 2
    assert "'cubes' is not one of 'puzzles', 'solvers'" in capsys.readouterr().err


def test_list_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 2
    said = capsys.readouterr().err
    assert (said.count("\n"), said.count("\t")) == (1, 0)
    assert said.startswith("homeward: Missing argument 'puzzles|solvers|")
    assert said.endswith(" methods, models, settings; see 'homeward --help'\n")


def test_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == "homeward: Missing command; see 'homeward --help'\n"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"homeward {__version__}\n"


def test_help_needs_nothing_heavy() -> None:
    code = (
        "import sys; from homeward.cli import main; main(['show', 'puzzle8', '1 2 3 4 5 6 7 8 0']);"
        "print([m for m in ('numba', 'torch', 'gymnasium', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == str(State.solved(puzzle("puzzle8"))) + "\n[]\n"
