"""The API over HTTP: what it answers, what it refuses, and what it never does."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from homeward.cli import main
from homeward.notation import State
from web_tools import RunningServer, gone, kill

TWISTED = "UUUUUUUUFURRRRRRRRFFRFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
# Far from home, and hopeless for a blind search.
HARD = {
    "puzzle": "cube3",
    "state": "BUDBULRDDRFFFRDBFLFBBBFRDRLBDURDDRFFRLULLUFBLLRULBUUUD",
    "solver": "dfs",
}
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    running = RunningServer("--queue", "3", "--time", "60")
    yield running
    assert running.stop() == -signal.SIGTERM


# --- what it answers


def test_health_says_how_busy_the_server_is(server: RunningServer) -> None:
    answer = server.client.get("/api/health")
    assert answer.json() == {
        "status": "ok",
        "version": "0.1.0",
        "workers": 2,
        "busy": 0,
        "queued": 0,
    }


def test_puzzles_are_those_of_the_command_line(
    server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "puzzles", "--json"]) == 0
    assert server.client.get("/api/puzzles").json() == json.loads(capsys.readouterr().out)


def test_a_puzzle_lists_its_moves_and_solvers(server: RunningServer) -> None:
    told = server.client.get("/api/puzzles/lightsout2").json()
    assert told["move_names"] == ["1,1", "1,2", "2,1", "2,2"]
    assert told["goal"] == "00 00"
    assert (told["rows"], told["columns"]) == (2, 2)
    proves = {solver["name"]: solver["proves"] for solver in told["solvers"]}
    assert next(iter(proves)) == "auto"
    assert (proves["lights"], proves["dfs"]) == (True, False)
    assert "twophase" not in proves


def test_a_puzzle_of_permutations_has_its_table(server: RunningServer) -> None:
    told = server.client.get("/api/puzzles/pancake").json()
    assert told["table"][0] == [1, 0, 2, 3, 4, 5, 6, 7, 8, 9]
    assert len(told["table"]) == told["moves"] == 9
    assert sorted(cell for group in told["layout"] for [cell] in group) == list(range(10))


@pytest.mark.parametrize("name", ["cube3", "cube6", "puzzle15", "lightsout5", "pyraminx"])
def test_a_scramble_leads_to_its_state(server: RunningServer, name: str) -> None:
    told = server.client.get("/api/scramble", params={"puzzle": name, "seed": 5}).json()
    assert State.solved(name).moved(told["moves"]).text == told["state"]
    again = server.client.get("/api/scramble", params={"puzzle": name, "seed": 5}).json()
    assert again == told


@pytest.mark.parametrize("name", ["lightsout3", "lightsout5", "lightsout7"])
def test_every_seed_has_its_own_scramble(server: RunningServer, name: str) -> None:
    wishes = [{"puzzle": name, "seed": seed} for seed in (1, 2, 3)]
    boards = {server.client.get("/api/scramble", params=w).json()["state"] for w in wishes}
    assert len(boards) == 3


def test_a_scramble_of_sokoban_is_a_room(server: RunningServer) -> None:
    told = server.client.get("/api/scramble", params={"puzzle": "sokoban", "seed": 1}).json()
    assert told["moves"] is None
    assert told["state"].count("$") == told["state"].count(".") == 4


def read(server: RunningServer, **request: Any) -> Any:
    answer = server.client.post("/api/read", json=request)
    assert answer.status_code == 200
    return answer.json()


def test_moves_are_read_from_the_goal_or_a_state(server: RunningServer) -> None:
    told = read(server, puzzle="cube3", moves="[R, U]")
    assert told["moves"] == ["R", "U", "R'", "U'"]
    assert told["state"] == State.solved("cube3").moved("R U R' U'").text
    back = read(server, puzzle="cube3", state=told["state"], moves="U R U' R'")
    assert (back["valid"], back["solved"]) == (True, True)


def test_an_impossible_cube_has_its_piece_named(server: RunningServer) -> None:
    told = read(server, puzzle="cube3", state=TWISTED)
    assert told["valid"] is False
    assert told["state"] is None
    assert told["problems"] == [
        {
            "kind": "twisted_corner",
            "sentence": (
                "the corner at URF is twisted clockwise: take it out and turn it counter-clockwise"
            ),
            "where": "URF",
            "position": None,
        }
    ]


def test_a_slip_of_the_pen_has_its_place(server: RunningServer) -> None:
    [problem] = read(server, puzzle="cube3", moves="R U Q")["problems"]
    assert problem["sentence"] == "unknown move 'Q' at character 5"
    assert problem["position"] == 4


def test_too_many_moves_are_not_made(server: RunningServer) -> None:
    [problem] = read(server, puzzle="cube3", moves="(R U)15000")["problems"]
    assert problem["sentence"] == "30,000 moves, and this server makes 20,000"


def test_a_board_of_another_size_has_another_puzzle(server: RunningServer) -> None:
    wide = "#" * 12 + "\n#@  $.     #\n" + "#" * 12
    assert read(server, puzzle="sokoban", state=wide)["puzzle"] == "sokoban-3x12"


# --- solving


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("puzzle8", "8 6 7 2 5 4 3 0 1"),
        ("lightsout5", State.solved("lightsout5").moved("1,2 3,3 5,1").text),
        ("sokoban", "#####\n#@$.#\n#####"),
        ("cube2", State.solved("cube2").moved("R U F' U2 R'").text),
    ],
)
def test_the_result_is_what_the_command_line_prints(
    server: RunningServer, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    job = server.answer(puzzle=name, state=text)
    assert main(["solve", name, "--state", text, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert job["status"] == "done"
    for one in (job["result"], printed):
        assert one.pop("seconds") >= 0
    assert list(job["result"]) == list(printed)
    assert job["result"] == printed


def test_a_solution_comes_with_notes_for_its_replay(server: RunningServer) -> None:
    start = State.solved("cube3").moved("R2 U")
    job = server.answer(puzzle="cube3", state=start.text)
    assert job["result"]["proof"] == "optimal"
    assert job["replay"]["text"] == "U' R2"
    assert (job["replay"]["quarter_turns"], job["replay"]["half_turns"]) == (3, 2)
    if job["replay"]["estimated_by"] == "exact":  # without a model of the cube
        assert job["replay"]["estimates"] == [3.0, 2.0, 1.0, 0.0]
    assert len(job["replay"]["estimates"]) == 4


def test_pushes_are_capitals(server: RunningServer) -> None:
    job = server.answer(puzzle="sokoban", state="######\n#@ $.#\n######")
    assert job["result"]["moves"] == ["R", "R"]
    assert job["replay"]["text"] == "rR"
    assert job["replay"]["half_turns"] is None


def test_progress_is_streamed_and_the_budget_kept(server: RunningServer) -> None:
    began = time.monotonic()
    events = list(server.events(server.start(**HARD, seconds=1.0)))
    assert 0.9 < time.monotonic() - began < 20
    names = [name for name, _ in events]
    assert names[:-1] == ["progress"] * (len(names) - 1)
    assert len(names) > 4
    running = [job["progress"] for name, job in events if job["status"] == "running"]
    generated = [progress["generated"] for progress in running]
    assert generated == sorted(generated)
    assert running[-1]["per_second"] > 0
    assert running[-1]["lower_bound"] >= 1
    assert events[-1][1]["result"]["status"] == "out_of_time"


def test_a_job_can_be_stopped(server: RunningServer) -> None:
    number = server.start(**HARD, seconds=30)
    events = server.events(number)
    for _, job in events:
        if job["progress"]["generated"]:
            break
    assert server.client.delete(f"/api/jobs/{number}").status_code == 202
    *_, (name, job) = events
    assert (name, job["status"], job["result"]["status"]) == ("end", "done", "cancelled")
    assert server.client.get(f"/api/jobs/{number}").json() == job


def test_beyond_the_queue_the_answer_is_503(server: RunningServer) -> None:
    numbers = [server.start(**HARD, seconds=30) for _ in range(5)]
    answer = server.client.post("/api/solve", json=HARD)
    assert answer.status_code == 503
    seconds = int(answer.headers["retry-after"])
    assert 1 <= seconds <= 30
    assert answer.json()["error"] == (
        f"all solvers are busy and the queue is full: try again in {seconds} s"
    )
    waiting = [server.client.get(f"/api/jobs/{number}").json() for number in numbers]
    assert [job["ahead"] for job in waiting if job["status"] == "queued"][-3:] == [0, 1, 2]
    for number in reversed(numbers):
        server.client.delete(f"/api/jobs/{number}")
    stopped = server.client.get(f"/api/jobs/{numbers[-1]}").json()
    assert (stopped["status"], stopped["error"]) == ("failed", "stopped before it began")
    for number in numbers:
        *_, (name, _) = server.events(number)
        assert name == "end"


@linux
def test_a_killed_worker_is_one_clients_loss(server: RunningServer) -> None:
    before = server.workers()
    numbers = [server.start(**HARD, seconds=3) for _ in range(2)]
    while server.client.get("/api/health").json()["busy"] < 2:
        time.sleep(0.05)
    kill(before[0])
    ends = [list(server.events(number))[-1][1] for number in numbers]
    lost = [job for job in ends if job["status"] == "failed"]
    assert [job["error"] for job in lost] == [
        "the solver's process was lost (SIGKILL); please try again"
    ]
    assert [job["result"]["status"] for job in ends if job not in lost] == ["out_of_time"]
    assert server.answer(puzzle="puzzle8", state="1 2 3 4 5 6 7 0 8")["result"]["length"] == 1
    assert len(set(server.workers()) - set(before)) == 1


# --- what it refuses


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("/api/puzzles/cube99", 404, "cube99 is too large for this server: 10 at most"),
        ("/api/puzzles/puzzle9", 404, "puzzle9 is no square board (8, 15, 24, 35, 48, …); "
         "use sliding-RxC"),
        ("/api/puzzles/sliding-1x4", 404, "a sliding board is at least 2x2, not 1x4"),
        ("/api/puzzles/hypercube", 404, "there is no puzzle named 'hypercube'"),
        ("/api/jobs/0123abcd", 404, "there is no such job, or it was forgotten"),
        ("/api/nothing", 404, "Not Found"),
        ("/api/scramble?puzzle=cube3&depth=-1", 422,
         "depth: Input should be greater than or equal to 0"),
    ],
)  # fmt: skip
def test_what_is_not_there(server: RunningServer, path: str, status: int, error: str) -> None:
    answer = server.client.get(path)
    assert (answer.status_code, answer.json()["error"]) == (status, error)


@pytest.mark.parametrize(
    ("wish", "error"),
    [
        ({"puzzle": "cube3", "state": TWISTED},
         "the corner at URF is twisted clockwise: take it out and turn it counter-clockwise"),
        ({"puzzle": "puzzle8", "state": "12345678"},
         "there is no tile '12345678' at character 1 (tiles are 1 to 8, the blank is 0)"),
        ({**HARD, "solver": "zzz"},
         "there is no solver 'zzz' for cube3; there are auto, bfs, dfs, bidirectional, "),
        ({**HARD, "optimal": True}, "dfs does not prove every solution shortest"),
        ({**HARD, "seconds": 0}, "seconds: Input should be greater than or equal to 0.1"),
        ({**HARD, "model": "/etc/passwd"}, "model: Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_wishes_that_cannot_be(server: RunningServer, wish: dict[str, Any], error: str) -> None:
    answer = server.client.post("/api/solve", json=wish)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(error)


def test_files_cannot_be_named(server: RunningServer, tmp_path: Path) -> None:
    level = tmp_path / "level.xsb"
    level.write_text("#####\n#@$.#\n#####", encoding="utf-8")
    [problem] = read(server, puzzle="sokoban", state=str(level))["problems"]
    assert problem["sentence"] == (
        "there is no Sokoban board in this text at character 1 "
        "(cells are # . $ * @ + and space, - or _)"
    )
    definition = tmp_path / "mine.toml"
    definition.write_text('[moves]\nA = "(1 2)"\n', encoding="utf-8")
    for name in ("/mine.toml", "mine.toml", "../cube3", "sokoban#1"):
        answer = server.client.post("/api/read", json={"puzzle": name})
        assert answer.status_code == 422
        assert answer.json()["error"] == "puzzle: String should match pattern '^[a-z0-9-]+$'"
    for path in ("/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd"):
        assert server.client.get(path).status_code == 404


def test_large_bodies_are_refused(server: RunningServer) -> None:
    body = b'{"puzzle": "cube3", "moves": "' + b"R" * 70_000 + b'"}'
    kind = {"content-type": "application/json"}
    for content in (body, iter([body[:40_000], body[40_000:]])):  # with a length, and in chunks
        answer = server.client.post("/api/read", content=content, headers=kind)
        assert answer.status_code == 413
        assert answer.json()["error"] == "a request's body may have 65536 bytes"


def test_foreign_names_and_sites_are_refused(server: RunningServer) -> None:
    stranger = server.client.get("/api/health", headers={"host": "evil.example"})
    assert stranger.status_code == 421
    phone = server.client.get("/api/health", headers={"host": "192.168.1.7:8000"})
    assert phone.status_code == 200
    cross = {"sec-fetch-site": "cross-site", "content-type": "text/plain"}
    answer = server.client.post("/api/solve", content=json.dumps(HARD), headers=cross)
    assert (answer.status_code, answer.json()["error"]) == (
        403,
        "requests from other sites are refused",
    )
    plain = {"content-type": "text/plain"}
    answer = server.client.post("/api/solve", content=json.dumps(HARD), headers=plain)
    assert answer.status_code == 422


@pytest.mark.parametrize("path", ["/", "/api/health", "/api/nothing", "/api/openapi.json"])
def test_headers_are_strict(server: RunningServer, path: str) -> None:
    headers = server.client.get(path, headers={"origin": "https://evil.example"}).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert not [name for name in headers if name.startswith("access-control")]
    assert "server" not in headers


def test_a_taken_port_is_said_in_one_line(
    server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    port = httpx.URL(server.url).port
    assert main(["serve", "--port", str(port)]) == 2
    line = f"homeward: cannot serve at 127.0.0.1 port {port}: Address already in use"
    assert capsys.readouterr().err.strip().startswith(line)


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.modules["homeward.cli.serve"], "find_spec", lambda name: None)
    assert main(["serve"]) == 2
    line = "homeward: the page needs fastapi and uvicorn: pip install 'homeward[web]'"
    assert capsys.readouterr().err.strip() == line


# --- beginning and end


@linux
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(how: int) -> None:
    running = RunningServer("--workers", "1")
    while not running.workers():
        time.sleep(0.05)
    number, workers = running.start(**HARD, seconds=60), running.workers()
    events = running.events(number)
    next(events)
    began = time.monotonic()
    running.process.send_signal(how)
    if how == signal.SIGINT:
        *_, (name, job) = events
        assert (name, job["error"]) == ("end", "the server is shutting down")
    else:
        with pytest.raises(httpx.TransportError):
            list(events)
    assert running.stop(how) == (0 if how == signal.SIGINT else -how)
    assert gone(workers)
    assert time.monotonic() - began < 30


def test_any_address_can_be_asked_for() -> None:
    from homeward.web.server import listening

    with listening("127.0.0.1", 0) as listener:
        assert listener.getsockname()[1] > 0
        assert listener.proto == socket.IPPROTO_TCP  # or every answer would take 40 ms longer
