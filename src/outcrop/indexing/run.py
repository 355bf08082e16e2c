"""Runs the indexer: detects changes, chunks, embeds, stores and cleans up."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop import collector
from outcrop.errors import INTERRUPTS, OutcropError
from outcrop.indexing.code.update import CodeUpdate, missing_grammars
from outcrop.indexing.documents.embed import identify
from outcrop.indexing.files.changes import (
    compare_other_code,
    find_changes,
    note_other_code,
    preview,
)
from outcrop.indexing.files.discover import document_path
from outcrop.indexing.freshness import INDEX_LEASE, INDEX_RUN
from outcrop.indexing.index_run import IndexRun
from outcrop.indexing.report import WAITING, Progress
from outcrop.indexing.scope import record_scope
from outcrop.pipeline.mentions import link_mentions
from outcrop.process_pool import end_waiting_processes, keep_processes
from outcrop.store.leases import begin_run, hold_lease
from outcrop.store.projects.manage import claim_space

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from outcrop.indexing.cluster.run import ClusterRun
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.code.update import CodeWork
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.files.changes import Changes, Owns
    from outcrop.indexing.first_load import FirstLoad
    from outcrop.indexing.report import IndexReport, OnProgress
    from outcrop.providers.embedder import Embedder
    from outcrop.store.database import Database
    from outcrop.store.runs import Runs
    from outcrop.store.store import PostgresStore

_log = logging.getLogger(__name__)
STAGE = "documents"
# Within a step, counts are stored at most this often: each time takes four statements.
_NOTE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs the indexer on one project.

    Attributes:
        database: The open database.
        store: The store in it.
        embedder: Makes the embeddings.
        project: The folder that paths are relative to.
        config: How to index.
        owns: Which files belong into this database, where the index has several.
        outer_run: The run in this database that this one is a part of, if any.
        cluster: Finds, reads and writes the files elsewhere; in this process and its
            workers if None.
    """

    database: Database
    store: PostgresStore
    embedder: Embedder
    project: Path
    config: IndexConfig
    owns: Owns | None = None
    outer_run: int | None = None
    cluster: ClusterRun | None = None

    def run(
        self,
        roots: Sequence[Path],
        *,
        dry_run: bool = False,
        touched: Collection[str] | None = None,
        on_progress: OnProgress | None = None,
        run_id: int | None = None,
        first: FirstLoad | None = None,
    ) -> IndexReport:
        """Bring the index up to date with some absolute paths; see `Index.index`.

        Waits for another run on the same index: the code graph spans many files, and two
        runs at once would each write half of it. Only `touched` documents are compared, or
        all of them where it is None. An empty index takes the files as `first` found them.

        Raises:
            InputError: A path exists neither on disk nor in the index.
        """
        started = time.monotonic()
        if dry_run:
            changes = self._find_changes(roots, touched)
            self._find_code(changes, roots)
            return preview(changes, started)
        claim_space(self.database, self.project)
        self.store.use_embedder(identify(self.embedder))
        self.store.set_summaries_mode(self.config.summaries or "off")
        with (
            keep_processes(),
            hold_lease(self.database, INDEX_LEASE, _waiting(on_progress)),
        ):
            begin_run(self.database)
            if self.config.strategy is not None:
                self.store.set_code_strategy(self.config.strategy)
            if first is not None and not first.fits(self.store, roots, self.project):
                first = None
            changes = first.changes if first else self._find_changes(roots, touched)
            record_scope(self.store, roots, self.project, self.config)
            code, todo = self._find_code(changes, roots)
            code.graphs = first.graphs if first else {}
            _log.info(
                "to do: %d documents, %d applications of code, %d deleted files",
                len(changes.plan),
                len(todo),
                len(changes.gone),
            )
            work = IndexRun(self, changes, started, on_progress)
            is_idle = not todo and not changes.plan and not changes.gone
            if is_idle and run_id is None:
                self._finish_earlier(work)
            else:
                with self._noted(work, roots, run_id):
                    if is_idle:
                        self._finish_earlier(work)
                    else:
                        self._do(work, code, todo)
        return work.report()

    def _find_changes(
        self, roots: Sequence[Path], touched: Collection[str] | None
    ) -> Changes:
        # Read before the walk: documents added since must not look deleted.
        known = self.store.known_documents()
        changes = find_changes(
            roots, self.project, self.config, known, touched, self.owns, self.cluster
        )
        note_other_code(changes, self.project)
        return changes

    def _find_code(
        self, changes: Changes, roots: Sequence[Path]
    ) -> tuple[CodeUpdate, list[ApplicationFiles]]:
        """Return the applications whose code is out of date."""
        if self.cluster is None:
            code = CodeUpdate(self, changes, roots)
        else:
            sources = self.cluster.sources
            code = CodeUpdate(self, changes, sources.walked, sources.url_folders)
        todo = code.todo()
        if todo and changes.others:
            compare_other_code(changes, self.project, self.config, self.cluster)
            todo = code.todo()
        return code, todo

    @contextmanager
    def _noted(
        self, work: IndexRun, roots: Sequence[Path], run_id: int | None
    ) -> Iterator[None]:
        """Record the run in the store."""
        store = self.store
        # We hold the lease, so an earlier run that is not finished was interrupted.
        interrupted = "it was interrupted; a later run completed it"
        store.fail_running(INDEX_RUN, interrupted, but=run_id or self.outer_run)
        paths = [document_path(root, self.project) for root in roots]
        if self.cluster is not None:
            paths += self.cluster.sources.named
        run_id = run_id or store.create_run(INDEX_RUN, parameters={"paths": paths}).id
        notes = work.on_progress = RunProgress(store, run_id, work.on_progress)
        try:
            yield
        except BaseException as error:
            with suppress(OutcropError):
                store.fail_run(run_id, _reason(error))
            raise
        notes.finish(work.report())

    def _do(
        self, work: IndexRun, code: CodeUpdate, todo: Sequence[ApplicationFiles]
    ) -> None:
        work.tell()  # how many files there are
        is_pending = self._expect_mentions(work, will_have_graph=bool(todo))
        work.begin()
        prepared: dict[str, CodeWork] = {}
        with work.storing_documents():
            for group in todo:
                if group.name in code.graphs:  # stored here while workers write
                    prepared[group.name] = self._prepare(work, code, group)
        if self.cluster is not None:
            for written in self.cluster.index_applications(self, code, todo):
                work.note(written)
        else:
            for group in todo:
                ready = prepared.pop(group.name, None)
                ready = ready or self._prepare(work, code, group)
                with collector.ignoring_existing():
                    written = work.store_code(ready)
                code.complete(group, ready, written)
        end_waiting_processes()  # all files are written
        work.graph = code.counts
        work.notes += [*missing_grammars(work.changes.code), *code.notes]
        work.remove()
        if is_pending is not None:
            everything = is_pending or code.names_changed
            self._link(work, None if everything else work.linked)
        work.finish()

    def _prepare(
        self, work: IndexRun, code: CodeUpdate, group: ApplicationFiles
    ) -> CodeWork:
        with collector.paused():
            return code.prepare(group, work.tell)

    def _finish_earlier(self, work: IndexRun) -> None:
        """Complete an interrupted earlier run if no file has changed since."""
        if self.store.mentions_pending():
            self._link(work, None)
        work.finish()

    def _link(self, work: IndexRun, paths: Sequence[str] | None) -> None:
        work.tell("mentions")
        work.graph.mentions = link_mentions(self.store, paths)
        self.store.set_mentions_pending(pending=False)

    def _expect_mentions(self, work: IndexRun, *, will_have_graph: bool) -> bool | None:
        """Record that documents have to be linked with the graph.

        Returns:
            Whether an earlier run did not complete that; None if there is no need.
        """
        has_graph = any(app.nodes for app in self.store.applications())
        if not has_graph and not will_have_graph:
            return None
        if self.store.mentions_pending():
            return True
        if not will_have_graph and not work.changes.documents:
            return None
        self.store.set_mentions_pending(pending=True)
        return False


