"""Nodes and edges as records: one JSON document, or one record a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.codegraph.graph import Graph
    from outcrop.model.edge import Edge
    from outcrop.model.node import Node


def node_record(node: Node) -> dict[str, Any]:
    """Return a node as JSON values."""
    record: dict[str, Any] = {
        name: getattr(node, name) for name in type(node).__dataclass_fields__
    }
    record["kind"] = str(node.kind)
    record["annotations"] = list(node.annotations)
    return record


def edge_record(graph: Graph, edge: Edge) -> dict[str, Any]:
    """Return an edge as JSON values, its ends by their qualified names."""
    return {
        "src": graph.name_of(edge.src),
        "dst": graph.name_of(edge.dst),
        "kind": str(edge.kind),
        "resolution": str(edge.resolution),
        "confidence": edge.confidence,
        "external": edge.external,
        "src_id": edge.src,
        "dst_id": None if edge.external else edge.dst,
    }


def write_json(graph: Graph) -> Iterator[str]:
    """Yield one document with all nodes and edges, a record a line."""
    yield '{"nodes":['
    yield from _records(node_record(node) for node in graph.nodes)
    yield '],\n"edges":['
    yield from _records(edge_record(graph, edge) for edge in graph.edges)
    yield "]}\n"


def _records(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    for position, record in enumerate(records):
        separator = ",\n" if position else "\n"
        yield separator + json.dumps(record, ensure_ascii=False)


def write_jsonl(graph: Graph) -> Iterator[str]:
    """Yield a record a line, nodes first, each with its `type`."""
    for node in graph.nodes:
        record = {"type": "node", **node_record(node)}
        yield json.dumps(record, ensure_ascii=False) + "\n"
    for edge in graph.edges:
        record = {"type": "edge", **edge_record(graph, edge)}
        yield json.dumps(record, ensure_ascii=False) + "\n"
