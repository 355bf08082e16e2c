"""Edges from documents to the symbols they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.pipeline.mentions import find_mentions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from outcrop.model.node import NodeRef
    from outcrop.store.store import PostgresStore

_PAGE = 2_000


class _StoredSymbols:
    """Finds the nodes of names in the store; see `SymbolNames`."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[NodeRef]]:
        by_name: dict[str, list[NodeRef]] = {}
        for ref in self._store.named_nodes(names):
            for name in ref.names:
                by_name.setdefault(name, []).append(ref)
        return {name: by_name[name] for name in names if name in by_name}


def link_mentions(store: PostgresStore, paths: Collection[str] | None) -> int:
    """Bring the edges of documents up to date with the graph.

    Args:
        store: Holds both.
        paths: Documents that changed; all if None.

    Returns:
        How many edges were written or deleted.
    """
    symbols = _StoredSymbols(store)
    changed, after = 0, ""
    while page := store.document_chunks(after=after, limit=_PAGE, paths=paths):
        after = page[-1].id
        mentions = find_mentions({row.id: row.content for row in page}, symbols)
        edges = [edge for of_chunk in mentions.values() for edge in of_chunk]
        changed += store.put_mentions(edges, chunk_ids=[row.id for row in page])
    return changed
