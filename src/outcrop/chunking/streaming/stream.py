"""The chunks of a text, a window at a time, equal to those of the text as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.chunking.headers import keep_headings_with_text
from outcrop.chunking.invariants import check_spans
from outcrop.chunking.layout import Layout
from outcrop.chunking.metadata import warn_if_plain
from outcrop.chunking.overlap import quote_neighbours
from outcrop.chunking.section_splitter import split_drafts
from outcrop.chunking.streaming.outer import WindowRecalculator, attach, place
from outcrop.chunking.streaming.survey import survey
from outcrop.chunking.streaming.windows import Windows, settle
from outcrop.markdown import Document
from outcrop.markdown.document import Blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.strategies import StrategySelector
    from outcrop.chunking.streaming.source import Source
    from outcrop.chunking.streaming.survey import Survey
    from outcrop.model.chunk import Chunk


def stream_chunks(
    source: Source, selector: StrategySelector, config: ChunkConfig, window: int
) -> Iterator[Chunk]:
    """Cut a text window by window; see `MarkdownChunker.chunk_stream`."""
    known = survey(source, selector, config, window)
    if known.is_blank:
        return
    held: Chunk | None = None  # until its successor is known, which it quotes
    for chunks in _FlatWindows(source, known, config, window):
        if held is not None and chunks:
            _quote(held, chunks[0], config)
        for chunk in chunks:
            if held is not None:
                yield held
            held = chunk
    if held is not None:
        yield held


class _FlatWindows(Windows[list["Chunk"]]):
    """Cuts one window after the other into chunks, with their places in the text."""

    def __init__(
        self, source: Source, known: Survey, config: ChunkConfig, window: int
    ) -> None:
        self._at_paragraphs = _can_cut_at_paragraphs(known, config)
        super().__init__(
            source, known, config, window, at_paragraphs=self._at_paragraphs
        )

    def _cut(self, document: Document) -> list[Chunk] | None:
        strategy, carried = self._known.strategy, self._carried
        is_last = self._buffer.is_last
        layout = Layout(
            attach(document, carried.sections, self._known.title), self._config
        )
        proposed = strategy.drafts(layout)
        drafts, following = settle(
            proposed,
            layout,
            strategy,
            is_last=is_last,
            at_paragraphs=self._at_paragraphs,
        )
        if not drafts:
            return None
        drafts[0].stage, drafts[0].rule = carried.boundary
        drafts = keep_headings_with_text(drafts, layout)
        drafts = split_drafts(drafts, layout)
        recalculator = WindowRecalculator(
            layout, strategy.name, carried, self._known.size
        )
        chunks = recalculator.chunks(drafts, is_last=is_last)
        if not carried.is_first and self._config.overlap:
            chunks[0].metadata["previous_content"] = ""  # its place among the fields
        quote_neighbours(chunks, layout)
        end = len(document.text) if following is None else following.start
        check_spans(chunks, document.text[:end])
        warn_if_plain(chunks, document)
        chunks = [place(chunk, carried) for chunk in chunks]
        if following is not None:
            self._advance(document, recalculator, following)
        return chunks


def _can_cut_at_paragraphs(known: Survey, config: ChunkConfig) -> bool:
    """Whether windows may end before a paragraph: in a text without headings.

    In a section with a heading, parts repeat it and count the whole section. A section
    that fits with its tolerance is not cut around code, and a window does not tell.
    """
    is_exact = (
        known.strategy.name != "code_aware" or config.limit == config.max_chunk_size
    )
    return known.size is not None and is_exact


def _quote(before: Chunk, after: Chunk, config: ChunkConfig) -> None:
    """Let two chunks of different windows quote each other."""
    first, second = _own(before), _own(after)
    text = first + second
    layout = Layout(Document(text, Blocks(), []), config)
    pair = [
        replace(before, start_offset=0, end_offset=len(first)),
        replace(after, start_offset=len(first), end_offset=len(text)),
    ]
    quote_neighbours(pair, layout)  # changes the metadata, which they share


def _own(chunk: Chunk) -> str:
    return chunk.content[len(chunk.prefix) : len(chunk.content) - len(chunk.suffix)]
