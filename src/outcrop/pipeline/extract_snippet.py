"""Stage `extract-snippet`: the text of a chunk of code, read from its file.

The file may have changed since it was planned. Its text is compared with what the plan
was made from, and a chunk that does not match is reported to be planned again.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

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
        texts: dict[str, str | None] = {}
        for chunk in batch:
            if chunk.path not in texts:
                texts[chunk.path] = context.read_text(chunk.path)
        return [_extract(chunk, texts[chunk.path], context) for chunk in batch]


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
    values = ChunkValues(
        content=content,
        content_raw=own,
        content_hash=text_hash(content),
        token_count=context.count(content),
        lang_detected=chunk.lang_detected,
    )
    if chunk.start_offset is None:
        start = text.find(own)
        values["start_offset"], values["end_offset"] = start, start + len(own)
    return Facts(chunk_id=chunk.id, values=values)


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
