"""Stage `render-doc`: the documentation of a node as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.stored import ChunkValues, StageOutcome
from outcrop.planning.plans import text_hash
from outcrop.text.language import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.node import Node
    from outcrop.model.stored import StoredChunk
    from outcrop.pipeline.stage import StageContext

NAME = "render-doc"
_FENCE = "```"


class RenderDoc:
    """Fills `content` of chunks of documentation from signature and comment."""

    name = NAME

    def run(
        self, batch: Sequence[StoredChunk], context: StageContext
    ) -> list[StageOutcome]:
        """Render the documentation of chunks; see `Stage`."""
        ids = {chunk.node_id for chunk in batch if chunk.node_id is not None}
        nodes = context.nodes(ids)
        return [
            _render(chunk, nodes.get(chunk.node_id or ""), context) for chunk in batch
        ]


def _render(
    chunk: StoredChunk, node: Node | None, context: StageContext
) -> StageOutcome:
    if node is None:
        reason = f"node {chunk.node_id} no longer exists: index {chunk.path} again"
        return StageOutcome.failed(chunk.id, reason, is_stale=True)
    content = render(node)
    source = node.source_code
    return StageOutcome(
        chunk_id=chunk.id,
        values=ChunkValues(
            content=content,
            content_raw=source,
            content_hash=text_hash(content),
            token_count=context.count(content if source is None else source),
            lang_detected=detect_language(node.doc_comment or "") or node.lang,
        ),
    )


def render(node: Node) -> str:
    """Return signature and documentation of a node as Markdown."""
    parts = [f"### `{node.fqn}`"]
    if node.http_path:
        parts.append(f"`{node.http_method or 'ANY'} {node.http_path}`")
    if node.signature and node.signature.strip():
        lines = [*node.annotations, node.signature.strip()]
        parts.append(fenced("\n".join(lines), node.lang))
    if node.doc_comment and node.doc_comment.strip():
        parts.append(node.doc_comment.strip())
    return "\n\n".join(parts)


def fenced(code: str, lang: str | None) -> str:
    """Return code as a block of Markdown, with a fence that it does not contain."""
    fence = _FENCE
    while fence in code:
        fence += "`"
    return f"{fence}{lang or ''}\n{code}\n{fence}"
