"""`ShardedIndex`: one index in several PostgreSQL databases."""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from outcrop.errors import InputError, NotFoundError, StorageError
from outcrop.indexing.index import Index
from outcrop.indexing.placement import Placement
from outcrop.indexing.report import IndexReport
from outcrop.indexing.searching import SearchableIndex
from outcrop.store.address import describe_place
from outcrop.store.search_source import open_source
from outcrop.store.sharded_source import ShardedSource
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from outcrop.indexing.cluster.engine import Engine
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import PathLike
    from outcrop.indexing.reader import IndexStatus
    from outcrop.indexing.report import OnProgress
    from outcrop.model.hit import Hit
    from outcrop.model.stored import Document
    from outcrop.providers.embedder import Embedder
    from outcrop.providers.reranker import Reranker
    from outcrop.store.search_source import PostgresSource

_log = logging.getLogger(__name__)
# For a database whose results may be missing.
_WAIT_SECONDS = 5.0
_Result = TypeVar("_Result")


class ShardedIndex(SearchableIndex):
    """The index of one project in several databases, searched as one.

    Every document is in one database, chosen by its path. Statistics of words are added
    up over all of them, and their candidates are ranked together.

    Attributes:
        project: The folder that paths are relative to.
        embedder: Makes the embeddings.
        missing: The databases that cannot be reached, with the reason: results are
            without their documents.
    """

    def __init__(self, indexes: dict[str, Index], missing: dict[str, str]) -> None:
        """Prefer `open`.

        Args:
            indexes: The part of the index in each database, by its address.
            missing: The databases that cannot be reached.
        """
        self._indexes = indexes
        self.missing = missing
        first = next(iter(indexes.values()))
        self.project: Path = first.project
        self.config: IndexConfig = first.config
        self.embedder: Embedder = first.embedder
        self.reranker = first.reranker
        self._count = TokenCounter(first.config.encoding)
        self._open_source = self._open_sources
        self._requires_all = False
        self._threads = ThreadPoolExecutor(len(indexes), "outcrop-databases")

    @classmethod
    def open(  # noqa: PLR0913 - as Index.open
        cls,
        urls: Sequence[str],
        folder: PathLike | None = None,
        *,
        project: str | None = None,
        embedder: Embedder | str | None = None,
        config: IndexConfig | None = None,
        create: bool = True,
        require_all: bool = True,
        reranker: Reranker | str | None = None,
    ) -> Self:
        """Open a project's index in several databases.

        Args:
            urls: The databases.
            folder: The project's folder; the current one by default.
            project: The project's name; the same in all databases.
            embedder: As for `Index.open`.
            config: As for `Index.open`.
            create: Whether to create what is missing.
            require_all: Raise if a database cannot be reached; otherwise it is noted in
                `missing`.
            reranker: As for `Index.open`.

        Raises:
            NotFoundError: No database has an index of the project, and `create` is
                false.
            StorageError: A database cannot be reached, or none can.
        """
        indexes: dict[str, Index] = {}
        missing: dict[str, str] = {}
        absent: NotFoundError | None = None
        failure: StorageError | None = None
        with ExitStack() as opened:
            for url in dict.fromkeys(urls):
                try:
                    index = Index.open(
                        folder,
                        database_url=url,
                        project=project,
                        embedder=embedder,
                        config=config,
                        create=create,
                        reranker=reranker,
                    )
                except NotFoundError as error:
                    absent = error  # a database that was added and is still empty
                    continue
                except StorageError as error:
                    if require_all:
                        raise
                    failure = error
                    missing[describe_place(url)] = str(error)
                    continue
                opened.callback(index.close)
                embedder = index.embedder
                # Documents are placed by the name, so it is the same everywhere.
                project = project or index.space.name
                if not require_all:
                    index.database.wait_seconds = _WAIT_SECONDS
                indexes[describe_place(url)] = index
            if not indexes:
                raise absent or failure or StorageError("no database is named")
            opened.pop_all()
        sharded = cls(indexes, missing)
        sharded._requires_all = require_all
        return sharded

    def close(self) -> None:
        """Close all databases."""
        self._threads.shutdown()
        for index in self._indexes.values():
            index.close()

    # Filling

    def index(
        self,
        paths: PathLike | Iterable[PathLike] = ".",
        *,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
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
        if self.missing:
            name, reason = next(iter(self.missing.items()))
            raise StorageError(f"{name} cannot be reached: {reason}")
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        counts = {
            name: index.store.status().documents
            for name, index in self._indexes.items()
        }
        names = {index.space.name or "" for index in self._indexes.values()}
        placement = Placement(min(names), self._indexes)
        reports: list[IndexReport] = []
        refusal: InputError | None = None
        for name in sorted(counts, key=lambda name: (counts[name], name)):
            index = self._indexes[name]
            index.owns = partial(placement.is_owner, name)
            try:
                reports.append(
                    index.index(
                        given, dry_run=dry_run, on_progress=on_progress, engine=engine
                    )
                )
            except InputError as error:
                refusal = error  # a deleted path may be known in one database alone
        if refusal is not None and not reports:
            raise refusal
        if not dry_run:
            self._share_average()
        return _add_up(reports)

    def _share_average(self) -> None:
        totals = [index.store.word_totals() for index in self._indexes.values()]
        chunks = sum(each.chunks for each in totals)
        if chunks:
            average = max(1.0, sum(each.length for each in totals) / chunks)
            for index in self._indexes.values():
                index.store.share_average(average)

    def reembed(
        self, *, force: bool = False, on_page: Callable[[int], None] | None = None
    ) -> int:
        """Embed what is not embedded yet, in all databases; see `Index.reembed`."""
        return sum(
            index.reembed(force=force, on_page=on_page)
            for index in self._indexes.values()
        )

    # Reading

    @contextmanager
    def _open_sources(self, *, terms: Collection[str] = ()) -> Iterator[ShardedSource]:
        with ExitStack() as opened:
            sources = {}
            for name, index in self._indexes.items():
                source = opened.enter_context(self._open_one(name, index, terms))
                if source is not None:
                    sources[name] = source
            yield ShardedSource(sources, self._threads, self._lose)

    @contextmanager
    def _open_one(
        self, name: str, index: Index, terms: Collection[str]
    ) -> Iterator[PostgresSource | None]:
        """Open one database; a failure is noted, also where the connection ends."""
        is_open = False
        try:
            with open_source(index.database, terms=terms) as source:
                is_open = True
                self.missing.pop(name, None)  # it may be back
                yield source
        except StorageError as error:
            if is_open and name not in self.missing:
                raise  # not of this database
            self._lose(name, error)
            if not is_open:
                yield None

    def _lose(self, name: str, error: StorageError) -> None:
        if self._requires_all:
            raise error
        _log.warning("%s does not answer: %s", name, error)
        self.missing[name] = str(error)

    def get(self, chunk_id: str) -> Hit:
        """Return a chunk, a section or a document by its id; see `Index.get`."""
        return self._find(lambda index: index.get(chunk_id))

    def children(
        self, item_id: str, *, limit: int | None = None, offset: int = 0
    ) -> list[Hit]:
        """See `Index.children`."""
        return self._find(
            lambda index: index.children(item_id, limit=limit, offset=offset)
        )

    def parents(self, item_id: str) -> list[Hit]:
        """See `Index.parents`."""
        return self._find(lambda index: index.parents(item_id))

    def siblings(self, item_id: str) -> list[Hit]:
        """See `Index.siblings`."""
        return self._find(lambda index: index.siblings(item_id))

    def neighbours(
        self, chunk_id: str, *, before: int = 1, after: int = 1
    ) -> list[Hit]:
        """See `Index.neighbours`."""
        return self._find(
            lambda index: index.neighbours(chunk_id, before=before, after=after)
        )

    def documents(self, *, after: str = "", limit: int | None = None) -> list[Document]:
        """Return the documents of all databases; see `Index.documents`."""
        found = {
            document.path: document
            for index in self._indexes.values()
            for document in index.documents(after=after, limit=limit)
        }
        return [found[path] for path in sorted(found, key=str.encode)][:limit]

    @property
    def parts(self) -> Sequence[Index]:
        """The part of the index in each database."""
        return list(self._indexes.values())

    def status(self) -> IndexStatus:
        """Describe the index: counts of all databases together."""
        found = [index.status() for index in self._indexes.values()]
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

    def _find(self, read: Callable[[Index], _Result]) -> _Result:
        """Ask one database after the other."""
        refusal: NotFoundError | None = None
        for name, index in self._indexes.items():
            try:
                return read(index)
            except NotFoundError as error:
                refusal = error
            except StorageError as error:
                self._lose(name, error)
        raise refusal or StorageError("no database can be reached")


def _add_up(reports: Sequence[IndexReport]) -> IndexReport:
    """Return one report: a document that moved is not added, and not removed."""
    total = IndexReport()
    values: dict[str, Any] = {}
    for each in fields(total):
        parts = [getattr(report, each.name) for report in reports]
        if each.name == "graph":
            values[each.name] = max(parts, key=lambda graph: graph.nodes)
        elif each.name in {"skipped", "outside_links", "secrets", "dry_run"}:
            values[each.name] = parts[0]  # of the walk, which all have in common
        elif isinstance(parts[0], list):
            values[each.name] = [item for part in parts for item in part]
        else:
            values[each.name] = sum(parts)
    moved = set(values["added"]) & set(values["removed"])
    values["added"] = sorted(set(values["added"]) - moved)
    values["removed"] = sorted(set(values["removed"]) - moved)
    if moved:
        values["notes"] = [
            *values["notes"],
            f"moved to another database: {len(moved):,}",
        ]
    return IndexReport(**values)
