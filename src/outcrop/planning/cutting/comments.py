"""Comments and attributes directly above a definition, which belong to it."""

from __future__ import annotations

_MARKS = ("#", "//", "/*", "--", "@", "%", ";;")


def leading_start(text: str, low: int, start: int) -> int:
    """Return the start of a definition, including the comments directly above it.

    Args:
        text: The text of the file.
        low: Nothing before this belongs to it.
        start: Where the definition itself starts.

    Returns:
        The start of a line, or `start` if other text precedes it on its line.
    """
    lead = _line_start(text, low, start)
    if text[lead:start].strip():
        return start
    while lead > low:
        above = _line_start(text, low, lead - 1)
        line = text[above:lead].strip()
        if line.endswith("*/") and not line.startswith(("/*", "//")):
            opening = text.rfind("/*", low, lead)
            if opening < 0:
                break
            above = _line_start(text, low, opening)
            if text[above:opening].strip():
                break
        elif not line.startswith(_MARKS):
            break
        lead = above
    return lead


def line_end(text: str, offset: int, high: int) -> int:
    """Return the end of the line at an offset, including its newline."""
    newline = text.find("\n", offset, high)
    return high if newline < 0 else newline + 1


def _line_start(text: str, low: int, offset: int) -> int:
    return max(text.rfind("\n", low, offset) + 1, low)
