"""What a server writes of itself: `server.log`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_MAX_BYTES = 1_000_000
_MAX_READ_BYTES = 100_000
# `2026-11-15 22:40:52.123 UTC [4711] FATAL:  the rest`
_COMPLAINT = re.compile(r"\b(?:FATAL|PANIC|ERROR): +(.*)")


def open_log(log: Path) -> BinaryIO:
    """Open a log for a server to append to; a long one is put aside."""
    if log_size(log) > _MAX_BYTES:
        log.replace(log.with_suffix(".log.old"))
    # Not through a link: a prepared folder must not make us write elsewhere.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(log, flags, 0o644), "ab")


def log_size(log: Path) -> int:
    """Return the length of a log; 0 if it does not exist."""
    try:
        return log.stat().st_size
    except OSError:
        return 0


def read_log(log: Path, since: int) -> str:
    """Return what was written from a place on, its last part where it is long."""
    try:
        with log.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            # One that is shorter now has been put aside meanwhile.
            file.seek(max(since if since <= size else 0, size - _MAX_READ_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def last_complaint(text: str) -> str:
    """Return the last error in a part of a log, or its last line, in one line."""
    found = _COMPLAINT.findall(text)
    lines = found or text.split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
