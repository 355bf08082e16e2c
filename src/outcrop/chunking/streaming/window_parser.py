"""Parsing a window of a text to exactly the blocks that the whole text has there.

A window starts with the text or with a heading outside all containers, where the parser
is in the same state as at the start of a text. Blocks are decided from the left, so
everything before the last such heading in the window is final. There is one exception:
a rule `---` opens a metadata block if any later line closes it, so there is no cut after
a rule that may still turn out to be one.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

from outcrop.chunking.streaming.labels import definitions_before, may_define
from outcrop.markdown import Document, Kind, parse
from outcrop.markdown.document import Blocks
from outcrop.markdown.front_matter import MAX_CHARS as MAX_FRONT_MATTER_CHARS
from outcrop.markdown.parse import BYTE_ORDER_MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.chunking.streaming.source import Buffer

CLOSING_LINE = re.compile(r"(?<![^\r\n])(?:---|\.\.\.)[ ]*(?=[\r\n]|\Z)")
_OPENING_RULE = re.compile(r"(?<!-)---[ \t]*(?:\r\n?|\n)[ \t]*\S")
_FRONT_MATTER_MARKS = ("---", "+++", "{")
_HEADING = "# \n\n"  # ends whatever is open
_CLOSING = "---\n"  # closes metadata blocks, as a later line does
# Characters that mean something else at the start of a text.
_NOT_FIRST = frozenset(" \t+{\ufeff-")
_BLANK_LINE_END = re.compile(r"(?:\n\n|\n\r\n|\r\r)\Z")
_LINE_END = re.compile(r"[\r\n]")
_RULE = int(Kind.RULE)


class WindowParser:
    """Parses windows of one text.

    Args:
        labels: The spelling of each label that is defined somewhere, by key.
        last_closing: Where the last line that can close a metadata block starts; -1
            where there is none.
        at_paragraphs: Whether a window without headings may end before a paragraph.
    """

    def __init__(
        self, labels: dict[str, str], last_closing: int, *, at_paragraphs: bool = False
    ) -> None:
        self._labels = labels
        self._last_closing = last_closing
        self._at_paragraphs = at_paragraphs

    def parse(self, buffer: Buffer) -> Document | None:
        """Parse the part of a buffer whose blocks are final.

        Returns:
            The document, which ends before a heading or with the text; None where the
            buffer holds no heading to end before.
        """
        text = buffer.text
        is_first = buffer.offset == 0
        # Nothing can be put before the start of a text: front matter has to be first.
        before = "" if is_first else definitions_before(text, self._labels)
        document = _parse_between(before, text, "")
        if buffer.is_last:
            return document
        block = self._last_cut(document, buffer.offset)
        if not block:
            return None
        start = document.blocks.starts[block]
        part = text[:start]
        after = definitions_before(part, self._labels) if is_first else ""
        if after or may_define(text[start:], part):
            ending = self.ending_at(buffer.offset + start)
            return _parse_between(before, part, f"{_HEADING}{after}{ending}")
        return truncate(document, block)

    def ending_at(self, offset: int) -> str:
        """What to parse after a part in place of the text that follows it."""
        return _HEADING + _CLOSING if offset < self._last_closing else _HEADING

    def _last_cut(self, document: Document, offset: int) -> int:
        """The last block that a window may end before, or 0."""
        limit = self._first_open_rule(document, offset)
        at_paragraphs = self._at_paragraphs and not document.headings
        blocks: Sequence[int] = (
            range(len(document.blocks)) if at_paragraphs else document.heading_blocks
        )
        can_start = starts_paragraph if at_paragraphs else starts_section
        for block in reversed(blocks):
            start = document.blocks.starts[block]
            is_complete = _LINE_END.search(document.text, start) is not None
            if 0 < start < limit and is_complete and can_start(document, block):
                return block
        return 0

    def _first_open_rule(self, document: Document, offset: int) -> int:
        """The start of the first rule that may open a metadata block, or the end."""
        text, kinds = document.text, document.blocks.kinds
        block = kinds.find(_RULE)
        while block >= 0:
            start = document.blocks.starts[block]
            match = _OPENING_RULE.search(text, start)
            is_here = match is not None and match.start() < document.block_end(block)
            if match and is_here and offset + start < self._last_closing:
                later = CLOSING_LINE.search(text, match.end())
                if later is None or later.end() == len(text):
                    return start
            block = kinds.find(_RULE, block + 1)
        return len(text)


def needed_at_start(text: str) -> int:
    """How much of the start of a text has to be known to read its front matter."""
    start = text.removeprefix(BYTE_ORDER_MARK).lstrip()
    if start and not start.startswith(_FRONT_MATTER_MARKS):
        return 0
    return len(text) - len(start) + MAX_FRONT_MATTER_CHARS + 1


def starts_section(document: Document, block: int) -> bool:
    """Whether a block is a heading that a window may start with: `#` in column 1."""
    text, start = document.text, document.blocks.starts[block]
    at_line_start = start == 0 or text[start - 1] in "\r\n"
    is_heading = document.blocks.kinds[block] == Kind.HEADING
    return is_heading and at_line_start and text.startswith("#", start)


def starts_paragraph(document: Document, block: int) -> bool:
    """Whether a block is a paragraph that a window may start with.

    It has to be outside all containers, after a blank line, in column 1.
    """
    blocks, text = document.blocks, document.text
    if blocks.kinds[block] != Kind.PARAGRAPH or blocks.flags[block]:
        return False
    start = blocks.starts[block]
    is_plain = not blocks.ranks[block] and text[start] not in _NOT_FIRST
    return (
        is_plain and _BLANK_LINE_END.search(text, max(0, start - 3), start) is not None
    )


def truncate(document: Document, stop: int) -> Document:
    """Return the document up to a block."""
    end = document.blocks.starts[stop]
    blocks = document.blocks
    return Document(
        document.text[:end],
        Blocks(
            blocks.starts[:stop],
            blocks.kinds[:stop],
            blocks.ranks[:stop],
            blocks.flags[:stop],
        ),
        document.headings[: bisect_left(document.heading_blocks, stop)],
        is_plain=document.is_plain,
    )


def _parse_between(before: str, text: str, after: str) -> Document:
    """Parse a text between others, of which definitions alone have an effect.

    Args:
        before: Definitions; the text starts with a heading where there are any.
        text: The text.
        after: A heading and definitions.
    """
    if not before and not after:
        return parse(text)
    shift = len(before)
    parsed = parse(f"{before}{text}{after}")
    blocks = parsed.blocks
    first = bisect_left(blocks.starts, shift)
    stop = bisect_left(blocks.starts, shift + len(text))
    headings = [
        heading._replace(
            block=heading.block - first,
            start=heading.start - shift,
            end=heading.end - shift,
        )
        for heading in parsed.headings
        if heading.block < stop
    ]
    part = Blocks(
        array("q", [start - shift for start in blocks.starts[first:stop]]),
        blocks.kinds[first:stop],
        blocks.ranks[first:stop],
        blocks.flags[first:stop],
    )
    return Document(text, part, headings, is_plain=parsed.is_plain)
