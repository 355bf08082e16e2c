"""The disk of an embedded server: the space it takes, and what to report of a full one."""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

from outcrop.errors import DiskFullError

if TYPE_CHECKING:
    from pathlib import Path

# One more file of PostgreSQL's log of changes: with less it cannot continue writing.
MIN_FREE_BYTES = 16 * 1024 * 1024
_NUMBERS = frozenset([errno.ENOSPC, errno.EDQUOT])
# Messages of the C library in programs that were started with LC_ALL=C.
_WORDS = ("No space left on device", "Disk quota exceeded")
_MEGABYTE = 1_000_000
_BLOCK_BYTES = 512  # the unit of `st_blocks`, whatever the file system


def says_full(said: object) -> bool:
    """Return whether an error or the output of a program reports a full disk."""
    if isinstance(said, OSError):
        return said.errno in _NUMBERS
    text = str(said)
    return any(words in text for words in _WORDS)


def is_nearly_full(folder: Path) -> bool:
    """Return whether a server cannot continue writing in a folder."""
    return _free_bytes(folder) < MIN_FREE_BYTES


def disk_full(*folders: Path) -> DiskFullError:
    """Return the error to raise; it names the folder with the least space."""
    folder = min(folders, key=_free_bytes)
    free = _free_bytes(folder)
    # The failed work was undone, which may have freed some space already.
    left = f" ({free // _MEGABYTE} MB free)" if free < MIN_FREE_BYTES else ""
    return DiskFullError(
        f"the disk is full: {folder}{left}; free some space and try again"
    )


def _free_bytes(folder: Path) -> int:
    for existing in (folder, *folder.parents):
        try:
            return shutil.disk_usage(existing).free
        except OSError:
            continue
    return 0


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
