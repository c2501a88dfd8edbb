"""`bench/methods.py`: what it measured before is what it was asked for now, or it says so."""

from __future__ import annotations

import argparse
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from train_tools import SMALL


@pytest.fixture(scope="module")
def methods() -> ModuleType:
    path = Path(__file__).parents[1] / "bench" / "methods.py"
    spec = importlib.util.spec_from_file_location("methods", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_a_training_that_was_asked_for_otherwise_is_refused(
    methods: ModuleType, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"runs": tmp_path, "device": "cpu", "minutes": 0.001, "set": SMALL}
    args = argparse.Namespace(**given, quick=False)
    first = methods.train("cube2", "diffusion", args)
    assert first["finished"]
    end = tmp_path / "cube2-diffusion" / "end.json"
    end.write_text(json.dumps({**json.loads(end.read_text()), "kept": True}))
    assert methods.train("cube2", "diffusion", args)["kept"]  # it is not repeated
    for other in ({"minutes": 0.002}, {"set": [*SMALL, "rate=0.01"]}, {"device": "cuda"}):
        with pytest.raises(SystemExit, match="holds another training, by `train cube2 "):
            methods.train("cube2", "diffusion", argparse.Namespace(**given | other, quick=False))
    (tmp_path / "cube2-diffusion" / "asked.json").unlink()
    with pytest.raises(SystemExit, match="by `a command that was not kept`"):
        methods.train("cube2", "diffusion", args)
