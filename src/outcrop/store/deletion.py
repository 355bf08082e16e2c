"""Deleting chunks with their edges, and counting those that are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from outcrop.store.database import Connection

# Edges are locked in the order of their keys; see `graph`.
DELETE_EDGES = """
DELETE FROM edges e USING (
    SELECT src, kind, dst FROM edges WHERE {condition}
    ORDER BY src, kind, dst FOR UPDATE
) s WHERE (e.src, e.kind, e.dst) = (s.src, s.kind, s.dst)
"""
_DELETE_MENTIONS = DELETE_EDGES.format(condition="src = ANY(%s) AND kind = 'MENTIONS'")
_DELETE_CHUNKS = "DELETE FROM chunks WHERE id = ANY(%s)"
_COUNT_CHUNKS = """
UPDATE documents d SET chunk_count =
    (SELECT count(*) FROM chunks c WHERE c.document_id = d.id)
WHERE d.id = ANY(%s)
"""


def delete_chunks(connection: Connection, ids: Collection[str]) -> None:
    """Delete chunks and their mentions; their words are deleted by `write_words`."""
    if ids:
        connection.execute(_DELETE_MENTIONS, (list(ids),))
        connection.execute(_DELETE_CHUNKS, (list(ids),))


def count_chunks(connection: Connection, documents: Collection[str]) -> None:
    """Update the chunk counts of documents."""
    connection.execute(_COUNT_CHUNKS, (list(documents),))
