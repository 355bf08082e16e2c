"""For documents with code or tables: what explains a block stays with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.chunking.strategies.strategy import BaseStrategy
from outcrop.chunking.strategies.structural import section_starts
from outcrop.markdown.document import NESTED, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.analysis import ContentAnalysis
    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.layout import Layout

_RULES = {
    int(Kind.FENCE): "code_block",
    int(Kind.INDENTED_CODE): "code_block",
    int(Kind.TABLE): "table",
}
_PARAGRAPH = int(Kind.PARAGRAPH)


class CodeAwareStrategy(BaseStrategy):
    """Cuts before headings and, in a section too large, around code and tables.

    A code block or table and the paragraph that introduces it form one segment where
    both fit; segments are packed into chunks in order.
    """

    @property
    def name(self) -> str:
        """`code_aware`."""
        return "code_aware"

    @property
    def priority(self) -> int:
        """First: code and tables are what other ways of cutting hurt most."""
        return 1

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Whether there is any code or table."""
        return (
            analysis.code_ratio >= config.code_threshold
            or analysis.code_block_count >= 1
            or analysis.table_count >= 1
        )

    def boundaries(self, layout: Layout) -> list[tuple[int, str]]:
        """Section starts, and edges of code and tables where a section is too large."""
        limit = layout.config.limit
        starts = section_starts(layout)
        stops = [block for block, _ in starts[1:]]
        stops.append(len(layout.document.blocks))
        cuts: list[tuple[int, str]] = []
        for (first, rule), stop in zip(starts, stops, strict=True):
            cuts.append((first, rule))
            if not layout.fits(layout.start_of(first), layout.start_of(stop), limit):
                cuts.extend(_pack(layout, first, stop))
        return cuts


def _pack(layout: Layout, first: int, stop: int) -> Iterator[tuple[int, str]]:
    """Boundaries inside one section: a new chunk where the next segment is too much."""
    budget = layout.config.max_chunk_size
    segments = list(_segments(layout, first, stop))
    ends = [block for block, _ in segments[1:]]
    ends.append(stop)
    start, used = layout.start_of(first), 0
    for (block, rule), following in zip(segments, ends, strict=bool(segments)):
        if not layout.fits(start, layout.start_of(following), budget - used):
            yield block, rule
            start = layout.start_of(block)
            used = layout.stack_at(block).size


def _segments(layout: Layout, first: int, stop: int) -> Iterator[tuple[int, str]]:
    """Blocks that start a segment, after `first`: code, tables and what follows them."""
    blocks = layout.document.blocks
    kinds, flags = blocks.kinds, blocks.flags
    last = first
    for block in range(first, stop):
        rule = _RULES.get(kinds[block])
        if rule is None or flags[block] & NESTED:
            continue
        begin = block
        if block - 1 >= last and _introduces(layout, block - 1, block):
            begin = block - 1
        if begin > last:
            yield begin, rule
        last = block + 1
        if last < stop:
            yield last, "after_" + rule


def _introduces(layout: Layout, paragraph: int, block: int) -> bool:
    """Whether a plain paragraph stands right before a block and both fit together."""
    blocks = layout.document.blocks
    if blocks.kinds[paragraph] != _PARAGRAPH or blocks.flags[paragraph] & NESTED:
        return False
    start, end = layout.start_of(paragraph), layout.start_of(block + 1)
    return layout.fits(start, end, layout.config.max_chunk_size)
