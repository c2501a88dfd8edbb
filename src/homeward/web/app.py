"""The server: the page and the API, and how a request is refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount
from starlette.types import Scope

from homeward import __version__
from homeward.puzzles import PuzzleError
from homeward.web import catalogue, routes
from homeward.web.guard import Guard
from homeward.web.jobs import Jobs, QueueFullError
from homeward.web.limits import Limits

PAGE = Path(str(resources.files("homeward.web") / "page"))


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
            warming = asyncio.create_task(asyncio.to_thread(routes.warm, granted.warm))
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
    app.include_router(routes.router)
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
        no_json = any(one["type"] == "json_invalid" for one in error.errors())
        sentence = "; ".join(one["sentence"] for one in found)
        return _refused(400 if no_json else 422, sentence, found)

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


_BODY = "the body must be a JSON object, sent as content-type: application/json"


def _where(error: dict[str, Any]) -> str:
    if error["type"] == "json_invalid":  # whose place is a character
        return ""
    return ".".join(str(part) for part in error["loc"][1:])


def _sentence(error: dict[str, Any]) -> str:
    if error["type"] == "json_invalid":
        return f"the body is no JSON: {error['ctx']['error']} at character {error['loc'][-1] + 1}"
    if tuple(error["loc"]) == ("body",):  # no body, one of another type, or a list
        return _BODY
    where = _where(error)
    return f"{where}: {error['msg']}" if where else str(error["msg"])
