"""One self-contained page with the graph, to pan, zoom and search."""

from __future__ import annotations

import html
import json
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.codegraph.graph import Graph

_SIGNATURE_LENGTH = 300


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
