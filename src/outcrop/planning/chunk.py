"""The stored chunk of a plan, with its `pipeline` values.

`pipeline` holds the plan's `stages`, `params` and `service`; three hashes, `plan_key` of
the whole plan, `content_key` of everything the content is made from, and `links_key` of
the relations; `text_hash`, the SHA-256 of the chunk's own text; and `done`, the stages
that are complete.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from outcrop.model.stored import StoredChunk
from outcrop.planning.plans import content_key

if TYPE_CHECKING:
    from outcrop.planning.plans import ChunkPlan

LEVEL = 1


def planned_chunk(plan: ChunkPlan, application_id: str) -> StoredChunk:
    """Return the chunk of a plan: without content, and not yet searchable.

    Args:
        plan: The plan.
        application_id: The application it was planned for.
    """
    lines = plan.span_lines or (None, None)
    chars = plan.span_chars or (None, None)
    return StoredChunk(
        path=plan.path,
        chunk_id=plan.id,
        source=plan.source,
        kind=plan.kind,
        content="",
        prefix=plan.prefix,
        suffix=plan.suffix,
        chunk_index=plan.order,
        lang_detected=plan.lang,
        start_line=lines[0],
        end_line=lines[1],
        start_offset=chars[0],
        end_offset=chars[1],
        title=plan.title,
        section_path=plan.section_path,
        level=LEVEL,
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
        pipeline=pipeline_values(plan),
        metadata=plan.metadata,
    )


def pipeline_values(plan: ChunkPlan) -> dict[str, Any]:
    """Return the `pipeline` column of a planned chunk, as JSON values."""
    pipeline = plan.pipeline
    service = pipeline.service
    # Tuples of plain values: the repr of dataclasses takes ten times as long.
    relations = [(r.kind, r.dst_node_id, r.confidence) for r in plan.relations]
    whole = (
        plan.content_key, plan.node_id, plan.lang, plan.span_lines, plan.span_chars,
        plan.order, plan.title, plan.section_path, relations, plan.metadata,
        pipeline.stages, pipeline.params, service.strategy, service.priority,
    )  # fmt: skip
    values: dict[str, Any] = {
        "stages": list(pipeline.stages),
        "params": pipeline.params,
        "service": {"strategy": service.strategy, "priority": service.priority},
        "plan_key": content_key(repr(whole)),
        "content_key": plan.content_key,
        "links_key": content_key(repr(relations)),
    }
    own = plan.own_text
    if plan.source == "code" and own is not None:
        digest = sha256(own.encode("utf-8", "surrogatepass"))
        values["text_hash"] = digest.hexdigest()
    return values
