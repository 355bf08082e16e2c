"""The parser of HTML of the standard library, in linear time and without errors.

The library reads a tag or a comment that never ends to the end of the text, from each of
them again, and fails on most marked sections.
"""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

# After so many tags that do not end, only shorter ones are found.
_MAX_UNENDED_TAGS = 20
_MAX_TAG_CHARS = 1_000


class LinearHtmlParser(HTMLParser):
    """Reads whole texts; anything is accepted."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._unended_tags = 0
        self._has_unended_comment = False

    def read(self, text: str) -> None:
        """Read a text to its end."""
        # Whatever is opened after the last end of a tag is text.
        opened = text.find("<", text.rfind(">") + 1)
        self.feed(text if opened < 0 else text[:opened])
        self.close()
        if opened >= 0:
            self.handle_data(unescape(text[opened:]))

    def check_for_whole_start_tag(self, i: int) -> int:
        """Return where the tag at a place ends, or -1; overrides the library's method."""
        if self._unended_tags < _MAX_UNENDED_TAGS:
            end: int = super().check_for_whole_start_tag(i)
            self._unended_tags += end < 0
            return end
        whole, self.rawdata = self.rawdata, self.rawdata[i : i + _MAX_TAG_CHARS]
        try:
            end = super().check_for_whole_start_tag(0)
        finally:
            self.rawdata = whole
        return end if end < 0 else i + end

    def parse_comment(self, i: int, report: bool = True) -> int:  # noqa: FBT001, FBT002 - as in the library
        """Return where the comment at a place ends, or -1."""
        if self._has_unended_comment:
            return -1
        end = super().parse_comment(i, report)
        self._has_unended_comment = end < 0
        return end

    def parse_marked_section(self, i: int, report: bool = True) -> int:  # noqa: ARG002, FBT001, FBT002 - as in the library
        """Return where the marked section at a place ends: to a browser, it is a comment."""
        return self.rawdata.find(">", i) + 1 or -1
