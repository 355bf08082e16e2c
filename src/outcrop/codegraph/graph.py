"""The graph of an application: nodes, edges, and the ways along them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from outcrop.codegraph.report import BuildReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from outcrop.codegraph.parsed import ParsedFile
    from outcrop.model.edge import Edge, EdgeKind
    from outcrop.model.node import Node


@dataclass(frozen=True, kw_only=True)
class Graph:
    """The nodes and edges of one application.

    Attributes:
        application: Its name.
        nodes: All definitions, in the order of files and places.
        edges: All relations, in the order of their sources.
        report: What the build read and what it left out.
        facts: What each file said, by path: give the graph to the next build, and
            files that have not changed are not parsed again.
    """

    application: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    report: BuildReport = field(default_factory=BuildReport, compare=False)
    facts: Mapping[str, ParsedFile] = field(
        default_factory=dict, compare=False, repr=False
    )

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def _outgoing(self) -> dict[str, list[Edge]]:
        return _group(self.edges, lambda edge: edge.src)

    @cached_property
    def _incoming(self) -> dict[str, list[Edge]]:
        return _group(self.edges, lambda edge: edge.dst)

    def outgoing(self, node_id: str, kind: EdgeKind | None = None) -> list[Edge]:
        """Return the edges from a node."""
        found = self._outgoing.get(node_id, [])
        return [e for e in found if kind is None or e.kind == kind]

    def incoming(self, node_id: str, kind: EdgeKind | None = None) -> list[Edge]:
        """Return the edges to a node, or to the name of something external."""
        found = self._incoming.get(node_id, [])
        return [e for e in found if kind is None or e.kind == kind]

    def find(self, symbol: str) -> list[Node]:
        """Return the nodes a name may mean: a qualified name, its end, or a name."""
        exact = [node for node in self.nodes if node.fqn == symbol]
        if exact:
            return exact
        endings = tuple(f"{mark}{symbol}" for mark in (".", "::", "/"))
        return [
            node
            for node in self.nodes
            if node.name == symbol or node.fqn.endswith(endings)
        ]

    def name_of(self, end: str) -> str:
        """Return the qualified name of one end of an edge."""
        node = self.by_id.get(end)
        return node.fqn if node is not None else end


def _group(edges: Iterable[Edge], key: Callable[[Edge], str]) -> dict[str, list[Edge]]:
    groups: dict[str, list[Edge]] = {}
    for edge in edges:
        groups.setdefault(key(edge), []).append(edge)
    return groups
