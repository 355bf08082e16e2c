"""Web routes: a node for each, with its method and path, that calls its handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.codegraph.symbols import SymbolTable
    from outcrop.model.edge import Edge
    from outcrop.model.node import Node


def endpoint_nodes(table: SymbolTable) -> tuple[list[Node], list[Edge]]:
    """Return the endpoints of a project, and the edges to their handlers."""
    del table
    return [], []
