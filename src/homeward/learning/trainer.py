"""The training loop that every method shares: walks → targets → step → checkpoint.

One GPU or CPU:  homeward train cube3 --method diffusion --minutes 10
Many GPUs:       torchrun --nproc-per-node 8 -m homeward train cube3 --method diffusion
Two machines:    torchrun --nnodes 2 --rdzv-endpoint HOST:29500 … -m homeward train cube3 …
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from homeward.learning import checkpoint, greedy, log
from homeward.learning.gpu import fast_products, own_stream
from homeward.learning.methods import METHODS
from homeward.learning.nets import Folded, Net, ResidualNet, RoundedNet
from homeward.learning.optimisers import follow, optimisers
from homeward.learning.parts import Part, device_name, gone_on
from homeward.learning.ranks import Ranks
from homeward.learning.settings import Settings
from homeward.options import choices
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError
from homeward.recording import Recording

Report = Callable[[log.Row], None]

_DEEPEST = 60
"""Moves of the longest scramble that greedy play is tried on."""
_FIRST_STEPS = 3
"""Steps that compile whatever is compiled, before one is recorded."""
_GREEDY_SHARE = 0.1
"""How much of the time greedy play may take."""
_FEW = 8
"""Scrambles of each depth that greedy play is tried on at least, and first, to be timed."""


class TrainingError(RuntimeError):
    """The loss or a weight stopped being a number; the last good checkpoint is kept."""


class Trainer:
    """One training run in one folder. `run()` trains until the time or the steps are over.

    `net` learns, `average` is the running average of its weights, which is what is kept in the
    end, and `target` is the copy that a method may ask for targets.
    """

    def __init__(
        self, puzzle: Puzzle, settings: Settings, folder: Path, device: str = "cpu"
    ) -> None:
        if settings.method not in METHODS:
            hint = choices(settings.method, METHODS)
            raise PuzzleError(f"there is no method named {settings.method!r}{hint}")
        self.puzzle, self.settings, self.folder = puzzle, settings, folder
        self.ranks = Ranks.here()
        self.device = torch.device(f"cuda:{self.ranks.local}" if device == "cuda" else device)
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        torch.manual_seed(settings.seed % 2**63)
        rng = torch.Generator(self.device)
        rng.manual_seed((settings.seed * 1000003 + self.ranks.rank) % 2**63)
        self.method = METHODS[settings.method](puzzle, settings, rng)
        self.net: Net = self.method.make_net().to(self.device)
        self.average: Net = copy.deepcopy(self.net).eval().requires_grad_(False)
        self.target: Net = copy.deepcopy(self.average)
        self.method.prepare(self.target)
        self.optimisers = optimisers(self.net, settings, self.device)
        self.step, self.seconds, self.states_seen, self.refreshes = 0, 0.0, 0, 0
        self._saved = 0
        """The steps of the checkpoint that this run saved last."""
        self.loss = math.nan
        """The mean loss since the last report."""
        self._asked_to_stop = self._stopping = False
        self.part = Part(settings, device_name(self.device), self.ranks.count)
        self.parts: list[Part] = []
        """What a resumed training was made of before this part."""
        self._reached = 0.0
        """The progress of the training that was resumed, which may have been a shorter one."""
        self._greedy_until, self._greedy_pace = 0.0, 0.0
        """When there is time for greedy play again, and its scrambles a second; 0: not known."""
        self._rate, self._share = torch.zeros((2,), device=self.device)
        """The learning rate and the average's share of this step, where a recording reads them."""
        self._stage, self._one_by_one = "", 0
        """The stage, and how many steps have been made in it one by one."""
        self._recording: Recording | None = None
        """A step of this stage."""

    # --- the loop

    def run(self, report: Report | None = None) -> None:
        """Trains to the end of the settings' time or steps, reporting and saving on the way.

        Raises `TrainingError` if the loss stops being a number.
        """
        if self.settings.threads:
            torch.set_num_threads(self.settings.threads)  # now: other loops may have changed it
        with self.ranks.together(self.device), self._traceless():
            if self.step == 0:
                self.save()  # so that there is always something to resume
                if self.ranks.first:
                    log.cut(self.folder, 0)
            with fast_products(self.device), own_stream(self.device):
                self._loop(report)

    @contextlib.contextmanager
    def _traceless(self) -> Iterator[None]:
        """Leaves no checkpoint where none was, if a failure leaves nothing to go on from."""
        known = (self.folder / checkpoint.NAME).exists()
        try:
            yield
        except TrainingError:
            raise
        except Exception:
            if self.ranks.first and not known and not self._saved:
                checkpoint.remove(self.folder)
            raise

    def _loop(self, report: Report | None) -> None:
        forward, target = self._ready()
        started = time.perf_counter() - self.seconds
        told, saved, first_step = self.seconds, self.seconds, self.step
        losses = torch.zeros((), device=self.device)
        while not self._over():
            losses += self._one_step(forward, target)
            if self.device.type == "cuda":
                if self.step % 20:
                    continue
                torch.cuda.synchronize()  # the clock means nothing before the device has caught up
            self._look_at_clock(time.perf_counter() - started)
            if self._over():
                break  # the last steps are saved and told below
            if self.seconds - saved >= self.settings.save_every:
                self._require_numbers(losses)
                self.save()
                saved = self.seconds
            if self.seconds - told >= self.settings.report_every:
                self._tell(report, losses, self.step - first_step, self.seconds - told)
                told, first_step = self.seconds, self.step
                losses.zero_()
        self._recording = None
        made = self.step - first_step
        if made:
            self._look_at_clock(time.perf_counter() - started)
            self._require_numbers(losses)
        self.save()  # before the last play: who ends the program during it loses nothing
        if made:
            self._tell(report, losses, made, self.seconds - told)

    def stop(self) -> None:
        """Makes `run` save and return after the step that it is at; for signal handlers."""
        self._asked_to_stop = True

    @property
    def progress(self) -> float:
        """How much of the training is done, 0 to 1."""
        return self.settings.progress(self.step, self.seconds)

    def _over(self) -> bool:
        return self.progress >= 1 or self._stopping

    def _look_at_clock(self, seconds: float) -> None:
        # All ranks stop after the same step, or one would wait for the others' gradients.
        self.seconds, self._stopping = self.ranks.agreed(seconds, self._asked_to_stop, self.device)

    def _one_step(self, forward: nn.Module, target: nn.Module) -> Tensor:
        batch = self.method.batch(self.progress)
        for group in (g for optimiser in self.optimisers for g in optimiser.param_groups):
            group["lr"] = self._rate if self._recordable else self.rate
        self._rate.fill_(self.rate)
        self._share.fill_(1 - min(self.settings.average, (1 + self.step) / (10 + self.step)))
        loss = self._learn(forward, target, batch)
        self.step += 1
        self.states_seen += self.settings.batch * self.ranks.count
        loss = self.ranks.mean(loss)
        if self.method.refresh_due(self.step, loss) and not self.settings.blend:
            self.target.load_state_dict(self.net.state_dict())
            self.refreshes += 1
        return loss

    def _learn(self, forward: nn.Module, target: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        """The loss of a batch, after a step by it; after a stage's first steps by a recording."""
        stage = self.method.stage(self.progress)
        if stage != self._stage:
            self._stage, self._one_by_one, self._recording = stage, 0, None
        if self._recording is None:
            if not self._recordable or self._one_by_one < _FIRST_STEPS:
                self._one_by_one += 1
                return self._update(forward, target, batch)
            if self.device.type == "cuda":  # a recording has memory of its own: make room for it
                torch.cuda.synchronize()
                torch.cuda.empty_cache()
            self._recording = Recording(
                lambda *batch: (self._update(forward, target, batch),), batch
            )
        return self._recording(*batch)[0]

    def _update(self, forward: nn.Module, target: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        self.net.zero_grad(set_to_none=True)
        with self._half_precision():
            loss = self.method.loss(forward, target, batch, self.progress)
        # In units of the answers, so that clipping means the same on every puzzle.
        (loss / self.method.unit**2).backward()  # type: ignore[no-untyped-call]
        if self.settings.clip:
            nn.utils.clip_grad_norm_(self.net.parameters(), self.settings.clip)
        for optimiser in self.optimisers:
            optimiser.step()
        follow(self.average, self.net, self._share)
        if self.settings.blend:
            follow(self.target, self.net, 1 / self.settings.refresh)
        return loss.detach()

    @property
    def _recordable(self) -> bool:
        """Whether a step can be a recording: not where processes talk in the middle of it."""
        ours = self.method.recordable and self.puzzle.recordable
        whole = all(each.defaults.get("capturable", False) for each in self.optimisers)
        return self.device.type == "cuda" and self.ranks.count == 1 and ours and whole

    @property
    def rate(self) -> float:
        """The learning rate at this point of the training."""
        return self.settings.rate_at(self.progress)

    def _require_numbers(self, losses: Tensor) -> None:
        weights = torch._foreach_norm(list(self.net.parameters()))
        if bool(torch.isfinite(torch.stack([*weights, losses])).all()):
            return
        kept = self.folder / checkpoint.NAME
        raise TrainingError(
            f"the loss or a weight is no number any more at step {self.step}; "
            f"the last good checkpoint is {kept}: go on from it with a smaller rate"
        )

    def _half_precision(self) -> contextlib.AbstractContextManager[None]:
        halves = self.device.type == "cuda" and self.method.halves
        return torch.autocast(self.device.type, torch.bfloat16, enabled=halves)

    def _ready(self) -> tuple[nn.Module, nn.Module]:
        """The net, its gradients shared, and the target net; compiled on a GPU, where it pays."""
        self._one_by_one, self._recording = 0, None  # a resumed training has other tensors
        net = self.ranks.shared(self.net, self.device)
        if self.device.type == "cuda":
            # Where the whole step cannot be a recording, its passes still can.
            alone = self.ranks.count == 1 and not self._recordable
            mode = "reduce-overhead" if alone else None
            made = [torch.compile(each, mode=mode) for each in (net, self.target)]
            return made[0], made[1]  # type: ignore[return-value]
        return net, self.target

    # --- telling and keeping

    def _tell(self, report: Report | None, losses: Tensor, steps: int, seconds: float) -> None:
        self._require_numbers(losses)
        self.loss = float(losses) / steps
        if not self.ranks.first:
            return
        states = steps * self.settings.batch * self.ranks.count
        row = {
            "step": self.step,
            "seconds": round(self.seconds, 1),
            "progress": round(self.progress, 4),
            "loss": self.loss,
            "rate": self.rate,
            "refreshes": self.refreshes,
            "states_per_second": round(states / max(seconds, 1e-9)),
            "states_seen": self.states_seen,
            "greedy": self._greedy_in_time(),
        }
        try:
            log.append(self.folder, row)
        except PuzzleError:  # of a disk that is full, say: what was learned comes first
            self.save()
            raise
        if report is not None:
            report(row)

    def _greedy_in_time(self) -> dict[str, float] | None:
        """What greedy play solves by depth, unless it would take too much of the time.

        It is tried on as many scrambles as it can play in its share of the time between two
        reports, in the end in that of the whole training, but on a few at least.
        """
        most, last = self.settings.greedy, self.progress >= 1
        if not most or self._stopping or (self.seconds < self._greedy_until and not last):
            return None
        if not self._greedy_pace:
            self._timed_play(min(most, _FEW))
        seconds = _GREEDY_SHARE * (self.seconds if last else self.settings.report_every)
        shares = self._timed_play(min(most, max(_FEW, int(seconds * self._greedy_pace))))
        return {str(depth): share for depth, share in shares.items()}

    def _timed_play(self, n: int) -> dict[int, float]:
        began = time.perf_counter()
        shares = self.greedy(n)
        took = max(time.perf_counter() - began, 1e-6)
        self._greedy_until, self._greedy_pace = self.seconds + took / _GREEDY_SHARE, n / took
        return shares

    def greedy(self, n: int) -> dict[int, float]:
        """The share of `n` scrambles that greedy play solves, at five depths up to the longest."""
        longest = min(self.settings.depth, _DEEPEST)
        depths = sorted({max(1, longest * i // 5) for i in range(1, 6)})
        rng = torch.Generator(self.device)
        rng.manual_seed(self.step)
        net = self.average.settled()

        def children(states: Tensor) -> Tensor:
            with self._half_precision():
                return self.method.children(net, states)

        return greedy.solved_by_depth(self.puzzle, children, depths, n, rng)

    def save(self) -> None:
        """Writes the checkpoint (the first process alone does)."""
        if not self.ranks.first:
            return
        tensors = {
            f"{name}{k}": v for name, net in self._nets() for k, v in net.state_dict().items()
        }
        tensors |= checkpoint.flatten_optimisers(self.optimisers)
        tensors |= {f"method.{k}": v for k, v in self.method.kept().items()}
        facts = {
            "settings": dataclasses.asdict(self.settings),
            "device": self.part.device,
            "processes": self.part.processes,
            "parts": [dataclasses.asdict(part) for part in self.parts],
            "step": self.step,
            "seconds": self.seconds,
            "states_seen": self.states_seen,
            "refreshes": self.refreshes,
            "progress": max(self.progress, self._reached),
        }
        checkpoint.save(self.folder, tensors, facts)
        self._saved = self.step

    def _nets(self) -> list[tuple[str, Net]]:
        return [("net.", self.net), ("average.", self.average), ("target.", self.target)]

    def resume(self) -> None:
        """Goes back to the folder's checkpoint, and cuts the log to it."""
        tensors, facts = checkpoint.load(self.folder)
        self.parts, self.part = gone_on(facts, self.part)
        before = Settings().changed(**facts["settings"])
        if before.facing != self.settings.facing:
            raise PuzzleError(f"the checkpoint in {self.folder} is of a net with another facing")
        try:
            for prefix, net in self._nets():
                own = [key for key in tensors if key.startswith(prefix)]
                net.load_state_dict({key.removeprefix(prefix): tensors[key] for key in own})
            if _sorting(before) == _sorting(self.settings):
                checkpoint.restore_optimisers(self.optimisers, tensors)  # else they begin anew
        except (RuntimeError, ValueError, KeyError) as error:
            raise PuzzleError(f"the checkpoint in {self.folder} is of another net") from error
        self.step, self.seconds = facts["step"], facts["seconds"]
        self.states_seen, self.refreshes = facts["states_seen"], facts["refreshes"]
        self._reached = facts["progress"]
        self.method.seek(self.step, self._reached)
        if self.ranks.first:  # what is kept of the method is the first process's
            prefix = "method."
            kept = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
            self.method.restore(kept)
            log.cut(self.folder, self.step)

    def start_from(self, tensors: Folded) -> None:
        """Starts with the weights of a model, given as its folded tensors."""
        if not isinstance(self.net, ResidualNet | RoundedNet):
            raise PuzzleError("only residual nets can start from a model")
        states, _ = self.method.walker.states()
        self.method.seek(0)
        self.net.unfold({k: v.to(self.device) for k, v in tensors.items()}, states)
        for _, net in self._nets()[1:]:
            net.load_state_dict(self.net.state_dict())


def _sorting(settings: Settings) -> tuple[str, bool]:
    """What the order of the weights in the optimisers depends on."""
    return settings.optimiser, settings.decay > 0
