"""Stage `link-edges`: what a chunk uses and where it is used, as text and as data.

Chunks of code get the relations of their node. Chunks of documents get MENTIONS edges
to the symbols they name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from outcrop.model.edge import EdgeKind
from outcrop.model.stage_outcome import ChunkValues, StageOutcome
from outcrop.pipeline.mentions import find_mentions
from outcrop.pipeline.relation_lists import render_relations
from outcrop.pipeline.tables import find_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import NodeRef
    from outcrop.model.stored import StoredChunk
    from outcrop.pipeline.stage import StageContext

    Edges = Mapping[str, Sequence[Edge]]
    NodeRefs = Mapping[str, NodeRef]

NAME = "link-edges"
_LAST_NAME = re.compile(r"[\w$]+(?=\W*$|\()")


class LinkEdges:
    """Fills `uses_md`, `used_by_md`, `relations`, `used_objects` and mentions."""

    name = NAME

    def run(
        self, batch: Sequence[StoredChunk], context: StageContext
    ) -> list[StageOutcome]:
        """Link chunks with the graph; see `Stage`."""
        documents = {
            chunk.id: chunk.content
            for chunk in batch
            if chunk.node_id is None and chunk.source == "doc"
        }
        mentions = find_mentions(documents, context)
        owners = {chunk.id: node_ids(chunk) for chunk in batch}
        ids = {node_id for owned in owners.values() for node_id in owned}
        outgoing, incoming = context.edges_from(ids), context.edges_to(ids)
        refs = context.node_refs(_ends(outgoing, incoming))
        outcomes = []
        for chunk in batch:
            if chunk.id in mentions:
                outcomes.append(
                    StageOutcome(chunk_id=chunk.id, mentions=mentions[chunk.id])
                )
                continue
            owned = owners[chunk.id]
            uses = _in_text(chunk, _edges(outgoing, owned), refs)
            used_by = [e for e in _edges(incoming, owned) if e.src not in owned]
            outcomes.append(
                StageOutcome(
                    chunk_id=chunk.id,
                    values=ChunkValues(
                        uses_md=render_relations(uses, refs, outward=True),
                        used_by_md=render_relations(used_by, refs, outward=False),
                        relations=_relations(uses),
                        used_objects=used_objects(chunk, uses, refs),
                    ),
                )
            )
        return outcomes


def node_ids(chunk: StoredChunk) -> list[str]:
    """Return the nodes whose relations a chunk has: its own and the folded ones."""
    folded = [each["id"] for each in chunk.metadata.get("folded", ())]
    return [*([chunk.node_id] if chunk.node_id is not None else []), *folded]


def used_objects(
    chunk: StoredChunk, uses: Iterable[Edge], refs: NodeRefs
) -> list[dict[str, Any]]:
    """Return the symbols and tables that a chunk uses, as JSON values."""
    found: list[dict[str, Any]] = []
    for edge in uses:
        ref = refs.get(edge.dst)
        symbol: dict[str, Any] = {
            "type": "symbol",
            "name": ref.fqn if ref is not None else edge.dst,
            "kind": str(edge.kind),
            "external": edge.external,
        }
        if ref is not None:
            symbol["node_id"] = ref.id
        found.append(symbol)
    tables = find_tables(chunk.content) if chunk.source == "code" else {}
    found += [
        {"type": "table", "name": name, "access": access}
        for name, access in tables.items()
    ]
    return found


def _relations(edges: Iterable[Edge]) -> list[dict[str, Any]]:
    return [
        {
            "kind": str(edge.kind),
            "dst_node_id": edge.dst,
            "confidence": edge.confidence,
            "resolution": str(edge.resolution),
        }
        for edge in edges
        if edge.kind == EdgeKind.CALLS
    ]


def _edges(edges: Edges, owned: Sequence[str]) -> list[Edge]:
    return [
        edge
        for node_id in owned
        for edge in edges.get(node_id, ())
        if edge.kind not in {EdgeKind.CONTAINS, EdgeKind.MENTIONS}
    ]


def _ends(outgoing: Edges, incoming: Edges) -> set[str]:
    ends = {e.dst for found in outgoing.values() for e in found if not e.external}
    ends.update(
        e.src
        for found in incoming.values()
        for e in found
        if e.kind is not EdgeKind.MENTIONS
    )
    return ends


def _in_text(
    chunk: StoredChunk, edges: Sequence[Edge], refs: NodeRefs
) -> Sequence[Edge]:
    """Return the edges of a part of a node: those whose target its text names."""
    if "part" not in chunk.metadata:
        return edges
    words = set(re.findall(r"[\w$]+", chunk.content))
    return [edge for edge in edges if _last_name(edge, refs) in words]


def _last_name(edge: Edge, refs: NodeRefs) -> str:
    ref = refs.get(edge.dst)
    if ref is not None:
        return ref.name
    found = _LAST_NAME.search(edge.dst.partition("(")[0])
    return found.group() if found else edge.dst
