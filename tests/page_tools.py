"""A page in Chromium, as the tests of the page use it. Without Chromium they are skipped aloud."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from web_tools import RunningServer

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
WAIT = 30_000
"""Milliseconds that anything may take on a slow machine."""


def chromium() -> str:
    """The path of Chromium; skips the test, and warns so that it shows, if there is none."""
    path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    if not Path(path).exists():
        reason = f"the page is NOT tested: there is no Chromium at {path} (set CHROMIUM)"
        warnings.warn(reason, stacklevel=2)
        pytest.skip(reason)
    return path


@contextmanager
def browsing() -> Iterator[Any]:
    """A browser for some tests."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """Somebody in front of the page."""

    def __init__(self, browser: Any, server: RunningServer, **look: Any) -> None:
        self.server = server
        self.context = browser.new_context(
            **{"viewport": {"width": 1200, "height": 760}, "reduced_motion": "reduce", **look}
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))

    def _note(self, message: Any) -> None:
        lost = any(f"ERR_{word}" in message.text for word in ("CONNECTION", "INCOMPLETE", "EMPTY"))
        if message.type == "error" and not lost:
            self.errors.append(message.text)

    def open(self, **wish: Any) -> None:
        """Opens the link of a wish."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.server.url}/#{urlencode(wish)}")
        self.page.wait_for_selector("body:not([data-state=loading])")

    def state(self, *names: str) -> None:
        """Waits until the page is in one of these states."""
        self.page.wait_for_selector(", ".join(f"body[data-state={name}]" for name in names))

    def until(self, condition: str) -> None:
        """Waits for something that a script says; the page's policy forbids waiting in the page."""
        end = time.monotonic() + WAIT / 1000
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, condition
            self.page.wait_for_timeout(30)

    def solve(self, *names: str) -> None:
        self.page.click("#solve")
        self.state(*(names or ("solved",)))

    def text(self, selector: str) -> str:
        found: str = self.page.locator(selector).inner_text()
        return found

    def facelets(self) -> str:
        """The state on the stage, as text."""
        text: str = self.page.evaluate("homeward.model.write(homeward.state)")
        return text

    def is_solved(self) -> bool:
        return bool(self.page.evaluate("homeward.model.isSolved(homeward.state)"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def close(self) -> None:
        self.context.close()
        assert self.errors == []
        assert self.hosts <= {self.server.url.split("/")[2]}  # nothing from elsewhere
