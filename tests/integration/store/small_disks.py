"""A disk that is really small."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """Mount a file system in memory; skip the test where that is not allowed."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-disk-"))
    options = f"size={megabytes}m,mode=755"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        try:
            subprocess.run(mount, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no small disk can be mounted here: {error}")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
    finally:
        folder.rmdir()


def grow(folder: Path, megabytes: int) -> None:
    """Make a small disk larger, as somebody does who frees some space."""
    options = f"remount,size={megabytes}m"
    subprocess.run(["mount", "-o", options, str(folder)], check=True)


def fill(folder: Path, *, leave_bytes: int) -> Path:
    """Write a file that leaves so much space; return it."""
    filler = folder / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(
            file.fileno(), 0, shutil.disk_usage(folder).free - leave_bytes
        )
    return filler
