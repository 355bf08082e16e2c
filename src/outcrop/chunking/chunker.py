"""The chunker: one stage after the other, each in a module of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.chunking.analysis import analyse
from outcrop.chunking.config import ChunkConfig
from outcrop.chunking.headers import HeaderProcessor
from outcrop.chunking.hierarchy_builder import HierarchyBuilder
from outcrop.chunking.invariants import check_spans
from outcrop.chunking.layout import Layout
from outcrop.chunking.merge import merge_small
from outcrop.chunking.metadata import MetadataRecalculator
from outcrop.chunking.outline import separate_empty_headings
from outcrop.chunking.overlap import quote_neighbours
from outcrop.chunking.section_splitter import SectionSplitter
from outcrop.chunking.strategies import StrategySelector, StructuralStrategy

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.hierarchy import HierarchicalChunkingResult
    from outcrop.model.chunk import Chunk

PARSE_WARNING = "the Markdown parser failed; the text was cut as plain paragraphs"


class MarkdownChunker:
    """Cuts Markdown into chunks that keep every promise of `docs/concepts/chunking.md`.

    Attributes:
        config: The settings.
    """

    def __init__(self, config: ChunkConfig | None = None) -> None:
        self.config = config or ChunkConfig()
        self._selector = StrategySelector()

    def chunk(self, md_text: str) -> list[Chunk]:
        """Cut a document.

        Args:
            md_text: Markdown; anything that is a `str`.

        Returns:
            The chunks in order; none where the text is blank.

        Raises:
            TypeError: If `md_text` is not a `str`.
        """
        check_text(md_text)
        if not md_text or md_text.isspace():
            return []
        analysis = analyse(md_text)
        strategy = self._selector.select(analysis, self.config)
        layout = Layout(analysis.document, self.config)
        drafts = merge_small(strategy.drafts(layout), layout)
        return self._finish(drafts, layout, strategy.name)

    def chunk_hierarchical(self, md_text: str) -> HierarchicalChunkingResult:
        """Cut a document into a tree of sections whose leaves are chunks.

        Small sections are not merged: each is a leaf, or several where it had to be
        split.

        Args:
            md_text: Markdown; anything that is a `str`.

        Returns:
            The tree; empty where the text is blank.

        Raises:
            TypeError: If `md_text` is not a `str`.
        """
        check_text(md_text)
        builder = HierarchyBuilder(self.config.include_document_summary)
        if not md_text or md_text.isspace():
            return builder.build([], md_text)
        analysis = analyse(md_text)
        document = analysis.document
        strategy = self._selector.select(analysis, self.config)
        if document.headings and strategy.name == "fallback":
            strategy = StructuralStrategy()  # a tree is made of sections
        layout = Layout(document, self.config)
        separate_empty_headings(document, layout.glued)
        leaves = self._finish(strategy.drafts(layout), layout, strategy.name)
        return builder.build_over(leaves, document)

    def _finish(
        self, drafts: list[Draft], layout: Layout, strategy: str
    ) -> list[Chunk]:
        """Run the stages that are common to flat and hierarchical chunking."""
        drafts[0].stage, drafts[0].rule = "document", "start"
        drafts = HeaderProcessor(layout).prevent_dangling_headers(drafts)
        drafts = SectionSplitter(layout).split_oversize_sections(drafts)
        chunks = MetadataRecalculator(layout, strategy).recalculate_all(drafts)
        quote_neighbours(chunks, layout)
        check_spans(chunks, layout.document.text)
        if layout.document.is_plain:
            for chunk in chunks:
                chunk.metadata["parse_warning"] = PARSE_WARNING
        return chunks

    def get_available_strategies(self) -> list[str]:
        """Return the names of all strategies, ordered by priority."""
        return self._selector.get_available_strategies()


def check_text(text: object) -> None:
    """Raise `TypeError` for anything that is not a `str`."""
    if not isinstance(text, str):
        hint = "; decode it first" if isinstance(text, bytes | bytearray) else ""
        raise TypeError(
            f"the text to chunk must be a str, not {type(text).__name__}{hint}"
        )
