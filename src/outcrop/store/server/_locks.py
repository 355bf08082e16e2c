"""Locks that cannot outlive a process: `flock` on small files.

The kernel drops an `flock` when the last descriptor of its open file is closed, so a
process that is killed leaves no lock and no process id can be mistaken for
another's. A lock belongs to the file itself: it moves with a folder that is renamed
and is not there in a copy.

Only the standard library is used here, because the keeper process runs this file
without the package.
"""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_POLL_SECONDS = 0.004


def open_lock_file(path: Path | str) -> int:
    """Open a lock file, creating it, and return its descriptor."""
    # Not through a link: a prepared folder must not make files elsewhere.
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(path, flags, 0o600)


def try_lock(fd: int, *, shared: bool = False) -> bool:
    """Take the lock if that is possible at once."""
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_within(fd: int, seconds: float, *, shared: bool = False) -> bool:
    """Take the lock, waiting at most `seconds` for it."""
    deadline = time.monotonic() + seconds
    while not try_lock(fd, shared=shared):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def is_held(path: Path | str) -> bool:
    """Return whether any process holds the file's lock exclusively."""
    try:
        # Read only: a probe must work on a lock file of another user, too.
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not try_lock(fd, shared=True)
    finally:
        os.close(fd)
