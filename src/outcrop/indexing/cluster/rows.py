"""Hands rows to worker processes, in a process of the engine.

A document that ends its worker process costs that document alone, and the engine sees
no failure. Worker processes are kept for the next task.

Every process of the engine imports this, so it loads no chunker, store or model: what
it passes on stays packed.
"""

from __future__ import annotations

import pickle
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.indexing.report import Abort
from outcrop.process_pool import Failure, Worker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_pools: dict[bytes, WorkerPool] = {}
_lock = Lock()


class Row(NamedTuple):
    """What a task is given for one file, or one application.

    Attributes:
        packed: The task of the driver.
        is_remote: Whether the file is in object storage.
        data: Its content; None if it is elsewhere, or cannot be read.
    """

    packed: bytes
    is_remote: bool
    data: bytes | None


class Rejected(NamedTuple):
    """A row that no worker process survives.

    Attributes:
        packed: The task of the driver.
        reason: How the process ended.
    """

    packed: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class PackedJob:
    """A job for worker processes, which unpack it as what it is.

    Attributes:
        packed: A `ClusterJob`.
        processes: How many worker processes a machine may have.
    """

    packed: bytes
    processes: int

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.loads, (self.packed,)


class WorkerPool:
    """The worker processes of a job on one machine, kept from task to task."""

    def __init__(self, job: PackedJob) -> None:
        self._job: Any = job
        self._free = BoundedSemaphore(job.processes)
        self._idle: list[Worker[Any, bytes]] = []

    @contextmanager
    def lend(self) -> Iterator[Worker[Any, bytes]]:
        """Lend a worker; wait where all that the settings allow are lent."""
        with self._free:
            worker = self._idle.pop() if self._idle else Worker(self._job)
            try:
                yield worker
            except BaseException:
                worker.close()
                raise
            self._idle.append(worker)

    def close(self) -> None:
        """End the idle processes."""
        while self._idle:
            self._idle.pop().close()


def pack_job(job: object, processes: int) -> bytes:
    """Return the argument of `write_rows`."""
    return pickle.dumps((pickle.dumps(job), processes))


def write_rows(job: bytes, rows: Sequence[Row]) -> list[bytes]:
    """Write the documents of some rows; return the answers, packed, in the first."""
    try:
        with _pool(job).lend() as worker:
            answers: list[Any] = list(_write(worker, list(rows)))
    except OSError as error:  # no process can be started
        answers = [pickle.dumps([Abort.of(error)])]
    return [pickle.dumps(answers), *(b"" for _ in rows[1:])]


def close_workers() -> None:
    """End the idle worker processes of this process."""
    with _lock:
        pools = list(_pools.values())
        _pools.clear()
    for pool in pools:
        pool.close()


def _pool(job: bytes) -> WorkerPool:
    with _lock:
        if job not in _pools:
            packed, processes = pickle.loads(job)  # noqa: S301 - from our own driver
            _pools[job] = WorkerPool(PackedJob(packed, processes))
        return _pools[job]


def _write(
    worker: Worker[list[Row], bytes], rows: list[Row]
) -> Iterator[bytes | Rejected]:
    """Yield the answers of a worker; a group that ends it is written file by file."""
    answer = worker.run(rows)
    if not isinstance(answer, Failure):
        yield answer
        return
    for row in rows:
        answer = worker.run([row])
        if isinstance(answer, Failure):
            yield Rejected(row.packed, answer.reason)
        else:
            yield answer
