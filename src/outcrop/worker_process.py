"""A worker process as its caller sees it: messages, and how it ends."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import warnings
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

_LENGTH = struct.Struct(">Q")
_SECONDS_TO_END = 5.0


class Fork:
    """A fork of this process, with the part of Popen's interface that is needed."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._exit_code: int | None = None
        self._lock = threading.Lock()

    def kill(self) -> None:
        """End it at once."""
        with self._lock:
            if self._exit_code is None:
                os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; a fork that stopped answering has always ended."""
        del timeout
        return self._wait(0) or 0

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._wait(os.WNOHANG)

    def _wait(self, options: int) -> int | None:
        with self._lock:
            if self._exit_code is None:
                pid, status = os.waitpid(self.pid, options)
                if pid:
                    self._exit_code = os.waitstatus_to_exitcode(status)
            return self._exit_code


Process = subprocess.Popen[bytes] | Fork


def fork() -> int:
    """Fork this process; see `may_fork`.

    Python 3.12 warns of any other thread. Those of the libraries that calculate are
    prepared for a fork.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def start_interpreter(
    code: str, pass_fds: Collection[int] = ()
) -> subprocess.Popen[bytes]:
    """Run code in an interpreter of its own, with pipes to its input and output."""
    return subprocess.Popen(  # noqa: S603 - our own code, in our own interpreter
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=pass_fds,
        process_group=0,  # an interrupt at the terminal is for the caller alone
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def end_process(process: Process) -> None:
    """End a process, even in the middle of a task, and wait for it."""
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except BrokenPipeError:
                continue
    process.wait()


def how_it_ended(process: Process | None) -> str:
    """Return why a process that no longer answers has ended."""
    try:
        status = process.wait(_SECONDS_TO_END) if process is not None else 0
    except subprocess.TimeoutExpired:
        return "it stopped answering"
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def send(stream: IO[bytes] | None, value: object) -> None:
    """Write a value into a pipe.

    Raises:
        BrokenPipeError: The other end is closed.
    """
    if stream is None:
        raise BrokenPipeError
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes] | None) -> Any:
    """Read a value from a pipe.

    Raises:
        EOFError: The other end is closed.
    """
    head = stream.read(_LENGTH.size) if stream is not None else b""
    if len(head) < _LENGTH.size:
        raise EOFError
    size = _LENGTH.unpack(head)[0]
    data = stream.read(size) if stream is not None else b""
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - from our own process
