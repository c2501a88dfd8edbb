"""What a measurement was made on."""

from __future__ import annotations

import os
import platform
import resource
import sys
from pathlib import Path
from typing import Any

from homeward.workers import cores


def machine(device: str) -> dict[str, Any]:
    """The processor, the cores that may be used, the memory, Python, and the GPU if it is one."""
    facts: dict[str, Any] = {
        "processor": _processor(),
        "cores": cores(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "python": platform.python_version(),
        "system": platform.system(),
    }
    if device == "cuda":
        import torch

        facts["gpu"] = torch.cuda.get_device_name()
    return facts


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def peak_memory_bytes() -> int:
    """The most memory this process has held."""
    try:
        # What getrusage tells begins with what the parent had when it started this process.
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
