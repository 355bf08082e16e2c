"""Packages: namespaces that no single file defines, and what they contain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.languages import language
from outcrop.codegraph.names import make_id
from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import Node, NodeKind

if TYPE_CHECKING:
    from outcrop.codegraph.symbols import SymbolTable


def package_nodes(table: SymbolTable) -> tuple[list[Node], list[Edge]]:
    """Return the packages of a project, and the edges to what they contain."""
    nodes: dict[tuple[str, str], Node] = {}
    edges: list[Edge] = []
    modules = _package_files(table)
    for index, facts in enumerate(table.files):
        spec = language(facts.lang)
        start = table.starts[index]
        name = table.modules[facts.path]
        if spec.file_is_module:
            parent = name.rpartition(spec.separator)[0]
            above = modules.get((facts.lang, parent))
            if above is not None and above != start:
                edges.append(_contains(table.ids[above], table.ids[start]))
            continue
        if not name:
            continue
        family = spec.family or spec.name
        node = nodes.get((family, name))
        if node is None:
            node = nodes[family, name] = _package(table, facts.lang, name, family)
        edges += [
            _contains(node.id, table.ids[start + local])
            for local, symbol in enumerate(facts.symbols)
            if symbol.parent == 0
        ]
    return list(nodes.values()), edges


def _package_files(table: SymbolTable) -> dict[tuple[str, str], int]:
    found = {}
    for index, facts in enumerate(table.files):
        if language(facts.lang).file_is_module:
            found[facts.lang, table.modules[facts.path]] = table.starts[index]
    return found


def _package(table: SymbolTable, lang: str, name: str, family: str) -> Node:
    parent, last = language(lang).package_parts(name)
    return Node(
        id=make_id(f"{table.application}\0{family}\0PACKAGE\0{name}"),
        application_id=table.application,
        kind=NodeKind.PACKAGE,
        lang=lang,
        name=last,
        package_name=parent,
        fqn=name,
        signature=None,
        doc_comment=None,
        source_code=None,
        file_path=None,
        line_start=None,
        line_end=None,
    )


def _contains(src: str, dst: str) -> Edge:
    return Edge(src=src, dst=dst, kind=EdgeKind.CONTAINS)
