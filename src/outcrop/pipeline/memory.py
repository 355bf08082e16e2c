"""A context over a graph that is in memory, for running stages without a queue."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from outcrop.pipeline.stage import Place
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.providers.embedder import Embedder
    from outcrop.sections.summaries import Summarizer


def place_of(node: Node) -> Place:
    """Return a node as others refer to it."""
    return Place(
        node.id, node.fqn, node.name, str(node.kind), node.file_path, node.line_start
    )


class GraphContext:
    """Answers stages from nodes and edges at hand.

    Args:
        nodes: All nodes that may be asked for.
        edges: All edges between them.
        read_text: Returns the text of a file.
        embedder: Makes the embeddings.
        summarizer: Writes the explanations; one that works offline where None.
        count: Counts tokens.
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        edges: Iterable[Edge],
        *,
        read_text: Callable[[str], str | None],
        embedder: Embedder,
        summarizer: Summarizer | None = None,
        count: Callable[[str], int] | None = None,
    ) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._edges = tuple(edges)
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
    def _outgoing(self) -> dict[str, list[Edge]]:
        return _grouped(self._edges, "src")

    @cached_property
    def _incoming(self) -> dict[str, list[Edge]]:
        return _grouped(self._edges, "dst")

    @cached_property
    def _names(self) -> dict[str, list[Place]]:
        found: dict[str, list[Place]] = {}
        for node in self._nodes.values():
            place = place_of(node)
            for name in {node.name, node.fqn, node.fqn.partition("(")[0]}:
                found.setdefault(name, []).append(place)
        return found

    def nodes(self, ids: Collection[str]) -> Mapping[str, Node]:
        """Return nodes by id; see `StageContext`."""
        known = self._nodes
        return {node_id: known[node_id] for node_id in ids if node_id in known}

    def places(self, ids: Collection[str]) -> Mapping[str, Place]:
        """Return where nodes are; see `StageContext`."""
        return {node_id: place_of(node) for node_id, node in self.nodes(ids).items()}

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[Place]]:
        """Return what names may mean; see `StageContext`."""
        known = self._names
        return {name: known[name] for name in names if name in known}

    def edges_from(self, ids: Collection[str]) -> Mapping[str, Sequence[Edge]]:
        """Return the edges from nodes; see `StageContext`."""
        known = self._outgoing
        return {node_id: known[node_id] for node_id in ids if node_id in known}

    def edges_to(self, ids: Collection[str]) -> Mapping[str, Sequence[Edge]]:
        """Return the edges to nodes; see `StageContext`."""
        known = self._incoming
        return {node_id: known[node_id] for node_id in ids if node_id in known}


def _grouped(edges: Iterable[Edge], end: str) -> dict[str, list[Edge]]:
    found: dict[str, list[Edge]] = {}
    for edge in edges:
        found.setdefault(getattr(edge, end), []).append(edge)
    return found
