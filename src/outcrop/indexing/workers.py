"""Chunks files in worker processes, one per core.

Workers are new interpreters that read tasks and write documents, so they need neither
a fork of the caller's state nor a guarded main module. Only a few documents wait at a
time, independent of the size of the tree.

A file that ends its worker is tried again after all others, in a worker of its own: the
system may have run out of memory because of another file. A file that ends that worker
too is reported, and the others are stored.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

from outcrop.errors import INTERRUPTS, describe_failure
from outcrop.indexing.documents.prepare import Prepared, Task, prepare_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.config import IndexConfig

_COMMAND = "from outcrop.indexing.workers import main; main()"
_LENGTH = struct.Struct(">Q")
_POLL_SECONDS = 0.05
_SECONDS_TO_END = 5.0
# Smaller trees are chunked faster than a process starts.
PARALLEL_BYTES = 1_000_000


def prepare_files(
    tasks: Sequence[Task], config: IndexConfig, *, size_bytes: int
) -> Iterator[Prepared]:
    """Yield the documents of files, in any order.

    Args:
        tasks: The files.
        config: The settings.
        size_bytes: Their total size, which decides whether to start processes.
    """
    count = min(config.processes, len(tasks))
    if count < 2 or size_bytes < PARALLEL_BYTES or not sys.executable:  # noqa: PLR2004 - one process is the caller's own
        for task in tasks:
            yield prepare_file(task, config)
        return
    pool = _Pool(iter(tasks), config, count)
    try:
        yield from pool.results()
    finally:
        pool.stop()
    for task in pool.unfinished:
        yield _prepare_alone(task, config)


def prepare_file(task: Task, config: IndexConfig) -> Prepared:
    """Read and prepare one file; a problem is part of the result."""
    try:
        data = task.content.data if task.content else Path(task.file).read_bytes()
    except OSError:
        return Prepared(path=task.path, problem="unreadable", keeps_stored=True)
    try:
        return prepare_bytes(task, data, config)
    except INTERRUPTS:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a native parser is not an Exception
        return _failed(task, describe_failure(error))


def _prepare_alone(task: Task, config: IndexConfig) -> Prepared:
    """Prepare a file that ended its worker, in another one."""
    worker = _Worker(config)
    try:
        prepared = worker.prepare(task)
        return prepared or _failed(task, f"ended its worker process ({worker.ended})")
    finally:
        worker.close()


def _failed(task: Task, problem: str) -> Prepared:
    return Prepared(path=task.path, problem=problem, keeps_stored=True)


class _Pool:
    """Threads that each talk to one process.

    Attributes:
        unfinished: Tasks that ended their process.
    """

    def __init__(self, tasks: Iterator[Task], config: IndexConfig, count: int) -> None:
        self._tasks = tasks
        self._config = config
        self.unfinished: list[Task] = []
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._results: queue.Queue[Prepared | BaseException | None] = queue.Queue(count)
        self._threads = [
            threading.Thread(target=self._serve, daemon=True) for _ in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def results(self) -> Iterator[Prepared]:
        open_threads = len(self._threads)
        while open_threads:
            result = self._results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                open_threads -= 1
            else:
                yield result

    def stop(self) -> None:
        """End the processes, even if they are busy."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _next_task(self) -> Task | None:
        with self._lock:
            return None if self._stopped.is_set() else next(self._tasks, None)

    def _serve(self) -> None:
        worker = _Worker(self._config)
        try:
            while (task := self._next_task()) is not None:
                prepared = worker.prepare(task)
                if prepared is None:
                    self.unfinished.append(task)
                else:
                    self._put(prepared)
            self._put(None)
        except BaseException as error:  # noqa: BLE001 - raised again where it is read
            self._put(error)
        finally:
            worker.close()

    def _put(self, result: Prepared | BaseException | None) -> None:
        while not self._stopped.is_set():
            try:
                self._results.put(result, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return


class _Worker:
    """A process that prepares one file after the other.

    Attributes:
        ended: How the process ended that did not answer.
    """

    def __init__(self, config: IndexConfig) -> None:
        self._config = config
        self.ended = ""
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self, task: Task) -> Prepared | None:
        """Return the document of a file; None where the process ended instead."""
        try:
            process = self._process or self._start()
            _send(process.stdin, task)
            answer = _receive(process.stdout)
        except (BrokenPipeError, EOFError):
            self.ended = _how_it_ended(self._process)
            self.close()
            return None
        except MemoryError:  # the rest of the answer is still in the pipe
            self.close()
            return _failed(task, "out of memory")
        if not isinstance(answer, Prepared):
            raise TypeError(f"a worker answered with {type(answer).__name__}")
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(  # noqa: S603 - our own module, in our own interpreter
            [sys.executable, "-P", "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # an interrupt at the terminal is for the caller alone
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        _send(self._process.stdin, self._config)
        return self._process

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
        process.wait()


def _how_it_ended(process: subprocess.Popen[bytes] | None) -> str:
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


def _send(stream: IO[bytes] | None, value: object) -> None:
    if stream is None:
        raise BrokenPipeError
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes] | None) -> object:
    head = stream.read(_LENGTH.size) if stream is not None else b""
    if len(head) < _LENGTH.size:
        raise EOFError
    size = _LENGTH.unpack(head)[0]
    data = stream.read(size) if stream is not None else b""
    if len(data) < size:
        raise EOFError
    value: object = pickle.loads(data)  # noqa: S301 - from our own process
    return value


def main() -> None:
    """Prepare the files named on standard input until it ends."""
    import gc

    gc.freeze()
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    config: IndexConfig = _receive(stdin)  # type: ignore[assignment]  # from our parent
    while True:
        try:
            task: Task = _receive(stdin)  # type: ignore[assignment]  # as above
        except EOFError:
            return
        prepared = prepare_file(task, config)
        try:
            _send(stdout, prepared)
        except MemoryError:  # nothing is written before all of it is packed
            _send(stdout, _failed(task, "out of memory"))
        except BrokenPipeError:
            os._exit(0)  # the caller has ended
