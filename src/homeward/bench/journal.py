"""Rows on disk as they come, so that a run that is killed goes on where it was.

Beside `FILE.json` lies `FILE.json.rows` while a run is going on: one line of JSON for the task,
then one for each row, written whole and at once. When the run is over the result takes its place.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from homeward.bench.summary import Row
from homeward.cache import write_atomically
from homeward.puzzles.status import PuzzleError

_SHOWN = 60
"""Letters of a fact in a message."""


class Journal:
    """The rows of one run by their index; with `out` None they are kept in memory only.

    Raises `PuzzleError` if `out` holds something else, or another run is writing it.
    """

    def __init__(self, out: Path | None, facts: dict[str, Any]) -> None:
        self.out, self.facts = out, facts
        self.rows: dict[int, Row] = {}
        self.summary: dict[str, Any] = {}
        """That of a run that came to its end."""
        self._file: IO[str] | None = None
        if out is None:
            return
        if not out.name or out.is_dir():
            raise PuzzleError(f"cannot write {out}: it is a folder")
        self.path = out.with_name(f"{out.name}.rows")
        self._file = _opened(self.path)
        try:
            for row in [*self._finished(out), *self._begun()]:
                self.rows[row["index"]] = row
        except BaseException:
            self._file.close()
            raise

    def add(self, row: Row) -> None:
        """Keeps a row; one that is there already is not counted twice."""
        if row["index"] in self.rows:
            return
        self.rows[row["index"]] = row
        self._write(row)

    def finish(self, result: dict[str, Any]) -> None:
        """Writes the result, whole or not at all, and forgets the rows beside it."""
        self.summary = dict(result.get("summary", {}))
        if self.out is None:
            return
        text = json.dumps(result, indent=1).encode()
        try:
            write_atomically(self.out, lambda file: file.write(text))
        except OSError as error:
            raise _cannot_write(self.out, error) from None
        self.forget()

    def forget(self) -> None:
        """Drops the file of rows beside a result that has them all."""
        if self.out is not None:
            self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):  # what could not be written has been told
                self._file.close()

    def _finished(self, out: Path) -> list[Row]:
        """The rows of a run that came to its end, perhaps with a smaller limit."""
        if not out.exists():
            return []
        try:
            earlier = json.loads(out.read_text(encoding="utf-8"))
            facts, rows = earlier["task"], list(earlier["rows"])
            self.summary = dict(earlier.get("summary", {}))
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._drop_if_empty()
            message = f"{out} is in the way and no result of a benchmark: {error}"
            raise PuzzleError(message) from None
        self._require_same(facts)
        return rows

    def _begun(self) -> list[Row]:
        """The rows of a run that was killed; a last line that is torn is cut off."""
        assert self._file is not None
        self._file.seek(0)
        lines, end = [], 0
        while (line := self._file.readline()).endswith("\n"):
            try:
                lines.append(json.loads(line))
            except ValueError:
                break
            end = self._file.tell()
        if lines:
            self._require_same(lines[0].get("task"))
        try:
            self._file.truncate(end)  # and no more: a kill here must not lose what is known
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        self._file.seek(end)
        if not lines:
            self._write({"task": self.facts})
        return lines[1:]

    def _require_same(self, facts: Any) -> None:
        if facts != self.facts:
            self._drop_if_empty()
            message = f"{self.out} holds the result of another benchmark{self._other(facts)}"
            raise PuzzleError(f"{message}; name another file")

    def _other(self, facts: Any) -> str:
        """What another benchmark was set otherwise."""
        known = facts if isinstance(facts, dict) else {}
        for name, wanted in self.facts.items():
            if name in known and known[name] != wanted:
                return f": its {name} is {_shown(known[name])}, not {_shown(wanted)}"
        return ""

    def _drop_if_empty(self) -> None:
        if self.path.stat().st_size == 0:
            self.path.unlink()

    def _write(self, line: dict[str, Any]) -> None:
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
        except OSError as error:
            raise _cannot_write(self.path, error) from None


def _opened(path: Path) -> IO[str]:
    """The file for reading and writing, locked; it is made if there is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise PuzzleError(f"{path} is being written by another run") from None
    return file


def _shown(fact: Any) -> str:
    text = json.dumps(fact, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _cannot_write(path: Path, error: Exception) -> PuzzleError:
    return PuzzleError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}")
