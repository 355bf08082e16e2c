"""For documents with a hierarchy of headings: a section is a chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.chunking.strategies.strategy import BaseStrategy

if TYPE_CHECKING:
    from outcrop.chunking.analysis import ContentAnalysis
    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.layout import Layout


class StructuralStrategy(BaseStrategy):
    """Cuts before every heading."""

    @property
    def name(self) -> str:
        """`structural`."""
        return "structural"

    @property
    def priority(self) -> int:
        """Second: after code, before everything else."""
        return 2

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
