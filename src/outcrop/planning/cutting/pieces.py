"""Pieces of a text over the limit: by syntax, or by lines without a grammar."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.errors import MissingExtraError, UnknownLanguageError
from outcrop.planning.cutting.syntax import MAX_TOKEN_CHARS, Piece, cut_large, longest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A line of more characters than this many times the limit is data, not syntax.
_MAX_LINE_RATIO = 20
# Tokens that a piece may gain when white space at its ends is removed: a semicolon and
# the newline after it may be one token, the semicolon and the text before it two.
_MAX_TRIM_TOKENS = 2

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


def cut_part(
    text: str,
    lang: str | None,
    *,
    limit: int,
    count: Callable[[str], int],
    signature: str | None = None,
) -> list[Piece]:
    """Cut a text into pieces within a limit, prefix included, that lie end to end.

    `signature` is the prefix of later pieces for which syntax gives none.
    """
    tokens = count(text)
    if tokens <= limit:
        return [Piece(start=0, end=len(text), text=text, length=tokens)]
    prefix = f"{signature}\n" if signature else ""
    if count(prefix) * 2 > limit:
        prefix = ""
    room = max(1, limit - count(prefix) - _MAX_TRIM_TOKENS)
    pieces = _by_syntax(text, lang, room, count)
    if pieces is None:
        bounds = cut_lines(text, room, count)
        pieces = [
            Piece(start=start, end=end, text=text[start:end])
            for start, end in pairwise(bounds)
        ]
    return [
        piece if piece.prefix or piece.start == 0 else replace(piece, prefix=prefix)
        for piece in pieces
    ]


def _by_syntax(
    text: str, lang: str | None, limit: int, count: Callable[[str], int]
) -> list[Piece] | None:
    """Return pieces of a text over the limit, or None where no grammar applies."""
    if lang is None or max(map(len, text.split("\n"))) > limit * _MAX_LINE_RATIO:
        return None
    try:
        return cut_large(text, lang, limit=limit, length=count)
    except (MissingExtraError, UnknownLanguageError):
        return None


def cut_lines(text: str, limit: int, count: Callable[[str], int]) -> list[int]:
    """Return where to cut a text so that each part is within a limit.

    The offsets include both ends of the text.
    """
    bounds, tokens = [0], 0
    for start, end in _blocks(text, limit, count):
        size = count(text[start:end])
        if start > bounds[-1] and tokens + size > limit:
            bounds.append(start)
            tokens = 0
        tokens += size
    return [*bounds, len(text)] if text else bounds


def _blocks(
    text: str, limit: int, count: Callable[[str], int]
) -> Iterator[tuple[int, int]]:
    """Yield ranges that tile the text, each within the limit."""
    start = 0
    for end in _block_ends(text):
        if count(text[start:end]) <= limit:
            yield start, end
        else:
            yield from _within(text, start, end, limit, count)
        start = end


def _block_ends(text: str) -> Iterator[int]:
    """Yield where blocks end: before a line at the margin that follows a blank one."""
    is_after_blank = False
    for line in _LINE.finditer(text):
        is_blank = not line.group().strip()
        if is_after_blank and not is_blank and not line.group()[0].isspace():
            yield line.start()
        is_after_blank = is_blank
    if text:
        yield len(text)


def _within(
    text: str, start: int, end: int, limit: int, count: Callable[[str], int]
) -> Iterator[tuple[int, int]]:
    for line in _LINE.finditer(text, start, end):
        at = line.start()
        while at < line.end():
            stop = _longest(text, at, line.end(), limit, count)
            yield at, stop
            at = stop


def _longest(
    text: str, start: int, end: int, limit: int, count: Callable[[str], int]
) -> int:
    """Return the end of the longest prefix that fits, at least one character."""
    # A line may hold megabytes: measure no more of it than could ever fit.
    high = min(end, start + limit * MAX_TOKEN_CHARS)
    if count(text[start:high]) <= limit:
        return high
    return longest(start + 1, high, lambda end: count(text[start:end]) <= limit)
