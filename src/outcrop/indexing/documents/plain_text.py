"""Cuts plain text: at paragraphs, then lines, then sentences.

Spans are exact and in order, and contain every non-space character once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from outcrop.text.boundaries import find_cut
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Span = tuple[int, int]

_BLANK_LINES = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)\s*")
_CHARACTERS_PER_TOKEN = 4


def cut_plain_text(
    text: str,
    limit: int,
    length: Callable[[str], int],
    blocks: Sequence[Span] = (),
) -> list[Span]:
    """Return half-open spans of a text, without white space at their ends.

    Each measures at most `limit`, as `length` measures a text. A block, such as a code
    listing, is not cut at blank lines; one over the limit is, or else at lines.
    """
    spans: list[Span] = []
    for start, end in _pieces(text, limit, length, blocks):
        if spans and length(text[spans[-1][0] : end]) <= limit:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _pieces(
    text: str, limit: int, length: Callable[[str], int], blocks: Sequence[Span]
) -> Iterator[Span]:
    """Yield paragraphs, or parts of those that are over the limit."""
    for paragraph, end in _paragraphs(text, blocks):
        start = paragraph
        while start < end:
            cut = _fitting_end(text, start, end, limit, length)
            yield start, start + len(text[start:cut].rstrip())
            start = first_visible(text, cut, end)


def _paragraphs(text: str, blocks: Sequence[Span]) -> Iterator[Span]:
    start = first_visible(text, 0, len(text))
    while start < len(text):
        blank = _blank_outside(text, start, blocks)
        stop = blank.start() if blank else len(text)
        yield start, start + len(text[start:stop].rstrip())
        start = first_visible(text, blank.end(), len(text)) if blank else len(text)


def _blank_outside(
    text: str, start: int, blocks: Sequence[Span]
) -> re.Match[str] | None:
    """Return the next blank lines that are not inside a block."""
    blank = _BLANK_LINES.search(text, start)
    while blank is not None:
        at = bisect_right(blocks, (blank.start(), len(text))) - 1
        if at < 0 or blocks[at][1] <= blank.start():
            return blank
        blank = _BLANK_LINES.search(text, blocks[at][1])
    return None


def _fitting_end(
    text: str, start: int, end: int, limit: int, length: Callable[[str], int]
) -> int:
    """Return the end of a piece that starts here, at least one character later."""
    high = _longest_fit(text, start, end, limit, length)
    if high == end:
        return end
    middle = start + (high - start) // 2
    blank = _last_blank(text, middle, high)
    if blank is not None:
        return blank
    cut, _ = find_cut(text, start, high, middle, by_line=True)
    return max(cut, start + 1)


def _last_blank(text: str, start: int, end: int) -> int | None:
    """Return where the last blank lines of a range start, if it has any."""
    starts = [blank.start() for blank in _BLANK_LINES.finditer(text, start, end)]
    return starts[-1] if starts else None


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
