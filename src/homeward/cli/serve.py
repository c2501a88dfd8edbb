"""`homeward serve`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from homeward.cli.common import Device
from homeward.puzzles.status import PuzzleError


def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="0.0.0.0 lets your phone in too.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Solves that run at once.")] = 2,
    queue: Annotated[int, typer.Option(min=0, help="Solves that may wait.")] = 16,
    time: Annotated[
        float, typer.Option(metavar="S", min=0.1, help="The most seconds that a solve may ask for.")
    ] = 600.0,
    memory: Annotated[
        str | None,
        typer.Option(metavar="1G", help="For each search; if not given, 1G or what is free."),
    ] = None,
    device: Device = "auto",
) -> None:
    """Serve the page and its API, until Ctrl-C."""
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn")):
        raise PuzzleError("the page needs fastapi and uvicorn: pip install 'homeward[web]'")
    from homeward import solvers
    from homeward.cli.solve import _bytes
    from homeward.heuristics.loading import chosen_device
    from homeward.web.limits import Limits
    from homeward.web.server import listening
    from homeward.web.server import serve as run

    chosen_device(device)
    share = solvers.free_bytes() // (2 * workers)
    granted = min(Limits.memory, share) if memory is None else _bytes(memory)
    limits = Limits(
        workers=workers, queue=queue, seconds=time, memory=granted, device=device, warm="cube3"
    )
    listener = listening(host, port)
    shown, number = listener.getsockname()[:2]
    name = f"[{shown}]" if ":" in shown else shown
    print(f"homeward: http://{name}:{number}/ (Ctrl-C stops it)", flush=True)
    run(listener, limits, host)
