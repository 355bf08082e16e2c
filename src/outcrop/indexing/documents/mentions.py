"""Edges from documents to the symbols they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.stored import StoredChunk
from outcrop.pipeline.memory import GraphContext
from outcrop.pipeline.mentions import find_mentions
from outcrop.pipeline.stage import Place

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from outcrop.providers.embedder import Embedder
    from outcrop.store.store import PostgresStore

_PAGE = 2_000


class _StoredSymbols(GraphContext):
    """Answers what names mean from the graph in the store."""

    def __init__(self, store: PostgresStore, embedder: Embedder) -> None:
        super().__init__([], [], read_text=lambda _: None, embedder=embedder)
        self._store = store

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[Place]]:
        found: dict[str, list[Place]] = {}
        for node in self._store.named_nodes(names):
            place = Place(*node)
            for name in {node.name, node.fqn, node.fqn.partition("(")[0]}:
                found.setdefault(name, []).append(place)
        return {name: found[name] for name in names if name in found}


def link_mentions(
    store: PostgresStore, embedder: Embedder, paths: Collection[str] | None
) -> int:
    """Bring the edges of documents up to date with the graph.

    Args:
        store: Holds both.
        embedder: Of the index; not asked for anything.
        paths: Documents that changed; all where None.

    Returns:
        How many edges are different now.
    """
    context = _StoredSymbols(store, embedder)
    changed, after = 0, ""
    while page := store.document_chunks(after=after, limit=_PAGE, paths=paths):
        after = page[-1].id
        chunks = [
            StoredChunk(
                path=row.path,
                chunk_id=row.chunk_id,
                source="doc",
                content=row.content,
                chunk_index=0,
            )
            for row in page
        ]
        found = find_mentions(chunks, context)
        edges = [edge for of_chunk in found.values() for edge in of_chunk]
        changed += store.put_mentions(edges, chunk_ids=[row.id for row in page])
    return changed
