"""The text of a document, assembled from its stored chunks.

Files are not read: the result is the indexed text. It is exact where the store has the
white space between chunks; otherwise the white space only has the same length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.passages import own_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.stored import StoredChunk


def leaves_of(chunks: Sequence[StoredChunk]) -> list[StoredChunk]:
    """Return the chunks that hold the text, in order."""
    placed = [chunk for chunk in chunks if chunk.is_leaf and _has_span(chunk)]
    placed.sort(key=lambda chunk: (chunk.start_offset or 0, chunk.place))
    leaves: list[StoredChunk] = []
    end = 0
    for chunk in placed:
        # A chunk that repeats earlier text, such as a summary, is left out.
        if (chunk.start_offset or 0) >= end and own_text(chunk):
            leaves.append(chunk)
            end = chunk.end_offset or 0
    return leaves


def text_of(leaves: Sequence[StoredChunk]) -> str:
    """Return the text of leaves, from the document's first character."""
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
    """Return white space of a length, with as many newlines as fit."""
    breaks = min(length, lines)
    return "\n" * breaks + " " * (length - breaks)


def _has_span(chunk: StoredChunk) -> bool:
    return chunk.start_offset is not None and chunk.end_offset is not None
