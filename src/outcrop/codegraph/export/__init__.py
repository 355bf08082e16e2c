"""The graph written out: JSON, JSON lines, GraphML, DOT, and a page to look at."""

from __future__ import annotations

import html
import json
import re
from importlib import resources
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from outcrop.model.edge import Resolution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.codegraph.graph import Graph
    from outcrop.model.edge import Edge
    from outcrop.model.node import Node

_SIGNATURE_LENGTH = 300


def node_record(node: Node) -> dict[str, Any]:
    """Return a node as JSON values."""
    record = node._asdict()
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


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
_NODE_KEYS = ("fqn", "name", "kind", "lang", "file_path", "signature", "visibility")
_EDGE_KEYS = ("kind", "resolution", "confidence", "external")
# XML 1.0 has no way to write these characters at all.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_graphml(graph: Graph) -> Iterator[str]:
    """Yield the graph; names outside the project are nodes of kind EXTERNAL."""
    yield _HEAD
    for target, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in keys:
            type_ = {"confidence": "double", "external": "boolean"}.get(key, "string")
            yield (
                f'<key id="{target}_{key}" for="{target}" attr.name="{key}" '
                f'attr.type="{type_}"/>\n'
            )
    yield f'<graph id={quoteattr(_clean(graph.application))} edgedefault="directed">\n'
    for node in graph.nodes:
        data = "".join(
            _data_element("node", key, getattr(node, key))
            for key in _NODE_KEYS
            if getattr(node, key) is not None
        )
        yield f'<node id="{node.id}">{data}</node>\n'
    outside = sorted({edge.dst for edge in graph.edges if edge.external})
    for name in outside:
        data = _data_element("node", "fqn", name) + _data_element(
            "node", "kind", "EXTERNAL"
        )
        yield f"<node id={quoteattr(_clean(name))}>{data}</node>\n"
    for edge in graph.edges:
        data = "".join(
            _data_element("edge", key, getattr(edge, key)) for key in _EDGE_KEYS
        )
        target = quoteattr(_clean(edge.dst))
        yield f'<edge source="{edge.src}" target={target}>{data}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _data_element(target: str, key: str, value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else _clean(str(value))
    return f'<data key="{target}_{key}">{escape(text)}</data>'


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


_STYLES = {
    Resolution.EXACT: "solid",
    Resolution.FLOW: "dashed",
    Resolution.HEURISTIC: "dotted",
}


def write_dot(graph: Graph) -> Iterator[str]:
    """Yield the graph; only nodes with an edge are drawn, the less sure dashed."""
    yield f"digraph {_quote(graph.application)} {{\n  node [shape=box];\n"
    ends = {end for edge in graph.edges for end in (edge.src, edge.dst)}
    for node in graph.nodes:
        if node.id in ends:
            label = f"{node.kind}\n{node.fqn}"
            yield f"  {_quote(node.id)} [label={_quote(label)}];\n"
    for name in sorted({edge.dst for edge in graph.edges if edge.external}):
        yield f"  {_quote(name)} [style=dashed];\n"
    for edge in graph.edges:
        yield (
            f"  {_quote(edge.src)} -> {_quote(edge.dst)} "
            f"[label={_quote(str(edge.kind))}, style={_STYLES[edge.resolution]}];\n"
        )
    yield "}\n"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def write_page(graph: Graph) -> Iterator[str]:
    """Yield the page: markup, style and script of our own, no network."""
    folder = resources.files("outcrop.codegraph.export")
    template = folder.joinpath("page.html").read_text("utf-8")
    parts = {
        "title": html.escape(graph.application),
        "style": folder.joinpath("page.css").read_text("utf-8"),
        "script": folder.joinpath("page.js").read_text("utf-8"),
        "data": _data(graph),
    }
    rest = template
    for name, text in parts.items():
        before, _, rest = rest.partition(f"<!--{name}-->")
        yield before
        yield text
    yield rest


def _data(graph: Graph) -> str:
    """Return nodes and edges as JSON that cannot end the script around it."""
    places = {node.id: position for position, node in enumerate(graph.nodes)}
    outside: dict[str, int] = {}
    edges = []
    for edge in graph.edges:
        target = places.get(edge.dst)
        if target is None:
            target = outside.setdefault(edge.dst, len(places) + len(outside))
        edges.append([places[edge.src], target, str(edge.kind), str(edge.resolution)])
    nodes = [
        [n.fqn, str(n.kind), n.file_path, n.line_start, (n.signature or "")[:_SIGNATURE_LENGTH]]
        for n in graph.nodes
    ]  # fmt: skip
    nodes += [[name, "EXTERNAL", None, None, ""] for name in outside]
    text = json.dumps({"nodes": nodes, "edges": edges}, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028")


FORMATS: dict[str, Callable[[Graph], Iterator[str]]] = {
    "json": write_json,
    "jsonl": write_jsonl,
    "graphml": write_graphml,
    "dot": write_dot,
    "html": write_page,
}
"""Format -> function that yields the text in pieces."""
