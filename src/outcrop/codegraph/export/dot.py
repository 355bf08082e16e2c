"""DOT, for Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.edge import Resolution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.codegraph.graph import Graph

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
