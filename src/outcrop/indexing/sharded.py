"""`ShardedIndex`: one index in several PostgreSQL databases."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from outcrop.errors import InputError, StorageError
from outcrop.indexing.fresh_index import WatchedIndex
from outcrop.indexing.index import Index
from outcrop.indexing.report import add_up
from outcrop.indexing.shards import Shards
from outcrop.store.availability import ParallelSources
from outcrop.store.search_source import open_source
from outcrop.store.sharded_source import ShardedSource
from outcrop.store.sharded_store import ShardedStore
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from outcrop.indexing.cluster.engine import Engine
    from outcrop.indexing.code.build import CodeBuild
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.freshness import RunningIndex
    from outcrop.indexing.paths import PathLike
    from outcrop.indexing.reader import IndexStatus
    from outcrop.indexing.report import GraphReport, IndexReport, OnProgress
    from outcrop.providers.embedder import Embedder, OwnEmbedder
    from outcrop.providers.reranker import Reranker
    from outcrop.store.projects.choose import Space
    from outcrop.store.search_source import PostgresSource

_MAX_THREADS = 32


class ShardedIndex(WatchedIndex):
    """The index of one project in several databases, searched as one.

    Every document is in one database, chosen by its path. Statistics of words are added
    up over all of them, and their candidates are ranked together.

    Attributes:
        project: The folder that paths are relative to.
        config: The settings.
        embedder: Makes the embeddings.
        store: Reads documents, chunks, the graph and runs where they are.
    """

    def __init__(self, shards: Shards) -> None:
        """Prefer `open`."""
        self._shards = shards
        first = next(iter(shards.indexes.values()))
        self.project: Path = first.project
        self.config: IndexConfig = first.config
        self.embedder: Embedder = first.embedder
        self.reranker = first.reranker
        self._count = TokenCounter(first.config.encoding)
        self._open_source = self._open_sources
        super().__init__(ShardedStore(shards.stores, shards.home, shards.availability))
        self._threads = ThreadPoolExecutor(_MAX_THREADS, "outcrop-databases")

    @classmethod
    def open(  # noqa: PLR0913 - as Index.open
        cls,
        urls: Sequence[str],
        folder: PathLike | None = None,
        *,
        project: str | None = None,
        embedder: OwnEmbedder | str | None = None,
        config: IndexConfig | None = None,
        create: bool = True,
        require_all: bool = True,
        reranker: Reranker | str | None = None,
    ) -> Self:
        """Open a project's index in several databases.

        The project has the same name in all of them, and its folder is the current one by
        default. Unless all are required, a database that cannot be reached is noted in
        `missing`. The other arguments are those of `Index.open`.

        Raises:
            NotFoundError: No database has an index of the project, and `create` is
                false.
            StorageError: A database cannot be reached, or none can.
        """
        shared: list[Embedder] = []  # a model is loaded once

        def open_part(url: str, name: str | None) -> Index:
            index = Index.open(
                folder,
                database_url=url,
                project=name,
                embedder=shared[0] if shared else embedder,
                config=config,
                create=create,
                reranker=reranker,
            )
            shared[:] = [index.embedder]
            return index

        return cls(Shards(urls, open_part, project=project, requires_all=require_all))

    def close(self) -> None:
        """Close all databases."""
        self._threads.shutdown()
        self._shards.close()

    @property
    def parts(self) -> Sequence[Index]:
        """The part of the index in each database that can be reached."""
        return list(self._shards.indexes.values())

    @property
    def space(self) -> Space:
        """The project's name, the same in all databases, and a schema of it."""
        return self.parts[0].space

    @property
    def home(self) -> Index:
        """The part with the code and the runs.

        Raises:
            StorageError: Its database cannot be reached.
        """
        home = self._shards.indexes.get(self._shards.home)
        if home is None:
            raise StorageError(f"{self._shards.home} cannot be reached")
        return home

    @property
    def home_url(self) -> str:
        """The URL of the database with the code and the runs."""
        return self._shards.home_url

    @property
    def missing(self) -> dict[str, str]:
        """The databases that do not answer, with the reason: results are without them."""
        return self._shards.availability.missing

    @property
    def note(self) -> str | None:
        """What results are without, or None."""
        self._shards.reopen()
        return self._shards.availability.describe_missing()

    # Filling

    def index(
        self,
        paths: PathLike | Iterable[PathLike] = ".",
        *,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        run_id: int | None = None,
        engine: Engine | None = None,
    ) -> IndexReport:
        """Bring all databases up to date with files and folders; see `Index.index`.

        A document that belongs into another database than before, because one was
        added, is stored there and then removed here. The emptiest database is filled
        first, so that every document can be found throughout. A run that was
        interrupted is completed by the next.

        Raises:
            StorageError: A database cannot be reached or failed.
            InputError: A path does not exist.
        """
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)

        def fill(index: Index, tell: OnProgress | None) -> IndexReport:
            return index.index(given, dry_run=dry_run, on_progress=tell, engine=engine)

        if dry_run:
            return self._fill(fill, on_progress)
        if run_id is None:
            report = self._fill(fill, on_progress)
            self._share_average()
            return report
        from outcrop.indexing.run import RunProgress

        progress = RunProgress(self.home.store, run_id, on_progress)
        self.home.outer_run = run_id
        try:
            report = self._fill(fill, progress)
            self._share_average()
        finally:
            self.home.outer_run = None
        progress.finish(report)
        return report

    def update(
        self,
        roots: Sequence[Path],
        touched: Collection[str] | None,
        *,
        on_progress: OnProgress | None = None,
    ) -> IndexReport:
        """Index again after some files changed; see `Index.update`."""
        report = self._fill(
            lambda index, tell: index.update(roots, touched, on_progress=tell),
            on_progress,
        )
        if report.wrote:
            self._share_average()
        return report

    def _fill(
        self,
        fill: Callable[[Index, OnProgress | None], IndexReport],
        on_progress: OnProgress | None,
    ) -> IndexReport:
        """Fill each database with what belongs into it."""
        if self.missing:
            name, reason = next(iter(self.missing.items()))
            raise StorageError(f"{name} cannot be reached: {reason}")
        indexes, placement = self._shards.indexes, self._shards.placement
        counts = {
            name: index.store.count_documents() for name, index in indexes.items()
        }
        reports: list[IndexReport] = []
        refusal: InputError | None = None
        for name in sorted(counts, key=lambda name: (counts[name], name)):
            indexes[name].owns = partial(placement.is_owner, name)
            try:
                reports.append(fill(indexes[name], on_progress))
            except InputError as error:
                refusal = error  # a deleted path may be known in one database alone
        if refusal is not None and not reports:
            raise refusal
        return add_up(reports)

    def _share_average(self) -> None:
        totals = [index.store.word_totals() for index in self.parts]
        chunks = sum(each.chunks for each in totals)
        if chunks:
            average = max(1.0, sum(each.length for each in totals) / chunks)
            for index in self.parts:
                index.store.share_average(average)

    def reembed(
        self, *, force: bool = False, on_page: Callable[[int], None] | None = None
    ) -> int:
        """Embed what is not embedded yet, in all databases; see `Index.reembed`."""
        return sum(index.reembed(force=force, on_page=on_page) for index in self.parts)

    def build(
        self, paths: PathLike | Iterable[PathLike] | None = None, **options: Any
    ) -> CodeBuild:
        """Plan the chunks of code as a run, and fill them; see `Index.build`."""
        return self.home.build(paths, **options)

    def build_graph(self, path: PathLike = ".", **options: Any) -> GraphReport:
        """Build and store the code graph of a folder; see `Index.build_graph`."""
        return self.home.build_graph(path, **options)

    # Whether it is up to date

    @property
    def has_own_folder(self) -> bool:
        """Whether the folder here is the one that was indexed."""
        return self.parts[0].has_own_folder

    def running(self) -> RunningIndex | None:
        """Return the run that brings the index up to date now, in any process."""
        found = self._shards.each(lambda index: index.running())
        running = next(filter(None, found), None)
        if running is None:
            return None
        return replace(running, searchable=self.store.count_documents())

    def continued(self) -> Self:
        """Return an index with the settings of the last run, on the same databases."""
        index = super().continued()
        index._shards = self._shards.with_config(index.config)  # noqa: SLF001 - its own class
        return index

    def hold_watch(self) -> AbstractContextManager[bool]:
        """Hold the lease on refreshing the index, unless another process holds it."""
        return self.home.hold_watch()

    # Reading

    @contextmanager
    def _open_sources(self, *, terms: Collection[str] = ()) -> Iterator[ShardedSource]:
        self._shards.reopen()
        with ExitStack() as opened:
            sources = {}
            for name, index in list(self._shards.indexes.items()):
                source = opened.enter_context(self._open_one(name, index, terms))
                if source is not None:
                    sources[name] = source
            lose = self._shards.availability.lose
            yield ShardedSource(ParallelSources(sources, self._threads, lose))

    @contextmanager
    def _open_one(
        self, name: str, index: Index, terms: Collection[str]
    ) -> Iterator[PostgresSource | None]:
        """Open one database; a failure is noted, also where the connection ends."""
        availability = self._shards.availability
        if availability.is_resting(name):
            yield None
            return
        is_open = False
        try:
            with open_source(index.database, terms=terms) as source:
                is_open = True
                availability.find(name)  # it may be back
                yield source
        except StorageError as error:
            if is_open and name not in self.missing:
                raise  # not of this database
            availability.lose(name, error)
            if not is_open:
                yield None

    def status(self) -> IndexStatus:
        """Describe the index: counts of all databases that answer together.

        Raises:
            StorageError: None does.
        """
        found = self._shards.each(lambda index: index.status())
        if not found:
            raise StorageError("no database can be reached")
        contents = found[0].contents
        counted = {
            each.name: sum(getattr(status.contents, each.name) for status in found)
            for each in fields(contents)
            if each.type == "int"
        }
        location = " ".join(status.server.location for status in found)
        return replace(
            found[0],
            server=replace(found[0].server, location=location),
            contents=replace(contents, **counted),
        )


AnyIndex = Index | ShardedIndex
