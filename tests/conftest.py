"""Fixtures that several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public test sets; tests that need it are skipped where it is absent."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("HOMEWARD_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"the public test sets are not at {folder} (set HOMEWARD_DATA)")
    return folder
