"""Cuts plain text: at paragraphs, then lines, then sentences.

Spans are exact and in order, and contain every non-space character once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.text.boundaries import find_cut
from outcrop.text.whitespace import first_visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Span = tuple[int, int]

_BLANK_LINES = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)\s*")
_CHARACTERS_PER_TOKEN = 4


def cut_plain_text(text: str, limit: int, length: Callable[[str], int]) -> list[Span]:
    """Cut a text into spans of at most `limit`.

    Args:
        text: Any text.
        limit: Maximum measure of a span.
        length: Measures a text.

    Returns:
        Half-open spans, without white space at their ends.
    """
    spans: list[Span] = []
    for start, end in _pieces(text, limit, length):
        if spans and length(text[spans[-1][0] : end]) <= limit:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _pieces(text: str, limit: int, length: Callable[[str], int]) -> Iterator[Span]:
    """Yield paragraphs, or parts of those that are over the limit."""
    for paragraph, end in _paragraphs(text):
        start = paragraph
        while start < end:
            cut = _fitting_end(text, start, end, limit, length)
            yield start, start + len(text[start:cut].rstrip())
            start = first_visible(text, cut, end)


def _paragraphs(text: str) -> Iterator[Span]:
    start = first_visible(text, 0, len(text))
    while start < len(text):
        blank = _BLANK_LINES.search(text, start)
        stop = blank.start() if blank else len(text)
        yield start, start + len(text[start:stop].rstrip())
        start = first_visible(text, blank.end(), len(text)) if blank else len(text)


def _fitting_end(
    text: str, start: int, end: int, limit: int, length: Callable[[str], int]
) -> int:
    """Return the end of a piece that starts here, at least one character later."""
    high = _longest_fit(text, start, end, limit, length)
    if high == end:
        return end
    middle = start + (high - start) // 2
    cut, _ = find_cut(text, start, high, middle, by_line=True)
    return max(cut, start + 1)


def _longest_fit(
    text: str, start: int, end: int, limit: int, length: Callable[[str], int]
) -> int:
    """Return the last offset up to which the text fits, or a little less."""
    step = limit * _CHARACTERS_PER_TOKEN
    low, high = start, min(end, start + step)
    while high < end and length(text[start:high]) <= limit:
        low, high = high, min(end, high + step)
    if length(text[start:high]) <= limit:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if length(text[start:middle]) <= limit:
            low = middle
        else:
            high = middle
    return max(low, start + 1)
