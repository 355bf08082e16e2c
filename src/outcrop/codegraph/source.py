"""The text of a source file, and the way from bytes to characters.

Grammars count bytes, people count characters. A file is read as UTF-8, or as
Latin-1 where it is not UTF-8, so that no file is lost to its encoding.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from itertools import accumulate

_CONTINUATION = 0b10


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
        return byte if self._ascii else self._characters[byte]

    @cached_property
    def _characters(self) -> array[int]:
        # A character starts at every byte but the continuation bytes, 10xxxxxx.
        starts = accumulate((b >> 6 != _CONTINUATION for b in self.data), initial=0)
        return array("L", starts)

    def slice(self, start_byte: int, end_byte: int) -> str:
        """Return the text between two byte offsets."""
        return self.data[start_byte:end_byte].decode("utf-8", "replace")
