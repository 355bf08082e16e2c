"""One run of the indexer: find out what changed, chunk, embed, store, clean up."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.indexing.changes import add_other_code, find_changes
from outcrop.indexing.code import CodeWork
from outcrop.indexing.embed import identify
from outcrop.indexing.kinds import CODE
from outcrop.indexing.mentions import link_mentions
from outcrop.indexing.work import Work
from outcrop.store.leases import hold_lease

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from outcrop.codegraph import Graph
    from outcrop.indexing.changes import Changes
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.report import IndexReport, OnProgress
    from outcrop.providers.embedder import Embedder
    from outcrop.store.database import Database
    from outcrop.store.store import PostgresStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Everything a run works with.

    Attributes:
        database: The open database.
        store: The store in it.
        embedder: Makes the embeddings.
        project: The folder that paths are relative to.
        config: How to index.
        keeps_graphs: Whether to keep code graphs from one run to the next, so that
            files that have not changed are not parsed again.
        graphs: The graphs that were kept, by application.
    """

    database: Database
    store: PostgresStore
    embedder: Embedder
    project: Path
    config: IndexConfig
    keeps_graphs: bool = False
    graphs: dict[str, Graph] = field(default_factory=dict)

    def run(
        self,
        roots: Sequence[Path],
        *,
        dry_run: bool = False,
        touched: Collection[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> IndexReport:
        """Bring the index up to date with some files and folders.

        Another run on the same index is waited for: the code graph spans many files,
        so two at once would each write half of it.

        Args:
            roots: Absolute paths.
            dry_run: Say what would happen and write nothing.
            touched: Paths of documents that may have changed; all where None.
            on_progress: Told after each batch how far it is.

        Raises:
            InputError: There is nothing at a path, neither on disk nor in the index.
            SchemaVersionError: The index was built with another embedder.
            StorageError: The database refused or failed.
        """
        started = time.monotonic()
        if not dry_run:
            self.store.use_embedder(identify(self.embedder))
        with self._alone(dry_run=dry_run):
            changes = self._find_changes(roots, touched)
            work = Work(self, changes, started, on_progress)
            if dry_run:
                return work.report_only()
            self._do(work, CodeWork(self, changes, roots))
        return work.report()

    def _alone(self, *, dry_run: bool) -> AbstractContextManager[None]:
        return nullcontext() if dry_run else hold_lease(self.database, "index")

    def _find_changes(
        self, roots: Sequence[Path], touched: Collection[str] | None
    ) -> Changes:
        # Before the walk: what another run adds meanwhile must not look deleted.
        known = self.store.known_documents()
        changes = find_changes(roots, self.project, self.config, known, touched)
        if changes.code or any(document.kind == CODE for document in known.values()):
            compare = touched is None
            add_other_code(changes, self.project, self.config, compare=compare)
        return changes

    def _do(self, work: Work, code: CodeWork) -> None:
        todo = code.todo()
        is_pending = self._expect_mentions(work, will_have_graph=bool(todo))
        work.store_documents()
        for group in todo:
            work.store_code(code.documents(group, work.tell))
        work.graph, work.notes = code.counts, code.notes
        work.remove()
        if is_pending is not None:
            work.tell("mentions")
            everything = is_pending or code.names_changed
            paths = None if everything else work.stored_documents
            code.counts.mentions = link_mentions(self.store, self.embedder, paths)
            self.store.set_mentions_pending(pending=False)
        work.finish()

    def _expect_mentions(self, work: Work, *, will_have_graph: bool) -> bool | None:
        """Note that documents have to be linked with the graph.

        Returns:
            Whether an earlier run did not come to that; None where there is no need.
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
