"""Keeping answers small: a budget of tokens, and what fits into it."""

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

    Cut is where a line or sentence ends, or else a word, unless more than half of what
    fits would be lost.

    Args:
        text: The text.
        max_tokens: The most tokens.
        count: Counts the tokens of a text.
    """
    if max_tokens < 1:
        return "", 0
    low, high = 0, max_tokens * _USUAL_TOKEN
    # From little to much, so that the cost is that of what fits, not of the text.
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
    """Return the stretch of a text that says most of what was looked for.

    Args:
        text: The text.
        marks: Where it says words of the query, in order.
        length: The most characters.
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
    """Return where the stretch with the most marks starts."""
    best, best_count, last = 0, 0, 0
    for first, (start, _) in enumerate(marks):
        while last < len(marks) and marks[last][1] <= start + length:
            last += 1
        if last - first > best_count:
            best, best_count = start, last - first
    return best


def _next_word(text: str, start: int, limit: int) -> int:
    """Return where the next word starts, or `start` where none does before the limit."""
    for at in range(start, limit):
        if text[at - 1].isspace() and not text[at].isspace():
            return at
    return start
