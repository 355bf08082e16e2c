"""A code graph in memory as the source of nodes to plan."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outcrop.codegraph import Graph
    from outcrop.model.edge import Edge, EdgeKind
    from outcrop.model.node import Node, NodeKind


class GraphSource:
    """The nodes and edges of one application; see `NodeSource`."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._files: dict[str, list[Node]] = {}
        for node in graph.nodes:
            if node.file_path is not None:
                self._files.setdefault(node.file_path, []).append(node)

    @cached_property
    def _sorted(self) -> list[Node]:
        return sorted(self._graph.nodes, key=lambda node: node.id)

    def nodes_page(
        self,
        application_id: str,  # noqa: ARG002 - the graph is of one application
        *,
        after: str = "",
        limit: int = 200,
        kinds: Collection[NodeKind] | None = None,
    ) -> list[Node]:
        """Return nodes in the order of their ids, after one of them."""
        nodes = self._sorted
        start = bisect_right(nodes, after, key=lambda node: node.id)
        wanted = (
            node
            for node in islice(nodes, start, None)
            if kinds is None or node.kind in kinds
        )
        return list(islice(wanted, limit))

    def edges_from(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges from nodes."""
        return [
            edge
            for node_id in ids
            for edge in self._graph.outgoing(node_id)
            if kinds is None or edge.kind in kinds
        ]

    def node_counts(self, application_id: str) -> list[tuple[str, int]]:  # noqa: ARG002 - as above
        """Return the files and their numbers of nodes, by path."""
        return [(path, len(self._files[path])) for path in sorted(self._files)]

    def nodes_in(self, application_id: str, paths: Sequence[str]) -> list[Node]:  # noqa: ARG002 - as above
        """Return the nodes of some files."""
        return [node for path in paths for node in self._files.get(path, ())]
