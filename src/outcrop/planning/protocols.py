"""What planning needs: nodes, a strategy, a writer of plans, a store of runs.

`GraphSource` reads the nodes of a code graph in memory.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from outcrop.codegraph import Graph
    from outcrop.model.edge import Edge, EdgeKind
    from outcrop.model.node import Node, NodeKind
    from outcrop.planning.plans import ChunkBuildRequest, ChunkBuildResult, ChunkPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPlans:
    """The result of saving plans.

    Attributes:
        written: Chunks that are new, or whose content has to be computed again.
        skipped: Chunks that did not change.
        deleted: Chunks that no longer have a plan.
    """

    written: int = 0
    skipped: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """The nodes and documents that some plans cover: their other chunks are deleted.

    Attributes:
        nodes: Ids of nodes.
        paths: Documents.
    """

    nodes: Collection[str] = ()
    paths: Collection[str] = ()


class NodeSource(Protocol):
    """Reads the nodes and edges of an application."""

    def nodes_page(
        self,
        application_id: str,
        *,
        after: str = "",
        limit: int = 200,
        kinds: Collection[NodeKind] | None = None,
    ) -> list[Node]:
        """Return nodes in the order of their ids, after one of them."""
        ...

    def edges_from(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges from nodes."""
        ...

    def node_counts(self, application_id: str) -> list[tuple[str, int]]:
        """Return the files of an application and their numbers of nodes, by path."""
        ...

    def nodes_in(self, application_id: str, paths: Sequence[str]) -> list[Node]:
        """Return the nodes of some files."""
        ...


class ChunkWriter(Protocol):
    """Writes plans."""

    def save_plan(
        self,
        plans: Sequence[ChunkPlan],
        *,
        application_id: str,
        covered: Covered | None = None,
    ) -> SavedPlans:
        """Write plans in one transaction.

        Args:
            plans: The plans to write.
            application_id: The application they belong to.
            covered: The nodes and documents they cover; their own nodes if None.
        """
        ...

    def sweep(self, application_id: str, *, strategy: str) -> int:
        """Delete the chunks of other strategies; return how many."""
        ...


class ChunkRunStore(Protocol):
    """Records runs, so that other processes can follow them."""

    def create(self, request: ChunkBuildRequest) -> int:
        """Record the start of a run; return its id."""
        ...

    def progress(self, run_id: int, result: ChunkBuildResult) -> None:
        """Record the progress of a run."""
        ...

    def note_errors(self, run_id: int, errors: Sequence[tuple[str, str]]) -> None:
        """Record failures as (subject, reason)."""
        ...

    def finish(self, run_id: int, result: ChunkBuildResult) -> None:
        """Record the end of planning."""
        ...

    def fail(self, run_id: int, error: str) -> None:
        """Record that a run failed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A file of code.

    Attributes:
        path: The document it is stored as.
        lang: Its language; None if unknown.
        text: Its text, which the offsets of the nodes refer to.
    """

    path: str
    lang: str | None
    text: str


@runtime_checkable
class ChunkStrategy(Protocol):
    """Plans each node by itself."""

    @property
    def name(self) -> str:
        """Names the strategy in requests and plans."""
        ...

    def build_chunks(self, node: Node, edges: Sequence[Edge]) -> list[ChunkPlan]:
        """Return the plans of a node.

        Args:
            node: The node to plan.
            edges: The edges from it.
        """
        ...


@runtime_checkable
class FileChunkStrategy(Protocol):
    """Plans all nodes of a file together, so that nothing in it is planned twice."""

    @property
    def name(self) -> str:
        """Names the strategy in requests and plans."""
        ...

    def build_file(
        self,
        source: SourceText,
        nodes: Sequence[Node],
        edges: Mapping[str, Sequence[Edge]],
    ) -> list[ChunkPlan]:
        """Return the plans of a file, in the order of its text.

        The edges are those from each node, by its id.
        """
        ...


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
