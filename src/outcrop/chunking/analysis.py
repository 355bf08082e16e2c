"""Counts over a document, for choosing a strategy."""

from __future__ import annotations

from dataclasses import dataclass, field

from outcrop.markdown import Document, Kind, parse
from outcrop.markdown.document import ALL_FLAGS, OPENS_ITEM
from outcrop.text.offsets import LineCounter

_CODE = frozenset({int(Kind.FENCE), int(Kind.INDENTED_CODE)})


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
    code_blocks = [i for kind in _CODE for i in _positions(kinds, kind)]
    total = len(document.text)
    edges = document.blocks.starts[:]
    edges.append(total)
    code_chars = sum(edges[i + 1] - edges[i] for i in code_blocks)
    return ContentAnalysis(
        total_chars=total,
        code_ratio=code_chars / total if total else 0.0,
        code_block_count=len(code_blocks),
        table_count=kinds.count(int(Kind.TABLE)),
        list_item_count=_count_flag(document.blocks.flags, OPENS_ITEM),
        header_count=len(document.headings),
        max_header_depth=max((h.level for h in document.headings), default=0),
        document=document,
    )


def _count_flag(flags: bytearray, flag: int) -> int:
    """How many bytes have a flag set; counting values is faster than looping."""
    return sum(flags.count(value) for value in range(ALL_FLAGS + 1) if value & flag)


def _positions(kinds: bytearray, kind: int) -> list[int]:
    found: list[int] = []
    at = kinds.find(kind)
    while at >= 0:
        found.append(at)
        at = kinds.find(kind, at + 1)
    return found
