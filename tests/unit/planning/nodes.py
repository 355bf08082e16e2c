"""Nodes for the tests of planning: made by hand, or read from source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph import build
from outcrop.model.node import Node, NodeKind
from outcrop.planning.strategies import AdaptiveChunkStrategy, SourceText

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.planning.plans import ChunkPlan


def make_node(fqn: str = "shop.cart.Cart.total", **fields: Any) -> Node:
    """Return a method without documentation."""
    package, _, name = fqn.rpartition(".")
    values: dict[str, Any] = {
        "id": f"id of {fqn}",
        "application_id": "shop",
        "kind": NodeKind.METHOD,
        "lang": "python",
        "name": name,
        "package_name": package,
        "fqn": fqn,
        "signature": None,
        "doc_comment": None,
        "source_code": "code",
        "file_path": "shop/cart.py",
        "line_start": 3,
        "line_end": 9,
        "start_offset": 40,
        "end_offset": 44,
    }
    return Node(**(values | fields))


def plan_source(
    folder: Path, name: str, text: str, *, max_tokens: int = 400
) -> list[ChunkPlan]:
    """Return the adaptive plans of a file, from a graph of it alone."""
    (folder / name).write_text(text, encoding="utf-8", newline="")
    graph = build(folder / name, "app", workers=1)
    facts = graph.facts[name]
    edges: dict[str, list[Any]] = {}
    for edge in graph.edges:
        edges.setdefault(edge.src, []).append(edge)
    return AdaptiveChunkStrategy(max_tokens).build_file(
        SourceText(path=name, lang=facts.lang, text=facts.text),
        [node for node in graph.nodes if node.file_path == name],
        edges,
    )


def contents(plans: list[ChunkPlan]) -> list[str]:
    """Return the own texts of plans."""
    return [plan.text or "" for plan in plans]
