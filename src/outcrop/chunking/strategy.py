"""The interface of a strategy, which makes the first proposal of where to cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from outcrop.chunking.analysis import analyse_document
from outcrop.chunking.draft import Draft
from outcrop.chunking.layout import Layout
from outcrop.chunking.metadata import MetadataRecalculator
from outcrop.chunking.placement import drafts_of
from outcrop.model.chunk import Chunk

if TYPE_CHECKING:
    from outcrop.chunking.analysis import ContentAnalysis
    from outcrop.chunking.config import ChunkConfig


class BaseStrategy(ABC):
    """Proposes chunks; later stages move headings and split what is too large.

    Attributes:
        merges_small: Whether chunks smaller than `min_chunk_size` are joined with a
            neighbour afterwards.
    """

    merges_small: bool = True

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
    def apply(
        self, md_text: str, analysis: ContentAnalysis, config: ChunkConfig
    ) -> list[Chunk]:
        """Cut a text by this strategy alone, without the stages that follow.

        Args:
            md_text: The text, which is not blank.
            analysis: What `analyse(md_text)` gave.
            config: Sizes and thresholds.

        Returns:
            Chunks in order. They may end in a heading, exceed the limit and leave
            text out: the chunker starts a chunk where each of them starts, and text
            between two of them goes with the first.
        """

    def create_chunk(
        self, md_text: str, start: int, end: int, **metadata: Any
    ) -> Chunk:
        """Return the chunk `md_text[start:end]`, for use in `apply`.

        Args:
            md_text: The whole text.
            start: Where the chunk starts, in code points.
            end: Where it ends, exclusive.
            **metadata: Fields to be kept beside those that the chunker computes.
        """
        first_line = md_text.count("\n", 0, start) + 1
        return Chunk(
            content=md_text[start:end],
            start_line=first_line,
            end_line=first_line + md_text.count("\n", start, max(start, end - 1)),
            start_offset=start,
            end_offset=end,
            metadata={"strategy": self.name, **metadata},
        )

    def drafts(self, layout: Layout) -> list[Draft]:
        """The proposal as drafts that together hold the whole document."""
        document = layout.document
        chunks = self.apply(document.text, analyse_document(document), layout.config)
        return drafts_of(chunks, layout, self.name)


class BoundaryStrategy(BaseStrategy):
    """A strategy that decides between the blocks of the parsed document."""

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
        edges = layout.edges
        return [
            Draft(block, stop, edges[block], edges[stop], "strategy", rule)
            for (block, rule), stop in zip(cuts, ends, strict=True)
        ]

    def apply(
        self, md_text: str, analysis: ContentAnalysis, config: ChunkConfig
    ) -> list[Chunk]:
        """Cut a text by this strategy alone; see `BaseStrategy.apply`."""
        if analysis.document.text != md_text:
            raise ValueError("the analysis is of another text than the one given")
        if not md_text.strip():
            return []
        layout = Layout(analysis.document, config)
        recalculator = MetadataRecalculator(layout, self.name)
        return recalculator.recalculate_all(self.drafts(layout))
