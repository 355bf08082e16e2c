"""Plans: what a chunk of code is going to be, before any text is read for it.

A plan says which node a chunk stands for, where its text is, which relations it has
and which stages of the pipeline fill it. Its id comes from the node, so planning the
same graph again gives the same plans.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from outcrop.errors import ConfigError
from outcrop.model.node import Node, NodeKind

if TYPE_CHECKING:
    from collections.abc import Collection

DEFAULT_STRATEGY = "per-node"
DEFAULT_BATCH_SIZE = 200
DEFAULT_CONFIDENCE = 0.7
"""Of a relation whose edge says nothing of how sure it is."""

_MIN_PAGE_SIZE = 50
_PRIORITIES = {NodeKind.ENDPOINT: 10, NodeKind.METHOD: 10, NodeKind.CLASS: 5}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceMeta:
    """Who planned a chunk, and how urgent it is.

    Attributes:
        strategy: Name of the strategy.
        priority: Greater ones are worked on first.
    """

    strategy: str
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelinePlan:
    """The stages that a chunk goes through, in order, and what they need to know.

    Attributes:
        stages: Names of stages.
        params: JSON values.
        service: Who planned it.
    """

    stages: tuple[str, ...]
    params: dict[str, Any] = field(default_factory=dict)
    service: ServiceMeta


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationHint:
    """A relation of a chunk's node to another one.

    Attributes:
        kind: Kind of the edge, `CALLS`.
        dst_node_id: The other node; its qualified name where it is external.
        confidence: 0 to 1.
    """

    kind: str
    dst_node_id: str
    confidence: float = DEFAULT_CONFIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPlan:
    """A chunk that is going to be.

    Attributes:
        id: `"{node_id}:{source}:{kind}"`, later parts of a node add `":{n}"`; the
            chunk's id within its document.
        node_id: The node it stands for; None for text that no node stands for.
        source: `code` or `doc`.
        kind: `snippet` or `explanation`.
        lang: Language of the text.
        span_lines: First and last line, counted from 1; None without a place.
        title: The qualified name.
        section_path: Packages and names from the outside in.
        relations: What it calls.
        pipeline: How it is filled.
        node: The node itself.
        path: The document it is stored under: the node's file, or its qualified name
            where it has none.
        chunk_index: Which part of its node it is, from 0.
        order: Where it comes in its document; rises from chunk to chunk.
        span_chars: Where its own text is in the file, in code points, half-open.
        prefix: What is put before its own text, as the signature it continues.
        suffix: What is put after it.
        text: Its own text where planning has cut it; None where that is the node's.
        content_key: Hash of all that its content is made of: while it stays the same,
            the chunk keeps what the stages gave it.
        metadata: JSON values.
    """

    id: str
    node_id: str | None
    source: str
    kind: str
    lang: str | None
    span_lines: tuple[int, int] | None
    title: str | None
    section_path: tuple[str, ...]
    relations: tuple[RelationHint, ...]
    pipeline: PipelinePlan
    node: Node | None = field(repr=False)
    path: str
    chunk_index: int = 0
    order: int = 0
    span_chars: tuple[int, int] | None = None
    prefix: str = ""
    suffix: str = ""
    text: str | None = field(default=None, repr=False)
    content_key: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def own_text(self) -> str | None:
        """The text it was planned from; None where a node carries none."""
        if self.text is not None:
            return self.text
        return self.node.source_code if self.node is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkBuildRequest:
    """What to plan.

    Attributes:
        application_id: The application whose nodes are planned.
        strategy: Name of the strategy: `per-node` or `adaptive`.
        dry_run: Count and write nothing.
        limit_nodes: Plan no more nodes than this; a strategy that plans whole files
            finishes the file.
        batch_size: Nodes that are read at once, 50 at least.
        include_kinds: Plan only nodes of these kinds; unknown ones are ignored with a
            note, and where none is known all are planned.
        with_edges_relations: Read the edges of the nodes for their relations.
    """

    application_id: str
    strategy: str = DEFAULT_STRATEGY
    dry_run: bool = False
    limit_nodes: int | None = None
    batch_size: int = DEFAULT_BATCH_SIZE
    include_kinds: Collection[str] | None = None
    with_edges_relations: bool = True

    def __post_init__(self) -> None:
        if self.limit_nodes is not None and self.limit_nodes < 0:
            raise ConfigError(
                f"limit_nodes is {self.limit_nodes!r}, but it must be 0 or more"
            )
        if self.batch_size < 1:
            raise ConfigError(
                f"batch_size is {self.batch_size!r}, but it must be at least 1"
            )

    @property
    def page_size(self) -> int:
        """How many nodes are read at once."""
        return max(_MIN_PAGE_SIZE, self.batch_size)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkBuildResult:
    """What planning did.

    Attributes:
        run_id: The run, to be followed in the store.
        strategy: Name of the strategy.
        dry_run: Whether nothing was written.
        processed_nodes: Nodes that were looked at.
        written_chunks: Chunks that were written because they are new or have changed.
        skipped_chunks: Chunks that were left alone: unchanged, or a dry run.
        deleted_chunks: Chunks that no plan stands behind any more.
        errors: Nodes that could not be planned and plans that could not be written.
        pages: How often nodes were read.
        seconds: How long it took.
        notes: What the reader should know, such as kinds that were ignored.
    """

    run_id: int
    strategy: str
    dry_run: bool = False
    processed_nodes: int = 0
    written_chunks: int = 0
    skipped_chunks: int = 0
    deleted_chunks: int = 0
    errors: int = 0
    pages: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def rate(self) -> float:
        """Nodes a second."""
        return self.processed_nodes / self.seconds if self.seconds else 0.0

    def statistics(self) -> dict[str, Any]:
        """Return the numbers as JSON values, as a run keeps them."""
        return {
            "processed_nodes": self.processed_nodes,
            "written_chunks": self.written_chunks,
            "skipped_chunks": self.skipped_chunks,
            "deleted_chunks": self.deleted_chunks,
            "errors": self.errors,
            "pages": self.pages,
            "duration": round(self.seconds, 3),
            "rate": round(self.rate, 1),
            "notes": list(self.notes),
        }


def plan_id(owner: str, source: str, kind: str, number: int = 0) -> str:
    """Return the id of a plan.

    Args:
        owner: The node's id, or the path of a file where there is no node.
        source: `code` or `doc`.
        kind: `snippet` or `explanation`.
        number: Which part of the node it is.
    """
    whole = f"{owner}:{source}:{kind}"
    return f"{whole}:{number}" if number else whole


def priority_for(kind: NodeKind) -> int:
    """Return how urgent a node of a kind is."""
    return _PRIORITIES.get(kind, 0)


def content_key(*parts: str | None) -> str:
    """Return a hash of texts, the same wherever and whenever it is made."""
    digest = blake2b(digest_size=16)
    for part in parts:
        data = b"\xff" if part is None else part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
