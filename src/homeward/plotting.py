"""What every plot needs: matplotlib, which comes with the extra `plot`, and a file to go to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from homeward.puzzles.status import PuzzleError


def require(path: Path | str) -> None:
    """Raises `PuzzleError` if a plot could not be written to `path`: before the work, not after."""
    made, folder = new_figure(), Path(path).parent
    kinds = made.canvas.get_supported_filetypes()
    if Path(path).suffix[1:].lower() not in kinds:
        raise _unwritable(path, f"its suffix should be one of {', '.join(sorted(kinds))}")
    if not folder.is_dir():
        raise _unwritable(path, f"there is no folder {folder}")


def new_figure(**options: Any) -> Any:
    """An empty figure of matplotlib; `PuzzleError` if that is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise PuzzleError("plots need matplotlib: pip install 'homeward[plot]'") from error
    return Figure(layout="constrained", **options)


def save(figure: Any, path: Path | str) -> None:
    """Writes a figure; its suffix says which kind of file, and the same data the same bytes."""
    from matplotlib import rc_context

    plain: Any = {"svg.hashsalt": "homeward", "svg.fonttype": "none"}
    metadata = {"Date": None} if str(path).endswith(".svg") else None
    try:
        with rc_context(plain):
            figure.savefig(path, dpi=110, metadata=metadata)
    except (OSError, ValueError) as error:
        raise _unwritable(path, str(error)) from error


def _unwritable(path: Path | str, why: str) -> PuzzleError:
    return PuzzleError(f"the plot cannot be written to {path}: {why}")
