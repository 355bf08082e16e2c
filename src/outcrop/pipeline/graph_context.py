"""A stage context over a code graph in memory, for running stages without a queue."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from outcrop.model.node import NodeRef
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from outcrop.codegraph import Graph
    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.providers.embedder import Embedder
    from outcrop.sections.summaries import Summarizer


class GraphContext:
    """Answers stages from a graph in memory; see `StageContext`.

    Args:
        graph: The nodes and edges.
        read_text: Returns the text of a file.
        embedder: Makes the embeddings.
        summarizer: Writes the explanations; one that works offline where None.
        count: Counts tokens.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        read_text: Callable[[str], str | None],
        embedder: Embedder,
        summarizer: Summarizer | None = None,
        count: Callable[[str], int] | None = None,
    ) -> None:
        self._graph = graph
        self.read_text = read_text
        self.embedder = embedder
        self._summarizer = summarizer
        self.count: Callable[[str], int] = count or TokenCounter()

    @cached_property
    def summarizer(self) -> Summarizer:
        """Writes the explanations."""
        if self._summarizer is not None:
            return self._summarizer
        from outcrop.providers.extractive import ExtractiveSummarizer

        return ExtractiveSummarizer(self.embedder)

    @cached_property
    def _by_name(self) -> dict[str, list[NodeRef]]:
        by_name: dict[str, list[NodeRef]] = {}
        for node in self._graph.nodes:
            ref = _ref_to(node)
            for name in ref.names:
                by_name.setdefault(name, []).append(ref)
        return by_name

    def nodes(self, ids: Collection[str]) -> Mapping[str, Node]:
        """Return nodes by id."""
        by_id = self._graph.by_id
        return {node_id: by_id[node_id] for node_id in ids if node_id in by_id}

    def node_refs(self, ids: Collection[str]) -> Mapping[str, NodeRef]:
        """Return references to nodes by id."""
        return {node_id: _ref_to(node) for node_id, node in self.nodes(ids).items()}

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[NodeRef]]:
        """Return the nodes with these own or qualified names, by name."""
        by_name = self._by_name
        return {name: by_name[name] for name in names if name in by_name}

    def edges_from(self, ids: Collection[str]) -> Mapping[str, Sequence[Edge]]:
        """Return the edges from nodes, by the node they come from."""
        edges = {node_id: self._graph.outgoing(node_id) for node_id in ids}
        return {node_id: own for node_id, own in edges.items() if own}

    def edges_to(self, ids: Collection[str]) -> Mapping[str, Sequence[Edge]]:
        """Return the edges to nodes, by the node they lead to."""
        edges = {node_id: self._graph.incoming(node_id) for node_id in ids}
        return {node_id: own for node_id, own in edges.items() if own}


def _ref_to(node: Node) -> NodeRef:
    return NodeRef(
        node.id, node.fqn, node.name, str(node.kind), node.file_path, node.line_start
    )
