"""Keeping answers small: cutting text to a token budget, and snippets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.text.boundaries import find_cut

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.hit import Range

_USUAL_TOKEN = 4  # characters


def cut_to_tokens(
    text: str, max_tokens: int, count: Callable[[str], int]
) -> tuple[str, int]:
    """Return the beginning of a text that fits, and its tokens.

    The text is cut at the end of a line or sentence, or else of a word, unless more than
    half of what fits would be lost.

    Args:
        text: The text.
        max_tokens: Maximum number of tokens.
        count: Counts the tokens of a text.
    """
    if max_tokens < 1:
        return "", 0
    low, high = 0, max_tokens * _USUAL_TOKEN
    # Doubling, so that the cost depends on what fits, not on the text.
    while count(text[:high]) <= max_tokens:
        if high >= len(text):
            return text, count(text)
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if count(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle
    if not low:
        return "", 0
    end, _ = find_cut(text, 0, low, low // 2, by_line=True)
    piece = text[:end].rstrip()
    return piece, count(piece)


def make_snippet(text: str, marks: Sequence[Range], length: int) -> str:
    """Return the stretch of a text that has the most words of the query.

    Args:
        text: The text.
        marks: Ranges of words of the query, in order.
        length: Maximum number of characters.
    """
    if len(text) <= length:
        return text.strip()
    start = _densest(marks, length)
    # A little of what comes before makes the marked words readable.
    start = max(0, min(start - length // 6, len(text) - length))
    end = start + length
    if start:
        start = _next_word(text, start, start + length // 6)
    if end < len(text):
        end = find_cut(text, start, end, end - length // 6)[0]
    before = "… " if start else ""
    after = " …" if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{after}"


def _densest(marks: Sequence[Range], length: int) -> int:
    """Return the start of the stretch with the most marks."""
    best, best_count, last = 0, 0, 0
    for first, (start, _) in enumerate(marks):
        while last < len(marks) and marks[last][1] <= start + length:
            last += 1
        if last - first > best_count:
            best, best_count = start, last - first
    return best


def _next_word(text: str, start: int, limit: int) -> int:
    """Return the start of the next word, or `start` if none starts before the limit."""
    for at in range(start, limit):
        if text[at - 1].isspace() and not text[at].isspace():
            return at
    return start
