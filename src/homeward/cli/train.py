"""`homeward train`."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homeward import plotting
from homeward.cli.common import (
    INTERRUPTED,
    OK,
    TRAINING_FAILED,
    AsJson,
    Device,
    PuzzleName,
    setting,
)
from homeward.puzzles.status import PuzzleError

if TYPE_CHECKING:
    from homeward.learning.settings import Settings
    from homeward.learning.trainer import Trainer

Row = dict[str, Any]


def train(
    puzzle: PuzzleName,
    method: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="See 'homeward list methods'; else the puzzle's own."),
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(metavar="M", min=0, help="How long, all resumed runs together.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where it is kept; runs/PUZZLE-METHOD if not given."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from DIR's checkpoint.")] = False,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="MODEL", help="Start from a model, by name or path."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="See 'homeward list settings'."),
    ] = None,
    device: Device = "auto",
    levels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Sokoban's levels, XSB or npz.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the training (PNG, SVG, PDF).")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Train a net; DIR gets its checkpoint, its log and, in the end, its model."""
    require_torch()
    from homeward.heuristics.loading import chosen_device
    from homeward.learning.memory import enough_memory
    from homeward.learning.settings import preset

    where = chosen_device(device)
    if method is None and not (resume and out):
        method = preset(puzzle).method
    given: dict[str, Any] = dict(setting(text) for text in settings or [])
    for name in given.keys() & {"puzzle", "method"}:
        raise PuzzleError(f"--set cannot change the {name}: it has a place of its own")
    options = {"minutes": minutes, "start": start, "levels": levels and str(levels)}
    given |= {key: value for key, value in options.items() if value is not None}
    folder = out or Path("runs") / f"{Path(puzzle).stem}-{method}"
    chosen = _settings(puzzle, method, folder, resume, where, given)
    if plot is not None:
        plotting.require(plot)  # now, and not after the training
    with enough_memory():
        return _run(_trainer(chosen, folder, resume, where), plot, as_json)


def _run(trainer: Trainer, plot: Path | None, as_json: bool) -> int:
    """Trains to the end or until a signal, and writes what is left then; the exit status."""
    from homeward.learning import log
    from homeward.learning.trainer import TrainingError

    try:
        with _stopped_by_signals(trainer), _told(trainer) as tell:
            trainer.run(tell)
    except TrainingError as error:
        print(f"homeward: {error}", file=sys.stderr)
        return TRAINING_FAILED
    finished = trainer.progress >= 1
    if trainer.ranks.first:
        model = _exported(trainer) if finished else None
        if plot is not None:
            title = f"{trainer.settings.puzzle}, {trainer.settings.method}"
            log.plot(log.read(trainer.folder), title, plot)
        _print_end(trainer, model, as_json)
    return OK if finished else INTERRUPTED


# --- what is trained


def require_torch() -> None:
    """Raises `PuzzleError` with what to install if torch is missing."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise PuzzleError("training needs torch: pip install 'homeward[train]'") from error


def _settings(
    puzzle: str,
    method: str | None,
    folder: Path,
    resume: bool,
    device: str,
    given: dict[str, Any],
) -> Settings:
    """The preset, or what the folder's checkpoint was trained with, and what was given."""
    from homeward.heuristics.models import read_card
    from homeward.learning import checkpoint
    from homeward.learning.parts import settings_of
    from homeward.learning.settings import preset, sizes

    if resume:
        if given.get("start"):
            raise PuzzleError("a training that is resumed has begun: --from comes too late")
        before = settings_of(folder)
        if before.puzzle != puzzle or method not in (None, before.method):
            raise PuzzleError(f"{folder} holds a training of {before.puzzle} by {before.method}")
        return before.changed(**given)
    assert method is not None
    if (folder / checkpoint.NAME).exists():
        raise PuzzleError(f"{folder} holds a training: --resume goes on, --out takes another place")
    if given.get("start"):
        given = sizes(read_card(given["start"])) | given
    return preset(puzzle, method, device).changed(**given)


