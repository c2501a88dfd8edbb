"""A worker process as the server holds it: started when needed, spoken to in lines of JSON."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

_LINE = 1 << 24
"""Bytes of the longest answer: a solution of hundreds of thousands of moves."""
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class ProcessLostError(Exception):
    """The process has ended without an answer."""


class Process:
    """A `homeward.web.worker`. It is a session of its own: Ctrl-C reaches the server alone."""

    def __init__(self, device: str = "auto", warm: str = "") -> None:
        self._arguments = (device, warm)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """The process number, None while there is no process."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Starts the process unless it runs, and waits until it is ready.

        Raises `ProcessLostError` if it never is.
        """
        if self._process is not None and self._process.returncode is None:
            return
        try:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "homeward.web.worker",
                *self._arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=_LINE,
            )
        except OSError as error:  # no memory, or too many processes
            raise ProcessLostError(f"no solver can be started: {error.strerror}") from None
        while (await self.receive(60.0) or {}).get("ready") is None:
            pass

    def send(self, message: dict[str, Any]) -> None:
        """Writes one line; a lost process shows when its answer is read."""
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError, RuntimeError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def receive(self, seconds: float) -> dict[str, Any] | None:
        """The next message, None if none comes in that time; raises `ProcessLostError`."""
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), seconds)
        except TimeoutError:
            return None
        except ValueError:  # longer than any answer
            line = b""
        try:
            message: dict[str, Any] = json.loads(line)
        except ValueError:
            raise ProcessLostError(await self._obituary()) from None
        return message

    async def _obituary(self) -> str:
        """What is known of the end of a process that closed its output."""
        process = self._process
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 2.0)  # type: ignore[union-attr]
        await self.end()
        code = None if process is None else process.returncode
        how = f"exit status {code}"
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                how = signal.Signals(-code).name
        return f"the solver's process was lost ({how}); please try again"

    def resident(self) -> int:
        """Bytes of memory that the process holds; 0 where the system does not tell."""
        try:
            text = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii")
            return int(text.split()[1]) * _PAGE
        except (OSError, ValueError, IndexError):
            return 0

    async def end(self) -> None:
        """Ends the process at once and waits until it has gone."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if process.returncode is None:
                # Not process.kill(): it looks first, and takes the exit status from asyncio.
                os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()
