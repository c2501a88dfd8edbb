"""A recording as a GPU makes it, where there is none."""

from __future__ import annotations

from typing import Any


class Overwriting:
    """Takes from and answers in the same memory every time, as a recording on a GPU does."""

    def __init__(self, function: Any, inputs: Any) -> None:
        self.function, self.inputs = function, [tensor.clone() for tensor in inputs]
        self.outputs: Any = None

    def __call__(self, *inputs: Any) -> Any:
        for mine, given in zip(self.inputs, inputs, strict=True):
            mine.copy_(given)
        made = self.function(*self.inputs)
        self.outputs = self.outputs or [tensor.clone() for tensor in made]
        for kept, new in zip(self.outputs, made, strict=True):
            kept.copy_(new)
        return tuple(self.outputs)
