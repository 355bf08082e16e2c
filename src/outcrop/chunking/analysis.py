"""Counts over a document, for choosing a strategy."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress

from outcrop.markdown import Document, Kind, parse
from outcrop.markdown.document import ALL_FLAGS, OPENS_ITEM
from outcrop.text.offsets import LineCounter

_CODE = bytes([Kind.FENCE, Kind.INDENTED_CODE])
_IS_CODE = bytes(kind in _CODE for kind in range(256))  # by kind
_NO_ITEM = bytes(flags for flags in range(ALL_FLAGS + 1) if not flags & OPENS_ITEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentAnalysis:
    """Counts over one document.

    Attributes:
        total_chars: Code points.
        code_ratio: Share of the characters that stand in code blocks, 0 to 1.
        code_block_count: Fenced and indented code blocks, nested ones included.
        table_count: Tables.
        list_item_count: Blocks that start a list item.
        header_count: Top-level headings.
        max_header_depth: The deepest level among them, 0 without any.
        document: The parsed document the counts are of.
    """

    total_chars: int
    code_ratio: float
    code_block_count: int
    table_count: int
    list_item_count: int
    header_count: int
    max_header_depth: int
    document: Document = field(repr=False)

    @property
    def total_lines(self) -> int:
        """Lines, at least 1; counted on access."""
        return LineCounter(self.document.text).line_at(self.total_chars)


def analyse(text: str) -> ContentAnalysis:
    """Parse a text and count what it holds."""
    return analyse_document(parse(text))


def analyse_document(document: Document) -> ContentAnalysis:
    """Count what a parsed document holds."""
    kinds = document.blocks.kinds
    total = len(document.text)
    code_blocks = sum(map(kinds.count, _CODE))
    code_chars = _count_code_chars(document) if code_blocks else 0
    levels = [heading.level for heading in document.headings]
    return ContentAnalysis(
        total_chars=total,
        code_ratio=code_chars / total if total else 0.0,
        code_block_count=code_blocks,
        table_count=kinds.count(int(Kind.TABLE)),
        list_item_count=len(document.blocks.flags.translate(None, _NO_ITEM)),
        header_count=len(levels),
        max_header_depth=max(levels, default=0),
        document=document,
    )


def _count_code_chars(document: Document) -> int:
    starts = document.blocks.starts
    stops = starts[1:]
    stops.append(len(document.text))
    is_code = document.blocks.kinds.translate(_IS_CODE)
    return sum(compress(stops, is_code)) - sum(compress(starts, is_code))
