"""Big tables kept on disk between runs, in the user's cache folder.

An entry is an array `NAME.npy` and its facts `NAME.json`. Whoever asks for it names the facts that
must hold; a damaged entry, or one made for something else, counts as absent. Losing the folder
costs nothing but time.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray


def cache_dir() -> Path:
    """The folder for tables: `$HOMEWARD_CACHE`, or `homeward` in the platform's cache folder."""
    chosen = os.environ.get("HOMEWARD_CACHE")
    if chosen:
        return Path(os.path.expanduser(chosen))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "homeward"


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Writes a file that appears under its name only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            write(file)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def keep(name: str, array: NDArray[Any], facts: Mapping[str, Any]) -> None:
    """Stores an array with its facts; warns and goes on if the folder cannot be written.

    The facts must be what JSON can hold.
    """
    folder = cache_dir()
    known = {**facts, **_form(array), "crc32": _checksum(array)}
    text = json.dumps(known).encode()
    try:
        write_atomically(folder / f"{name}.npy", lambda file: np.save(file, array))
        write_atomically(folder / f"{name}.json", lambda file: file.write(text))
    except OSError as error:
        message = f"nothing is kept for next time: {folder} cannot be written ({error.strerror})"
        warnings.warn(message, stacklevel=2)


def recall(
    name: str, wanted: Mapping[str, Any], mapped: bool = True
) -> tuple[NDArray[Any], dict[str, Any]] | None:
    """A stored array, mapped from disk and read-only, with its facts; None if there is none.

    Every one of the `wanted` facts must be as given, and the data as it was written. An array that
    is not `mapped` is read into memory of its own.
    """
    folder = cache_dir()
    try:
        facts = json.loads((folder / f"{name}.json").read_bytes())
        array = np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r" if mapped else None))
        array.setflags(write=False)
    except (OSError, ValueError, EOFError):
        return None
    if not isinstance(facts, dict):
        return None
    found = {**_form(array), **wanted}
    if any(facts.get(key) != value for key, value in found.items()):
        return None
    return (array, facts) if facts.get("crc32") == _checksum(array) else None


def _form(array: NDArray[Any]) -> dict[str, Any]:
    return {"dtype": array.dtype.str, "shape": list(array.shape)}


def _checksum(array: NDArray[Any]) -> int:
    return zlib.crc32(np.ascontiguousarray(array).data.cast("B"))
