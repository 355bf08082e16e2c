"""What the tasks of a run do, on whichever machine they are.

A task drives a worker process: a document that ends the process costs that document
alone, and the engine sees no failure. Worker processes are kept for the next task.
"""

from __future__ import annotations

import pickle
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any

from outcrop.errors import OutcropError
from outcrop.indexing.code.update import CodeUpdate
from outcrop.indexing.files.changes import Examined
from outcrop.indexing.files.content import (
    Content,
    content_hash,
    read_content,
    refusal,
)
from outcrop.indexing.files.remote import is_remote
from outcrop.indexing.files.scan import is_streamed, scan_file
from outcrop.indexing.grouping import group_by_size
from outcrop.indexing.run import Runner
from outcrop.indexing.workers import Abort, WritingJob, write_groups
from outcrop.indexing.written import Written
from outcrop.process_pool import Failure, Worker
from outcrop.store.writers import share_writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.documents.prepare import Task
    from outcrop.indexing.files.changes import Changes
    from outcrop.indexing.report import GraphCounts
    from outcrop.indexing.writer import Group

_pools: dict[bytes, WorkerPool] = {}
_lock = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationTask:
    """The code of one application, whose graph one task builds.

    Attributes:
        project: The folder of the project.
        roots: The paths of the run.
        group: The application and its files.
        changes: The part of the changes that concerns it.
    """

    project: Path
    roots: Sequence[Path]
    group: ApplicationFiles
    changes: Changes

    @property
    def path(self) -> str:
        """The name that a problem is reported with."""
        return self.group.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationDone:
    """What was done with the code of an application; see `CodeUpdate`."""

    name: str
    written: Written
    counts: GraphCounts
    names_changed: bool
    notes: list[str]
    gone: list[str]


class ClusterJob(WritingJob):
    """The job of the worker process of a task."""

    def run(self, group: Group | list[ApplicationTask]) -> Any:
        """Write documents, or the code of one application."""
        if not group or not isinstance(group[0], ApplicationTask):
            return super().run(group)  # type: ignore[arg-type]
        try:
            with share_writing(self.database, self.run_number):
                return self._index_application(group[0])
        except (OutcropError, OSError) as error:
            return Abort.of(error)

    def _index_application(self, task: ApplicationTask) -> ApplicationDone:
        writer = self.writer
        runner = Runner(
            database=self.database,
            store=writer.store,
            embedder=writer.embedder,
            project=task.project,
            config=self.config,
        )
        code = CodeUpdate(runner, task.changes, task.roots)
        work = code.prepare(task.group, lambda _: None)
        sizes = (file.size for file in task.group.files.values())
        size = sum(sizes)
        groups = group_by_size(
            work.tasks(), size_bytes=size, workers=self.config.processes
        )
        total = Written()
        for written in write_groups(runner, groups, size_bytes=size):
            total.add(written)
        code.complete(task.group, work, total)
        return ApplicationDone(
            name=task.group.name,
            written=total,
            counts=code.counts,
            names_changed=code.names_changed,
            notes=code.notes,
            gone=task.changes.gone,
        )


class WorkerPool:
    """The worker processes of a job on one machine, kept from task to task."""

    def __init__(self, job: ClusterJob) -> None:
        self._job = job
        self._free = BoundedSemaphore(job.config.processes)
        self._idle: list[Worker[Any, Any]] = []

    @contextmanager
    def lend(self) -> Iterator[Worker[Any, Any]]:
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


def write_rows(
    job: bytes, rows: Sequence[bytes], data: Sequence[bytes | None]
) -> list[bytes]:
    """Write the documents of some rows; return the answers, packed, in the first."""
    tasks = [pickle.loads(row) for row in rows]  # noqa: S301 - from our own driver
    answers: list[Any] = []
    given: list[Any] = []
    for task, content in zip(tasks, data, strict=True):
        if isinstance(task, ApplicationTask) or not is_remote(task.file):
            given.append(task)
        elif content is None:
            unreadable = Written()
            unreadable.reject(task.path, "unreadable")
            answers.append(unreadable)
        else:
            given.append(replace(task, content=Content(content, "")))
    try:
        if given:
            with _pool(job).lend() as worker:
                answers += _write(worker, given)
    except OSError as error:  # no process can be started
        answers.append(Abort.of(error))
    return [pickle.dumps(answers), *(b"" for _ in rows[1:])]


def examine_rows(
    _: bytes, rows: Sequence[bytes], data: Sequence[bytes | None]
) -> list[bytes]:
    """Read the files of some rows; return for each its path and what was found."""
    found: list[bytes] = []
    for row, given in zip(rows, data, strict=True):
        task: Task = pickle.loads(row)  # noqa: S301 - from our own driver
        examined = _examine(task, given)
        found.append(pickle.dumps((task.path, examined)))
    return found


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
            _pools[job] = WorkerPool(pickle.loads(job))  # noqa: S301 - from our own driver
        return _pools[job]


def _examine(task: Task, data: bytes | None) -> Examined | None:
    if is_remote(task.file):
        content = None if data is None else Content(data, content_hash(data))
    else:
        file = Path(task.file)
        try:
            if is_streamed(task.kind, task.path, file.stat().st_size):
                scanned = scan_file(file)
                return Examined(scanned.digest, scanned.problem)
        except OSError:
            return None
        content = read_content(file)
    if content is None:
        return None
    return Examined(content.digest, refusal(task.kind, content.data))


def _write(worker: Worker[Any, Any], group: list[Any]) -> Iterator[Any]:
    """Yield the answers of a worker; a group that ends it is written file by file."""
    answer = worker.run(group)
    if not isinstance(answer, Failure):
        yield answer
        return
    for task in group:
        answer = worker.run([task])
        if isinstance(answer, Failure):
            rejected = Written()
            rejected.reject(task.path, answer.reason)
            answer = rejected
        yield answer
