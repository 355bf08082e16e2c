"""The store: documents, chunks and the code graph in PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg.rows import dict_row

from outcrop.model.stored import document_id
from outcrop.store.bulk import ANALYZED, analyze, compact
from outcrop.store.chunks import Chunks
from outcrop.store.document_replacement import DocumentReplacements
from outcrop.store.documents import Documents
from outcrop.store.edges import Edges
from outcrop.store.facts import Facts
from outcrop.store.graph import Graphs
from outcrop.store.lexical.maintain import (
    drop_empty_index,
    ensure_words_index,
    expect_words,
    lacks_words_index,
    settle_weights,
    tidy_words,
)
from outcrop.store.lexical.write import Totals, read_totals, share_average
from outcrop.store.nodes import Nodes
from outcrop.store.plans import Plans
from outcrop.store.recorded_settings import RecordedSettings
from outcrop.store.runs import Runs
from outcrop.store.sections import Sections
from outcrop.store.sketches.table import needs_sketches, tidy_sketches
from outcrop.store.vectors import Embeddings, read_embedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.store.database import Connection

_COUNTS = """
SELECT
    (SELECT count(*) FROM documents) AS documents,
    (SELECT count(*) FROM chunks) AS chunks,
    (SELECT count(*) FROM chunks WHERE indexable) AS indexable,
    (SELECT count(*) FROM chunks WHERE emb IS NULL AND indexable) AS unembedded,
    (SELECT count(*) FROM chunk_lex WHERE cut) AS cut,
    (SELECT count(*) FROM sections) AS sections,
    (SELECT count(*) FROM nodes) AS nodes,
    (SELECT count(*) FROM edges) AS edges,
    (SELECT count(*) FROM runs) AS runs,
    (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')
        AS size_bytes
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    """What a store holds.

    Attributes:
        documents: Documents.
        chunks: Chunks, inner nodes of the hierarchy included.
        indexable: Chunks that search may find.
        unembedded: Chunks that search may find but without an embedding.
        worded: Chunks whose words are indexed.
        cut: Chunks with more words than PostgreSQL can index: the rarest are missing.
        sections: Sections.
        nodes: Nodes of the code graph.
        edges: Edges of the code graph.
        runs: Recorded runs.
        vector_indexed: Whether all embeddings have sketches, which make searches fast;
            those of an earlier version get theirs in the next run.
        size_bytes: Size on disk.
        embedder: The embedder, once there is one.
        average_length: Mean number of words of a chunk.
        pinned_length: The mean that the stored weights were computed with.
    """

    documents: int
    chunks: int
    indexable: int
    unembedded: int
    worded: int
    cut: int
    sections: int
    nodes: int
    edges: int
    runs: int
    vector_indexed: bool
    size_bytes: int
    embedder: EmbedderIdentity | None
    average_length: float
    pinned_length: float | None


def _read_status(connection: Connection) -> StoreStatus:
    totals = read_totals(connection)
    with connection.cursor(row_factory=dict_row) as cursor:
        counts = cursor.execute(_COUNTS).fetchone() or {}
    return StoreStatus(
        **counts,
        worded=totals.chunks,
        vector_indexed=not needs_sketches(connection),
        embedder=read_embedder(connection),
        average_length=totals.average if totals.chunks else 0.0,
        pinned_length=totals.pin,
    )


class PostgresStore(
    Documents,
    DocumentReplacements,
    Chunks,
    Embeddings,
    Facts,
    Graphs,
    Nodes,
    Edges,
    Plans,
    Runs,
    RecordedSettings,
    Sections,
):
    """Everything that is stored, each kind with the methods of its own class.

    Safe to use from several threads, and by several processes at a time.
    """

    def status(self) -> StoreStatus:
        """Count what the store holds."""
        return self._read(_read_status)

    def maintain(self, *, is_load: bool = False) -> None:
        """Bring indexes and statistics up to date, as after a run of the indexer.

        After a load of all chunks, the space of replaced rows is worth returning to the
        disk.
        """
        is_load = is_load or self.lacks_indexes()
        tidy_words(self._database, thoroughly=True)
        reweighed = self.settle()
        if is_load:
            compact(self._database, ["chunk_lex"] if reweighed else [])
        with self._database.autocommit() as connection:
            analyze(connection, ANALYZED, vacuum=True)
        ensure_words_index(self._database)

    def settle(self) -> bool:
        """Undo what depends on the order of writes, and merge what became scattered.

        This is quick if there is nothing to do.

        Returns:
            Whether all words were weighted again.
        """
        reweighed = settle_weights(self._database)
        embedder = self.embedder()
        if embedder is not None:
            tidy_sketches(self._database, embedder.dimension)
        return reweighed

    def word_totals(self) -> Totals:
        """Return the totals of the words."""
        return self._read(read_totals)

    def share_average(self, average: float) -> None:
        """Compute weights with the average length of all databases of the index."""
        with self._database.write() as connection:
            share_average(connection, average)
        settle_weights(self._database)

    def expect_words(self, before: Totals, sample: Sequence[str], chunks: int) -> None:
        """Prepare the weights of words for many chunks, some of which are written.

        Args:
            before: The totals before these.
            sample: Paths of documents whose chunks are as long as the others.
            chunks: How many of these chunks there will be.
        """
        documents = [document_id(path) for path in sample]
        expect_words(self._database, before, documents, chunks)

    def expect_load(self) -> None:
        """Prepare an empty store for many documents; `maintain` completes it."""
        drop_empty_index(self._database)

    def lacks_indexes(self) -> bool:
        """Return whether `maintain` would build the index of words, or sketches."""
        return self._read(
            lambda c: (
                lacks_words_index(c)
                or (read_embedder(c) is not None and needs_sketches(c))
            )
        )
