"""The graph written out: JSON, JSON lines, GraphML, DOT and a page to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.export.dot import write_dot
from outcrop.codegraph.export.graphml import write_graphml
from outcrop.codegraph.export.page import write_page
from outcrop.codegraph.export.records import write_json, write_jsonl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.codegraph.graph import Graph

FORMATS: dict[str, Callable[[Graph], Iterator[str]]] = {
    "json": write_json,
    "jsonl": write_jsonl,
    "graphml": write_graphml,
    "dot": write_dot,
    "html": write_page,
}
"""Format -> function that yields the text in pieces."""
