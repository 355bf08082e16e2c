"""Web routes: a node for each, with its method and path, that calls its handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.endpoints.annotated import annotated_routes
from outcrop.codegraph.endpoints.mounts import Mounts
from outcrop.codegraph.endpoints.registered import registered_routes
from outcrop.codegraph.names import make_id
from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import Node, NodeKind

if TYPE_CHECKING:
    from outcrop.codegraph.endpoints.route import Route
    from outcrop.codegraph.symbols import SymbolTable


def endpoint_nodes(table: SymbolTable) -> tuple[list[Node], list[Edge]]:
    """Return the endpoints of a project, and the edges to their handlers."""
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    mounts = Mounts(table)
    routes = (*annotated_routes(table, mounts), *registered_routes(table, mounts))
    for route in routes:
        node = _node(table, route)
        if node.id in nodes:
            continue
        nodes[node.id] = node
        if table.has_node(route.place):
            edges.append(
                Edge(src=table.ids[route.place], dst=node.id, kind=EdgeKind.CONTAINS)
            )
        if route.handler >= 0:
            edges.append(
                Edge(src=node.id, dst=table.ids[route.handler], kind=EdgeKind.CALLS)
            )
    return list(nodes.values()), edges


def _node(table: SymbolTable, route: Route) -> Node:
    facts = table.files[table.file_of[route.place]]
    name = f"{route.method} {route.path}"
    handler = table.fqns[route.handler] if route.handler >= 0 else ""
    key = f"{table.application}\0{facts.path}\0ENDPOINT\0{name}\0{handler}"
    return Node(
        id=make_id(key),
        application_id=table.application,
        kind=NodeKind.ENDPOINT,
        lang=facts.lang,
        name=name,
        package_name=table.modules[facts.path],
        fqn=name,
        signature=name,
        doc_comment=table.symbols[route.handler].doc or None
        if route.handler >= 0
        else None,
        source_code=facts.text[route.start : route.end],
        file_path=facts.path,
        line_start=route.line_start,
        line_end=route.line_end,
        start_offset=route.start,
        end_offset=route.end,
        http_method=route.method,
        http_path=route.path,
    )