def _reason(error: BaseException) -> str:
    if isinstance(error, INTERRUPTS):
        return "interrupted; the next run continues it"
    return str(error) or type(error).__name__


def _waiting(on_progress: OnProgress | None) -> Callable[[], None]:
    def tell() -> None:
        _log.info("waiting for another run on the index")
        if on_progress is not None:
            on_progress(Progress.of(WAITING))

    return tell


class RunProgress:
    """Records progress, and forwards it to a callback."""

    def __init__(
        self, store: Runs, run_id: int, on_progress: OnProgress | None = None
    ) -> None:
        """Follow one run, and call `on_progress` as well."""
        self._store = store
        self._run_id = run_id
        self._on_progress = on_progress
        self._noted = {"done": 0, "total": 0, "failed": 0}
        self._next_note = 0.0
        self._step: tuple[str, bool] | None = None

    def __call__(self, progress: Progress) -> None:
        """Record progress."""
        step = (progress.doing, progress.files > 0)
        is_due = step != self._step or time.monotonic() >= self._next_note
        if progress.total_files and is_due:
            self._step, self._next_note = step, time.monotonic() + _NOTE_SECONDS
            self._note(done=progress.files, total=progress.total_files)
        if self._on_progress is not None:
            self._on_progress(progress)

    def finish(self, report: IndexReport) -> None:
        """Record the report and the end of the run."""
        done, failed = len(report.added) + len(report.changed), len(report.problems)
        total = max(self._noted["total"], done + failed)
        if total:
            self._note(done=done, total=total, failed=failed)
        problems = [
            {"path": problem.path, "error": problem.reason}
            for problem in report.problems
        ]
        if problems:
            self._store.update_run(self._run_id, errors=problems)
        self._store.finish_run(self._run_id, statistics=report.statistics())

    def _note(self, **counts: int) -> None:
        """Record counts; the store adds them up, so it gets the difference."""
        added = {name: count - self._noted[name] for name, count in counts.items()}
        self._noted |= counts
        if any(added.values()):
            self._store.update_run(self._run_id, stages={STAGE: added})
