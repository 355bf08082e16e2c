"""Stage `extract-snippet`: the text of a chunk of code, read from its file.

The file may have changed since it was planned. Its text is compared with what the plan
was made from, and a chunk that does not match is reported to be planned again.

A node without a file, such as a package that several files share, is given an outline of
what it contains.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from outcrop.model.edge import EdgeKind
from outcrop.pipeline.stage import ChunkValues, Facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.pipeline.stage import StageContext, StagedChunk

NAME = "extract-snippet"


class ExtractSnippet:
    """Fills `content` and `content_raw` of chunks of code."""

    name = NAME

    def run(self, batch: Sequence[StagedChunk], context: StageContext) -> list[Facts]:
        """Read the text of chunks; see `Stage`."""
        outlines = _outlines([c for c in batch if not _has_file(c)], context)
        texts: dict[str, str | None] = {}
        for chunk in batch:
            if chunk.id not in outlines and chunk.path not in texts:
                texts[chunk.path] = context.read_text(chunk.path)
        return [
            outlines[chunk.id]
            if chunk.id in outlines
            else _extract(chunk, texts[chunk.path], context)
            for chunk in batch
        ]


def _extract(chunk: StagedChunk, text: str | None, context: StageContext) -> Facts:
    if text is None:
        reason = f"{chunk.path} is gone or cannot be read: index it again"
        return Facts.failed(chunk.id, reason, is_stale=True)
    own = _own_text(chunk, text)
    expected = chunk.pipeline.get("text_hash")
    if own is None or (expected is not None and text_hash(own) != expected):
        reason = f"{chunk.path} has changed since it was planned: index it again"
        return Facts.failed(chunk.id, reason, is_stale=True)
    content = f"{chunk.prefix}{own}{chunk.suffix}"
    values = _values(content, context)
    values["content_raw"] = own
    if chunk.start_offset is None:
        start = text.find(own)
        values["start_offset"], values["end_offset"] = start, start + len(own)
    return Facts(chunk_id=chunk.id, values=values)


def _has_file(chunk: StagedChunk) -> bool:
    params = chunk.pipeline.get("params", {})
    return bool(params.get("filePath", chunk.path))


def _outlines(chunks: Sequence[StagedChunk], context: StageContext) -> dict[str, Facts]:
    """Return what nodes without a file consist of, by the id of their chunk."""
    ids = {chunk.node_id for chunk in chunks if chunk.node_id is not None}
    if not ids:
        return {}
    nodes = context.nodes(ids)
    edges = context.edges_from(ids)
    places = context.places({edge.dst for found in edges.values() for edge in found})
    facts = {}
    for chunk in chunks:
        node = nodes.get(chunk.node_id or "")
        if node is None:
            reason = f"node {chunk.node_id} is no more: index {chunk.path} again"
            facts[chunk.id] = Facts.failed(chunk.id, reason, is_stale=True)
            continue
        members = [
            f"- {places[edge.dst].kind.lower()} {places[edge.dst].name}"
            for edge in edges.get(node.id, ())
            if edge.kind == EdgeKind.CONTAINS and edge.dst in places
        ]
        title = f"{node.kind.lower()} {node.fqn}"
        content = node.source_code or "\n".join([title, *sorted(members)])
        facts[chunk.id] = Facts(chunk_id=chunk.id, values=_values(content, context))
    return facts


def _values(content: str, context: StageContext) -> ChunkValues:
    return ChunkValues(
        content=content,
        content_raw=content,
        content_hash=text_hash(content),
        token_count=context.count(content),
    )


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _own_text(chunk: StagedChunk, text: str) -> str | None:
    """Return the text at a chunk's place; None where the file is too short for it."""
    if chunk.start_offset is not None and chunk.end_offset is not None:
        own = text[chunk.start_offset : chunk.end_offset]
        return own if len(own) == chunk.end_offset - chunk.start_offset else None
    if chunk.start_line is None or chunk.end_line is None:
        return text
    lines = text.split("\n")
    if chunk.end_line > len(lines):
        return None
    return "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
