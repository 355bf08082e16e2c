"""Chunks, and a small program in memory, for the tests of stages."""

from __future__ import annotations

from typing import Any

from outcrop.codegraph import Graph
from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import Node, NodeKind
from outcrop.model.stored import StoredChunk
from outcrop.pipeline.inline import GraphContext
from outcrop.providers.local_embedder import LocalEmbedder


def make_node(fqn: str, **fields: Any) -> Node:
    """Return a function in a file named after its package."""
    package, _, name = fqn.rpartition(".")
    values: dict[str, Any] = {
        "id": fqn,
        "application_id": "app",
        "kind": NodeKind.FUNCTION,
        "lang": "python",
        "name": name,
        "package_name": package,
        "fqn": fqn,
        "signature": f"def {name}()",
        "doc_comment": None,
        "source_code": None,
        "file_path": f"{package.replace('.', '/')}.py",
        "line_start": 4,
        "line_end": 9,
    }
    return Node(**(values | fields))


def make_chunk(content: str = "", **fields: Any) -> StoredChunk:
    """Return a chunk of code."""
    values: dict[str, Any] = {
        "path": "shop/cart.py",
        "chunk_id": "c",
        "source": "code",
        "content": content,
        "chunk_index": 0,
        "lang_detected": "python",
    }
    return StoredChunk(**(values | fields))


def make_document(content: str, **fields: Any) -> StoredChunk:
    """Return a chunk of Markdown."""
    return make_chunk(content, path="guide.md", source="doc", kind="section", **fields)


def call(src: str, dst: str, **fields: Any) -> Edge:
    """Return a call between two nodes."""
    return Edge(src=src, dst=dst, kind=fields.pop("kind", EdgeKind.CALLS), **fields)


def make_context(
    nodes: Any = (), edges: Any = (), files: dict[str, str] | None = None, **more: Any
) -> GraphContext:
    """Return a context over values at hand, with the local embedder."""
    graph = Graph(application="app", nodes=tuple(nodes), edges=tuple(edges))
    read_text = (files or {}).get
    context = GraphContext(graph, read_text=read_text, embedder=LocalEmbedder())
    for name, value in more.items():
        setattr(context, name, value)
    return context
