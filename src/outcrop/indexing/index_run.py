"""The state of one run: deals out the files and counts what was done."""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.indexing.documents.embed import embed_missing
from outcrop.indexing.documents.prepare import Task
from outcrop.indexing.paths import is_remote
from outcrop.indexing.report import GraphCounts, IndexReport, Problem, Progress, Written
from outcrop.indexing.workers import group_by_size, spread_first, writing_groups
from outcrop.model.stored import ChunkChanges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from outcrop.indexing.code.tasks import CodeTask
    from outcrop.indexing.code.update import CodeWork
    from outcrop.indexing.files.changes import Changes
    from outcrop.indexing.files.discover import SourceFile
    from outcrop.indexing.report import OnProgress
    from outcrop.indexing.run import Runner

# After less, building indexes row by row takes no time worth saving.
_LOAD_FROM_BYTES = 500_000
# After fewer changes the database's indexes and statistics are still good.
_MAINTAIN_FROM_CHUNKS = 1_000


@dataclass(slots=True)
class IndexRun:
    """One run: the work to do, and the counts so far.

    `linked` has the documents whose mentions of symbols have to be found.
    """

    runner: Runner
    changes: Changes
    started: float
    on_progress: OnProgress | None
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    replaced: ChunkChanges = field(default_factory=ChunkChanges)
    graph: GraphCounts = field(default_factory=GraphCounts)
    notes: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    embedded: int = 0
    size_bytes: int = 0
    _planned: set[str] = field(default_factory=set)
    _planned_bytes: int = 0

    def __post_init__(self) -> None:
        self._planned = {file.path for file in self.changes.plan}
        self._planned_bytes = sum(file.size for file in self.changes.plan)
        self.problems = list(self.changes.problems)

    def begin(self) -> None:
        """Prepare the store if it is empty and will not stay small."""
        if self._is_load:
            self.runner.store.expect_load()

    @property
    def _is_load(self) -> bool:
        return not self.changes.known and self._planned_bytes >= _LOAD_FROM_BYTES

    @contextmanager
    def storing_documents(self) -> Iterator[None]:
        """Chunk, embed and store Markdown and text; workers do it during the block."""
        files = self.changes.documents
        known = {file.path for file in files} & self.changes.known.keys()
        self.runner.store.mark_dirty(known)
        sizes = [file.size for file in files]
        if not self.changes.known:
            workers = self.runner.config.processes
            files = spread_first(files, sizes, workers=workers)
        tasks = ((self._task(file), file.size) for file in files)
        with self._writing(tasks, sum(sizes)) as results:
            yield
            written = self._count(results)
        self.linked += [path for path, _ in written.stored]
        if written.unsummarized:
            more = len(written.unsummarized) - 1
            others = f" and {more:,} more documents" if more else ""
            note = f"summaries are missing: {written.unsummarized[0]}{others}"
            self.notes.append(note)

    def store_code(self, work: CodeWork) -> Written:
        """Plan, embed and store files of code."""
        files = self.changes.found.files
        size = sum(files[path].size for path in work.paths if path in files)
        after_group = None
        if self._is_load and self.linked and work.paths:
            after_group = self._expecting(work.paths[0], size)
        with self._writing(work.tasks(), size) as results:
            return self._count(results, after_group)

    def _expecting(self, sampled: str, size_bytes: int) -> Callable[[Written], None]:
        """Return what tells the store how long chunks of code are, which follow documents.

        The group of a file from the sample that comes first has to be written for that.
        """
        store = self.runner.store
        before = store.word_totals()

        def expect(written: Written) -> None:
            sample = dict(written.stored)
            done = sum(sample.values())
            if sampled in sample and done:
                chunks = written.replaced.inserted * size_bytes // done
                store.expect_words(before, list(sample), chunks)

        return expect

    def remove(self) -> None:
        """Delete the documents of files that were deleted or are no longer indexed."""
        self.removed = sorted({*self.changes.gone, *self.removed})
        if self.removed:
            self.runner.store.delete_documents(self.removed)

    def finish(self) -> None:
        """Complete an interrupted earlier run, and maintain the database."""
        store = self.runner.store
        self.embedded += embed_missing(store, self.runner.embedder)
        is_much = self.replaced.written >= _MAINTAIN_FROM_CHUNKS
        # An interrupted run may not have built them.
        if is_much or store.lacks_indexes():
            self.tell("indexes")
            store.maintain(is_load=not self.changes.known)
        else:
            store.settle()

    def report(self) -> IndexReport:
        """Return the report of the run."""
        found = self.changes.found
        return IndexReport(
            added=sorted(self.added),
            changed=sorted(self.changed),
            removed=sorted(self.removed),
            unchanged=self.changes.unchanged,
            problems=sorted(self.problems, key=lambda problem: problem.path),
            skipped=dict(found.skipped),
            outside_links=found.outside_links,
            secrets=found.secrets,
            chunks_inserted=self.replaced.inserted,
            chunks_updated=self.replaced.updated,
            chunks_unchanged=self.replaced.unchanged,
            chunks_deleted=self.replaced.deleted,
            embedded=self.embedded,
            size_bytes=self.size_bytes,
            seconds=time.monotonic() - self.started,
            graph=self.graph,
            notes=self.notes,
        )

    def tell(self, doing: str = "") -> None:
        """Report progress."""
        if self.on_progress is None:
            return
        done = self.replaced
        # Files rejected before are not part of the plan.
        refused = len(self.problems) - len(self.changes.problems)
        self.on_progress(
            Progress(
                files=len(self.added) + len(self.changed) + refused,
                total_files=len(self.changes.plan),
                size_bytes=self.size_bytes,
                total_bytes=self._planned_bytes,
                chunks=done.inserted + done.updated + done.unchanged,
                doing=doing,
            )
        )

    def _task(self, file: SourceFile) -> Task:
        return Task(
            path=file.path,
            file=file.path if is_remote(file.path) else str(file.file),
            kind=file.kind,
            modified_ns=file.modified_ns,
            content=self.changes.contents.pop(file.path, None),
        )

    def _writing(
        self, tasks: Iterable[tuple[Task | CodeTask, int]], size_bytes: int
    ) -> AbstractContextManager[Iterable[Written]]:
        """Write files in groups; see `writing_groups`."""
        cluster = self.runner.cluster
        if cluster is not None:
            named = [task for task, _ in tasks]
            return nullcontext(cluster.write(self.runner, named, size_bytes))
        workers = self.runner.config.processes
        groups = group_by_size(tasks, size_bytes=size_bytes, workers=workers)
        return writing_groups(self.runner, groups, size_bytes=size_bytes)

    def _count(
        self,
        results: Iterable[Written],
        after_group: Callable[[Written], None] | None = None,
    ) -> Written:
        """Count what was done with each group."""
        total = Written()
        for written in results:
            total.add(written)
            self.note(written)
            if after_group is not None:
                after_group(written)
        return total

    def note(self, written: Written) -> None:
        """Count what was done, and report progress."""
        self.replaced += written.replaced
        self.embedded += written.embedded
        self.problems += written.problems
        known = self.changes.known
        self.removed += [path for path in written.unusable if path in known]
        for path, size in written.stored:
            if path in self._planned:
                (self.changed if path in known else self.added).append(path)
                self.size_bytes += size
        self.tell()
