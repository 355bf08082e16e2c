"""Chunks of a text, a window at a time: the same chunks as of the whole."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.chunking.chunker import PARSE_WARNING
from outcrop.chunking.headers import keep_headings_with_text
from outcrop.chunking.invariants import check_spans
from outcrop.chunking.layout import Layout
from outcrop.chunking.overlap import quote_neighbours
from outcrop.chunking.section_splitter import split_drafts
from outcrop.chunking.streaming.outer import Carried, WindowRecalculator, attach, place
from outcrop.chunking.streaming.settled import settle
from outcrop.chunking.streaming.source import Buffer
from outcrop.chunking.streaming.survey import survey
from outcrop.chunking.streaming.window import WindowParser, needed_at_start
from outcrop.markdown import Document
from outcrop.markdown.document import Blocks
from outcrop.text.offsets import LineCounter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.strategies import StrategySelector
    from outcrop.chunking.streaming.source import Source
    from outcrop.chunking.streaming.survey import Survey
    from outcrop.model.chunk import Chunk

# The rule of the first boundary in a window, where the strategy would say otherwise.
_FIRST_RULES = {"fallback": "size", "blocks": "heading"}


def stream_chunks(
    source: Source, selector: StrategySelector, config: ChunkConfig, window: int
) -> Iterator[Chunk]:
    """Cut a text window by window; see `MarkdownChunker.chunk_stream`."""
    known = survey(source, selector, config, window)
    if known.is_blank:
        return
    held: Chunk | None = None  # until its successor is known, which it quotes
    for chunks in _Windows(source, known, config, window).chunks():
        if held is not None and chunks:
            _quote(held, chunks[0], config)
        for chunk in chunks:
            if held is not None:
                yield held
            held = chunk
    if held is not None:
        yield held


class _Windows:
    """Works through a text from window to window."""

    def __init__(
        self, source: Source, known: Survey, config: ChunkConfig, window: int
    ) -> None:
        self._buffer = Buffer(source)
        self._known = known
        self._config = config
        self._window = window
        self._parser = WindowParser(known.labels, known.last_closing)
        self._carried = Carried()

    def chunks(self) -> Iterator[list[Chunk]]:
        """The chunks of each window, with their places in the text."""
        self._buffer.fill(1)
        size = max(self._window, needed_at_start(self._buffer.text))
        is_done = False
        while not is_done:
            self._buffer.fill(size)
            is_done = self._buffer.is_last
            document = self._parser.parse(self._buffer)
            chunks = None if document is None else self._cut(document)
            if chunks is None:
                size = 2 * len(self._buffer.text)
                continue
            yield chunks
            size = self._window

    def _cut(self, document: Document) -> list[Chunk] | None:
        """Cut a window and go on after it; None if it has to be longer."""
        strategy, carried = self._known.strategy, self._carried
        is_last = self._buffer.is_last
        layout = Layout(
            attach(document, carried.sections, self._known.title), self._config
        )
        proposed = strategy.drafts(layout)
        drafts, stop = settle(proposed, layout, strategy, is_last=is_last)
        if not drafts:
            return None
        self._explain_start(drafts[0])
        drafts = keep_headings_with_text(drafts, layout)
        drafts = split_drafts(drafts, layout)
        recalculator = WindowRecalculator(layout, strategy.name, carried)
        chunks = recalculator.chunks(drafts, is_last=is_last)
        if not carried.is_first and self._config.overlap:
            chunks[0].metadata["previous_content"] = ""  # its place among the fields
        quote_neighbours(chunks, layout)
        end = layout.start_of(stop)
        check_spans(chunks, document.text[:end])
        if document.is_plain:
            for chunk in chunks:
                chunk.metadata["parse_warning"] = PARSE_WARNING
        chunks = [place(chunk, carried) for chunk in chunks]
        if not is_last:
            heading = bisect_left(layout.document.heading_blocks, stop)
            carried.sections = recalculator.open_at(heading)
            carried.lines += LineCounter(document.text).line_at(end) - 1
            carried.offset += end
            self._buffer.drop(end)
        return chunks

    def _explain_start(self, first: Draft) -> None:
        if self._carried.is_first:
            first.stage, first.rule = "document", "start"
        else:
            first.rule = _FIRST_RULES.get(self._known.strategy.name, first.rule)


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