def _trainer(settings: Settings, folder: Path, resume: bool, device: str) -> Trainer:
    import torch

    from homeward.learning.levels import with_levels
    from homeward.learning.trainer import Trainer
    from homeward.puzzles import registry

    made = with_levels(
        registry.puzzle(settings.puzzle), settings.levels, settings.rooms, settings.seed
    )
    trainer = Trainer(made, settings, folder, device)
    if resume:
        trainer.resume()
    elif settings.start:
        from homeward.heuristics.models import model_for

        model = model_for(made, settings.start)
        if model.card.head != trainer.method.head:
            raise PuzzleError(
                f"model {model.name} has the head {model.card.head}, "
                f"and {settings.method} trains {trainer.method.head}"
            )
        if model.card.input == "facing" and not settings.facing:
            raise PuzzleError(f"model {model.name} faces one way: facing=false cannot go on so")
        trainer.start_from({k: torch.as_tensor(v) for k, v in model.tensors.items()})
    return trainer


# --- while it runs


@contextlib.contextmanager
def _stopped_by_signals(trainer: Trainer) -> Iterator[None]:
    """Ctrl-C and SIGTERM ask the training to save and stop; a second one ends the program."""

    def stop(number: int, frame: object) -> None:
        trainer.stop()
        signal.signal(number, before[signal.Signals(number)])

    before = {n: signal.signal(n, stop) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _told(trainer: Trainer) -> Iterator[Callable[[Row], None] | None]:
    """What shows the training on stderr: live on a terminal, else a line for each report."""
    if not trainer.ranks.first:
        yield None
        return
    if not sys.stderr.isatty():
        yield lambda row: print(_line(row), file=sys.stderr, flush=True)
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.text import Text

    title = f"{trainer.settings.puzzle} by {trainer.settings.method} on {trainer.device}"
    bar = Progress(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    task = bar.add_task(title, total=1000)
    played = Text()
    with Live(Group(bar, Text("starting")), console=Console(stderr=True)) as live:

        def tell(row: Row) -> None:
            bar.update(task, completed=round(1000 * row["progress"]))
            if row["greedy"]:
                played.plain = _greedy(row)
            live.update(Group(bar, Text(_facts(row)), played))

        yield tell


def _facts(row: Row) -> str:
    speed = row["states_per_second"]
    return (
        f"step {row['step']:,}  loss {row['loss']:.4g}  {speed:,} states/s  {_left(row)} left"
        + f"  {row['refreshes']:,} refreshes" * bool(row["refreshes"])
    )


def _left(row: Row) -> str:
    """The time that remains, as the share that is done suggests."""
    seconds = max(0.0, row["seconds"] * (1 / max(row["progress"], 1e-6) - 1))
    return f"{int(seconds // 60)}:{int(seconds % 60):02}"


def _greedy(row: Row) -> str:
    """The share of scrambles that greedy play solves, by depth."""
    shares = [f"{depth}: {100 * share:.0f} %" for depth, share in (row["greedy"] or {}).items()]
    return "solved greedily by depth  " + "  ".join(shares) if shares else ""


def _line(row: Row) -> str:
    return "  ".join(part for part in (_facts(row), _greedy(row)) if part)


# --- in the end


def _exported(trainer: Trainer) -> str | None:
    """The path of the model that was written, or None for a net that cannot be kept as one."""
    from homeward.learning.export import export

    if trainer.average.input == "features":
        return None
    path = trainer.folder / "model"
    export(trainer, path)
    return f"{path}.safetensors"


def _print_end(trainer: Trainer, model: str | None, as_json: bool) -> None:
    from homeward.learning import log

    if as_json:
        rows = log.read(trainer.folder)
        last = rows[-1] if rows else {}
        record = {
            "puzzle": trainer.settings.puzzle,
            "method": trainer.settings.method,
            "device": trainer.device.type,
            "folder": str(trainer.folder),
            "model": model,
            "finished": trainer.progress >= 1,
            "steps": trainer.step,
            "seconds": round(trainer.seconds, 1),
            "states_seen": trainer.states_seen,
            "loss": last.get("loss"),
            "greedy": last.get("greedy"),
        }
        print(json.dumps(record))
        return
    print(f"{trainer.step:,} steps, {trainer.states_seen:,} states, {trainer.seconds:.0f} s")
    if trainer.progress < 1:
        print(f"stopped; --resume goes on from {trainer.folder}")
    elif model is not None:
        print(f"the model is {model}")
        print(f"try it: homeward solve {trainer.settings.puzzle} --random --model {trainer.folder}")
