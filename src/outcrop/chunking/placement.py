"""From chunks made elsewhere to drafts: where they lie in the text.

Another program may know the lines of its chunks alone, or nothing. Their text says
where they lie; headings that were repeated before it are not part of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from outcrop.chunking.draft import Draft
from outcrop.chunking.metadata import COMPUTED_FIELDS
from outcrop.errors import InvariantError
from outcrop.markdown.document import Kind
from outcrop.text.boundaries import last_grapheme_boundary
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.chunking.layout import Layout
    from outcrop.model.chunk import Chunk

_CUT_INSIDE = frozenset({int(Kind.PARAGRAPH), int(Kind.DEFINITIONS)})
_MARKERS = re.compile(r"(?:[>\s]|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s))*")
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
    """Yield what may be repeated and what may be own text, with ever more headings."""
    content = chunk.content
    end = len(content) - len(chunk.suffix)
    start = len(chunk.prefix)
    while content[start:end].strip():
        yield content[:start], content[start:end]
        heading = _HEADING_LINE.match(content, start, end)
        if heading is None:
            return
        start = heading.end()


def drafts_of(chunks: Sequence[Chunk], layout: Layout, rule: str) -> list[Draft]:
    """Return drafts that start where chunks start and hold the whole document.

    A start inside a heading, or inside a block that is never cut, moves to the start of
    the block. Text between two chunks goes with the first.

    Raises:
        InvariantError: A chunk is not in the text.
    """
    document = layout.document
    first = (0, layout.start_of(0))
    metadata: dict[tuple[int, int], dict[str, Any]] = {first: {}}
    for index, chunk in enumerate(place_chunks(chunks, document.text)):
        if not chunk.has_span:
            raise InvariantError(
                f"chunk {index} is not in the text: {chunk.content[:40]!r}"
            )
        given = metadata.setdefault(_cut_at(chunk.start_offset, layout), {})
        for name in chunk.metadata.keys() - COMPUTED_FIELDS:
            given.setdefault(name, chunk.metadata[name])
    end = (len(document.blocks), len(document.text))
    edges = [*sorted(metadata.keys() - {end}), end]
    return [
        Draft(
            block,
            _stop(stop, end, layout),
            start,
            end,
            "strategy",
            rule,
            metadata=metadata[block, start],
        )
        for (block, start), (stop, end) in pairwise(edges)
    ]


def _cut_at(offset: int, layout: Layout) -> tuple[int, int]:
    """The block to cut before or inside, and where."""
    document = layout.document
    text, starts = document.text, document.blocks.starts
    block = max(0, bisect_right(starts, offset) - 1)
    start = layout.start_of(block)
    markers = _MARKERS.match(text, start, offset)
    if markers and document.blocks.kinds[block] in _CUT_INSIDE:
        at = last_grapheme_boundary(text, start, offset)
        start = at if at > markers.end() else start
    end = document.block_end(block)
    visible = first_visible(text, start, end)
    if visible == end:  # only white space of the block is left
        return block + 1, end
    is_line = not start or text[start - 1] in "\r\n"
    return block, start if is_line else visible


def _stop(block: int, end: int, layout: Layout) -> int:
    """The block after the last one that a draft reaches into, if it ends at `end`."""
    start = min(layout.start_of(block), end)
    is_before = first_visible(layout.document.text, start, end) == end
    return block if is_before else block + 1
