"""The store: what the layers above call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.errors import NotFoundError
from outcrop.store import read, vector, write
from outcrop.store.graph_store import GraphStore
from outcrop.store.lexical.maintain import settle_weights, tidy_words
from outcrop.store.lexical.query import search_words
from outcrop.store.plan_store import PlanStore
from outcrop.store.run_store import RunStore
from outcrop.store.vector_index import drop_small_index, ensure_index, lacks_index
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Match
    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.model.filter import Filter
    from outcrop.model.stored import Document, Replaced, StoredChunk
    from outcrop.store.read import Kept, KnownDocument, StoreStatus
    from outcrop.store.write import DocumentChunks


class PostgresStore(GraphStore, RunStore, PlanStore):
    """Documents, chunks and the code graph in PostgreSQL.

    Safe to use from several threads, and by several processes at a time.
    """

    # Writing

    def replace_document(
        self, document: Document, chunks: Sequence[StoredChunk]
    ) -> Replaced:
        """Put a document in the place of its earlier version, in one transaction.

        Raises:
            InputError: A chunk belongs to another document, or two have the same id.
            StorageError: The database refused; nothing was changed.
        """
        return self.replace_documents([(document, chunks)])

    def replace_documents(self, items: Sequence[DocumentChunks]) -> Replaced:
        """Replace several documents in one transaction, which is faster by far.

        Raises:
            InputError: As for `replace_document`.
            StorageError: The database refused; nothing was changed.
        """
        with self._database.write() as connection:
            replaced = write.replace_documents(connection, items)
        if replaced.written:
            tidy_words(self._database)
        return replaced

    def delete_documents(self, paths: Iterable[str]) -> int:
        """Delete documents with all that belongs to them; return how many."""
        with self._database.write() as connection:
            deleted = write.delete_documents(connection, paths)
        if deleted:
            tidy_words(self._database)
        return deleted

    def put_embeddings(
        self,
        vectors: Mapping[str, NDArray[np.float32]],
        *,
        model: str,
        search_hashes: Mapping[str, str | None],
    ) -> int:
        """Store embeddings of chunks whose text has not changed; return how many."""
        with self._database.write() as connection:
            return vector.put_embeddings(
                connection, vectors, model=model, search_hashes=search_hashes
            )

    def maintain(self) -> None:
        """Bring indexes and statistics up to date, as after a run of the indexer."""
        tidy_words(self._database, thoroughly=True)
        self.settle()
        ensure_index(self._database)
        with self._database.autocommit() as connection:
            connection.execute(
                "VACUUM (ANALYZE) chunks, chunk_lex, documents, nodes, edges"
            )

    def lacks_vector_index(self) -> bool:
        """Say whether `maintain` would build the index of the embeddings."""
        return self._read(lacks_index)

    def settle(self) -> None:
        """Undo what depends on the order of writes, so that searches do not.

        Next to nothing is done where nothing is due.
        """
        settle_weights(self._database)
        drop_small_index(self._database)

    # The embedder

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index, or None before there is one."""
        return self._read(vector.read_embedder)

    def use_embedder(self, embedder: EmbedderIdentity) -> None:
        """Bind a new index to an embedder, or check that it is the one of the index.

        Raises:
            SchemaVersionError: The index was built with another one.
        """
        with self._database.write() as connection:
            vector.use_embedder(connection, embedder)

    def change_embedder(self, embedder: EmbedderIdentity) -> None:
        """Bind the index to another embedder and forget all embeddings."""
        with self._database.write() as connection:
            vector.change_embedder(connection, embedder)

    # Searching

    def lexical_search(
        self,
        query: str | Mapping[str, int],
        *,
        limit: int = 10,
        restriction: Filter | None = None,
    ) -> list[Match]:
        """Return the chunks that match a query's words best, by BM25.

        Args:
            query: Text, or terms with their counts.
            limit: How many chunks at most.
            restriction: Which chunks count.
        """
        terms = count_terms(query) if isinstance(query, str) else query
        if not terms:
            return []
        return self._read(
            lambda connection: search_words(
                connection, terms, limit=limit, restriction=restriction
            )
        )

    def vector_search(
        self,
        embedding: NDArray[np.float32],
        *,
        limit: int = 10,
        restriction: Filter | None = None,
    ) -> list[Match]:
        """Return the chunks whose embedding is nearest, by cosine.

        Args:
            embedding: The query's embedding.
            limit: How many chunks at most.
            restriction: Which chunks count.
        """
        return self._read(
            lambda connection: vector.search_vectors(
                connection,
                embedding,
                limit=limit,
                restriction=restriction,
                vector_version=self._database.info.vector_version,
            )
        )

    # Reading

    def get_chunk(self, chunk_id: str) -> StoredChunk:
        """Return one chunk by its id in the store.

        Raises:
            NotFoundError: There is none.
        """
        found = self.get_chunks([chunk_id])
        if not found:
            raise NotFoundError(f"there is no chunk {chunk_id!r}")
        return found[0]

    def get_chunks(self, ids: Sequence[str]) -> list[StoredChunk]:
        """Return chunks in the order of the ids; unknown ones are left out."""
        if not ids:
            return []
        return self._read(lambda connection: read.read_chunks(connection, ids))

    def find_chunks(self, prefix: str, *, limit: int = 10) -> list[StoredChunk]:
        """Return chunks whose id starts with the given digits."""
        return self._read(
            lambda connection: read.read_chunks_by_prefix(connection, prefix, limit)
        )

    def chunks_of(self, path: str) -> list[StoredChunk]:
        """Return a document's chunks in order; none where it is unknown."""
        return self._read(lambda connection: read.read_chunks_of(connection, path))

    def children(self, chunk_id: str) -> list[StoredChunk]:
        """Return a chunk's children in order."""
        return self._read(lambda connection: read.read_children(connection, chunk_id))

    def neighbours(
        self, chunk_id: str, *, before: int = 1, after: int = 1
    ) -> list[StoredChunk]:
        """Return the leaves next to a chunk in its document, in order."""
        return self._read(
            lambda connection: read.read_neighbours(connection, chunk_id, before, after)
        )

    def unembedded(self, *, after: str = "", limit: int = 1000) -> list[StoredChunk]:
        """Return a page of the chunks without an embedding, by id."""
        return self._read(
            lambda connection: read.read_unembedded(connection, after, limit)
        )

    def embedded_hashes(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the search hashes of those chunks that need no new embedding."""
        return self._read(
            lambda connection: read.read_embedded_hashes(connection, paths)
        )

    def known_documents(self) -> dict[str, KnownDocument]:
        """Return what tells whether documents have changed, by path."""
        return self._read(read.read_known)

    def kept(self, paths: Sequence[str]) -> dict[str, Kept]:
        """Return what stages gave the chunks of some documents, by the chunks' ids."""
        return self._read(lambda connection: read.read_kept(connection, paths))

    def documents(self, *, after: str = "", limit: int | None = None) -> list[Document]:
        """Return documents by path, from beyond a path on; all by default."""
        return self._read(
            lambda connection: read.read_documents(connection, after, limit)
        )

    def get_document(self, path: str) -> Document:
        """Return one document.

        Raises:
            NotFoundError: There is none.
        """
        found = self._read(lambda connection: read.read_document(connection, path))
        if found is None:
            raise NotFoundError(f"there is no document {path!r} in the index")
        return found

    def status(self) -> StoreStatus:
        """Count what there is."""
        return self._read(read.read_status)
