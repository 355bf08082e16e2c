"""What a benchmark ran on, in one line."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe_machine() -> str:
    """Processor, cores, system, Python and how busy the machine is at the moment."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if "model name" in line]
        processor = names[0].split(":")[1].strip() if names else processor
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{processor}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}; load {load} at the start"
    )
