"""Several processes that train one net: what `torchrun` starts, or this process alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class Ranks:
    """This process's number among `count`; `local` counts within its machine.

    Every rank walks its own states. Gradients travel, a loss now and then, and the first rank's
    clock; batch norms stay each rank's own.
    """

    rank: int = 0
    count: int = 1
    local: int = 0

    @staticmethod
    def here() -> Ranks:
        """As `torchrun` says in the environment."""
        names = {"rank": "RANK", "count": "WORLD_SIZE", "local": "LOCAL_RANK"}
        return Ranks(**{k: int(os.environ[v]) for k, v in names.items() if v in os.environ})

    @property
    def first(self) -> bool:
        """Whether this is the rank that writes and tells."""
        return self.rank == 0

    @contextlib.contextmanager
    def sharing(self, net: nn.Module, device: torch.device) -> Iterator[nn.Module]:
        """The net, wrapped so that backward passes share gradients among the ranks."""
        if self.count == 1:
            yield net
            return
        cuda = device.type == "cuda"
        distributed.init_process_group("nccl" if cuda else "gloo")
        try:
            yield DistributedDataParallel(
                net, [device.index] if cuda else None, broadcast_buffers=False
            )
        finally:
            distributed.destroy_process_group()

    def mean(self, loss: Tensor) -> Tensor:
        """The mean of a number over the ranks."""
        if self.count > 1:
            distributed.all_reduce(loss)
            loss /= self.count
        return loss

    def agreed(self, seconds: float, stop: bool, device: torch.device) -> tuple[float, bool]:
        """The first rank's clock, and whether any rank has been asked to stop."""
        if self.count == 1:
            return seconds, stop
        said = torch.tensor([seconds * self.first, float(stop)], dtype=torch.float64, device=device)
        distributed.all_reduce(said)
        return float(said[0]), bool(said[1] > 0)
