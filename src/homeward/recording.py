"""Many small operations on a GPU as one: recorded once, then replayed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Made = tuple[Tensor, ...]


class Recording:
    """A function of tensors of fixed shapes that never waits for the GPU, as a CUDA graph.

    Starting an operation takes some microseconds whatever its size, which is most of the time where
    they are small; a recording starts all of them at once. What it answers is overwritten by the
    next call: copy what is to be kept.
    """

    def __init__(self, function: Callable[..., Made], inputs: Sequence[Tensor]) -> None:
        self._inputs = [tensor.clone() for tensor in inputs]
        self._graph = torch.cuda.CUDAGraph()
        now = torch.cuda.current_stream()
        usual = now == torch.cuda.default_stream()  # on which nothing can be recorded
        stream = torch.cuda.Stream() if usual else now  # type: ignore[no-untyped-call]
        stream.wait_stream(now)
        with torch.cuda.stream(stream):
            self._graph.capture_begin(capture_error_mode="thread_local")
            try:
                self._outputs = function(*self._inputs)
            finally:
                self._graph.capture_end()
        now.wait_stream(stream)

    def __call__(self, *inputs: Tensor) -> Made:
        """What the function makes of `inputs`."""
        for mine, given in zip(self._inputs, inputs, strict=True):
            mine.copy_(given)
        self._graph.replay()
        return self._outputs
