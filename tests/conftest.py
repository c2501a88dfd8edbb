"""Fixtures that several test files share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from page_tools import Visitor
    from web_tools import RunningServer


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public test sets; tests that need it are skipped where it is absent."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("HOMEWARD_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"the public test sets are not at {folder} (set HOMEWARD_DATA)")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; tests that need it are skipped aloud where it is absent."""
    from page_tools import browsing

    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    """A server of its own for each file of tests."""
    from web_tools import RunningServer

    running = RunningServer()
    yield running
    running.stop()


@pytest.fixture
def visitor(browser: Any, server: RunningServer) -> Iterator[Visitor]:
    """Somebody who looks at the page of that server."""
    from page_tools import Visitor

    here = Visitor(browser, server)
    yield here
    here.close()
