"""Finding chunks from elsewhere in the text they were cut from.

Another program may know the lines of its chunks alone, or nothing. Their text says
where they lie; headings that were repeated before it are no part of it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.model.chunk import Chunk

_HEADING_LINE = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t][^\r\n]*)?(?:\r\n|\r|\n)\s*")


def place_chunks(chunks: Sequence[Chunk], text: str) -> list[Chunk]:
    """Give offsets to those chunks that have none.

    Args:
        chunks: In order; they are not changed.
        text: The text they were cut from.

    Returns:
        The chunks with offsets, and those that are not in the text as they were.
    """
    placed: list[Chunk] = []
    last_start = last_end = 0
    for chunk in chunks:
        found = chunk if chunk.has_span else _place(chunk, text, last_start, last_end)
        if found.has_span:
            last_start, last_end = found.start_offset, found.end_offset
        placed.append(found)
    return placed


def _place(chunk: Chunk, text: str, last_start: int, last_end: int) -> Chunk:
    for prefix, own in _readings(chunk):
        start = text.find(own, last_end)
        if start < 0:  # chunks of others may overlap
            start = text.find(own, last_start)
        if start >= 0:
            return replace(
                chunk, prefix=prefix, start_offset=start, end_offset=start + len(own)
            )
    return chunk


def _readings(chunk: Chunk) -> Iterator[tuple[str, str]]:
    """What may be repeated in a chunk, with the rest: ever more headings."""
    content = chunk.content
    end = len(content) - len(chunk.suffix)
    start = len(chunk.prefix)
    while content[start:end].strip():
        yield content[:start], content[start:end]
        heading = _HEADING_LINE.match(content, start, end)
        if heading is None:
            return
        start = heading.end()
