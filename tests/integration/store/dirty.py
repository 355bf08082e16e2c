"""What of a file the kernel has not yet written to the disk."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

# Since Linux 6.5; the same number on every architecture.
_CACHESTAT = 451


def dirty_pages(path: Path) -> int:
    """Return how many pages of a file a power cut would lose."""
    opened = os.open(path, os.O_RDONLY)
    whole = (ctypes.c_uint64 * 2)(0, 0)
    counts = (ctypes.c_uint64 * 5)()  # in memory, dirty, being written, ...
    try:
        if ctypes.CDLL(None, use_errno=True).syscall(
            _CACHESTAT, opened, whole, counts, 0
        ):
            raise OSError(ctypes.get_errno(), "cachestat", str(path))
    finally:
        os.close(opened)
    return counts[1] + counts[2]


def dirty_files(folder: Path) -> list[Path]:
    """Return the files that are not on the disk as they are."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if dirty_pages(path)]


def skip_if_unknown(folder: Path) -> None:
    """Skip a test where nobody tells, as on a file system in memory."""
    if sys.platform != "linux":
        pytest.skip(f"{platform.system()} does not tell what is not yet written")
    with NamedTemporaryFile(dir=folder) as file:
        file.write(bytes(100_000))
        file.flush()
        try:
            is_told = dirty_pages(Path(file.name)) > 0
        except OSError:
            is_told = False
    if not is_told:
        pytest.skip("the file system does not tell what is not yet written")
