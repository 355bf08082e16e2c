"""One run on an engine: finds, compares and writes files by tasks."""

from __future__ import annotations

import logging
import pickle
from typing import TYPE_CHECKING, Any

from outcrop.errors import INTERRUPTS, InputError, OutcropError, describe_failure
from outcrop.indexing.cluster.examine import Place, examine_rows
from outcrop.indexing.cluster.job import ApplicationDone, ApplicationTask, ClusterJob
from outcrop.indexing.cluster.rows import Rejected, pack_job, write_rows
from outcrop.indexing.cluster.sources import listed_as, take_objects
from outcrop.indexing.files.changes import Changes, refuse_nothing
from outcrop.indexing.files.discover import Discovery
from outcrop.indexing.paths import is_remote
from outcrop.indexing.report import Written
from outcrop.indexing.workers import MAX_FILES, WritingJob, group_bytes, result_of
from outcrop.providers.registry import EMBEDDERS, is_bundled
from outcrop.store.leases import current_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from outcrop.indexing.cluster.engine import Dataflow
    from outcrop.indexing.cluster.sources import Sources
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.code.tasks import CodeTask
    from outcrop.indexing.code.update import CodeUpdate
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.prepare import Task
    from outcrop.indexing.files.changes import Examined
    from outcrop.indexing.files.discover import SourceFile
    from outcrop.indexing.run import Runner
    from outcrop.providers.embedder import Embedder
    from outcrop.store.documents import KnownDocument

_log = logging.getLogger(__name__)
# How often a dataflow may fail without any document being written.
_MAX_FAILURES = 2


