"""How much memory of this machine is free."""

from __future__ import annotations

import re
from pathlib import Path

_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)


def free_memory_mb(source: Path = Path("/proc/meminfo")) -> int:
    """Return the memory that programs could still use; 0 where that is unknown."""
    try:
        found = _AVAILABLE.search(source.read_text())
    except OSError:
        return 0
    return int(found[1]) // 1024 if found else 0
