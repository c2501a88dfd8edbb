"""Rows on disk as they come, so that a run that is killed goes on where it was.

Beside `FILE.json` lies `FILE.json.rows` while a run is going on: one line of JSON for the task,
then one for each row, written whole and at once. When the run is over the result takes its place.
"""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from homeward.bench.summary import Row
from homeward.cache import write_atomically
from homeward.puzzles.status import PuzzleError


class Journal:
    """The rows of one run by their index; with `out` None they are kept in memory only.

    Raises `PuzzleError` if `out` holds something else, or another run is writing it.
    """

    def __init__(self, out: Path | None, facts: dict[str, Any]) -> None:
        self.out, self.facts = out, facts
        self.rows: dict[int, Row] = {}
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
            self._rewrite()
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
        if self.out is None:
            return
        text = json.dumps(result, indent=1).encode()
        try:
            write_atomically(self.out, lambda file: file.write(text))
        except OSError as error:
            raise _cannot_write(self.out, error) from None
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
            self._file.close()

    def _finished(self, out: Path) -> list[Row]:
        """The rows of a run that came to its end, perhaps with a smaller limit."""
        if not out.exists():
            return []
        try:
            earlier = json.loads(out.read_text(encoding="utf-8"))
            facts, rows = earlier["task"], list(earlier["rows"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._drop_if_empty()
            message = f"{out} is in the way and no result of a benchmark: {error}"
            raise PuzzleError(message) from None
        self._require_same(facts)
        return rows

    def _begun(self) -> list[Row]:
        """The rows of a run that was killed; the last line may be torn."""
        assert self._file is not None
        self._file.seek(0)
        whole = []
        for line in self._file:
            try:
                whole.append(json.loads(line))
            except ValueError:
                break
        if whole:
            self._require_same(whole[0].get("task"))
        return whole[1:]

    def _require_same(self, facts: Any) -> None:
        if facts != self.facts:
            self._drop_if_empty()
            message = f"{self.out} holds the result of another benchmark; name another file"
            raise PuzzleError(message)

    def _drop_if_empty(self) -> None:
        if self.path.stat().st_size == 0:
            self.path.unlink()

    def _rewrite(self) -> None:
        """Starts the file afresh with what is known, so that no torn line stays."""
        assert self._file is not None
        self._file.seek(0)
        self._file.truncate()
        self._write({"task": self.facts})
        for row in self.rows.values():
            self._write(row)

    def _write(self, line: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()


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


def _cannot_write(path: Path, error: Exception) -> PuzzleError:
    return PuzzleError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}")
