"""Reading the stores of several databases as one.

A document is in one database; while it is moved it may be in two, and the first to have
it counts. The code graph and the runs are in the home database.
"""

from __future__ import annotations

from collections import Counter
from heapq import merge
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from outcrop.errors import NotFoundError, StorageError
from outcrop.store.embedded_chunks import CHUNKS_PER_PAGE

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from outcrop.model.edge import Edge
    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.model.graph import Application
    from outcrop.model.node import Node
    from outcrop.model.run import Run
    from outcrop.model.section import IndexedSection, Section
    from outcrop.model.stored import Document, StoredChunk
    from outcrop.store.availability import Availability
    from outcrop.store.documents import KnownDocument
    from outcrop.store.embedded_chunks import EmbeddedChunk
    from outcrop.store.scope import StoredScope
    from outcrop.store.store import PostgresStore

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class ShardedStore:
    """The reading methods of `PostgresStore` over several databases; see there.

    Args:
        stores: The stores by name; others may be added.
        home: The name of the home database.
        availability: Notes which databases fail.
    """

    def __init__(
        self,
        stores: Mapping[str, PostgresStore],
        home: str,
        availability: Availability,
    ) -> None:
        self._stores = stores
        self._home_name = home
        self._availability = availability

    # Documents

    def documents(self, *, after: str = "", limit: int | None = None) -> list[Document]:
        """Return a page of documents, by path."""
        found = self._each(lambda store: store.documents(after=after, limit=limit))
        by_path = {each.path: each for some in reversed(found) for each in some}
        return [by_path[path] for path in sorted(by_path, key=str.encode)][:limit]

    def get_document(self, path: str) -> Document:
        """Return one document."""
        return self._first(lambda store: store.get_document(path))

    def get_documents(self, paths: Iterable[str]) -> list[Document]:
        """Return the documents at these paths that the index has, by path."""
        given = list(paths)
        found = self._unique(lambda store: store.get_documents(given))
        return sorted(found, key=lambda document: document.path.encode())

    def find_documents(self, prefix: str, *, limit: int = 10) -> list[Document]:
        """Return documents whose id starts with the given digits."""
        return self._unique(lambda store: store.find_documents(prefix, limit=limit))

    def count_documents(self) -> int:
        """Return the number of documents."""
        return sum(self._each(lambda store: store.count_documents()))

    def known_documents(self) -> dict[str, KnownDocument]:
        """Return what tells whether documents have changed, by path."""
        return _merge(self._each(lambda store: store.known_documents()))

    def recent_documents(self, limit: int = 8) -> list[Document]:
        """Return the documents whose files were changed last."""
        found = self._unique(lambda store: store.recent_documents(limit))
        found.sort(key=lambda document: (-(document.modified_ns or 0), document.path))
        return found[:limit]

    def some_headings(self, limit: int = 6) -> list[str]:
        """Return headings of several words, each of another document."""
        found = self._each(lambda store: store.some_headings(limit))
        return [heading for some in found for heading in some][:limit]

    def languages(self) -> dict[str, int]:
        """Return the languages of documents and code, the most frequent first."""
        total: Counter[str] = Counter()
        for languages in self._each(lambda store: store.languages()):
            total.update(languages)
        return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))

    # Chunks and sections

    def get_chunk(self, chunk_id: str) -> StoredChunk:
        """Return one chunk by its id in the store."""
        return self._first(lambda store: store.get_chunk(chunk_id))

    def get_chunks(self, ids: Sequence[str]) -> list[StoredChunk]:
        """Return chunks in the order of the ids; unknown ones are left out."""
        found = self._unique(lambda store: store.get_chunks(ids))
        return _in_order(found, ids)

    def find_chunks(self, prefix: str, *, limit: int = 10) -> list[StoredChunk]:
        """Return chunks whose id starts with the given digits."""
        return self._unique(lambda store: store.find_chunks(prefix, limit=limit))

    def chunks_of(
        self, path: str, *, limit: int | None = None, offset: int = 0
    ) -> list[StoredChunk]:
        """Return a document's chunks in order, or a page; none if it is unknown."""
        return self._some(
            lambda store: store.chunks_of(path, limit=limit, offset=offset)
        )

    def leaves_within(self, path: str, start: int, end: int) -> list[StoredChunk]:
        """Return the leaves of a document that start within a range of its text."""
        return self._some(lambda store: store.leaves_within(path, start, end))

    def leaf_ids(self, path: str, first: int, last: int) -> list[str]:
        """Return the ids of the leaves between two places of a document, in order."""
        return self._some(lambda store: store.leaf_ids(path, first, last))

    def neighbours(
        self, chunk_id: str, *, before: int = 1, after: int = 1
    ) -> list[StoredChunk]:
        """Return the leaves next to a chunk in its document, in order."""
        return self._some(
            lambda store: store.neighbours(chunk_id, before=before, after=after)
        )

    def child_chunks(
        self, chunk_id: str, *, limit: int | None = None, offset: int = 0
    ) -> list[StoredChunk]:
        """Return a page of the children of a chunk in the hierarchy, in order."""
        return self._some(
            lambda store: store.child_chunks(chunk_id, limit=limit, offset=offset)
        )

    def chunk_summaries(
        self, chunk_ids: Sequence[str]
    ) -> dict[str, tuple[str | None, str | None]]:
        """Return the summaries of the section and the document of chunks, by id."""
        return _merge(self._each(lambda store: store.chunk_summaries(chunk_ids)))

    def sections_of(self, path: str) -> list[Section]:
        """Return a document's sections in order; none if it is unknown."""
        return self._some(lambda store: store.sections_of(path))

    def get_sections(self, ids: Sequence[str]) -> list[IndexedSection]:
        """Return sections in the order of the ids; unknown ones are left out."""
        found = self._unique(lambda store: store.get_sections(ids), "section.id")
        return _in_order(found, ids, "section.id")

    def find_sections(self, prefix: str, *, limit: int = 10) -> list[IndexedSection]:
        """Return sections whose id starts with the given digits."""
        return self._unique(
            lambda store: store.find_sections(prefix, limit=limit), "section.id"
        )

    def child_sections(
        self,
        path: str,
        parent_id: str | None,
        *,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[IndexedSection]:
        """Return a page of a document's sections below another one, in order."""
        return self._some(
            lambda store: store.child_sections(
                path, parent_id, limit=limit, offset=offset
            )
        )

    def embedded_chunks(self) -> Iterator[list[EmbeddedChunk]]:
        """Yield pages of the chunks of all databases with their embeddings, by id.

        Raises:
            StorageError: A database failed; what was yielded is not complete.
        """
        of = attrgetter("id")
        stores = list(self._stores.values())
        each = [chain.from_iterable(store.embedded_chunks()) for store in stores]
        # A document that is being moved is in two databases.
        groups = groupby(merge(*each, key=of), key=of)
        chunks = (next(same) for _, same in groups)
        while page := list(islice(chunks, CHUNKS_PER_PAGE)):
            yield page

    # The code graph, which is in one database

    def applications(self) -> list[Application]:
        """Return the applications, by id."""
        return self._some(lambda store: store.applications())

    def find_nodes(self, symbol: str, *, limit: int = 20) -> list[Node]:
        """Return the nodes that a name may mean, best first."""
        return self._some(lambda store: store.find_nodes(symbol, limit=limit))

    def resembling_nodes(self, text: str, *, limit: int = 20) -> list[Node]:
        """Return the nodes with names like a text."""
        return self._some(lambda store: store.resembling_nodes(text, limit=limit))

    def get_nodes(self, ids: Sequence[str]) -> list[Node]:
        """Return nodes by their ids."""
        return self._some(lambda store: store.get_nodes(ids))

    def edges_from(self, ids: Sequence[str]) -> list[Edge]:
        """Return the edges that leave nodes."""
        return self._some(lambda store: store.edges_from(ids))

    def edges_to(self, ids: Sequence[str]) -> list[Edge]:
        """Return the edges that enter nodes."""
        return self._some(lambda store: store.edges_to(ids))

    def most_called(self, limit: int) -> list[tuple[Node, int]]:
        """Return the nodes that are called most."""
        return self._some(lambda store: store.most_called(limit))

    # Runs and settings

    def create_run(self, kind: str, **given: Any) -> Run:
        """Begin a run."""
        return self._home.create_run(kind, **given)

    def fail_run(self, run_id: int, error: str) -> Run:
        """End a run as failed."""
        return self._home.fail_run(run_id, error)

    def get_run(self, run_id: int) -> Run:
        """Return one run."""
        return self._home.get_run(run_id)

    def runs(self, limit: int = 20, *, application_id: str | None = None) -> list[Run]:
        """Return the last runs, the newest first."""
        return self._home.runs(limit, application_id=application_id)

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder whose vectors the index holds, if any."""
        return next(filter(None, self._each(lambda store: store.embedder())), None)

    def scope(self) -> StoredScope | None:
        """Return what the index was built from."""
        return next(filter(None, self._each(lambda store: store.scope())), None)

    # Asking the databases

    @property
    def _home(self) -> PostgresStore:
        """The store of the home database.

        Raises:
            StorageError: It cannot be reached.
        """
        store = self._stores.get(self._home_name)
        if store is None:
            reason = self._availability.missing.get(self._home_name, "it has no index")
            raise StorageError(
                f"{self._home_name}, which holds the code and the runs of the index,"
                f" cannot be used: {reason}"
            )
        return store

    def _each(self, read: Callable[[PostgresStore], _Result]) -> list[_Result]:
        """Ask all databases, and leave out those that fail."""
        return self._availability.each(self._stores, read)

    def _first(self, read: Callable[[PostgresStore], _Result]) -> _Result:
        """Ask one database after the other until one has it.

        Raises:
            NotFoundError: None has it.
            StorageError: None of those that answer has it.
        """
        refusal: list[NotFoundError] = []

        def try_to(store: PostgresStore) -> list[_Result]:
            try:
                return [read(store)]
            except NotFoundError as error:
                refusal.append(error)
                return []

        found = self._some(try_to)
        if found:
            return found[0]
        missing = self._availability.describe_missing()
        said = str(refusal[0]) if refusal else "no database can be reached"
        if missing is not None or not refusal:
            raise StorageError("; ".join(filter(None, [said, missing])))
        raise refusal[0]

    def _some(self, read: Callable[[PostgresStore], list[_Item]]) -> list[_Item]:
        """Return what the first database has that has any."""
        return next(filter(None, self._each(read)), [])

    def _unique(
        self, read: Callable[[PostgresStore], list[_Item]], key: str = "id"
    ) -> list[_Item]:
        """Return what all databases have, each once."""
        of = attrgetter(key)
        found: dict[str, _Item] = {}
        for some in self._each(read):
            for item in some:
                found.setdefault(of(item), item)
        return list(found.values())


def _merge(found: Sequence[Mapping[str, _Result]]) -> dict[str, _Result]:
    merged: dict[str, _Result] = {}
    for some in reversed(found):
        merged |= some
    return merged


def _in_order(
    items: Iterable[_Item], ids: Collection[str], key: str = "id"
) -> list[_Item]:
    of = attrgetter(key)
    by_id = {of(item): item for item in items}
    return [by_id[item_id] for item_id in ids if item_id in by_id]
