"""Plans: what a chunk of code will contain, before its text is read.

A plan names the node of a chunk, the place of its text, its relations,
and the stages of the pipeline that fill it. Its id comes from the node, so planning the
same graph again gives the same plans.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.errors import ConfigError
from outcrop.model.node import Node, NodeKind
from outcrop.model.stored import StoredChunk, plain_bytes

if TYPE_CHECKING:
    from collections.abc import Collection

DEFAULT_STRATEGY = "per-node"
DEFAULT_BATCH_SIZE = 200
DEFAULT_CONFIDENCE = 0.7
"""Confidence of a relation whose edge has none."""

_MIN_PAGE_SIZE = 50
_PRIORITIES = {NodeKind.ENDPOINT: 10, NodeKind.METHOD: 10, NodeKind.CLASS: 5}

_LEVEL = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceMeta:
    """The strategy that planned a chunk, and the chunk's priority.

    Attributes:
        strategy: Name of the strategy.
        priority: Chunks with greater values are filled first.
    """

    strategy: str
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelinePlan:
    """The stages that fill a chunk, in order, and their parameters.

    Attributes:
        stages: Names of stages.
        params: JSON values.
        service: The strategy and the priority.
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
    """A planned chunk.

    Attributes:
        id: `"{node_id}:{source}:{kind}"`, later parts of a node add `":{n}"`; the
            chunk's id within its document.
        node_id: The node it belongs to; None for text outside all nodes.
        source: `code` or `doc`.
        kind: `snippet` or `explanation`.
        lang: Language of the text.
        span_lines: First and last line, counted from 1; None without a file.
        title: The qualified name.
        section_path: Packages and names from the outside in.
        relations: What it calls.
        pipeline: The stages that fill it.
        node: The node itself.
        path: The document it is stored under: the node's file, or its qualified name
            where it has none.
        chunk_index: Number of the part of its node, from 0.
        order: Position in its document, in the order of the text; two plans of nodes
            that start together have the same, and the store tells them apart.
        span_chars: Range of its own text in the file, in code points, half-open.
        prefix: Text before its own, such as the signature it continues.
        suffix: Text after its own.
        text: Its own text where planning has cut it; None where it is the node's.
        tokens: The tokens of its content, where planning has counted them.
        content_key: Hash of everything its content is made from; while it stays the
            same, the chunk keeps the results of the stages.
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
    tokens: int | None = None
    content_key: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def own_text(self) -> str | None:
        """The text it was planned from; None where the node has none."""
        if self.text is not None:
            return self.text
        return self.node.source_code if self.node is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkBuildRequest:
    """A request to plan an application.

    Attributes:
        application_id: The application whose nodes are planned.
        strategy: Name of the strategy: `per-node` or `adaptive`.
        dry_run: Count chunks without writing them.
        limit_nodes: Maximum number of nodes; a strategy that plans whole files
            finishes the file.
        batch_size: Nodes to read at once, at least 50.
        include_kinds: Plan only nodes of these kinds; unknown ones are ignored with a
            note, and if none is known all are planned.
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
        if not isinstance(self.application_id, str):
            raise ConfigError(
                f"application_id is {self.application_id!r}, but it must be the name of "
                "an application, as text"
            )
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
        """Number of nodes to read at once."""
        return max(_MIN_PAGE_SIZE, self.batch_size)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkBuildResult:
    """The result of planning.

    Attributes:
        run_id: Id of the run in the store.
        strategy: Name of the strategy.
        dry_run: Whether nothing was written.
        processed_nodes: Nodes that were read.
        written_chunks: Chunks that are new or have changed.
        skipped_chunks: Chunks that were not written: unchanged, or a dry run.
        deleted_chunks: Chunks that no longer have a plan.
        errors: Nodes that could not be planned and plans that could not be written.
        pages: Number of pages of nodes that were read.
        seconds: Duration.
        notes: Remarks for the user, such as kinds that were ignored.
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
        """Nodes per second."""
        return self.processed_nodes / self.seconds if self.seconds else 0.0

    def statistics(self) -> dict[str, Any]:
        """Return the counts as JSON values for the run's statistics."""
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

    The owner is the node's id, or the path of a file where there is no node; parts of a
    node are numbered from 0.
    """
    whole = f"{owner}:{source}:{kind}"
    return f"{whole}:{number}" if number else whole


def priority_for(kind: NodeKind) -> int:
    """Return the priority of nodes of a kind."""
    return _PRIORITIES.get(kind, 0)


def content_key(*parts: str | None) -> str:
    """Return a hash of texts that is the same on every machine and in every run."""
    digest = blake2b(digest_size=16)
    for part in parts:
        data = b"\xff" if part is None else part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def _values_key(values: tuple[Any, ...]) -> str:
    return blake2b(plain_bytes(values), digest_size=16).hexdigest()


class ChunkText(NamedTuple):
    """The text of a chunk of code: with what surrounds it, and its own."""

    content: str
    own: str
    tokens: int


def planned_chunk(
    plan: ChunkPlan, application_id: str, *, text: ChunkText | None = None
) -> StoredChunk:
    """Return the chunk of a plan, not yet searchable.

    It has no content, unless its text is given; the first stage is then done.
    """
    pipeline = pipeline_values(plan)
    digest = raw = None
    if text is not None:
        pipeline["done"] = [plan.pipeline.stages[0]]
        if text.content == text.own:
            digest = pipeline["text_hash"]
        else:
            raw, digest = text.own, text_hash(text.content)
    lines = plan.span_lines or (None, None)
    chars = plan.span_chars or (None, None)
    return StoredChunk(
        path=plan.path,
        chunk_id=plan.id,
        source=plan.source,
        kind=plan.kind,
        content="" if text is None else text.content,
        content_raw=raw,
        content_hash=digest,
        token_count=None if text is None else text.tokens,
        prefix=plan.prefix,
        suffix=plan.suffix,
        chunk_index=plan.chunk_index,
        place=plan.order,
        lang_detected=plan.lang,
        start_line=lines[0],
        end_line=lines[1],
        start_offset=chars[0],
        end_offset=chars[1],
        title=plan.title,
        section_path=plan.section_path,
        level=_LEVEL,
        indexable=False,
        application_id=application_id,
        node_id=plan.node_id,
        relations=[
            {
                "kind": relation.kind,
                "dst_node_id": relation.dst_node_id,
                "confidence": relation.confidence,
            }
            for relation in plan.relations
        ],
        pipeline=pipeline,
        metadata=plan.metadata,
    )


def pipeline_values(plan: ChunkPlan) -> dict[str, Any]:
    """Return the `pipeline` column of a planned chunk, as JSON values.

    `plan_key` is a hash of the whole plan, `content_key` of everything the content is
    made from, `links_key` of the relations, and `text_hash` of the chunk's own text.
    The stages that are complete are added as `done`.
    """
    pipeline = plan.pipeline
    service = pipeline.service
    relations = tuple([(r.kind, r.dst_node_id, r.confidence) for r in plan.relations])
    whole = (
        plan.content_key, plan.node_id, plan.lang, plan.span_lines, plan.span_chars,
        plan.order, plan.title, plan.section_path, relations, plan.metadata,
        pipeline.stages, pipeline.params, service.strategy, service.priority,
    )  # fmt: skip
    values: dict[str, Any] = {
        "stages": list(pipeline.stages),
        "params": pipeline.params,
        "service": {"strategy": service.strategy, "priority": service.priority},
        "plan_key": _values_key(whole),
        "content_key": plan.content_key,
        "links_key": _values_key(relations),
    }
    own = plan.own_text
    if plan.source == "code" and own is not None:
        values["text_hash"] = text_hash(own)
    return values


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
