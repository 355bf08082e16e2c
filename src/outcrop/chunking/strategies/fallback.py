"""For everything else: paragraphs in order, as many as fit."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.chunking.strategies.strategy import BaseStrategy

if TYPE_CHECKING:
    from outcrop.chunking.analysis import ContentAnalysis
    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.layout import Layout


class FallbackStrategy(BaseStrategy):
    """Packs paragraphs and list items without regard to headings."""

    @property
    def name(self) -> str:
        """`fallback`."""
        return "fallback"

    @property
    def priority(self) -> int:
        """Last."""
        return 3

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
