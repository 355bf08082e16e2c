"""The strategies of the chunker, and how one is chosen for a document."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.chunking.strategy import BaseStrategy, BoundaryStrategy
from outcrop.errors import ChunkConfigError
from outcrop.markdown.document import NESTED, OPENS_ITEM, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.chunking.analysis import ContentAnalysis
    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.layout import Layout

_RULES = {
    int(Kind.FENCE): "code_block",
    int(Kind.INDENTED_CODE): "code_block",
    int(Kind.TABLE): "table",
}
_FIRST_RULE = min(_RULES)
_HEADING = int(Kind.HEADING)
_PARAGRAPH = int(Kind.PARAGRAPH)
_APPENDICES = frozenset({int(Kind.RULE), int(Kind.DEFINITIONS)})


class StructuralStrategy(BoundaryStrategy):
    """Cuts before every heading: for documents with a hierarchy of headings."""

    name = "structural"
    priority = 2

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Whether there are enough headings, on more than one level."""
        return (
            analysis.header_count >= config.structure_threshold
            and analysis.max_header_depth > 1
        )

    def boundaries(self, layout: Layout) -> list[tuple[int, str]]:
        """The start of the document, and each heading."""
        return section_starts(layout)


def section_starts(layout: Layout) -> list[tuple[int, str]]:
    """The first block, and the block of each heading."""
    starts = [(block, "heading") for block in layout.document.heading_blocks]
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0, "document_start"))
    return starts


class CodeAwareStrategy(BoundaryStrategy):
    """Cuts before headings and, in a section too large, around code and tables.

    A code block or table and the paragraph that introduces it form one segment where
    both fit; segments are packed into chunks in order.
    """

    name = "code_aware"
    priority = 1

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
        edges, fits = layout.edges, layout.fits
        surely = limit if layout.adds_up else -1
        starts = section_starts(layout)
        stops = [block for block, _ in starts[1:]]
        stops.append(len(layout.document.blocks))
        cuts: list[tuple[int, str]] = []
        for cut, stop in zip(starts, stops, strict=True):
            cuts.append(cut)
            start, end = edges[cut[0]], edges[stop]
            if end - start > surely and not fits(start, end, limit):
                cuts.extend(_pack(layout, cut[0], stop))
        return cuts


def _pack(layout: Layout, first: int, stop: int) -> Iterator[tuple[int, str]]:
    """Boundaries inside one section: a new chunk where the next segment is too much."""
    budget = layout.config.max_chunk_size
    edges, fits = layout.edges, layout.fits
    segments = list(_segments(layout, first, stop))
    ends = [block for block, _ in segments[1:]]
    ends.append(stop)
    start, used = edges[first], 0
    for (block, rule), following in zip(segments, ends, strict=bool(segments)):
        if not fits(start, edges[following], budget - used):
            yield block, rule
            start = edges[block]
            used = layout.stack_at(block).size


def _segments(layout: Layout, first: int, stop: int) -> Iterator[tuple[int, str]]:
    """Blocks that start a segment, after `first`: code, tables and what follows them."""
    blocks = layout.document.blocks
    kinds, flags = blocks.kinds, blocks.flags
    last = first
    for block, kind in enumerate(kinds[first:stop], first):
        if kind < _FIRST_RULE or kind not in _RULES or flags[block] & NESTED:
            continue
        rule, begin = _RULES[kind], block
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


class FallbackStrategy(BoundaryStrategy):
    """Packs paragraphs and list items without regard to headings: for the rest."""

    name = "fallback"
    priority = 3

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:  # noqa: ARG002 - the signature is the strategies' own
        """Always."""
        return True

    def boundaries(self, layout: Layout) -> list[tuple[int, str]]:
        """A new chunk where the next top-level block is too much."""
        ranks = layout.document.blocks.ranks
        budget = layout.config.limit
        edges = [block for block, rank in enumerate(ranks) if rank == 0 or block == 0]
        edges.append(len(ranks))
        cuts = [(0, "document_start")]
        start, used = layout.start_of(0), 0
        for block, following in pairwise(edges[1:]):
            if not layout.fits(start, layout.start_of(following), budget - used):
                cuts.append((block, "size"))
                start = layout.start_of(block)
                used = layout.stack_at(block).size
        return cuts


class BlocksStrategy(BoundaryStrategy):
    """Makes every block a chunk, so that code and tables are apart from text.

    A list, a quote and a footnote are one block each. A rule and link definitions,
    which say nothing alone, go with the text before them.
    """

    name = "blocks"
    priority = 4
    merges_small = False

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:  # noqa: ARG002 - the signature is the strategies' own
        """Never: it is used only where it is named."""
        return False

    def boundaries(self, layout: Layout) -> list[tuple[int, str]]:
        """The start of each top-level block."""
        blocks = layout.document.blocks
        kinds, flags = blocks.kinds, blocks.flags
        cuts = [(0, "document_start")]
        for block in range(1, len(blocks)):
            if blocks.ranks[block]:
                continue
            first = cuts[-1][0]
            is_item = flags[block] & flags[first] & OPENS_ITEM
            is_appendix = kinds[block] in _APPENDICES and kinds[first] not in _RULES
            if not is_item and not is_appendix:
                is_heading = kinds[block] == _HEADING
                cuts.append((block, "heading" if is_heading else "block"))
        return cuts


STRATEGIES: tuple[BaseStrategy, ...] = (
    CodeAwareStrategy(),
    StructuralStrategy(),
    FallbackStrategy(),
    BlocksStrategy(),
)


class StrategySelector:
    """Chooses the strategy of a document: the first that can handle it, by priority.

    Args:
        strategies: The strategies to choose from, in any order; those of this package
            by default. A lower `priority` comes first.

    Attributes:
        strategies: The same, ordered by priority.
    """

    def __init__(self, strategies: Iterable[BaseStrategy] | None = None) -> None:
        available = STRATEGIES if strategies is None else strategies
        self.strategies = sorted(available, key=lambda strategy: strategy.priority)

    def select(self, analysis: ContentAnalysis, config: ChunkConfig) -> BaseStrategy:
        """Return the strategy that `config` names, or the first that can handle it."""
        if config.strategy is not None:
            return self.named(config.strategy)
        for strategy in self.strategies:
            if strategy.can_handle(analysis, config):
                return strategy
        return self.strategies[-1]

    def sees_whole_text(self, config: ChunkConfig) -> bool:
        """Whether a strategy of the caller may be selected: it sees the whole text."""
        if config.strategy is not None:
            return self.named(config.strategy) not in STRATEGIES
        return any(strategy not in STRATEGIES for strategy in self.strategies)

    def named(self, name: str) -> BaseStrategy:
        """Return the strategy with a name.

        Raises:
            ChunkConfigError: No strategy has this name.
        """
        for strategy in self.strategies:
            if strategy.name == name:
                return strategy
        known = ", ".join(self.get_available_strategies())
        raise ChunkConfigError("strategy", name, f"it must be one of {known}")

    def get_available_strategies(self) -> list[str]:
        """Return the names of all strategies, ordered by priority."""
        return [strategy.name for strategy in self.strategies]
