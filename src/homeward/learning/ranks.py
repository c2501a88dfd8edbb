"""Several processes that train one net: what `torchrun` starts, or this process alone."""

from __future__ import annotations

import contextlib
import gc
import inspect
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class Ranks:
    """This process's number among `count`; `local` counts within its machine.

    Every rank walks its own states. Gradients and the loss travel at every step, and the first
    rank's clock whenever it is looked at; batch norms stay each rank's own.
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
    def together(self, device: torch.device) -> Iterator[None]:
        """While the ranks can talk to each other."""
        if self.count == 1:
            yield
            return
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        try:
            yield
            distributed.barrier()
        finally:
            # Were a shared net the last to know the group, ending it could wait for ever.
            gc.collect()
            distributed.destroy_process_group()

    def shared(self, net: nn.Module, device: torch.device) -> nn.Module:
        """The net, wrapped so that backward passes share gradients among the ranks."""
        if self.count == 1:
            return net
        known = inspect.signature(DistributedDataParallel).parameters
        # The newer name of the same switch; norms stay each rank's own.
        switch = "forward_sync_buffers" if "forward_sync_buffers" in known else "broadcast_buffers"
        options: dict[str, Any] = {switch: False}
        if device.type == "cuda":
            options["device_ids"] = [device.index]
        return DistributedDataParallel(net, **options)

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
