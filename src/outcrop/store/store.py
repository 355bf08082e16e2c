"""The store: documents, chunks and the code graph in PostgreSQL."""

from __future__ import annotations

from outcrop.store.chunks import Chunks
from outcrop.store.documents import Documents
from outcrop.store.edges import Edges
from outcrop.store.embeddings import Embeddings
from outcrop.store.graph import Graphs
from outcrop.store.lexical.maintain import settle_weights, tidy_words
from outcrop.store.mentions import Mentions
from outcrop.store.nodes import Nodes
from outcrop.store.plans import Plans
from outcrop.store.runs import Runs
from outcrop.store.stage_results import StageResults
from outcrop.store.status import Status
from outcrop.store.vector_index import drop_small_index, ensure_index, lacks_index


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
