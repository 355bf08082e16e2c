"""Looks up symbols: nodes of the stored code graph with their relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.edge import EdgeKind
from outcrop.model.symbol import Link, SymbolView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.store.store import PostgresStore

_INHERITANCE = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS)


def find_symbols(store: PostgresStore, query: str, limit: int) -> list[Node]:
    """Return the nodes with a name; if there are none, those with similar names."""
    text = query.strip()
    if not text:
        return []
    found = store.find_nodes(text, limit=limit)
    return found or store.resembling_nodes(text, limit=limit)


def view_symbol(store: PostgresStore, node: Node) -> SymbolView:
    """Return a node of the stored graph with its relations."""
    outgoing = store.edges_from([node.id])
    incoming = store.edges_to([node.id])
    ends = {e.dst for e in outgoing if not e.external} | {e.src for e in incoming}
    nodes = {each.id: each for each in store.get_nodes(sorted(ends))}
    return make_view(node, outgoing, incoming, nodes, _chunk_names(store, incoming))


def make_view(
    node: Node,
    outgoing: Sequence[Edge],
    incoming: Sequence[Edge],
    nodes: Mapping[str, Node],
    chunks: Mapping[str, str],
) -> SymbolView:
    """Return a node with its relations.

    Args:
        node: The node.
        outgoing: The edges from it.
        incoming: The edges to it.
        nodes: Nodes at the other ends, by id.
        chunks: Display names of chunks at the other ends, by id.
    """

    def link(edge: Edge, end: str) -> Link:
        other = nodes.get(end)
        return Link(
            node=other,
            name=other.fqn if other is not None else chunks.get(end, end),
            kind=edge.kind,
            resolution=edge.resolution,
            confidence=edge.confidence,
            external=edge.external,
            chunk_id=end if end in chunks else None,
        )

    def to(*kinds: EdgeKind) -> tuple[Link, ...]:
        return _sorted(link(e, e.dst) for e in outgoing if e.kind in kinds)

    def by(*kinds: EdgeKind) -> tuple[Link, ...]:
        return _sorted(link(e, e.src) for e in incoming if e.kind in kinds)

    return SymbolView(
        node=node,
        callers=by(EdgeKind.CALLS),
        callees=to(EdgeKind.CALLS),
        parents=by(EdgeKind.CONTAINS),
        children=to(EdgeKind.CONTAINS),
        bases=to(*_INHERITANCE),
        derived=by(*_INHERITANCE),
        overrides=to(EdgeKind.OVERRIDES),
        overridden_by=by(EdgeKind.OVERRIDES),
        imports=to(EdgeKind.IMPORTS),
        imported_by=by(EdgeKind.IMPORTS),
        mentions=by(EdgeKind.MENTIONS),
    )


def _chunk_names(store: PostgresStore, edges: Iterable[Edge]) -> dict[str, str]:
    """Return display names of the chunks that mention a node: path and headings."""
    ids = [edge.src for edge in edges if edge.kind == EdgeKind.MENTIONS]
    return {
        chunk.id: " > ".join([chunk.path, *chunk.section_path])
        for chunk in store.get_chunks(ids)
    }


def _sorted(links: Iterable[Link]) -> tuple[Link, ...]:
    return tuple(sorted(links, key=lambda each: (each.external, each.name, each.kind)))
