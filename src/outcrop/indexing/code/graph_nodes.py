"""A graph in memory for planning that writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from outcrop.model.edge import Edge, EdgeKind
    from outcrop.model.node import Node, NodeKind
    from outcrop.planning.plans import ChunkBuildRequest, ChunkBuildResult


class GraphNodes:
    """The nodes and edges of one application; see `NodeSource`."""

    def __init__(self, nodes: Iterable[Node], edges: Iterable[Edge]) -> None:
        self._nodes = sorted(nodes, key=lambda node: node.id)
        self._places = {node.id: place for place, node in enumerate(self._nodes)}
        self._files: dict[str, list[Node]] = {}
        for node in self._nodes:
            if node.file_path is not None:
                self._files.setdefault(node.file_path, []).append(node)
        self._edges: dict[str, list[Edge]] = {}
        for edge in edges:
            self._edges.setdefault(edge.src, []).append(edge)

    def nodes_page(
        self,
        application_id: str,  # noqa: ARG002 - there is one only
        *,
        after: str = "",
        limit: int = 200,
        kinds: Collection[NodeKind] | None = None,
    ) -> list[Node]:
        """Return nodes by id, from beyond one on."""
        page: list[Node] = []
        start = self._places[after] + 1 if after else 0
        for place in range(start, len(self._nodes)):
            if len(page) == limit:
                break
            if kinds is None or self._nodes[place].kind in kinds:
                page.append(self._nodes[place])
        return page

    def edges_from(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges from nodes."""
        return [
            edge
            for node_id in ids
            for edge in self._edges.get(node_id, ())
            if kinds is None or edge.kind in kinds
        ]

    def node_counts(self, application_id: str) -> list[tuple[str, int]]:  # noqa: ARG002 - as above
        """Return the files with how many nodes each has, by path."""
        return [(path, len(self._files[path])) for path in sorted(self._files)]

    def nodes_in(self, application_id: str, paths: Sequence[str]) -> list[Node]:  # noqa: ARG002 - as above
        """Return the nodes in some files."""
        return [node for path in paths for node in self._files.get(path, ())]


class NoRun:
    """A run that nobody can follow; see `ChunkRunStore`."""

    def create(self, request: ChunkBuildRequest) -> int:  # noqa: ARG002 - nothing is kept
        """Return a number that no run has."""
        return 0

    def progress(self, run_id: int, result: ChunkBuildResult) -> None:
        """Keep nothing."""

    def note_errors(self, run_id: int, errors: Sequence[tuple[str, str]]) -> None:
        """Keep nothing."""

    def finish(self, run_id: int, result: ChunkBuildResult) -> None:
        """Keep nothing."""

    def fail(self, run_id: int, error: str) -> None:
        """Keep nothing."""
