"""The chunker: one stage after the other, each in a module of its own."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from outcrop.chunking.analysis import analyse, analyse_document
from outcrop.chunking.config import ChunkConfig
from outcrop.chunking.headers import keep_headings_with_text
from outcrop.chunking.hierarchy_builder import HierarchyBuilder
from outcrop.chunking.invariants import check_spans
from outcrop.chunking.layout import Layout
from outcrop.chunking.merge import merge_small
from outcrop.chunking.metadata import MetadataRecalculator, warn_if_plain
from outcrop.chunking.outline import part_front_matter, separate_empty_headings
from outcrop.chunking.overlap import quote_neighbours
from outcrop.chunking.section_splitter import split_drafts
from outcrop.chunking.strategies import (
    STRATEGIES,
    StrategySelector,
    StructuralStrategy,
)
from outcrop.collector import call_uncollected
from outcrop.markdown import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from outcrop.chunking.draft import Draft
    from outcrop.chunking.hierarchy import HierarchicalChunkingResult
    from outcrop.chunking.strategy import BaseStrategy
    from outcrop.chunking.streaming.source import TextReader
    from outcrop.markdown import Document
    from outcrop.model.chunk import Chunk

DEFAULT_WINDOW_CHARS = 250_000

_Result = TypeVar("_Result")


class MarkdownChunker:
    """Cuts Markdown into chunks that keep every promise of `docs/concepts/chunking.md`.

    Args:
        config: The settings.
        strategies: Strategies of the caller, which are asked together with those of
            this package in the order of their `priority`, before others of the same
            priority. One with the name of another takes its place.

    Attributes:
        config: The settings.

    Raises:
        ChunkConfigError: `config` names a strategy that does not exist.
    """

    def __init__(
        self,
        config: ChunkConfig | None = None,
        strategies: Iterable[BaseStrategy] = (),
    ) -> None:
        if config is not None and not isinstance(config, ChunkConfig):
            raise TypeError(
                f"config is {config!r}, but it must be a ChunkConfig, as in "
                "MarkdownChunker(ChunkConfig(max_chunk_size=1000))"
            )
        self.config = config or ChunkConfig()
        own = {strategy.name: strategy for strategy in strategies}
        self._has_own_strategies = bool(own)
        others = [strategy for strategy in STRATEGIES if strategy.name not in own]
        self._selector = StrategySelector([*own.values(), *others])
        if self.config.strategy is not None:
            self._selector.named(self.config.strategy)

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
        return self._run(lambda: self._cut(md_text))

    def _run(self, cut: Callable[[], _Result]) -> _Result:
        """Pause the garbage collector, unless code of the caller may make garbage."""
        if self._has_own_strategies or self.config.length is not None:
            return cut()
        return call_uncollected(cut)

    def _cut(self, md_text: str) -> list[Chunk]:
        analysis = analyse(md_text)
        strategy = self._selector.select(analysis, self.config)
        layout = Layout(analysis.document, self.config)
        drafts = strategy.drafts(layout)
        if strategy.merges_small:
            drafts = merge_small(drafts, layout)
        return self._finish(drafts, layout, strategy.name)

    def chunk_stream(
        self, reader: TextReader, *, window_chars: int = DEFAULT_WINDOW_CHARS
    ) -> Iterator[Chunk]:
        """Cut a document that may be larger than memory.

        The chunks are those that `chunk` returns for the same text, one after the
        other. The text is read twice, a window at a time. A window ends before a heading,
        or before a paragraph where the text has no headings; without either, the
        window grows until there is one.

        Args:
            reader: Gives the text by `read(size)`, such as a file opened with
                `encoding="utf-8"` and `newline=""`. One that cannot seek is copied to a
                temporary file first.
            window_chars: How much of the text is in memory at a time.

        Yields:
            The chunks in order; none where the text is blank.

        Raises:
            ValueError: If `window_chars` is below 1.
            InputError: If the reader gives anything but `str`.
        """
        if window_chars < 1:
            raise ValueError(
                f"window_chars is {window_chars!r}, but it must be at least 1"
            )
        return self._stream(reader, window_chars)

    def _stream(self, reader: TextReader, window_chars: int) -> Iterator[Chunk]:
        from outcrop.chunking.streaming.source import Source
        from outcrop.chunking.streaming.stream import stream_chunks

        with closing(Source(reader)) as source:
            if self._selector.sees_whole_text(self.config):
                yield from self.chunk(source.read_all())
            else:
                yield from stream_chunks(
                    source, self._selector, self.config, window_chars
                )

    def chunk_hierarchical(
        self,
        md_text: str,
        *,
        separate_front_matter: bool = False,
        embedded: Sequence[tuple[int, int]] = (),
    ) -> HierarchicalChunkingResult:
        """Cut a document into a tree of sections whose leaves are chunks.

        Small sections are not merged: each is a leaf, or several where it had to be
        split.

        Args:
            md_text: Markdown; anything that is a `str`.
            separate_front_matter: Give front matter a leaf of its own, which is not
                `indexable`, rather than one with the text before the first heading.
            embedded: Spans of whole lines in another language, such as JSX, each of
                which is a block that is never cut.

        Returns:
            The tree; empty where the text is blank.

        Raises:
            TypeError: If `md_text` is not a `str`.
        """
        check_text(md_text)
        builder = HierarchyBuilder(self.config.include_document_summary)
        if not md_text or md_text.isspace():
            return builder.build([], md_text)

        def cut() -> HierarchicalChunkingResult:
            document = parse(md_text, embedded)
            leaves = self._cut_leaves(
                document, separate_front_matter=separate_front_matter
            )
            return builder.build_over(leaves, document)

        return self._run(cut)

    def _cut_leaves(
        self, document: Document, *, separate_front_matter: bool
    ) -> list[Chunk]:
        analysis = analyse_document(document)
        strategy = self._selector.select(analysis, self.config)
        if document.headings and strategy.name == "fallback":
            strategy = StructuralStrategy()  # a tree is made of sections
        layout = Layout(document, self.config)
        separate_empty_headings(document, layout.glued)
        drafts = cut_at_headings(strategy.drafts(layout), layout)
        if separate_front_matter:
            drafts = part_front_matter(drafts, layout)
        return self._finish(drafts, layout, strategy.name)

    def _finish(
        self, drafts: list[Draft], layout: Layout, strategy: str
    ) -> list[Chunk]:
        """Run the stages that are common to flat and hierarchical chunking."""
        drafts[0].stage, drafts[0].rule = "document", "start"
        drafts = keep_headings_with_text(drafts, layout)
        drafts = split_drafts(drafts, layout)
        chunks = MetadataRecalculator(layout, strategy).recalculate_all(drafts)
        quote_neighbours(chunks, layout)
        check_spans(chunks, layout.document.text)
        warn_if_plain(chunks, layout.document)
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


def cut_at_headings(drafts: list[Draft], layout: Layout) -> list[Draft]:
    """Cut drafts at headings, so that each holds one section of the tree."""
    headings = layout.document.heading_blocks
    cut: list[Draft] = []
    for draft in drafts:
        first = bisect_right(headings, draft.first)
        stop = bisect_left(headings, draft.stop)
        for block in headings[first:stop]:
            at = layout.start_of(block)
            rest = replace(draft, first=block, start=at, rule="heading")
            draft.stop, draft.end = block, at
            cut.append(draft)
            draft = rest  # noqa: PLW2901 - what is left of it
        cut.append(draft)
    return cut
