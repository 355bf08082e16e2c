"""The first pass over a text: what holds for the document as a whole.

Most of it is found without parsing. Windows are parsed only until the strategy and the
title are certain, and definitions are read only where a heading may depend on one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyromark

from outcrop.chunking.analysis import ContentAnalysis, analyse_document
from outcrop.chunking.layout import Layout
from outcrop.chunking.streaming.labels import (
    LabelFilter,
    defined_labels,
    labels_in_use,
)
from outcrop.chunking.streaming.source import Buffer
from outcrop.chunking.streaming.window_parser import (
    CLOSING_LINE,
    WindowParser,
    needed_at_start,
)
from outcrop.markdown import Document
from outcrop.markdown.document import Blocks
from outcrop.markdown.parser import OPTIONS, parseable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.strategies import StrategySelector
    from outcrop.chunking.strategy import BaseStrategy
    from outcrop.chunking.streaming.source import Source

_HEADING_AFTER_BLANK = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)(?=#{1,6}[ \t])")
_MIN_PIECE = 10_000
_PROBE = "outcrop window probe"
# The parser does not see the probe if the text before it leaves something open.
_PROBE_LINES = f"\n\n[{_PROBE}]: x\n\n---\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What is known of a text before it is cut.

    Attributes:
        strategy: The strategy of the whole text.
        title: The title of the whole text in its front matter, as in `Document.title`.
        labels: The spelling of each label that headings depend on, by key.
        last_closing: Where the last line starts that can close a metadata block; -1
            where there is none.
        is_blank: Whether the text is empty or white space alone.
        size: The size of a text without headings; None where it has some.
    """

    strategy: BaseStrategy
    title: str
    labels: dict[str, str]
    last_closing: int
    is_blank: bool
    size: int | None = None


def survey(
    source: Source, selector: StrategySelector, config: ChunkConfig, window: int
) -> Survey:
    """Read a text once, for what a window of it does not tell.

    Args:
        source: The text.
        selector: Chooses the strategy; all its strategies are of this package.
        config: Settings.
        window: Number of characters to parse at a time.
    """
    wanted, last_closing, is_blank = _read_lines(source, window)
    labels = _find_labels(source, wanted, last_closing, window) if wanted else {}
    parser = WindowParser(labels, last_closing, at_paragraphs=True)
    counts = _Counts(config)
    strategy = selector.select(counts.analysis(), config)
    title, has_h1 = "", False
    for document in _documents(source, parser, window):
        if not counts.total_chars:
            title = _front_matter_title(document)
        has_h1 = has_h1 or any(heading.level == 1 for heading in document.headings)
        counts.add(document)
        strategy = selector.select(counts.analysis(), config)
        is_certain = config.strategy is not None or counts.has_blocks
        if is_certain and counts.has_headings and (has_h1 or not title):
            break
    return Survey(
        strategy=strategy,
        title="" if has_h1 else title,
        labels=labels,
        last_closing=last_closing,
        is_blank=is_blank,
        size=None if counts.has_headings else counts.size,
    )


def _front_matter_title(document: Document) -> str:
    """The title that the document has if no heading says otherwise."""
    return Document(document.text, document.blocks, []).title


def _read_lines(source: Source, window: int) -> tuple[set[str], int, bool]:
    """Find labels that matter and may be defined, and the last closing line."""
    in_use: set[str] = set()
    defined = LabelFilter()
    last_closing, offset, is_blank = -1, 0, True
    for piece in source.pieces(max(window, _MIN_PIECE)):
        in_use |= labels_in_use(piece)
        defined.add_definitions(piece)
        for match in CLOSING_LINE.finditer(piece):
            last_closing = offset + match.start()
        offset += len(piece)
        is_blank = is_blank and piece.isspace()
    return {key for key in in_use if key in defined}, last_closing, is_blank


def _find_labels(
    source: Source, wanted: set[str], last_closing: int, window: int
) -> dict[str, str]:
    """Return the spelling of those labels that the text defines, by key."""
    found: dict[str, str] = {}
    buffer = Buffer(source)
    parser = WindowParser({}, last_closing, at_paragraphs=True)
    size = max(window, _start_size(buffer))
    while len(found) < len(wanted):
        buffer.fill(size)
        end = len(buffer.text) if buffer.is_last else _cut(buffer, parser)
        if end:
            ending = "" if buffer.is_last else parser.ending_at(buffer.offset + end)
            part = buffer.text[:end] + ending
            for key, spelling in defined_labels(part, wanted):
                found.setdefault(key, spelling)
            if buffer.is_last:
                break
            buffer.drop(end)
            size = window
        else:
            size = 2 * len(buffer.text)
    return found


def _cut(buffer: Buffer, parser: WindowParser) -> int:
    """Where a window may end, or 0; reading only definitions is tried first."""
    text = buffer.text
    ends = [match.end() for match in _HEADING_AFTER_BLANK.finditer(text)]
    if ends:
        source, _ = parseable(text[: ends[-1]])
        if _PROBE in pyromark.reference_definitions(
            source + _PROBE_LINES, options=OPTIONS
        ):
            return ends[-1]
    document = parser.parse(buffer)
    return len(document.text) if document is not None else 0


def _documents(source: Source, parser: WindowParser, window: int) -> Iterator[Document]:
    """Parse one window after the other."""
    buffer = Buffer(source)
    size = max(window, _start_size(buffer))
    while not buffer.is_last or buffer.text:
        buffer.fill(size)
        document = parser.parse(buffer)
        if document is None:
            size = 2 * len(buffer.text)
            continue
        yield document
        if buffer.is_last:
            return
        buffer.drop(len(document.text))
        size = window


def _start_size(buffer: Buffer) -> int:
    buffer.fill(1)
    return needed_at_start(buffer.text)


class _Counts:
    """Adds up the analyses of windows."""

    def __init__(self, config: ChunkConfig) -> None:
        self._config = config
        self.total_chars = 0
        self.size = 0  # in the unit of the settings, while there are no headings
        self.has_blocks = False  # code or tables, which decide about the strategy
        self._code_chars = 0.0
        self._code_blocks = self._tables = self._items = 0
        self._headings = self._depth = 0

    def add(self, document: Document) -> None:
        part = analyse_document(document)
        self.total_chars += part.total_chars
        self._code_chars += part.code_ratio * part.total_chars
        self._code_blocks += part.code_block_count
        self._tables += part.table_count
        self._items += part.list_item_count
        self._headings += part.header_count
        self._depth = max(self._depth, part.max_header_depth)
        self.has_blocks = bool(self._code_blocks or self._tables)
        if not self.has_headings and len(document.blocks):
            sizer = Layout(document, self._config).sizer
            self.size += sizer.span(0, len(document.blocks))

    @property
    def has_headings(self) -> bool:
        return self._headings > 0

    def analysis(self) -> ContentAnalysis:
        total = self.total_chars
        return ContentAnalysis(
            total_chars=total,
            code_ratio=self._code_chars / total if total else 0.0,
            code_block_count=self._code_blocks,
            table_count=self._tables,
            list_item_count=self._items,
            header_count=self._headings,
            max_header_depth=self._depth,
            document=Document("", Blocks(), []),
        )
