"""One chunk per node: its documentation where it has some, else its code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from outcrop.model.edge import EdgeKind
from outcrop.planning.plans import (
    DEFAULT_CONFIDENCE,
    ChunkPlan,
    PipelinePlan,
    RelationHint,
    ServiceMeta,
    content_key,
    plan_id,
    priority_for,
)
from outcrop.text.language import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node

DOC_STAGES = ("render-doc", "embed", "link-edges")
CODE_STAGES = ("extract-snippet", "summarize", "embed", "link-edges")

_CALLS = EdgeKind.CALLS
_SEPARATOR = re.compile(r"::|[./\\#]")


class PerNodeChunkStrategy:
    """Plans one chunk per node.

    A node with a signature or a documentation comment becomes a DOC chunk, which holds
    those two and no body. Any other becomes a CODE chunk, which holds its source.
    """

    name = "per-node"

    def build_chunks(self, node: Node, edges: Sequence[Edge]) -> list[ChunkPlan]:
        """Return the one plan of a node; see `ChunkStrategy`."""
        signature, comment = node.signature or "", node.doc_comment or ""
        if not signature.strip() and not comment.strip():
            return [self._code(node, edges)]
        has_comment = bool(comment.strip())
        pipeline = PipelinePlan(
            stages=DOC_STAGES,
            params={"signature": signature, "hasDocComment": has_comment},
            service=self._service(node),
        )
        key = content_key("doc", signature, comment, node.fqn, node.source_code)
        # Names do not show which natural language is used.
        return [_plan(node, edges, detect_language(comment), pipeline, key)]

    def _code(self, node: Node, edges: Sequence[Edge]) -> ChunkPlan:
        pipeline = PipelinePlan(
            stages=CODE_STAGES,
            params={
                "filePath": node.file_path or "",
                "hasSourceInNode": node.source_code is not None,
            },
            service=self._service(node),
        )
        key = content_key("code", node.source_code, node.fqn)
        return _plan(node, edges, node.lang, pipeline, key)

    def _service(self, node: Node) -> ServiceMeta:
        return ServiceMeta(strategy=self.name, priority=priority_for(node.kind))


def _plan(
    node: Node,
    edges: Iterable[Edge],
    lang: str | None,
    pipeline: PipelinePlan,
    key: str,
) -> ChunkPlan:
    is_doc = pipeline.stages == DOC_STAGES
    source, kind = ("doc", "explanation") if is_doc else ("code", "snippet")
    return ChunkPlan(
        id=plan_id(node.id, source, kind),
        node_id=node.id,
        source=source,
        kind=kind,
        lang=lang,
        span_lines=_range(node.line_start, node.line_end),
        title=node.fqn,
        section_path=section_path(node),
        relations=call_relations(edges),
        pipeline=pipeline,
        node=node,
        path=node.file_path or node.fqn,
        order=node.start_offset or 0,
        span_chars=_range(node.start_offset, node.end_offset),
        content_key=key,
        metadata=node_metadata(node),
    )


def node_metadata(node: Node) -> dict[str, Any]:
    """Return what the metadata of a chunk says about its node."""
    values: dict[str, Any] = {"fqn": node.fqn, "node_kind": str(node.kind)}
    if node.signature:
        values["signature"] = node.signature
    return values


def _range(start: int | None, end: int | None) -> tuple[int, int] | None:
    return None if start is None or end is None else (start, end)


def call_relations(edges: Iterable[Edge]) -> tuple[RelationHint, ...]:
    """Return the calls among some edges, with the confidence of their labels."""
    return tuple(
        [_hint(edge.dst, _confidence(edge)) for edge in edges if edge.kind == _CALLS]
    )


@lru_cache(maxsize=16384)  # a few functions are called from everywhere
def _hint(dst: str, confidence: float) -> RelationHint:
    return RelationHint(kind=str(_CALLS), dst_node_id=dst, confidence=confidence)


def _confidence(edge: Edge) -> float:
    # A graph from another builder may have edges without a label.
    known: float | None = edge.confidence
    return DEFAULT_CONFIDENCE if known is None else known


def section_path(node: Node) -> tuple[str, ...]:
    """Return the packages of a node and its own name."""
    return (*_packages(node.package_name), *([node.name] if node.name else []))


def qualified_path(node: Node) -> tuple[str, ...]:
    """Return the packages of a node and the names from there down to it."""
    package = node.package_name or ""
    inner = node.fqn
    if package and inner.startswith(package) and len(inner) > len(package):
        inner = inner[len(package) :]
    elif package:
        # In some languages the file is not part of qualified names.
        package = ""
    name, bracket, parameters = inner.partition("(")
    parts = _parts(name)
    if parts and bracket:
        parts[-1] += f"({parameters}"
    return (*_packages(package), *parts)


def _packages(name: str | None) -> list[str]:
    # A package that is a path has dots in its folders: github.com/pkg/errors.
    return [p for p in name.split("/") if p] if name and "/" in name else _parts(name)


def _parts(name: str | None) -> list[str]:
    return [part for part in _SEPARATOR.split(name or "") if part]
