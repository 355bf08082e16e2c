"""What the worker processes of one server have in common."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedState:
    """What is the same in all workers.

    Attributes:
        folder: A folder of their own, for as long as the server runs.
        workers: How many there are.
        session: Value of the session cookie.
    """

    folder: Path
    workers: int
    session: str = field(default_factory=token_hex, repr=False)

    @property
    def metrics(self) -> Path:
        """Where they keep their counts."""
        return self.folder / "metrics"

    @property
    def run_lock(self) -> RunLock:
        """A lock that one of them can hold."""
        return RunLock(self.folder / "run.lock")


class RunLock:
    """Lets one process at a time run the indexer, and names its run.

    The kernel releases it with the process that holds it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def take(self) -> bool:
        """Take the lock, unless another process holds it."""
        import fcntl  # missing on Windows, where there are no workers

        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._fd = fd
        return True

    def note(self, run_id: int) -> None:
        """Record which run it was taken for."""
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, str(run_id).encode(), 0)

    def run_id(self) -> int | None:
        """Return the run that it was last taken for."""
        try:
            return int(self._path.read_text())
        except (OSError, ValueError):
            return None

    def release(self) -> None:
        """Give the lock back."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
