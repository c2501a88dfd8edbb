"""The OpenAPI document kept to: requests of every shape, and no answer that it does not promise.

`HOMEWARD_CASES` sets how many requests are made for each operation (25 unless set; 250 make more
than 2,000 in all).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance

from homeward.web.app import create_app
from web_tools import RunningServer

CASES = int(os.environ.get("HOMEWARD_CASES", "25"))
OPERATIONS = [
    "GET /api/health",
    "GET /api/puzzles",
    "GET /api/puzzles/{name}",
    "GET /api/scramble",
    "POST /api/read",
    "POST /api/solve",
    "GET /api/jobs/{id}",
    "DELETE /api/jobs/{id}",
    "GET /api/jobs/{id}/events",
]
counted = {"cases": 0, "server errors": 0}
schema = schemathesis.openapi.from_dict(create_app().openapi())


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    running = RunningServer()
    yield running
    print(f"\n{counted['cases']} requests, {counted['server errors']} server errors")
    assert running.client.get("/api/health").json()["status"] == "ok"
    running.stop()


def test_every_operation_is_tried() -> None:
    found = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert sorted(one.label for one in found) == sorted(OPERATIONS)


def test_every_request_has_an_example() -> None:
    schemas = create_app().openapi()["components"]["schemas"]
    for name in ("SolveRequest", "ReadRequest"):
        assert schemas[name]["examples"], name


@pytest.mark.parametrize("path", ["/api/solve", "/api/read"])
@pytest.mark.parametrize(
    ("kind", "body", "status", "error"),
    [
        ("application/json", b"{", 400,
         "the body is no JSON: Expecting property name enclosed in double quotes at character 2"),
        ("application/json", b"UUU", 400, "the body is no JSON: Expecting value at character 1"),
        ("application/json", b"[]", 422, None),
        ("application/json", b"", 422, None),
        ("text/plain", b'{"puzzle": "cube3"}', 422, None),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_body(
    server: RunningServer, path: str, kind: str, body: bytes, status: int, error: str | None
) -> None:
    answer = server.client.post(path, content=body, headers={"content-type": kind})
    said = error or "the body must be a JSON object, sent as content-type: application/json"
    problem = {"kind": "request", "sentence": said, "where": ""}
    assert (answer.status_code, answer.json()) == (status, {"error": said, "problems": [problem]})


@schema.parametrize()
@settings(
    max_examples=CASES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=CASES == 25,
    database=None,
)
def test_answers_are_those_of_the_document(case: schemathesis.Case, server: RunningServer) -> None:
    answer = case.call(base_url=server.url)
    counted["cases"] += 1
    counted["server errors"] += answer.status_code >= 500
    busy = answer.status_code == 503 and "retry-after" in answer.headers  # a full queue is no fault
    assert answer.status_code < 500 or busy
    if answer.status_code == 413:  # a refusal that schemathesis does not count as one
        assert len(answer.request.body or b"") > 65536
        return
    # No schema says which states can be solved: those that cannot be are refused with 422.
    case.validate_response(answer, excluded_checks=[positive_data_acceptance])
