"""The training loop that every method shares: walks → targets → step → checkpoint.

One GPU or CPU:  homeward train cube3 --method diffusion --minutes 10
Many GPUs:       torchrun --nproc-per-node 8 -m homeward train cube3 --method diffusion
Two machines:    torchrun --nnodes 2 --rdzv-endpoint HOST:29500 … -m homeward train cube3 …
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from homeward.learning import checkpoint, greedy
from homeward.learning.methods import METHODS
from homeward.learning.settings import Settings
from homeward.puzzles.base import Puzzle
from homeward.puzzles.status import PuzzleError

Report = Callable[[dict[str, Any]], None]


class TrainingError(RuntimeError):
    """The loss stopped being a number; the last good checkpoint is kept."""


class Trainer:
    """One training run in one folder. `run()` trains until the time or the steps are over."""

    def __init__(
        self, puzzle: Puzzle, settings: Settings, folder: Path, device: str = "cpu"
    ) -> None:
        if settings.method not in METHODS:
            known = ", ".join(METHODS)
            raise PuzzleError(f"there is no method {settings.method!r}; there are {known}")
        self.puzzle, self.settings, self.folder = puzzle, settings, folder
        self.rank, self.ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        local = int(os.environ.get("LOCAL_RANK", 0))
        self.device = torch.device(f"cuda:{local}" if device == "cuda" else device)
        torch.manual_seed(settings.seed)
        rng = torch.Generator(self.device)
        rng.manual_seed(settings.seed * 1000003 + self.rank)
        self.rng = rng
        self.method = METHODS[settings.method](puzzle, settings, rng)
        self.net: nn.Module = self.method.make_net().to(self.device)
        self.average = copy.deepcopy(self.net).eval().requires_grad_(False)
        self.target = copy.deepcopy(self.average)
        self.optimiser = torch.optim.AdamW(
            self.net.parameters(),
            lr=settings.rate,
            weight_decay=settings.decay,
            fused=self.device.type == "cuda",
        )
        self.step, self.seconds, self.states_seen = 0, 0.0, 0

    # --- the loop

    def run(self, report: Report | None = None) -> None:
        """Trains to the end of the settings' time or steps, reporting and saving on the way."""
        with self._many_processes() as net, self._compiled(net) as (forward, target):
            started = time.perf_counter() - self.seconds
            reported = saved = self.seconds
            losses = torch.zeros((), device=self.device)
            counted = 0
            last_step = self.step
            while self.progress < 1:
                losses += self._one_step(forward, target)
                counted += 1
                if self.device.type == "cuda" and self.step % 20:
                    continue  # the clock means nothing before the device has caught up
                loss_known = float(losses) if self._due(reported, started) else None
                self.seconds = time.perf_counter() - started
                if loss_known is not None or self.progress >= 1:
                    mean = float(losses) / counted
                    self._require_number(mean)
                    speed = (self.step - last_step) / max(self.seconds - reported, 1e-9)
                    self._tell(report, mean, speed)
                    reported, last_step, counted = self.seconds, self.step, 0
                    losses.zero_()
                if self.seconds - saved > self.settings.save_every:
                    self.save()
                    saved = self.seconds
        self.save()

    @property
    def progress(self) -> float:
        """How much of the training is done, 0 to 1."""
        s = self.settings
        return self.step / s.steps if s.steps else self.seconds / (60 * s.minutes)

    def _due(self, reported: float, started: float) -> bool:
        return time.perf_counter() - started - reported > self.settings.report_every

    def _one_step(self, forward: nn.Module, target: nn.Module) -> Tensor:
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.rate * self._rate_factor()
        self.optimiser.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            loss = self.method.loss(forward, target, self.progress)
        # In units of half the longest walk, so that clipping means the same on every puzzle.
        (loss * (2 / self.settings.depth) ** 2).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimiser.step()
        self._update_average()
        self.step += 1
        if self.method.refresh_due(self.step, loss.detach()):
            self.target.load_state_dict(self.net.state_dict())
        self.states_seen += self.settings.batch * self.ranks
        return loss.detach()

    def _rate_factor(self) -> float:
        warm = self.settings.warm_up
        if self.progress < warm:
            return max(self.progress / warm, 1e-2)
        return 0.5 * (1 + math.cos(math.pi * (self.progress - warm) / (1 - warm)))

    @torch.no_grad()
    def _update_average(self) -> None:
        keep = min(self.settings.average, (1 + self.step) / (10 + self.step))
        new = [*self.net.parameters(), *self._float_buffers(self.net)]
        old = [*self.average.parameters(), *self._float_buffers(self.average)]
        torch._foreach_lerp_(old, [p.detach() for p in new], 1 - keep)

    @staticmethod
    def _float_buffers(net: nn.Module) -> list[Tensor]:
        return [b for b in net.buffers() if b.is_floating_point()]

    def _require_number(self, loss: float) -> None:
        if not math.isfinite(loss):
            kept = self.folder / checkpoint.NAME
            where = f"the last good checkpoint is {kept}" if kept.exists() else "nothing was saved"
            raise TrainingError(f"the loss became {loss} at step {self.step}; {where}")

    # --- processes and compilation

    @contextlib.contextmanager
    def _many_processes(self) -> Iterator[nn.Module]:
        """The net, wrapped so that gradients are shared when `torchrun` started several of us."""
        if self.ranks == 1:
            yield self.net
            return
        from torch import distributed
        from torch.nn.parallel import DistributedDataParallel

        cuda = self.device.type == "cuda"
        distributed.init_process_group("nccl" if cuda else "gloo")
        try:
            yield DistributedDataParallel(self.net, [self.device.index] if cuda else None)
        finally:
            distributed.destroy_process_group()

    @contextlib.contextmanager
    def _compiled(self, net: nn.Module) -> Iterator[tuple[nn.Module, nn.Module]]:
        """The net and the target net, compiled on a GPU, where it pays."""
        if self.device.type == "cuda":
            yield torch.compile(net), torch.compile(self.target)  # type: ignore[misc]
        else:
            yield net, self.target

    # --- telling and keeping

    def _tell(self, report: Report | None, loss: float, speed: float) -> None:
        row = {
            "step": self.step,
            "seconds": round(self.seconds, 1),
            "progress": round(self.progress, 4),
            "loss": loss,
            "rate": self.settings.rate * self._rate_factor(),
            "states_per_second": speed * self.settings.batch * self.ranks,
            "states_seen": self.states_seen,
            "greedy": self.greedy(),
        }
        if self.rank == 0:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / "log.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            if report is not None:
                report(row)

    def greedy(self, n: int = 256) -> dict[int, float]:
        """The share of scrambles that greedy play solves, at five depths up to the longest."""
        depths = sorted({max(1, self.settings.depth * i // 5) for i in range(1, 6)})
        depths = [d for d in depths if d <= 60] or [min(depths)]
        rng = torch.Generator(self.device)
        rng.manual_seed(self.step)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            return greedy.solved_by_depth(self.puzzle, self.average, depths, n, rng)

    def save(self) -> None:
        """Writes the checkpoint (the first process alone does)."""
        if self.rank:
            return
        tensors = {
            f"{name}{k}": v for name, net in self._nets() for k, v in net.state_dict().items()
        }
        tensors |= checkpoint.flatten_optimiser(self.optimiser)
        tensors["rng"] = self.rng.get_state()
        facts = {
            "settings": dataclasses.asdict(self.settings),
            "step": self.step,
            "seconds": self.seconds,
            "states_seen": self.states_seen,
        }
        checkpoint.save(self.folder, tensors, facts)

    def _nets(self) -> list[tuple[str, nn.Module]]:
        return [("net.", self.net), ("average.", self.average), ("target.", self.target)]

    def resume(self) -> None:
        """Goes back to the folder's checkpoint, and cuts the log to it."""
        tensors, facts = checkpoint.load(self.folder)
        for prefix, net in self._nets():
            own = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
            net.load_state_dict(own)
        checkpoint.restore_optimiser(self.optimiser, tensors)
        self.rng.set_state(tensors["rng"])
        self.step, self.seconds = facts["step"], facts["seconds"]
        self.states_seen = facts["states_seen"]
        log = self.folder / "log.jsonl"
        if log.exists():
            rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
            kept = [json.dumps(row) + "\n" for row in rows if row["step"] <= self.step]
            log.write_text("".join(kept), encoding="utf-8")
