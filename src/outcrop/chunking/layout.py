"""The document with its limits: the input of every stage."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from outcrop.chunking.sizing import CharacterSizer, MeasuredSizer, Sizer
from outcrop.markdown.document import Kind
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.draft import Draft
    from outcrop.markdown.document import Document, Heading

_HEADING = int(Kind.HEADING)
_MIN_NEAR_CHARS = 8


class HeaderStack(NamedTuple):
    """Headings in source form, to be repeated before a later part of their section."""

    source: str
    size: int
    start: int


NO_STACK = HeaderStack("", 0, -1)


class Layout:
    """A document with the limits it is to be cut to.

    Attributes:
        document: The parsed document.
        config: The user's settings.
        smallest: The size from which a chunk may stand alone.
        edges: Where each block starts, and where the text ends.
        sizer: Measures stretches of the document.
        adds_up: Whether sizes are characters: the size of a stretch is that of its
            parts, and the distance of its ends.
        glued: For each block, 1 where no cut may be before it: a heading stays with
            its body and with a deeper heading.
    """

    def __init__(self, document: Document, config: ChunkConfig) -> None:
        self.document = document
        self.config = config
        self.smallest = config.smallest
        self.edges = document.blocks.starts[:]
        self.edges.append(len(document.text))
        self.sizer: Sizer = (
            CharacterSizer(document)
            if config.length is None
            else MeasuredSizer(document, config.length)
        )
        self.adds_up = config.length is None
        self._kinds = document.blocks.kinds
        self.glued = _glue(document)
        self._stacks: dict[int, list[HeaderStack]] = {}

    def start_of(self, block: int) -> int:
        """Where a block starts; the end of the text for the one after the last."""
        return self.edges[block]

    def fits(self, start: int, end: int, budget: int) -> bool:
        """Whether `text[start:end]`, without white space at its end, fits."""
        text = self.document.text
        if self.adds_up:
            reach = start + budget
            return reach >= end or first_visible(text, reach, end) == end
        reach = self.sizer.reach(start, end, budget)
        near = max(_MIN_NEAR_CHARS, (end - start) // 8)
        if 0 < end - reach <= near:
            # Too close to tell without measuring.
            return self.sizer.of(text[start:end].rstrip()) <= budget
        return reach >= end or first_visible(text, reach, end) == end

    def first_body(self, draft: Draft) -> int:
        """The first block of a draft that is not a heading, or else its last one."""
        kinds, block = self._kinds, draft.first
        if kinds[block] != _HEADING:
            return block
        last = draft.stop - 1
        while block < last and kinds[block] == _HEADING:
            block += 1
        return block

    def section_of(self, draft: Draft) -> int:
        """The section of the first text in a draft that is not a heading.

        Where a draft is nothing but headings, the section of the last one.
        """
        return self.document.section_of(self.first_body(draft))

    def stack_at(self, block: int) -> HeaderStack:
        """The headings that a chunk which starts with `block` repeats."""
        if self._kinds[block] == _HEADING:
            return NO_STACK
        section = bisect_right(self.document.heading_blocks, block) - 1
        return self.stacks(section)[0] if section >= 0 else NO_STACK

    def stacks(self, section: int) -> list[HeaderStack]:
        """The header stack of a section, then ever shorter ones, then none.

        A stack is the run of headings that opens the section; outer ones are left out
        until it takes at most half the limit.
        """
        known = self._stacks.get(section)
        if known is None:
            known = self._stacks[section] = self._build_stacks(section)
        return known

    def _build_stacks(self, section: int) -> list[HeaderStack]:
        text, headings = self.document.text, self.document.headings
        newline = "\r\n" if text.startswith("\r\n", headings[section].end) else "\n"
        stacks = [NO_STACK]
        source = ""
        for heading in self._run(section):
            source = f"{text[heading.start : heading.end]}{newline}{newline}{source}"
            size = self.sizer.of(source)
            if size * 2 > self.config.max_chunk_size:
                break
            stacks.append(HeaderStack(source, size, heading.start))
        stacks.reverse()
        return stacks

    def _run(self, section: int) -> Iterator[Heading]:
        """The headings that open a section together, innermost first."""
        headings = self.document.headings
        heading = headings[section]
        yield heading
        while heading.parent >= 0:
            outer = headings[heading.parent]
            if outer.block != heading.block - 1:
                return
            heading = outer
            yield heading

    def first_block(self, section: int) -> int:
        """The block of the outermost heading that opens a section."""
        return [heading.block for heading in self._run(section)][-1]


def _glue(document: Document) -> bytearray:
    count = len(document.blocks)
    glued = bytearray(count + 1)
    after, depth = count, 0  # the next heading, and its level
    for block, _, _, level, _, _ in reversed(document.headings):
        following = block + 1
        if following != after or depth > level:
            glued[following] = 1
        after, depth = block, level
    return glued
