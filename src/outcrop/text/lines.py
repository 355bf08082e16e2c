"""Line numbers for offsets, counted as CommonMark counts lines.

A line ends with LF, CRLF or a lone CR. Offsets are looked up in ascending order, so
each lookup costs only the stretch since the last.
"""

from __future__ import annotations


class LineCounter:
    """Counts the 1-based line of ascending offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._has_carriage_return = "\r" in text
        self._offset = 0
        self._line = 1

    def line_at(self, offset: int) -> int:
        """The line that holds `offset`; an offset may also lie before the last one."""
        low, high, sign = self._offset, offset, 1
        if low > high:
            low, high, sign = high, low, -1
        count = self._text.count("\n", low, high)
        if self._has_carriage_return:
            count += self._lone_carriage_returns(low, high)
        self._line += sign * count
        self._offset = offset
        return self._line

    def _lone_carriage_returns(self, start: int, end: int) -> int:
        text = self._text
        lone = text.count("\r", start, end) - text.count("\r\n", start, end)
        # A CR at the very end may be half of a CRLF: then its LF counts, next time.
        return lone - (end > start and text[end - 1 : end + 1] == "\r\n")
