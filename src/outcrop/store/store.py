"""The store: documents, chunks and the code graph in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.store import vector
from outcrop.store.chunks import Chunks
from outcrop.store.documents import Documents
from outcrop.store.edges import Edges
from outcrop.store.embeddings import Embeddings
from outcrop.store.graph import Graphs
from outcrop.store.lexical.maintain import settle_weights, tidy_words
from outcrop.store.lexical.query import search_words
from outcrop.store.mentions import Mentions
from outcrop.store.nodes import Nodes
from outcrop.store.plans import Plans
from outcrop.store.runs import Runs
from outcrop.store.stage_results import StageResults
from outcrop.store.status import Status
from outcrop.store.vector_index import drop_small_index, ensure_index, lacks_index
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Match
    from outcrop.model.filter import Filter
    from outcrop.model.stored import Document, Replaced, StoredChunk


class PostgresStore(
    Documents,
    Chunks,
    Embeddings,
    Graphs,
    Nodes,
    Edges,
    Mentions,
    Plans,
    StageResults,
    Runs,
    Status,
):
    """Everything that is stored, each kind with the methods of its own class.

    Safe to use from several threads, and by several processes at a time.
    """

    def maintain(self) -> None:
        """Bring indexes and statistics up to date, as after a run of the indexer."""
        tidy_words(self._database, thoroughly=True)
        self.settle()
        ensure_index(self._database)
        with self._database.autocommit() as connection:
            connection.execute(
                "VACUUM (ANALYZE) chunks, chunk_lex, documents, nodes, edges"
            )

    def settle(self) -> None:
        """Undo what depends on the order of writes, so that searches do not.

        This is quick if there is nothing to do.
        """
        settle_weights(self._database)
        drop_small_index(self._database)

    def lacks_vector_index(self) -> bool:
        """Return whether `maintain` would build the index of the embeddings."""
        return self._read(lacks_index)

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

    def replace_document(
        self, document: Document, chunks: Sequence[StoredChunk]
    ) -> Replaced:
        """Replace one document."""
        return self.replace_documents([(document, chunks)])
