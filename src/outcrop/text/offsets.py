"""Places in a text: the line of an offset, and the next visible character.

Lines are counted as CommonMark counts them: a line ends with LF, CRLF or a lone CR.
"""

from __future__ import annotations

import re

# `str.isspace` and `\s` agree on every code point, so spans trimmed with the one and
# searched with the other meet.
_VISIBLE = re.compile(r"\S")


def first_visible(text: str, start: int, end: int) -> int:
    """Offset of the first character in `text[start:end]` that is not white space.

    Returns:
        The offset, or `end` if there is only white space.
    """
    match = _VISIBLE.search(text, start, end)
    return match.start() if match else end


class LineCounter:
    """Counts the line of offsets, from 1.

    Offsets that ascend are cheap: each costs only the stretch since the last.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.has_carriage_return = "\r" in text
        self._offset = 0
        self._line = 1

    def line_at(self, offset: int) -> int:
        """The line that holds `offset`; an offset may also lie before the last one."""
        low, high, sign = self._offset, offset, 1
        if low > high:
            low, high, sign = high, low, -1
        count = self._text.count("\n", low, high)
        if self.has_carriage_return:
            count += self._lone_carriage_returns(low, high)
        self._line += sign * count
        self._offset = offset
        return self._line

    def lines_of(self, start: int, last: int) -> tuple[int, int]:
        """The lines that hold two offsets, the second of which is not before the first."""
        if self.has_carriage_return or start < self._offset:
            return self.line_at(start), self.line_at(last)
        count = self._text.count
        first_line = self._line + count("\n", self._offset, start)
        self._line = last_line = first_line + count("\n", start, last)
        self._offset = last
        return first_line, last_line

    def _lone_carriage_returns(self, start: int, end: int) -> int:
        text = self._text
        lone = text.count("\r", start, end) - text.count("\r\n", start, end)
        # A CR at the very end may be half of a CRLF: then its LF counts, next time.
        return lone - (end > start and text[end - 1 : end + 1] == "\r\n")
