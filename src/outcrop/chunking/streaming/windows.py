"""Works through a text from window to window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from outcrop.chunking.merge import Candidate, merge_once, merge_small
from outcrop.chunking.streaming.outer import WindowState
from outcrop.chunking.streaming.source import Buffer
from outcrop.chunking.streaming.window_parser import (
    WindowParser,
    needed_at_start,
    starts_paragraph,
    starts_section,
)
from outcrop.text.offsets import LineCounter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout
    from outcrop.chunking.strategy import BaseStrategy
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


# How many characters after a cut the choice of that cut may depend on.
_LOOK_AHEAD = 64


def settle(
    drafts: list[Draft],
    layout: Layout,
    strategy: BaseStrategy,
    *,
    is_last: bool,
    at_paragraphs: bool,
) -> tuple[list[Draft], Draft | None]:
    """Join small drafts of a window, as far as the result is certain.

    Args:
        drafts: What the strategy proposes for the window.
        layout: The window.
        strategy: The strategy.
        is_last: Whether the window ends with the text.
        at_paragraphs: Whether the next window may start with a paragraph.

    Returns:
        The drafts that are certain, and the one after them, with which the next window
        starts; the window has to be longer where there are none.
    """
    if is_last:
        return merge_small(drafts, layout) if strategy.merges_small else drafts, None
    if strategy.merges_small:
        # The last draft may continue in the next window.
        candidates = [Candidate(draft, layout) for draft in drafts[:-1]]
        complete = _certain(candidates, layout)[:-1]
        drafts = [candidate.draft for candidate in _certain(complete, layout)]
    for at in range(len(drafts) - 1, 0, -1):
        if can_restart(drafts[at].first, layout, at_paragraphs=at_paragraphs):
            return drafts[:at], drafts[at]
    return [], None


def _certain(candidates: list[Candidate], layout: Layout) -> list[Candidate]:
    """Join candidates; return those whose start is certain, the last one incomplete."""
    if not candidates:
        return []
    undecided = candidates[-1].draft.first  # it depends on what follows
    merged = merge_once(candidates, layout)
    return merged[:-1] if merged[-1].draft.first == undecided else merged


def can_restart(block: int, layout: Layout, *, at_paragraphs: bool) -> bool:
    """Whether a window that starts with a block gives the chunks of the whole text."""
    document = layout.document
    can_start = starts_paragraph if at_paragraphs else starts_section
    return (
        can_start(document, block)
        and not layout.glued[block]
        and document.blocks.starts[block] + _LOOK_AHEAD <= len(document.text)
    )
