"""What every request passes: its host, its origin, its size; and headers on every answer.

The server has no log-in. Two checks keep other people's pages from using it through the visitor's
browser: the host must be an address or a name of this machine, so that no foreign name can be
pointed at it, and what changes something must not come from another site.
"""

from __future__ import annotations

import ipaddress
import json
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class Guard:
    """ASGI middleware with the checks above; `body` is the most bytes of a request's body."""

    def __init__(self, app: ASGIApp, body: int, hosts: frozenset[str] = frozenset()) -> None:
        machine = socket.gethostname().lower()
        self.app, self.body = app, body
        self.hosts = hosts | {"localhost", "testserver", machine, f"{machine}.local"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers what must not pass, and lets the rest through with headers added."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-cache")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(headed, *refusal)
            return
        await self.app(scope, self._counted(receive), headed)

    @property
    def _too_large(self) -> str:
        return f"a request's body may have {self.body} bytes"

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if not self._is_ours(headers.get("host", "")):
            return 421, "this server answers to its address and to localhost, not to that name"
        site = headers.get("sec-fetch-site", "same-origin")
        if scope["method"] not in ("GET", "HEAD") and site not in ("same-origin", "none"):
            return 403, "requests from other sites are refused"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return 400, "the length of the body is no number"
        if len(length) > 12 or int(length) > self.body:
            return 413, self._too_large
        return None

    def _is_ours(self, host: str) -> bool:
        name = host.lower()
        if name.startswith("["):
            name = name[1:].partition("]")[0]
        elif name.count(":") == 1:
            name = name.partition(":")[0]
        if name in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _counted(self, receive: Receive) -> Receive:
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > self.body:
                    raise HTTPException(413, self._too_large)
            return message

        return counted


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence, "problems": []}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
