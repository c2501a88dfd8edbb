"""The addresses of the server: the page, and the API that it and other programs use."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from importlib import resources
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount
from starlette.types import Scope

from homeward import __version__
from homeward.notation import State, format_of
from homeward.puzzles import PuzzleError, registry
from homeward.web import catalogue, schemas
from homeward.web.guard import Guard
from homeward.web.jobs import Job, Jobs, QueueFullError
from homeward.web.limits import Limits

PAGE = FilePath(str(resources.files("homeward.web") / "page"))

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


def create_app(limits: Limits | None = None, hosts: frozenset[str] = frozenset()) -> FastAPI:
    """The server as an ASGI application; its jobs are at `app.state.jobs`.

    `hosts` are names that it answers to besides its addresses and localhost.
    """
    granted = limits or Limits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.jobs = Jobs(granted)
        await app.state.jobs.start()
        if granted.warm:  # the list takes seconds the first time
            warming = asyncio.create_task(asyncio.to_thread(_warm, granted.warm))
        try:
            yield
        finally:
            if granted.warm:
                await warming
            await app.state.jobs.close()

    app = FastAPI(
        title="homeward",
        version=__version__,
        summary="Puzzles by name, states checked and solved.",
        lifespan=lifespan,
        docs_url=None,  # the usual pages take their scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.add_middleware(Guard, body=granted.body, hosts=hosts)
    _handle_errors(app)
    _add_puzzles(app)
    _add_jobs(app)
    app.router.routes.append(_Page("/", StaticFiles(directory=PAGE, html=True), name="page"))
    return app


class _Page(Mount):
    """The page's files, everywhere but under /api/, where a wrong method must not find them."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As a mount matches."""
        return (Match.NONE, {}) if scope["path"].startswith("/api/") else super().matches(scope)


def _refused(status: int, error: str, problems: list[dict[str, Any]] | None = None) -> JSONResponse:
    return JSONResponse({"error": error, "problems": problems or []}, status)


def _handle_errors(app: FastAPI) -> None:
    """Every refusal is `{"error": sentence, "problems": […]}`."""

    async def unknown(request: Request, error: Exception) -> Response:
        return _refused(404, str(error))

    async def puzzled(request: Request, error: Exception) -> Response:
        assert isinstance(error, PuzzleError)
        return _refused(422, str(error), catalogue.problems(error))

    async def malformed(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        found = [
            {"kind": "request", "sentence": _sentence(one), "where": _where(one)}
            for one in error.errors()[:5]
        ]
        return _refused(422, "; ".join(one["sentence"] for one in found), found)

    async def full(request: Request, error: Exception) -> Response:
        assert isinstance(error, QueueFullError)
        answer = _refused(503, str(error))
        answer.headers["retry-after"] = str(error.retry_after)
        return answer

    async def other(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        answer = _refused(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        if error.status_code == 405:  # each route knows its own methods alone
            answer.headers["allow"] = ", ".join(_methods(app, request.scope))
        return answer

    app.add_exception_handler(catalogue.UnknownNameError, unknown)
    app.add_exception_handler(PuzzleError, puzzled)
    app.add_exception_handler(RequestValidationError, malformed)
    app.add_exception_handler(QueueFullError, full)
    app.add_exception_handler(HTTPException, other)


def _methods(app: FastAPI, scope: Scope) -> list[str]:
    """The methods that the address of a request has."""
    found = [route for route in app.routes if route.matches(scope)[0] is not Match.NONE]
    return sorted({method for route in found for method in getattr(route, "methods", ())})


def _where(error: dict[str, Any]) -> str:
    return ".".join(str(part) for part in error["loc"][1:])


def _sentence(error: dict[str, Any]) -> str:
    where = _where(error)
    return f"{where}: {error['msg']}" if where else str(error["msg"])


# --- puzzles and states


def _warm(name: str) -> None:
    """What the page asks for first is worked out before it asks."""
    catalogue.details(name)
    _rows()


def _rows() -> list[dict[str, Any]]:
    return [catalogue.row(name) for name in registry.names()]


def _add_puzzles(app: FastAPI) -> None:
    @app.get("/api/health", response_model=schemas.Health, tags=["server"])
    async def health(jobs: Annotated[Jobs, Depends(_jobs)]) -> dict[str, Any]:
        """Says that the server answers, and how busy it is."""
        counts = {"workers": jobs.limits.workers, "busy": jobs.busy, "queued": jobs.queued}
        return {"status": "ok", "version": __version__, **counts}

    @app.get("/api/puzzles", response_model=list[schemas.PuzzleRow], tags=["puzzles"])
    def puzzles() -> list[dict[str, Any]]:
        """Lists the common puzzles; other sizes of the same families can be named too."""
        return _rows()

    @app.get(
        "/api/puzzles/{name}",
        response_model=schemas.PuzzleDetails,
        responses=_NO_PUZZLE | _WRONG,
        tags=["puzzles"],
    )
    def puzzle(name: NamedPuzzle) -> dict[str, Any]:
        """Describes one puzzle: its moves, its goal, and the solvers that can do it."""
        return catalogue.details(name)

    @app.get(
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

    @app.post(
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


def _add_jobs(app: FastAPI) -> None:
    @app.post(
        "/api/solve",
        status_code=202,
        response_model=schemas.Job,
        responses={**_NO_PUZZLE, **_NO_BODY, **_WRONG, 503: schemas.failure("The queue is full.")},
        tags=["solving"],
    )
    async def solve(
        request: schemas.SolveRequest, jobs: AllJobs, response: Response
    ) -> dict[str, Any]:
        """Starts a job that solves a state.

        Listen to its events or ask about it: a job that nobody cares about for 10 seconds is
        cancelled. Beyond a full queue the answer is 503 with Retry-After.
        """
        wish = await run_in_threadpool(_checked, request, jobs.limits)
        job = jobs.submit(wish)
        response.headers["location"] = f"/api/jobs/{job.id}"
        return jobs.snapshot(job)

    @app.get(
        "/api/jobs/{id}",
        response_model=schemas.Job,
        responses=_NO_JOB | _WRONG,
        tags=["solving"],
    )
    async def job(job: KnownJob, jobs: AllJobs) -> dict[str, Any]:
        """Says how a job stands; when it is done, `result` is what the command line prints."""
        return jobs.snapshot(job)

    @app.get(
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
        return StreamingResponse(
            _stream(jobs, job), media_type="text/event-stream", headers=headers
        )

    @app.delete(
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
    from homeward.options import choices

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
