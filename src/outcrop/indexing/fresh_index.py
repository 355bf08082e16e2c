"""Tells whether an index is up to date, and what a later run has to bring up to date."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from outcrop.indexing.paths import require_paths, resolve_paths
from outcrop.indexing.reader import describe_mismatch
from outcrop.indexing.searching import SearchableIndex
from outcrop.store.leases import hold_free_lease
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from threading import Event

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.freshness import ChangedFiles, RunningIndex
    from outcrop.indexing.index import Index
    from outcrop.indexing.paths import PathLike
    from outcrop.indexing.report import IndexReport, OnProgress
    from outcrop.model.section import Section
    from outcrop.store.database import Database
    from outcrop.store.store import PostgresStore

_WATCH_LEASE = "watch"


class WatchedIndex(SearchableIndex):
    """An index that is compared with its files, in one database or in several.

    Attributes:
        project: The folder that paths are relative to.
        config: The settings.
    """

    project: Path
    config: IndexConfig

    @property
    @abstractmethod
    def parts(self) -> Sequence[Index]:
        """The parts of the index, one in each database."""

    @property
    @abstractmethod
    def missing(self) -> dict[str, str]:
        """The databases that do not answer, with the reason."""

    @property
    @abstractmethod
    def has_own_folder(self) -> bool:
        """Whether the folder here is the one that was indexed."""

    @abstractmethod
    def update(
        self,
        roots: Sequence[Path],
        touched: Collection[str] | None,
        *,
        on_progress: OnProgress | None = None,
    ) -> IndexReport:
        """Index again after some files changed; see `Index.update`."""

    def watch(
        self,
        paths: PathLike | Iterable[PathLike] = ".",
        *,
        stop: Event | None = None,
        on_progress: OnProgress | None = None,
    ) -> Iterator[IndexReport]:
        """Index, and index again whenever files change.

        Args:
            paths: As for `index`.
            stop: Ends the watch once it is set.
            on_progress: As for `index`.

        Yields:
            The report of each run: always of the first one, of others if the index or
            the files that cannot be indexed changed.
        """
        from outcrop.indexing.files.watch import watch_changes

        roots = resolve_paths(paths, self.project)
        require_paths(roots)
        problems = None
        for touched in watch_changes(roots, self.project, stop):
            report = self.update(roots, touched, on_progress=on_progress)
            if report.wrote or report.problems != problems:
                yield report
            problems = report.problems

    def compare(self) -> ChangedFiles | None:
        """Return the files that differ from the index, at the paths it was built from.

        Returns:
            The files; None if the folder here is not the one that was indexed, or a
            database does not answer.
        """
        from outcrop.indexing.freshness import compare_files

        if self.missing or not self.has_own_folder:
            return None
        config = self.parts[0].continued().run_config()
        return compare_files(self.store, self.indexed_paths(), self.project, config)

    def continued(self) -> Self:
        """Return an index with the settings of the last run, on the same database."""
        from outcrop.indexing.scope import with_recorded_settings

        index = copy(self)
        index.config = with_recorded_settings(self.config, self.store)
        return index

    def changed_documents(self, paths: Collection[str]) -> list[str]:
        """Return those of some documents whose file has changed since it was indexed."""
        from outcrop.indexing.freshness import has_changed

        if not paths or not self.has_own_folder:
            return []
        documents = self.store.get_documents(paths)
        return [each.path for each in documents if has_changed(each, self.project)]

    def indexed_paths(self) -> list[str]:
        """Return the paths of the project that the index was built from."""
        from outcrop.indexing.scope import indexed_paths

        return indexed_paths(self.store)

    def sections(self, document: str) -> list[Section]:
        """Return the sections of a document, in order; code has none.

        A section is dirty from the moment its file changed until it is indexed again.

        Raises:
            NotFoundError: There is no such document in the index.
        """
        from outcrop.indexing.freshness import has_changed

        document = replace_surrogates(document)
        stored = self.store.get_document(document)
        sections = self.store.sections_of(document)
        if not sections or not has_changed(stored, self.project):
            return sections
        return [replace(section, is_dirty=True) for section in sections]


class FreshIndex(WatchedIndex):
    """The part of `Index` that compares it with the files."""

    store: PostgresStore
    _database: Database

    def running(self) -> RunningIndex | None:
        """Return the run that brings the index up to date now, in any process."""
        from outcrop.indexing.freshness import find_running

        return find_running(self._database, self.store)

    def run_config(self) -> IndexConfig:
        """Return the settings of a run: what they leave open, the index decides."""
        from outcrop.indexing.documents.summaries import with_known_mode

        return with_known_mode(self._settled_config(), self.store)

    @property
    def missing(self) -> dict[str, str]:
        """The databases that do not answer; none, as there is one."""
        return {}

    @property
    def note(self) -> str | None:
        """What results are without; nothing, in one database."""
        return None

    def hold_watch(self) -> AbstractContextManager[bool]:
        """Hold the lease on refreshing the index, unless another process holds it."""
        return hold_free_lease(self._database, _WATCH_LEASE)

    @property
    def has_own_folder(self) -> bool:
        """Whether the folder here is the one that was indexed."""
        return describe_mismatch(self._database.space, self.project) is None

    def _settled_config(self) -> IndexConfig:
        """Return the settings with the strategy of the index, if they name none."""
        if self.config.strategy is not None:
            return self.config
        return replace(self.config, strategy=self.store.code_strategy())
