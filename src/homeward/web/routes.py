"""The API: the addresses under /api/ that the page and other programs use."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from homeward import __version__
from homeward.notation import State, format_of
from homeward.options import choices
from homeward.puzzles import PuzzleError, registry
from homeward.web import catalogue, schemas
from homeward.web.jobs import Job, Jobs
from homeward.web.limits import Limits

router = APIRouter()

NamedPuzzle = Annotated[
    str, Path(min_length=1, max_length=40, pattern="^[a-z0-9-]+$", examples=["cube3"])
]
_MOST_MOVES = 20_000
"""Moves that one request may have made, brackets written out."""

Responses = dict[int | str, dict[str, Any]]
_NO_PUZZLE: Responses = {404: schemas.failure("There is no such puzzle.")}
_NO_JOB: Responses = {404: schemas.failure("There is no such job, or it was forgotten.")}
_NO_BODY: Responses = {
    400: schemas.failure("The body is no JSON."),
    413: schemas.failure("The body is too large."),
}
_WRONG: Responses = {422: schemas.failure("What is wrong with the request.")}


def _jobs(request: Request) -> Jobs:
    jobs: Jobs = request.app.state.jobs
    return jobs


def _known(request: Request, id: Annotated[str, Path(max_length=64, pattern="^[0-9a-f]+$")]) -> Job:
    job = _jobs(request).get(id)
    if job is None:
        raise HTTPException(404, "there is no such job, or it was forgotten")
    return job


KnownJob = Annotated[Job, Depends(_known)]
AllJobs = Annotated[Jobs, Depends(_jobs)]


# --- puzzles and states


def warm(name: str) -> None:
    """What the page asks for first is worked out before it asks."""
    catalogue.details(name)
    _rows()


def _rows() -> list[dict[str, Any]]:
    return [catalogue.row(name) for name in registry.names()]


@router.get("/api/health", response_model=schemas.Health, tags=["server"])
async def health(jobs: AllJobs) -> dict[str, Any]:
    """Says that the server answers, and how busy it is."""
    counts = {"workers": jobs.limits.workers, "busy": jobs.busy, "queued": jobs.queued}
    return {"status": "ok", "version": __version__, **counts}


@router.get("/api/puzzles", response_model=list[schemas.PuzzleRow], tags=["puzzles"])
def puzzles() -> list[dict[str, Any]]:
    """Lists the common puzzles; other sizes of the same families can be named too."""
    return _rows()


@router.get(
    "/api/puzzles/{name}",
    response_model=schemas.PuzzleDetails,
    responses=_NO_PUZZLE | _WRONG,
    tags=["puzzles"],
)
def puzzle(name: NamedPuzzle) -> dict[str, Any]:
    """Describes one puzzle: its moves, its goal, and the solvers that can do it."""
    return catalogue.details(name)


@router.get(
    "/api/scramble",
    response_model=schemas.Scramble,
    responses=_NO_PUZZLE | _WRONG,
    tags=["puzzles"],
)
def scramble(
    puzzle: Annotated[str, Query(max_length=40, pattern="^[a-z0-9-]+$", examples=["cube3"])],
    depth: Annotated[int | None, Query(ge=0, le=1000, description="How many moves.")] = None,
    seed: Annotated[int | None, Query(ge=0, lt=2**53)] = None,
) -> dict[str, Any]:
    """Scrambles a puzzle; a new room for Sokoban."""
    made = catalogue.puzzle(puzzle)
    moves, state = catalogue.scrambled(made, depth, seed)
    return {"puzzle": made.name, "moves": moves, "state": state.text}


@router.post(
    "/api/read",
    response_model=schemas.ReadAnswer,
    responses=_NO_PUZZLE | _NO_BODY | _WRONG,
    tags=["puzzles"],
)
def read(request: schemas.ReadRequest) -> dict[str, Any]:
    """Reads a state, or moves from it or from the goal, and says everything wrong with it.

    Moves that are not possible and states that cannot be solved are answers, not errors.
    """
    made = catalogue.puzzle(request.puzzle)
    try:
        start = State.solved(made)
        if request.state is not None:
            start = catalogue.read_state(made, request.state)
        moves = format_of(start.puzzle).read_moves(start.puzzle, request.moves or "")
        if len(moves) > _MOST_MOVES:
            raise PuzzleError(f"{len(moves):,} moves, and this server makes {_MOST_MOVES:,}")
        end = start.moved(moves)
    except PuzzleError as error:
        found = catalogue.problems(error)
        return {"puzzle": made.name, "valid": False, "problems": found}
    names = [start.puzzle.move_names[move] for move in moves]
    facts = {"puzzle": start.puzzle.name, "valid": True, "solved": end.is_solved}
    return {**facts, "state": end.text, "moves": names}


# --- jobs


@router.post(
    "/api/solve",
    status_code=202,
    response_model=schemas.Job,
    responses={**_NO_PUZZLE, **_NO_BODY, **_WRONG, 503: schemas.failure("The queue is full.")},
    tags=["solving"],
)
async def solve(request: schemas.SolveRequest, jobs: AllJobs, response: Response) -> dict[str, Any]:
    """Starts a job that solves a state.

    Listen to its events or ask about it: a job that nobody cares about for 10 seconds is
    cancelled. Beyond a full queue the answer is 503 with Retry-After.
    """
    wish = await run_in_threadpool(_checked, request, jobs.limits)
    job = jobs.submit(wish)
    response.headers["location"] = f"/api/jobs/{job.id}"
    return jobs.snapshot(job)


@router.get(
    "/api/jobs/{id}",
    response_model=schemas.Job,
    responses=_NO_JOB | _WRONG,
    tags=["solving"],
)
async def job(job: KnownJob, jobs: AllJobs) -> dict[str, Any]:
    """Says how a job stands; when it is done, `result` is what the command line prints."""
    return jobs.snapshot(job)


@router.get(
    "/api/jobs/{id}/events",
    response_class=StreamingResponse,
    responses={
        **_NO_JOB,
        **_WRONG,
        200: {
            "description": "Server-sent events; the data of each is a Job.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        503: schemas.failure("Too many streams are open."),
    },
    tags=["solving"],
)
async def events(job: KnownJob, jobs: AllJobs) -> StreamingResponse:
    """Streams a job: `progress` events a few times a second, and an `end` event at the end."""
    if jobs.streams >= jobs.limits.streams:
        raise HTTPException(503, "too many streams are open", {"retry-after": "5"})
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_stream(jobs, job), media_type="text/event-stream", headers=headers)


@router.delete(
    "/api/jobs/{id}",
    status_code=202,
    response_model=schemas.Job,
    responses=_NO_JOB | _WRONG,
    tags=["solving"],
)
async def cancel(job: KnownJob, jobs: AllJobs) -> dict[str, Any]:
    """Stops a job; the best solution so far is still its result."""
    jobs.cancel(job)
    return jobs.snapshot(job)


def _checked(request: schemas.SolveRequest, limits: Limits) -> dict[str, Any]:
    """What a worker is told, once everything wrong with a wish has been said."""
    made = catalogue.puzzle(request.puzzle)
    start = catalogue.read_state(made, request.state)
    known = {one["name"]: one for one in catalogue.details(made.name)["solvers"]}
    if request.solver not in known:
        hint = choices(request.solver, known)
        raise PuzzleError(f"there is no solver {request.solver!r} for {made.name}{hint}")
    proves = request.solver == "auto" or known[request.solver]["proves"]
    if request.optimal and not proves:
        raise PuzzleError(f"{request.solver} does not prove every solution shortest")
    return {
        "puzzle": made.name,
        "state": start.text,
        "solver": request.solver,
        "optimal": request.optimal,
        "seconds": min(request.seconds, limits.seconds),
    }


async def _stream(jobs: Jobs, job: Job) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    async with aclosing(jobs.events(job)) as events:  # a client that goes is noticed
        async for news in events:
            if news is None:
                yield ": still here\n\n"
            else:
                name = "progress" if job.ended is None else "end"
                yield f"event: {name}\ndata: {json.dumps(news)}\n\n"
