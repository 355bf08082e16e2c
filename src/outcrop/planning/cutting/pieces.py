"""Pieces of a text over the limit: by syntax, or by lines without a grammar."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.codegraph.cut import Piece, cut
from outcrop.errors import MissingExtraError, UnknownLanguageError
from outcrop.planning.cutting.lines import cut_lines

if TYPE_CHECKING:
    from collections.abc import Callable

# A line of more characters than this many times the limit is data, not syntax.
_MAX_LINE_RATIO = 20
# Tokens that a piece may gain when white space at its ends is removed: a semicolon and
# the newline after it may be one token, the semicolon and the text before it two.
_MAX_TRIM_TOKENS = 2


def cut_part(
    text: str,
    lang: str | None,
    *,
    limit: int,
    count: Callable[[str], int],
    signature: str | None = None,
) -> list[Piece]:
    """Cut a text into pieces within a limit that lie end to end.

    Args:
        text: The text of a definition, or between definitions.
        lang: Its language.
        limit: Maximum tokens of a piece, including its prefix.
        count: Counts tokens.
        signature: Prefix of later pieces for which syntax gives none.
    """
    if count(text) <= limit:
        return [Piece(start=0, end=len(text), text=text)]
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
    """Return pieces cut by grammar, or None where no grammar applies."""
    if lang is None or max(map(len, text.split("\n"))) > limit * _MAX_LINE_RATIO:
        return None
    try:
        return cut(text, lang, limit=limit, length=count)
    except (MissingExtraError, UnknownLanguageError):
        return None
