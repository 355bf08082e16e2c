"""The text of a document, put together from what is stored of it.

Files are not read: what is shown is what was indexed, to the character where the store
knows the white space between chunks, and else with as much of it as there was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.sections import own_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.stored import StoredChunk


def leaves_of(chunks: Sequence[StoredChunk]) -> list[StoredChunk]:
    """Return the chunks that hold the text, in the order of the text."""
    placed = [chunk for chunk in chunks if chunk.is_leaf and _has_span(chunk)]
    placed.sort(key=lambda chunk: (chunk.start_offset or 0, chunk.chunk_index))
    leaves: list[StoredChunk] = []
    end = 0
    for chunk in placed:
        # What repeats text that came before, such as a summary, is no text of its own.
        if (chunk.start_offset or 0) >= end and own_text(chunk):
            leaves.append(chunk)
            end = chunk.end_offset or 0
    return leaves


def text_of(leaves: Sequence[StoredChunk]) -> str:
    """Return the text that leaves cover, from the document's first character on."""
    pieces: list[str] = []
    at, line = 0, 1
    for leaf in leaves:
        start = leaf.start_offset or 0
        text = own_text(leaf)
        if start > at:
            lines = max((leaf.start_line or 1) - line, 0) if not leaf.prefix else 1
            pieces.append(_blank(start - at, lines))
        gap = str(leaf.metadata.get("gap_after", ""))
        pieces += (text, gap)
        at = start + len(text) + len(gap)
        line = (leaf.end_line or 1) + gap.count("\n")
    return "".join(pieces)


def _blank(length: int, lines: int) -> str:
    """Return white space of a length, with as many line ends as fit."""
    breaks = min(length, lines)
    return "\n" * breaks + " " * (length - breaks)


def _has_span(chunk: StoredChunk) -> bool:
    return chunk.start_offset is not None and chunk.end_offset is not None
