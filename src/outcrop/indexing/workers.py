"""Chunking over all cores, in processes of their own, a few files ahead.

Workers are plain interpreters that read tasks and write documents, so they need
neither a fork of the caller's state nor a guarded main module. A file that brings one
down costs that file, not the run. Only a few documents wait at a time, whatever the
size of the tree.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

from outcrop.indexing.prepare import Prepared, Task, prepare_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.config import IndexConfig

_COMMAND = "from outcrop.indexing.workers import main; main()"
_LENGTH = struct.Struct(">Q")
_POLL_SECONDS = 0.05
# Less than this is chunked sooner than a process starts.
PARALLEL_BYTES = 1_000_000


def prepare_files(
    tasks: Sequence[Task], config: IndexConfig, *, size_bytes: int
) -> Iterator[Prepared]:
    """Yield the documents of files, in any order.

    Args:
        tasks: The files.
        config: How to chunk.
        size_bytes: How large they are together, which decides whether processes pay.
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


def prepare_file(task: Task, config: IndexConfig) -> Prepared:
    """Read and prepare one file; a problem is part of the answer."""
    try:
        data = Path(task.file).read_bytes()
    except OSError:
        return Prepared(path=task.path, problem="unreadable")
    return prepare_bytes(task, data, config)


class _Pool:
    """Threads that each talk to one process."""

    def __init__(self, tasks: Iterator[Task], config: IndexConfig, count: int) -> None:
        self._tasks = tasks
        self._config = config
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
        """End the processes, whatever they are at."""
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
                self._put(worker.prepare(task))
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
    """A process that prepares one file after the other."""

    def __init__(self, config: IndexConfig) -> None:
        self._config = config
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self, task: Task) -> Prepared:
        process = self._process or self._start()
        try:
            _send(process.stdin, task)
            answer = _receive(process.stdout)
        except (BrokenPipeError, EOFError):
            self.close()
            return Prepared(path=task.path, problem="brought a worker down")
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
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    config: IndexConfig = _receive(stdin)  # type: ignore[assignment]  # from our parent
    while True:
        try:
            task: Task = _receive(stdin)  # type: ignore[assignment]  # as above
        except EOFError:
            return
        prepared = prepare_file(task, config)
        try:
            _send(stdout, prepared)
        except BrokenPipeError:
            os._exit(0)  # the caller is no more, and nobody is to be told
