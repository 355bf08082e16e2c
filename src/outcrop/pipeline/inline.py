"""Runs all stages in this process, without queue or database."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from outcrop.model.node import NodeRef
from outcrop.model.stored import altered
from outcrop.pipeline.stage import STAGES
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.model.stored import StageOutcome, StoredChunk
    from outcrop.pipeline.stage import Stage, StageContext
    from outcrop.providers.embedder import Embedder
    from outcrop.sections.summaries import Summarizer

_log = logging.getLogger(__name__)
_FOR_OTHERS = frozenset([
    "explain_md", "explain_quality", "search_hash", "terms", "indexable", "emb",
    "embed_model", "uses_md", "used_by_md", "relations", "used_objects",
])  # fmt: skip


def run_stages(
    chunks: Sequence[StoredChunk],
    context: StageContext,
    *,
    stages: Mapping[str, Stage] = STAGES,
) -> list[StoredChunk]:
    """Run the stages that the plans of chunks name; leave out chunks that one fails on.

    A chunk that carries the stored `search_hash` and `embed_model` is not embedded again
    if its text is the same.

    Raises:
        StageError: A model failed for the whole batch.
    """
    work = [_Work(chunk) for chunk in chunks]
    for name, stage in stages.items():
        batch = [item for item in work if name in item.left and not item.has_failed]
        if not batch:
            continue
        outcomes = stage.run([item.current() for item in batch], context)
        for item, outcome in zip(batch, outcomes, strict=True):
            if outcome.error:
                _log.info("%s failed on %s: %s", name, outcome.chunk_id, outcome.error)
                item.has_failed = True
            else:
                item.take(name, outcome)
    return [item.finished() for item in work if not item.has_failed]


class _Work:
    """A chunk between stages, and the values to be added to it."""

    __slots__ = ("_chunk", "_done", "_found", "has_failed", "left")

    def __init__(self, chunk: StoredChunk) -> None:
        self._chunk = chunk
        self.has_failed = False
        self._found: dict[str, Any] = {}
        self._done: list[str] = list(chunk.pipeline.get("done", ()))
        self.left = frozenset(chunk.pipeline.get("stages", ())).difference(self._done)

    def current(self) -> StoredChunk:
        """Return the chunk as the next stage needs it."""
        # Copying a chunk costs as much as a small stage, and no later stage reads the
        # values that are for people and for search.
        return self._chunk if self._found.keys() <= _FOR_OTHERS else self._built()

    def _built(self) -> StoredChunk:
        if self._found:
            self._chunk = altered(self._chunk, self._found)
            self._found = {}
        return self._chunk

    def take(self, stage: str, outcome: StageOutcome) -> None:
        self._found.update(outcome.values)
        self._done.append(stage)

    def finished(self) -> StoredChunk:
        if self._done:
            pipeline = {**self._chunk.pipeline, "done": self._done}
            self._found["pipeline"] = pipeline
        return self._built()


class GraphFacts(Protocol):
    """What the stages read of a graph: all of it, or the part around some files."""

    @property
    def nodes(self) -> Iterable[Node]:
        """The nodes that chunks are of, or that they may name."""
        ...

    @property
    def by_id(self) -> Mapping[str, Node]:
        """The nodes by id."""
        ...

    @property
    def refs(self) -> Mapping[str, NodeRef]:
        """References to the nodes, and to those at the ends of their edges, by id."""
        ...

    def outgoing(self, node_id: str) -> Sequence[Edge]:
        """Return the edges from a node."""
        ...

    def incoming(self, node_id: str) -> Sequence[Edge]:
        """Return the edges to a node."""
        ...


class GraphContext:
    """Answers stages from a graph in memory; see `StageContext`."""

    def __init__(
        self,
        graph: GraphFacts,
        *,
        read_text: Callable[[str], str | None],
        embedder: Embedder,
        count: Callable[[str], int] | None = None,
    ) -> None:
        self._graph = graph
        self.read_text = read_text
        self.embedder = embedder
        self.count: Callable[[str], int] = count or TokenCounter()

    @cached_property
    def summarizer(self) -> Summarizer:
        """Writes the explanations, offline."""
        from outcrop.providers.extractive import ExtractiveSummarizer

        return ExtractiveSummarizer(self.embedder)

    @cached_property
    def _by_name(self) -> dict[str, list[NodeRef]]:
        by_name: dict[str, list[NodeRef]] = {}
        for node in self._graph.nodes:
            ref = NodeRef.to(node)
            for name in ref.names:
                by_name.setdefault(name, []).append(ref)
        return by_name

    def nodes(self, ids: Collection[str]) -> Mapping[str, Node]:
        """Return nodes by id."""
        by_id = self._graph.by_id
        return {node_id: by_id[node_id] for node_id in ids if node_id in by_id}

    def node_refs(self, ids: Collection[str]) -> Mapping[str, NodeRef]:
        """Return references to nodes by id."""
        refs = self._graph.refs
        return {node_id: refs[node_id] for node_id in ids if node_id in refs}

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
