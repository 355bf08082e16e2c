"""Edges from documents to the symbols they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.pipeline.mentions import find_mentions
from outcrop.pipeline.stored_symbols import StoredSymbols

if TYPE_CHECKING:
    from collections.abc import Collection

    from outcrop.store.store import PostgresStore

_PAGE = 2_000


def link_mentions(store: PostgresStore, paths: Collection[str] | None) -> int:
    """Bring the edges of documents up to date with the graph.

    Args:
        store: Holds both.
        paths: Documents that changed; all if None.

    Returns:
        How many edges were written or deleted.
    """
    symbols = StoredSymbols(store)
    changed, after = 0, ""
    while page := store.document_chunks(after=after, limit=_PAGE, paths=paths):
        after = page[-1].id
        mentions = find_mentions({row.id: row.content for row in page}, symbols)
        edges = [edge for of_chunk in mentions.values() for edge in of_chunk]
        changed += store.put_mentions(edges, chunk_ids=[row.id for row in page])
    return changed
