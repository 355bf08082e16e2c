"""The space that an embedded server takes on the disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK_BYTES = 512  # the unit of `st_blocks`, whatever the file system


def disk_usage(folder: Path) -> int:
    """Return the space that a folder takes on the disk, as `du` counts it."""
    total = 0
    for at, _, names in os.walk(folder):
        for path in (at, *(f"{at}/{name}" for name in names)):
            try:
                total += os.lstat(path).st_blocks * _BLOCK_BYTES
            except OSError:  # deleted meanwhile
                continue
    return total
