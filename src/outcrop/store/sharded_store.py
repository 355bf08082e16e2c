"""Reading the stores of several databases as one.

A document is in one database; while it is moved it may be in two, and the first to have
it counts. The code graph and the runs are in the home database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from heapq import merge
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from outcrop.errors import NotFoundError, StorageError
from outcrop.store.availability import Availability, asking
from outcrop.store.store import PostgresStore
from outcrop.store.vectors import CHUNKS_PER_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.model.filter import Filter
    from outcrop.model.section import IndexedSection
    from outcrop.model.stored import Document, StoredChunk
    from outcrop.store.recorded_settings import StoredScope
    from outcrop.store.vectors import EmbeddedChunk

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_Read = Callable[[PostgresStore], _Result]


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

    # Asking the databases

    def _each(self, read: _Read[_Result]) -> list[_Result]:
        """Ask all databases, and leave out those that fail."""
        return self._availability.each(self._stores, read)

    def _first(self, read: _Read[_Result]) -> _Result:
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

    def _some(self, read: _Read[list[_Item]]) -> list[_Item]:
        """Return what the first database has that has any."""
        return next(filter(None, self._each(read)), [])

    def _unique(self, read: _Read[list[_Item]], key: str = "id") -> list[_Item]:
        """Return what all databases have, each once."""
        of = attrgetter(key)
        found: dict[str, _Item] = {}
        for some in self._each(read):
            for item in some:
                found.setdefault(of(item), item)
        return list(found.values())

    def _merged(self, read: _Read[dict[str, _Item]]) -> dict[str, _Item]:
        """Return what all databases have, by key."""
        found: dict[str, _Item] = {}
        for some in reversed(self._each(read)):
            found |= some
        return found

    def _at_home(self, read: _Read[_Result]) -> _Result:
        """Ask the home database.

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
        return read(store)

    # Documents

    get_document = asking(PostgresStore.get_document, _first)
    find_documents = asking(PostgresStore.find_documents, _unique)
    known_documents = asking(PostgresStore.known_documents, _merged)

    def documents(self, *, after: str = "", limit: int | None = None) -> list[Document]:
        """Return a page of documents, by path."""
        found = self._unique(lambda store: store.documents(after=after, limit=limit))
        return sorted(found, key=lambda document: document.path.encode())[:limit]

    def get_documents(self, paths: Iterable[str]) -> list[Document]:
        """Return the documents at these paths that the index has, by path."""
        given = list(paths)
        found = self._unique(lambda store: store.get_documents(given))
        return sorted(found, key=lambda document: document.path.encode())

    def count_documents(self) -> int:
        """Return the number of documents."""
        return sum(self._each(lambda store: store.count_documents()))

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

    get_chunk = asking(PostgresStore.get_chunk, _first)
    find_chunks = asking(PostgresStore.find_chunks, _unique)
    chunks_of = asking(PostgresStore.chunks_of, _some)
    leaves_within = asking(PostgresStore.leaves_within, _some)
    leaf_ids = asking(PostgresStore.leaf_ids, _some)
    neighbours = asking(PostgresStore.neighbours, _some)
    child_chunks = asking(PostgresStore.child_chunks, _some)
    chunk_summaries = asking(PostgresStore.chunk_summaries, _merged)
    sections_of = asking(PostgresStore.sections_of, _some)
    child_sections = asking(PostgresStore.child_sections, _some)

    def has_chunks(self, restriction: Filter) -> bool:
        """Return whether any chunk meets the conditions of a filter."""
        return any(self._each(lambda store: store.has_chunks(restriction)))

    def get_chunks(self, ids: Sequence[str]) -> list[StoredChunk]:
        """Return chunks in the order of the ids; unknown ones are left out."""
        found = self._unique(lambda store: store.get_chunks(ids))
        by_id = {chunk.id: chunk for chunk in found}
        return [by_id[chunk_id] for chunk_id in ids if chunk_id in by_id]

    def get_sections(self, ids: Sequence[str]) -> list[IndexedSection]:
        """Return sections in the order of the ids; unknown ones are left out."""
        found = self._unique(lambda store: store.get_sections(ids), "section.id")
        by_id = {each.section.id: each for each in found}
        return [by_id[section_id] for section_id in ids if section_id in by_id]

    def find_sections(self, prefix: str, *, limit: int = 10) -> list[IndexedSection]:
        """Return sections whose id starts with the given digits."""
        return self._unique(
            lambda store: store.find_sections(prefix, limit=limit), "section.id"
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

    applications = asking(PostgresStore.applications, _some)
    find_nodes = asking(PostgresStore.find_nodes, _some)
    resembling_nodes = asking(PostgresStore.resembling_nodes, _some)
    get_nodes = asking(PostgresStore.get_nodes, _some)
    edges_from = asking(PostgresStore.edges_from, _some)
    edges_to = asking(PostgresStore.edges_to, _some)
    most_called = asking(PostgresStore.most_called, _some)

    # Runs and settings

    create_run = asking(PostgresStore.create_run, _at_home)
    fail_run = asking(PostgresStore.fail_run, _at_home)
    get_run = asking(PostgresStore.get_run, _at_home)
    runs = asking(PostgresStore.runs, _at_home)

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder whose vectors the index holds, if any."""
        return next(filter(None, self._each(lambda store: store.embedder())), None)

    def scope(self) -> StoredScope | None:
        """Return what the index was built from."""
        return next(filter(None, self._each(lambda store: store.scope())), None)


AnyStore = PostgresStore | ShardedStore
