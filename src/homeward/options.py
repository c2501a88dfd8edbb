"""Settings that people type: values read as their types, and the nearest known name."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any, get_args, get_type_hints

from homeward.puzzles.status import PuzzleError

_WORDS = {"true": True, "yes": True, "on": True, "1": True}
_WORDS |= {"false": False, "no": False, "off": False, "0": False}

_KINDS: dict[Any, tuple[Callable[[str], Any], str]] = {
    bool: (lambda text: _WORDS[text.lower()], "true or false"),
    int: (int, "a whole number"),
    float: (float, "a number"),
    str: (str, "text"),
}


def read_settings(owner: str, kind: type[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given settings as the types of the dataclass `kind`'s fields; text is read.

    Raises `PuzzleError` for a name that `kind` has not, or a value that is none of its type.
    """
    hints = get_type_hints(kind)
    known = {f.name: hints[f.name] for f in dataclasses.fields(kind)}
    values = {}
    for key, value in given.items():
        if key not in known:
            raise PuzzleError(f"{owner} has no setting {key!r}{choices(key, known)}")
        values[key] = read_setting(key, value, known[key])
    return values


def choices(wrong: str, known: Iterable[str]) -> str:
    """How an error about an unknown name ends: the nearest known one, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(wrong, names, n=1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; there are {', '.join(names)}" if names else "; it has none"


def read_setting(key: str, value: Any, kind: Any) -> Any:
    """A setting's value as its type, read if it is text; `PuzzleError` if it is none."""
    kinds = get_args(kind) or (kind,)
    wanted = next(k for k in kinds if k is not NoneType)
    if NoneType in kinds and (value is None or str(value).lower() == "none"):
        return None
    read, what = _KINDS[wanted]
    try:
        if isinstance(value, str):
            return read(value)
        if type(value) is wanted or (type(value), wanted) == (int, float):
            return wanted(value)
    except (ValueError, KeyError):
        pass
    raise PuzzleError(f"{key} must be {what}, not {value!r}")