class ClusterRun:
    """The files of one run."""

    def __init__(self, dataflow: Dataflow, sources: Sources) -> None:
        self.sources = sources
        self._dataflow = dataflow

    # Finding, as a `Scan`

    def discover(
        self, project: Path, config: IndexConfig, known: Mapping[str, KnownDocument]
    ) -> Discovery:
        """Walk folders here, and list object storage.

        Raises:
            InputError: A source exists neither in its place nor in the store.
        """
        refuse_nothing(self.sources.walked, project, known)
        found = self.sources.walk(project, config)
        for url in self.sources.urls:
            objects = {
                path: size
                for glob in listed_as(url)
                for path, size in self._dataflow.list_objects(glob)
            }
            if not objects and not any(is_remote(p) and self.covers(p) for p in known):
                raise InputError(f"there is no object at {url!r}")
            take_objects(found, objects.items(), config)
        found.files = dict(sorted(found.files.items()))
        return found

    def covers(self, path: str) -> bool:
        """Return whether a file at an absolute path or URL is one of the sources."""
        return self.sources.covers(path)

    def examine(self, files: Sequence[SourceFile]) -> Mapping[str, Examined]:
        """Read and hash files in tasks; leave out those that cannot be read."""
        if not files:
            return {}
        tasks = [Place(f.path, _place(f), f.kind, f.size) for f in files]
        size = sum(file.size for file in files)
        results = self._run(examine_rows, b"", tasks, self._rows(len(files), size))
        return {path: examined for path, examined in results if examined is not None}

    # Writing

    def write(
        self, runner: Runner, tasks: Sequence[Task | CodeTask], size_bytes: int
    ) -> Iterator[Written]:
        """Write documents in tasks, in any order; yield what was done with some.

        A dataflow that fails, because the cluster lost more than it can replace, is
        started again with the documents that are not written.

        Raises:
            OutcropError: The database, a model or the cluster failed.
        """
        rows = self._rows(len(tasks), size_bytes)
        for written in self._repeat(runner, tasks, rows):
            yield result_of(written)

    def index_applications(
        self, runner: Runner, code: CodeUpdate, todo: Sequence[ApplicationFiles]
    ) -> Iterator[Written]:
        """Build and store the code graph of each application in a task of its own.

        Yields what was written for each; `code` gets the counts.
        """
        tasks = [
            ApplicationTask(
                project=runner.project,
                roots=code.roots,
                group=group,
                changes=_part(code.changes, group),
                storage=self._dataflow.storage,
            )
            for group in todo
        ]
        for done in self._repeat(runner, tasks, 1):
            if isinstance(done, ApplicationDone):
                code.add(done)
                yield done.written
            else:
                yield result_of(done)

    def _repeat(
        self, runner: Runner, tasks: Sequence[Any], rows_per_task: int
    ) -> Iterator[Any]:
        """Yield the answers of tasks; start again where the dataflow fails."""
        database = runner.database
        writing = WritingJob(
            database.key,
            _portable(runner.embedder),
            runner.config,
            current_run(database),
        )
        argument = pack_job(ClusterJob(writing), runner.config.processes)
        gpus = float(getattr(runner.embedder, "gpus", 0))
        pending = {task.path: task for task in tasks}
        failures = 0
        while pending and failures <= _MAX_FAILURES:
            before = len(pending)
            try:
                for answers in self._run(
                    write_rows, argument, list(pending.values()), rows_per_task, gpus
                ):
                    for answer in _unpack(answers):
                        for path in _paths(answer):
                            pending.pop(path, None)
                        yield answer
            except (*INTERRUPTS, OutcropError):
                raise
            except Exception as error:  # noqa: BLE001 - whatever the engine raises
                failures = failures + 1 if len(pending) == before else 0
                reason = describe_failure(error)
                _log.warning("the dataflow failed: %s", reason)
                if failures > _MAX_FAILURES:
                    raise OutcropError(
                        f"the cluster failed: {reason}; run again to continue"
                    ) from None
            else:
                return

    def _rows(self, files: int, size_bytes: int) -> int:
        """Return how many files one task takes."""
        enough = group_bytes(size_bytes, self._dataflow.slots)
        return max(1, min(MAX_FILES, enough * files // max(1, size_bytes)))

    def _run(
        self,
        function: Any,
        argument: bytes,
        tasks: Sequence[Any],
        rows_per_task: int,
        gpus: float = 0,
    ) -> Iterator[Any]:
        rows = [(pickle.dumps(task), _url(task)) for task in tasks]
        return self._dataflow.run(
            function,
            argument,
            rows,
            rows_per_task=rows_per_task,
            gpus=gpus,
        )


def _place(file: SourceFile) -> str:
    return file.path if is_remote(file.path) else str(file.file)


def _url(task: Any) -> str | None:
    """Return the object that Daft has to read for a task."""
    file = getattr(task, "file", "")
    return file if is_remote(file) else None


def _unpack(answers: Sequence[bytes | Rejected]) -> Iterator[Any]:
    """Yield the answers of a task."""
    for answer in answers:
        if isinstance(answer, Rejected):
            rejected = Written()
            task = pickle.loads(answer.packed)  # noqa: S301 - packed here
            rejected.reject(task.path, answer.reason)
            yield rejected
        else:
            yield from pickle.loads(answer)  # noqa: S301 - from our own task


def _portable(embedder: Embedder) -> str | Embedder:
    """Return the name of an embedder that every machine can open, or itself."""
    is_named = embedder.name.partition(":")[0] in EMBEDDERS
    if is_bundled(embedder) or (is_named and ":" in embedder.name):
        return embedder.name
    return embedder


def _part(changes: Changes, group: ApplicationFiles) -> Changes:
    """Return the changes that concern one application."""
    files = {p: f for p, f in changes.found.files.items() if p in group.files}
    part = Changes(Discovery(files=files), {})
    part.plan = [file for file in changes.plan if file.path in group.files]
    part.digests = {p: d for p, d in changes.digests.items() if p in group.files}
    return part


def _paths(answer: Any) -> list[str]:
    """Return the documents or the application that an answer is about."""
    if isinstance(answer, ApplicationDone):
        return [answer.name]
    stored = [path for path, _ in getattr(answer, "stored", ())]
    return stored + [problem.path for problem in getattr(answer, "problems", ())]
