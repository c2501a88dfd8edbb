"""Small trainings by the command line."""

from __future__ import annotations

from pathlib import Path

from homeward.cli import main

SMALL = "batch=64 first=32 width=16 blocks=1 depth=12 greedy=20 threads=1 report_every=0.1".split()


def sets(*settings: str) -> list[str]:
    return [word for text in (*SMALL, *settings) for word in ("--set", text)]


def train(folder: Path, *words: str, name: str = "cube2", method: str = "diffusion") -> int:
    start = ["train", name, "--out", str(folder), "--method", method, "--device", "cpu"]
    return main([*start, *words])
