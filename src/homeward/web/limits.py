"""What a server grants its clients."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """How much runs at once, and how much of everything a request may ask for."""

    workers: int = 2
    """Solves that run at once, each in a process of its own."""
    queue: int = 16
    """Solves that may wait; beyond that the answer is 503 with Retry-After."""
    seconds: float = 600.0
    """The most time that one solve may ask for."""
    memory: int = 1024 * MIB
    """Bytes that one search may use."""
    overhead: int = 1536 * MIB
    """Bytes that a worker may hold besides: code, nets and tables. Above both it is ended."""
    patience: float = 10.0
    """Seconds after which a job that nobody listens to or asks about is cancelled."""
    grace: float = 5.0
    """Seconds that a worker has to stop by itself before it is ended."""
    compiling: float = 60.0
    """Seconds that a solve may take besides: the first time on a machine, loops are compiled."""
    kept: int = 256
    """Finished jobs that can still be asked about."""
    keep_seconds: float = 300.0
    """For how long."""
    body: int = 64 * 1024
    """Bytes of a request's body."""
    streams: int = 256
    """Event streams that may be open at once."""
    device: str = "auto"
    """Where nets run: `auto`, `cpu` or `cuda`."""
    warm: str = ""
    """The puzzle that idle workers get ready for as soon as they start, if any."""
