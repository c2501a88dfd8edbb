"""A memory budget bounds the whole process, not only what a search counts."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
from homeward.bench.machine import peak_memory_bytes
from homeward.cli import main
status = main(sys.argv[1:])
print(json.dumps({"exit": status, "peak": peak_memory_bytes()}))
"""

LEAST = 200_000_000
"""What Python, NumPy and compiled loops take before any search."""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_a_search_out_of_memory_stays_within_it_and_says_so() -> None:
    search = "--solver bwas --set heuristic=manhattan --set weight=1 --set batch=1000"
    command = f"solve puzzle35 --random --seed 3 {search} --memory 300M --time 300 --json"
    run = [sys.executable, "-c", PROGRAM, *command.split()]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    found, ending = map(json.loads, done.stdout.splitlines())
    assert (found["status"], ending["exit"]) == ("out_of_memory", 4)
    assert found["expanded"] > 500_000
    assert ending["peak"] < 300_000_000 + LEAST
