"""Works through a text from window to window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from outcrop.chunking.streaming.outer import WindowState
from outcrop.chunking.streaming.source import Buffer
from outcrop.chunking.streaming.window_parser import WindowParser, needed_at_start
from outcrop.text.offsets import LineCounter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.streaming.outer import WindowRecalculator
    from outcrop.chunking.streaming.source import Source
    from outcrop.chunking.streaming.survey import Survey
    from outcrop.markdown import Document

_Result = TypeVar("_Result")


class Windows(ABC, Generic[_Result]):
    """The results of cutting each window of a text, in order.

    Args:
        source: The text.
        known: What holds for the text as a whole.
        config: Settings.
        window: Number of characters to parse at a time.
        at_paragraphs: Whether a window without headings may end before a paragraph.
    """

    def __init__(
        self,
        source: Source,
        known: Survey,
        config: ChunkConfig,
        window: int,
        *,
        at_paragraphs: bool = False,
    ) -> None:
        self._buffer = Buffer(source)
        self._known = known
        self._config = config
        self._window = window
        self._parser = WindowParser(
            known.labels, known.last_closing, at_paragraphs=at_paragraphs
        )
        self._carried = WindowState()

    def __iter__(self) -> Iterator[_Result]:
        self._buffer.fill(1)
        size = max(self._window, needed_at_start(self._buffer.text))
        is_done = False
        while not is_done:
            self._buffer.fill(size)
            is_done = self._buffer.is_last
            document = self._parser.parse(self._buffer)
            result = None if document is None else self._cut(document)
            if result is None:
                size = 2 * len(self._buffer.text)
                continue
            yield result
            size = self._window

    @abstractmethod
    def _cut(self, document: Document) -> _Result | None:
        """Cut a window and move past it; None if it has to be longer."""

    def _advance(
        self, document: Document, recalculator: WindowRecalculator, following: Draft
    ) -> None:
        """Start the next window with a draft of this one."""
        carried, end = self._carried, following.start
        carried.sections = recalculator.open_at(following.first)
        carried.boundary = following.stage, following.rule
        carried.lines += LineCounter(document.text).line_at(end) - 1
        carried.offset += end
        self._buffer.drop(end)
