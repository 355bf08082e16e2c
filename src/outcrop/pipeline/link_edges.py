"""Stage `link-edges`: what a chunk uses and where it is used, as text and as data.

Chunks of code get the relations of their node. Chunks of documents get MENTIONS edges
to the symbols they name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from outcrop.model.edge import Edge, EdgeKind, Resolution
from outcrop.model.stage_outcome import ChunkValues, StageOutcome
from outcrop.pipeline.mentions import find_mentions
from outcrop.pipeline.tables import find_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import NodeRef
    from outcrop.model.stored import StoredChunk
    from outcrop.pipeline.stage import StageContext

    Edges = Mapping[str, Sequence[Edge]]
    NodeRefs = Mapping[str, NodeRef]
    from collections.abc import Mapping, Sequence

NAME = "link-edges"
_LAST_NAME = re.compile(r"[\w$]+(?=\W*$|\()")

MAX_LINES = 20
# In the order of the list: the verb for outgoing and for incoming edges.
_VERBS = {
    EdgeKind.CALLS: ("calls", "called by"),
    EdgeKind.EXTENDS: ("extends", "extended by"),
    EdgeKind.IMPLEMENTS: ("implements", "implemented by"),
    EdgeKind.OVERRIDES: ("overrides", "overridden by"),
    EdgeKind.IMPORTS: ("imports", "imported by"),
}
_ORDER = list(_VERBS)


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


def render_relations(
    edges: Sequence[Edge], refs: Mapping[str, NodeRef], *, outward: bool
) -> str | None:
    """Return edges as a list, the certain ones of each kind first.

    Args:
        edges: Edges from a node, or to it.
        refs: The nodes at their other ends, by id.
        outward: Whether the edges lead away from the node.

    Returns:
        Markdown; None where there are none. Links lead to the lines of a
        file; their titles are the ids of the nodes.
    """
    known: dict[tuple[EdgeKind, str], Edge] = {}
    for edge in edges:
        other = edge.dst if outward else edge.src
        if edge.kind in _VERBS and (outward or other in refs):
            known.setdefault((edge.kind, other), edge)
    ranked = sorted(
        known.items(),
        key=lambda item: (
            _ORDER.index(item[0][0]),
            item[1].external,
            -item[1].confidence,
            _name(item[0][1], refs),
        ),
    )
    lines = [_line(other, edge, refs, outward) for (_, other), edge in ranked]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = [f"- … and {len(lines) - MAX_LINES} more"]
    return "\n".join(lines) or None


def _line(other: str, edge: Edge, refs: Mapping[str, NodeRef], outward: bool) -> str:  # noqa: FBT001 - private
    verb = _VERBS[edge.kind][0 if outward else 1]
    doubt = "" if edge.resolution is not Resolution.HEURISTIC else " (probably)"
    return f"- {verb} {_link(other, refs)}{doubt}"


def _name(other: str, refs: Mapping[str, NodeRef]) -> str:
    return refs[other].fqn if other in refs else other


def _link(other: str, refs: Mapping[str, NodeRef]) -> str:
    name = f"`{_name(other, refs).replace('`', '')}`"
    ref = refs.get(other)
    if ref is None:
        return name
    target = ref.path or ""
    if ref.path and ref.line is not None:
        target = f"{ref.path}#L{ref.line}"
    if not target:
        return f'[{name}](# "{ref.id}")'
    target = target.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f'[{name}]({target} "{ref.id}")'
