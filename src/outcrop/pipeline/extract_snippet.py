"""Stage `extract-snippet`: the text of a chunk of code, read from its file.

The file may have changed since it was planned. Its text is compared with the text that
was planned, and a chunk that does not match is reported as stale, to be planned again.

A node without a file, such as a package of several files, gets an outline of its
members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.edge import EdgeKind
from outcrop.model.stored import ChunkValues, StageOutcome
from outcrop.planning.plans import text_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.stored import StoredChunk
    from outcrop.pipeline.stage import StageContext

NAME = "extract-snippet"
_CONTAINS = EdgeKind.CONTAINS


class ExtractSnippet:
    """Fills `content` of chunks of code, and `content_raw` where that is another text."""

    name = NAME

    def run(
        self, batch: Sequence[StoredChunk], context: StageContext
    ) -> list[StageOutcome]:
        """Read the text of chunks; see `Stage`."""
        outlines = _outlines([c for c in batch if not _has_file(c)], context)
        texts: dict[str, str | None] = {}
        for chunk in batch:
            if chunk.id not in outlines and chunk.path not in texts:
                texts[chunk.path] = context.read_text(chunk.path)
        return [
            outlines[chunk.id]
            if chunk.id in outlines
            else extract(chunk, texts[chunk.path], context.count)
            for chunk in batch
        ]


def extract(
    chunk: StoredChunk, text: str | None, count: Callable[[str], int]
) -> StageOutcome:
    """Cut a chunk out of the text of its file, which is None where it cannot be read."""
    if text is None:
        reason = f"{chunk.path} was deleted or cannot be read: index it again"
        return StageOutcome.failed(chunk.id, reason, is_stale=True)
    span = _span_in(text, chunk)
    own = "" if span is None else text[slice(*span)]
    digest = text_hash(own)
    if span is None or chunk.pipeline.get("text_hash", digest) != digest:
        reason = f"{chunk.path} has changed since it was planned: index it again"
        return StageOutcome.failed(chunk.id, reason, is_stale=True)
    content = f"{chunk.prefix}{own}{chunk.suffix}"
    if content != own:
        digest = text_hash(content)
    values = ChunkValues(
        content=content,
        content_raw=own if content != own else None,
        content_hash=digest,
        token_count=count(content),
    )
    if chunk.start_offset is None:
        values["start_offset"], values["end_offset"] = span
    return StageOutcome(chunk_id=chunk.id, values=values)


def _has_file(chunk: StoredChunk) -> bool:
    params = chunk.pipeline.get("params", {})
    return bool(params.get("filePath", chunk.path))


def _outlines(
    chunks: Sequence[StoredChunk], context: StageContext
) -> dict[str, StageOutcome]:
    """Return the outlines of nodes without a file, by the id of their chunk."""
    ids = {chunk.node_id for chunk in chunks if chunk.node_id is not None}
    if not ids:
        return {}
    nodes = context.nodes(ids)
    edges = context.edges_from(ids)
    refs = context.node_refs({edge.dst for found in edges.values() for edge in found})
    outcomes = {}
    for chunk in chunks:
        node = nodes.get(chunk.node_id or "")
        if node is None:
            reason = f"node {chunk.node_id} no longer exists: index {chunk.path} again"
            outcomes[chunk.id] = StageOutcome.failed(chunk.id, reason, is_stale=True)
            continue
        members = [
            f"- {refs[edge.dst].kind.lower()} {refs[edge.dst].name}"
            for edge in edges.get(node.id, ())
            if edge.kind == _CONTAINS and edge.dst in refs
        ]
        title = f"{node.kind.lower()} {node.fqn}"
        content = node.source_code or "\n".join([title, *sorted(members)])
        values = ChunkValues(
            content=content,
            content_raw=None,
            content_hash=text_hash(content),
            token_count=context.count(content),
        )
        outcomes[chunk.id] = StageOutcome(chunk_id=chunk.id, values=values)
    return outcomes


def _span_in(text: str, chunk: StoredChunk) -> tuple[int, int] | None:
    """Return a chunk's range in its file; None where the file is too short."""
    if chunk.start_offset is not None and chunk.end_offset is not None:
        is_inside = chunk.end_offset <= len(text)
        return (chunk.start_offset, chunk.end_offset) if is_inside else None
    if chunk.start_line is None or chunk.end_line is None:
        return 0, len(text)
    lines = text.split("\n")
    if chunk.end_line > len(lines):
        return None
    start = sum(len(line) + 1 for line in lines[: chunk.start_line - 1])
    own = "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
    return start, start + len(own)
