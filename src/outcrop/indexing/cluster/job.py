"""What a worker process does with the rows of a task, on whichever machine it is."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from outcrop.errors import OutcropError
from outcrop.indexing.cluster.storage import FetchError, fetched
from outcrop.indexing.code.update import CodeUpdate
from outcrop.indexing.files.content import Content
from outcrop.indexing.report import Abort, Written
from outcrop.indexing.run import Runner
from outcrop.indexing.workers import WritingJob, group_by_size, writing_groups
from outcrop.store.leases import share_writing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from outcrop.indexing.cluster.rows import Row
    from outcrop.indexing.cluster.storage import Storage
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.files.changes import Changes
    from outcrop.indexing.report import GraphCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationTask:
    """The code of one application, whose graph one task builds.

    Attributes:
        project: The folder of the project.
        roots: The paths of the run.
        group: The application and its files.
        changes: The part of the changes that concerns it.
        storage: Where its files are, if they are in object storage.
    """

    project: Path
    roots: Sequence[Path]
    group: ApplicationFiles
    changes: Changes
    storage: Storage

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


@dataclass(slots=True)
class ClusterJob:
    """The job of the worker process of a task."""

    writing: WritingJob

    def prepare(self) -> None:
        """Prepare the process."""
        self.writing.prepare()

    def run(self, rows: Sequence[Row]) -> bytes:
        """Write documents, or the code of one application; return packed answers."""
        tasks: list[Any] = []
        unreadable = Written()
        for row in rows:
            task = pickle.loads(row.packed)  # noqa: S301 - from our own driver
            if not row.is_remote:
                tasks.append(task)
            elif row.data is None:
                unreadable.reject(task.path, "unreadable")
            else:
                tasks.append(replace(task, content=Content(row.data, "")))
        return pickle.dumps([unreadable, self._run(tasks)])

    def _run(self, tasks: list[Any]) -> Written | ApplicationDone | Abort:
        if not tasks or not isinstance(tasks[0], ApplicationTask):
            return self.writing.run(tasks)
        writing = self.writing
        try:
            with share_writing(writing.database, writing.run_number):
                return self._index_application(tasks[0])
        except (OutcropError, OSError) as error:
            return Abort.of(error)

    def _index_application(self, task: ApplicationTask) -> ApplicationDone | Written:
        if not task.group.url:
            return self._index_files(task, task.group)
        try:
            with fetched(task.group, task.storage) as group:
                return self._index_files(task, group)
        except FetchError as error:
            rejected = Written()
            rejected.reject(task.path, str(error))
            return rejected

    def _index_files(
        self, task: ApplicationTask, group: ApplicationFiles
    ) -> ApplicationDone:
        job = self.writing
        runner = Runner(
            database=job.database,
            store=job.writer.store,
            embedder=job.writer.embedder,
            project=task.project,
            config=job.config,
        )
        code = CodeUpdate(runner, task.changes, task.roots)
        work = code.prepare(group, lambda _: None)
        size = sum(file.size for file in group.files.values())
        groups = group_by_size(
            work.tasks(), size_bytes=size, workers=job.config.processes
        )
        total = Written()
        with writing_groups(runner, groups, size_bytes=size) as results:
            for written in results:
                total.add(written)
        code.complete(group, work, total)
        return ApplicationDone(
            name=group.name,
            written=total,
            counts=code.counts,
            names_changed=code.names_changed,
            notes=code.notes,
            gone=task.changes.gone,
        )
