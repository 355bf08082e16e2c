"""The text of a source file, and the way from bytes to characters.

Grammars count bytes, people count characters. A file is read as UTF-8, or as
Latin-1 where it is not UTF-8, so that no file is lost to its encoding.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

_IS_CONTINUATION = bytes(byte in range(0x80, 0xC0) for byte in range(256))
"""For each byte whether it continues a character."""


class Source:
    """Decoded text with its UTF-8 bytes."""

    def __init__(self, raw: bytes) -> None:
        try:
            self.text = raw.decode("utf-8")
            self.data = raw
        except UnicodeDecodeError:
            self.text = raw.decode("latin-1")
            self.data = self.text.encode("utf-8")
        self._ascii = len(self.text) == len(self.data)

    def character(self, byte: int) -> int:
        """Return the character offset of a byte offset."""
        if self._ascii:
            return byte
        starts, ends, before = self._continuations
        run = bisect_right(starts, byte) - 1
        if run < 0:
            return byte
        return byte - before[run] - (min(byte, ends[run]) - starts[run])

    @cached_property
    def _continuations(self) -> tuple[list[int], list[int], list[int]]:
        """Runs of bytes that start no character, and how many come before each."""
        starts, ends, before, count = [], [], [], 0
        # Looking for a byte is many times faster than matching each with a pattern.
        marks = self.data.translate(_IS_CONTINUATION)
        start = marks.find(1)
        while start >= 0:
            end = marks.find(0, start)
            end = len(marks) if end < 0 else end
            starts.append(start)
            ends.append(end)
            before.append(count)
            count += end - start
            start = marks.find(1, end)
        return starts, ends, before

    def slice(self, start_byte: int, end_byte: int) -> str:
        """Return the text between two byte offsets."""
        if self._ascii:
            return self.text[start_byte:end_byte]
        return self.data[start_byte:end_byte].decode("utf-8", "replace")
