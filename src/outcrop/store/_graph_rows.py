"""The order of the columns of nodes and edges: the one place that knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.model.edge import Edge, EdgeKind, Resolution
from outcrop.model.ids import document_id
from outcrop.model.node import Node, NodeKind
from outcrop.store._text import clean_row, clean_text
from outcrop.store.packing import hash_row, pack_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

# Types are those of binary COPY; arrays are packed as PostgreSQL would send them.
COPY_NODES = {
    "id": "text",
    "row_hash": "int8",
    "document_id": "text",
    "application_id": "text",
    "kind": "text",
    "lang": "text",
    "name": "text",
    "package_name": "text",
    "fqn": "text",
    "signature": "text",
    "doc_comment": "text",
    "source_code": "text",
    "file_path": "text",
    "line_start": "int4",
    "line_end": "int4",
    "start_offset": "int8",
    "end_offset": "int8",
    "annotations": "bytea",
    "visibility": "text",
    "http_method": "text",
    "http_path": "text",
}
COPY_EDGES = {
    "src": "text",
    "dst": "text",
    "kind": "text",
    "resolution": "text",
    "confidence": "float4",
    "external": "bool",
}
# As much of an external name as an ordered index can hold.
_LONGEST_NAME = 500

UPDATE_NODES = (
    f"UPDATE nodes n SET {', '.join(f'{name} = s.{name}' for name in COPY_NODES)}"  # noqa: S608 - names of columns
    " FROM nodes_stage s WHERE n.id = s.id"
)
_NODE_FIELDS = [name for name in COPY_NODES if name not in ("row_hash", "document_id")]
NODE_COLUMNS = ", ".join(f"n.{name}" for name in _NODE_FIELDS)
EDGE_COLUMNS = ", ".join(f"e.{name}" for name in COPY_EDGES)


def pack_node(node: Node) -> tuple[Any, ...]:
    """Return a node's row for COPY."""
    values = (
        None if node.file_path is None else document_id(node.file_path),
        node.application_id,
        str(node.kind),
        node.lang,
        node.name,
        node.package_name,
        node.fqn,
        node.signature,
        node.doc_comment,
        node.source_code,
        node.file_path,
        node.line_start,
        node.line_end,
        node.start_offset,
        node.end_offset,
        pack_texts(node.annotations),
        node.visibility,
        node.http_method,
        node.http_path,
    )
    return clean_row((node.id, hash_row(values), *values))


def unpack_node(row: Sequence[Any]) -> Node:
    """Turn a row of `NODE_COLUMNS` into a node."""
    values = dict(zip(_NODE_FIELDS, row, strict=True))
    values["kind"] = NodeKind(values["kind"])
    values["annotations"] = tuple(values["annotations"])
    return Node(**values)


def pack_edge(edge: Edge) -> tuple[Any, ...]:
    """Return an edge's row for COPY."""
    return (
        clean_text(edge.src),
        clean_text(edge.dst[:_LONGEST_NAME]),
        str(edge.kind),
        str(edge.resolution),
        edge.confidence,
        edge.external,
    )


def unpack_edge(row: Sequence[Any]) -> Edge:
    """Turn a row of `EDGE_COLUMNS` into an edge."""
    src, dst, kind, resolution, confidence, external = row
    return Edge(
        src=src,
        dst=dst,
        kind=EdgeKind(kind),
        resolution=Resolution(resolution),
        # Stored as four bytes: 0.4 comes back as 0.4000000059.
        confidence=round(confidence, 6),
        external=external,
    )
