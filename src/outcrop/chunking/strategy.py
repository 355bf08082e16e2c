"""What a strategy is: a first proposal of where to cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from outcrop.chunking.draft import Draft
from outcrop.chunking.layout import Layout

if TYPE_CHECKING:
    from outcrop.chunking.analysis import ContentAnalysis
    from outcrop.chunking.config import ChunkConfig
    from outcrop.model.chunk import Chunk


class BaseStrategy(ABC):
    """Proposes boundaries between blocks; later stages correct and refine them."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in configuration and metadata."""

    @property
    @abstractmethod
    def priority(self) -> int:
        """Place in the order in which strategies are tried; lower comes first."""

    @abstractmethod
    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Whether the strategy can cut a document of this content."""

    @abstractmethod
    def boundaries(self, layout: Layout) -> list[tuple[int, str]]:
        """Blocks that start a chunk, ascending, each with its rule.

        The first pair is for block 0. Stretches over the limit are fine: they are cut
        by a later stage.
        """

    def drafts(self, layout: Layout) -> list[Draft]:
        """The boundaries as drafts."""
        cuts = self.boundaries(layout)
        ends = [block for block, _ in cuts[1:]]
        ends.append(len(layout.document.blocks))
        start_of = layout.start_of
        return [
            Draft(block, stop, start_of(block), start_of(stop), "strategy", rule)
            for (block, rule), stop in zip(cuts, ends, strict=True)
        ]

    def apply(
        self, md_text: str, analysis: ContentAnalysis, config: ChunkConfig
    ) -> list[Chunk]:
        """Cut a text by this strategy alone, without the stages that follow.

        Args:
            md_text: The text; it has to be the one that was analysed.
            analysis: What `analyse(md_text)` gave.
            config: Sizes and thresholds.

        Returns:
            Chunks that may end in a heading or exceed the limit.
        """
        from outcrop.chunking.metadata import MetadataRecalculator

        if analysis.document.text != md_text:
            raise ValueError("the analysis is of another text than the one given")
        if not md_text.strip():
            return []
        layout = Layout(analysis.document, config)
        recalculator = MetadataRecalculator(layout, self.name)
        return recalculator.recalculate_all(self.drafts(layout))
