"""Quoting the neighbours of a chunk, as metadata: the chunk's own text stays its own."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.chunking.layout import Layout
    from outcrop.model.chunk import Chunk


def quote_neighbours(chunks: list[Chunk], layout: Layout) -> None:
    """Set `previous_content` and `next_content` where there is a neighbour."""
    size = layout.config.overlap
    if not size or not chunks:
        return
    text = layout.document.text
    if layout.config.length is None:
        before = chunks[0]
        start, end, metadata = before.start_offset, before.end_offset, before.metadata
        for after in chunks[1:]:
            tail = _tail(text, start, end, size)
            start, end = after.start_offset, after.end_offset
            metadata["next_content"] = _head(text, start, end, size)
            metadata = after.metadata
            metadata["previous_content"] = tail
        return
    for before, after in pairwise(chunks):
        tail_room, head_room = _room(before, layout), _room(after, layout)
        tail = _tail(text, before.start_offset, before.end_offset, tail_room)
        head = _head(text, after.start_offset, after.end_offset, head_room)
        after.metadata["previous_content"] = _shrink(tail, layout, keep_end=True)
        before.metadata["next_content"] = _shrink(head, layout, keep_end=False)


def _room(chunk: Chunk, layout: Layout) -> int:
    """About how many characters of a chunk make up the overlap."""
    overlap = layout.config.overlap
    own = chunk.end_offset - chunk.start_offset
    return 1 + own * overlap // max(1, layout.sizer.of(chunk.content))


def _tail(text: str, start: int, end: int, size: int) -> str:
    first = end - size
    if first <= start:
        return text[start:end]
    quoted = text[first:end]
    if text[first - 1].isspace():
        return quoted.lstrip()
    words = quoted.split(None, 1)
    return words[1] if len(words) > 1 and not quoted[0].isspace() else quoted.lstrip()


def _head(text: str, start: int, end: int, size: int) -> str:
    last = start + size
    if last >= end:
        return text[start:end]
    quoted = text[start:last]
    if text[last].isspace():
        return quoted.rstrip()
    words = quoted.rsplit(None, 1)
    return words[0] if len(words) > 1 and not quoted[-1].isspace() else quoted.rstrip()


def _shrink(quoted: str, layout: Layout, *, keep_end: bool) -> str:
    """Drop words until the quotation is within the overlap in the user's measure."""
    while quoted and layout.sizer.of(quoted) > layout.config.overlap:
        fewer = len(quoted) * 9 // 10
        quoted = (
            quoted[len(quoted) - fewer :].lstrip()
            if keep_end
            else quoted[:fewer].rstrip()
        )
    return quoted
