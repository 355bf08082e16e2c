"""Finding the next visible character without copying the text."""

from __future__ import annotations

import re

# `str.isspace` and `\s` agree on every code point, so spans trimmed with the one and
# searched with the other meet.
_VISIBLE = re.compile(r"\S")


def first_visible(text: str, start: int, end: int) -> int:
    """Offset of the first character in `text[start:end]` that is not white space.

    Returns:
        The offset, or `end` where there is none.
    """
    match = _VISIBLE.search(text, start, end)
    return match.start() if match else end
