"""Runs the server until it is told to stop, and stops it cleanly."""

from __future__ import annotations

import contextlib
import os
import socket

import uvicorn

from homeward.puzzles import PuzzleError
from homeward.web.app import create_app
from homeward.web.limits import Limits


class Server(uvicorn.Server):
    """Ends every job before it waits for connections; open event streams would keep it waiting."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops cleanly; called by uvicorn on SIGINT and SIGTERM."""
        jobs = getattr(getattr(self.config.app, "state", None), "jobs", None)
        if jobs is not None:
            jobs.close_soon()
        await super().shutdown(sockets)


def make_server(host: str, port: int, limits: Limits) -> Server:
    """A server of the page and the API, not yet running."""
    return Server(
        uvicorn.Config(
            create_app(limits, frozenset({host.lower()})),
            host=host,
            port=port,
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=2 * limits.streams,
            timeout_keep_alive=10,
            timeout_graceful_shutdown=5,
        )
    )


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes any free one. `PuzzleError` if it cannot."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # With the protocol named, asyncio switches Nagle's algorithm off, which would hold every
        # answer's body back by 40 ms. `socket.create_server` leaves it unnamed.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(512)
        except (OSError, OverflowError):
            listener.close()
            raise
        return listener
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PuzzleError(f"cannot serve at {host} port {port}: {reason}") from None


def serve(listener: socket.socket, limits: Limits, host: str) -> None:
    """Serves the page and the API at a socket that listens at `host` until SIGINT or SIGTERM."""
    port = listener.getsockname()[1]
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how one stops it
        make_server(host, port, limits).run([listener])
