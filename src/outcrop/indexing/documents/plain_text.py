"""Cuts plain text: at paragraphs, then lines, then sentences.

Spans are exact and in order, and contain every non-space character once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.markdown.document import path_title
from outcrop.sections.splitter import SectionHeading
from outcrop.text.boundaries import find_cut
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Span = tuple[int, int]

_BLANK_LINES = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)\s*")
_CHARACTERS_PER_TOKEN = 4

# A line of one mark is an adornment; four suffice below a longer title.
_MIN_LINE_CHARS = 4
_BYTE_ORDER_MARK = "\ufeff"  # part of the text, but not of a title
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)?")
_ROLE = re.compile(r":[\w:.+-]+:`([^`]*)`")
_TARGET = re.compile(r"\s*<[^<>]*>$")
_MARKUP = re.compile(r"[`*|]+")


def cut_plain_text(text: str, limit: int, length: Callable[[str], int]) -> list[Span]:
    """Return half-open spans of a text, without white space at their ends.

    Each measures at most `limit`, as `length` measures a text.
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


@dataclass(frozen=True, slots=True)
class RstSection:
    """A range of a document from one title to the next.

    Attributes:
        start: Where its title starts; 0 before the first title.
        end: Where the next section starts.
        headers: Titles from the outside in; empty before the first.
    """

    start: int
    end: int
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Title:
    start: int  # including the line above
    end: int  # after the line below
    text: str
    style: tuple[str, bool]  # the mark, and whether it is also above


def find_sections(text: str) -> list[RstSection]:
    """Return the sections of a document in order; together they cover it.

    A title directly above another belongs to the section of that one.
    """
    sections: list[RstSection] = []
    headers: list[str] = []
    start = 0
    path: tuple[str, ...] = ()
    bare_until = -1  # end of the titles without text so far
    for level, title in _levelled_titles(text):
        if text[max(start, bare_until) : title.start].lstrip(_BYTE_ORDER_MARK).strip():
            sections.append(RstSection(start, title.start, path))
            start = title.start
        headers = [*headers[: level - 1], title.text]
        path = tuple(headers)
        bare_until = title.end
    sections.append(RstSection(start, len(text), path))
    return sections


def find_rst_headings(text: str) -> list[SectionHeading]:
    """Return the titles of a document with their levels."""
    return [
        SectionHeading(level, title.text, title.start)
        for level, title in _levelled_titles(text)
    ]


def _levelled_titles(text: str) -> Iterator[tuple[int, _Title]]:
    """Yield titles with their levels; the order of styles decides, from 1."""
    styles: list[tuple[str, bool]] = []
    for title in _titles(text):
        if title.style not in styles:
            styles.append(title.style)
        yield styles.index(title.style) + 1, title


def _titles(text: str) -> Iterator[_Title]:
    first_line = len(_BYTE_ORDER_MARK) if text.startswith(_BYTE_ORDER_MARK) else 0
    lines = [match for match in _LINE.finditer(text, first_line) if match.group()]
    at = 0
    while at + 1 < len(lines):
        above = lines[at - 1].group() if at else ""
        line, below = lines[at].group(), lines[at + 1].group()
        mark = _mark(below)
        if not mark or not line.strip() or _mark(line):
            at += 1
            continue
        has_line_above = bool(above.strip()) and above.rstrip() == below.rstrip()
        title = line.strip()
        is_long_enough = len(below.rstrip()) >= min(len(title), _MIN_LINE_CHARS)
        is_flush = has_line_above or not line[0].isspace()
        if is_long_enough and is_flush and (has_line_above or not above.strip()):
            first = lines[at - 1] if has_line_above else lines[at]
            style = (mark, has_line_above)
            yield _Title(first.start(), lines[at + 1].end(), _visible(title), style)
            at += 2
        else:
            at += 1


def _mark(line: str) -> str:
    """Return the mark that a line consists of, or an empty string."""
    bare = line.rstrip("\r\n")
    match = _ADORNMENT.fullmatch(bare)
    return match.group(1) if match else ""


def _visible(title: str) -> str:
    """Return a title without roles, targets and other markup, as paths have it."""
    plain = _ROLE.sub(lambda role: _TARGET.sub("", role.group(1)).lstrip("~!"), title)
    return path_title(" ".join(_MARKUP.sub("", plain).split()) or title)
