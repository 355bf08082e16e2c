"""Several server processes on one listening socket, and the process that watches them.

The parent starts the workers and serves nothing itself. Each worker inherits the socket,
and the kernel gives a new connection to whichever worker accepts it first. A worker that
ends, or whose event loop no longer answers, is replaced; connections that were not
accepted yet wait in the socket for the others.

Workers are plain interpreters. Each reads its task from standard input, which stays open:
its end tells a worker that the parent is gone. On standard output a worker writes one byte
when it is ready, and another one every second.
"""

from __future__ import annotations

import logging
import os
import pickle
import select
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Any

from outcrop.errors import OutcropError
from outcrop.worker_process import start_interpreter

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

_log = logging.getLogger(__name__)

# A worker that is silent for longer is replaced. Searches run in threads, so even a busy
# event loop answers within a fraction of this.
_MAX_SILENT_SECONDS = 30.0
_MAX_START_SECONDS = 120.0
# Workers that end before they are ready, one after the other, before the parent gives up.
_MAX_FAILED_STARTS = 3
_SECONDS_TO_END = 15.0
_POLL_SECONDS = 0.5
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Worker:
    """A running worker."""

    def __init__(self, command: str, task: bytes, opened: socket.socket) -> None:
        self.is_ready = False
        self._last_beat = time.monotonic()
        self.process = start_interpreter(command, [opened.fileno()])
        with suppress(BrokenPipeError):  # it has ended already, which is noticed later
            _stream(self.process.stdin).write(task)
            _stream(self.process.stdin).flush()

    @property
    def beats(self) -> int:
        """The file descriptor that its beats arrive at."""
        return _stream(self.process.stdout).fileno()

    def read_beats(self) -> bool:
        """Take the beats that have arrived; return False if the worker has ended."""
        if not os.read(self.beats, 4096):
            return False
        self.is_ready = True
        self._last_beat = time.monotonic()
        return True

    def is_silent(self) -> bool:
        """Return whether it has not answered for too long."""
        limit = _MAX_SILENT_SECONDS if self.is_ready else _MAX_START_SECONDS
        return time.monotonic() - self._last_beat > limit

    def stop(self) -> None:
        """Ask it to end."""
        self.process.terminate()

    def reap(self, seconds: float = 0.0) -> int:
        """Wait for its end, kill it if that takes too long, and return its status."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(BrokenPipeError):
                _stream(stream).close()
        return status


class Workers:
    """Keeps a number of workers running until this process is told to stop."""

    def __init__(
        self,
        command: str,
        task: Any,
        opened: socket.socket,
        *,
        count: int,
        on_end: Callable[[int], None],
    ) -> None:
        """Name what to run; nothing is started yet.

        A worker runs the command, which is Python code and calls `receive_task`. `on_end`
        is called with the process id of each worker that has ended.
        """
        self._command = command
        self._task = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
        self._opened = opened
        self._count = count
        self._on_end = on_end
        self._workers: list[_Worker] = []
        self._failed_starts = 0

    def run(self, on_ready: Callable[[], None]) -> None:
        """Run the workers until SIGINT or SIGTERM, then end them.

        The signal takes its usual effect after that. `on_ready` is called once, when all
        workers are ready for the first time.

        Raises:
            OutcropError: Workers end before they are ready.
        """
        with _caught_signals() as (wakeup, caught):
            try:
                self._workers = [self._start() for _ in range(self._count)]
                is_announced = False
                while not caught:
                    self._watch(wakeup)
                    is_ready = all(worker.is_ready for worker in self._workers)
                    if is_ready and not is_announced:
                        on_ready()
                        is_announced = True
            finally:
                self._stop()
        for number in caught[:1]:
            signal.raise_signal(number)

    def _start(self) -> _Worker:
        return _Worker(self._command, self._task, self._opened)

    def _watch(self, wakeup: int) -> None:
        """Wait for beats, and replace workers that have ended or are silent."""
        streams = [worker.beats for worker in self._workers]
        readable, _, _ = select.select([wakeup, *streams], [], [], _POLL_SECONDS)
        if wakeup in readable:
            return
        for at, worker in enumerate(self._workers):
            if worker.beats in readable and not worker.read_beats():
                self._workers[at] = self._replace(worker, "ended")
            elif worker.is_silent():
                worker.process.kill()
                self._workers[at] = self._replace(worker, "stopped answering")

    def _replace(self, worker: _Worker, what: str) -> _Worker:
        status = worker.reap(_SECONDS_TO_END)
        pid = worker.process.pid
        self._on_end(pid)
        _log.warning("worker %d %s (%s); starting another", pid, what, _reason(status))
        self._failed_starts = 0 if worker.is_ready else self._failed_starts + 1
        if self._failed_starts >= _MAX_FAILED_STARTS:
            raise OutcropError(
                f"{self._failed_starts} workers ended before they were ready, the last"
                f" with {_reason(status)}; the messages above say why"
            )
        return self._start()

    def _stop(self) -> None:
        for worker in self._workers:
            worker.stop()
        deadline = time.monotonic() + _SECONDS_TO_END
        for worker in self._workers:
            worker.reap(max(0.0, deadline - time.monotonic()))
            self._on_end(worker.process.pid)
        self._workers = []


@contextmanager
def _caught_signals() -> Iterator[tuple[int, list[int]]]:
    """Yield a descriptor that becomes readable on a signal, and the signals."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    caught: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        caught.append(number)
        with suppress(BlockingIOError):
            os.write(writable, b"!")

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield readable, caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(readable)
        os.close(writable)


def _reason(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    return f"signal {signal.Signals(-status).name}"


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise BrokenPipeError
    return stream


class Parent:
    """The process that started this worker, as the worker sees it."""

    def __init__(self) -> None:
        """Take over standard input and output; what is printed goes to standard error."""
        self._input = sys.stdin.buffer
        self._beats = os.dup(1)
        os.dup2(2, 1)

    def receive_task(self) -> Any:
        """Return the task of this worker."""
        return pickle.load(self._input)  # noqa: S301 - from our own parent

    def beat(self) -> None:
        """Tell the parent that this worker answers."""
        with suppress(BrokenPipeError):
            os.write(self._beats, b".")

    def wait_for_end(self) -> None:
        """Return when the parent has ended."""
        while self._input.read(1):
            pass


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedState:
    """What is the same in all workers."""

    folder: Path  # a folder of their own, for as long as the server runs
    workers: int  # how many there are
    # Value of the session cookie.
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
