"""A parsed Markdown document: its leaf blocks as flat arrays of exact offsets.

A *block* here is a leaf of the CommonMark tree (a heading, a paragraph, a fence, a
table …) together with the container markers that stand before it on its first line.
Blocks tile the document: block `i` reaches from `starts[i]` to `starts[i + 1]`, blank
lines included, so that a cut is always "before block `i`" and no character lies
outside.

Millions of blocks have to fit into memory, so they are arrays of numbers, eleven
bytes a block, rather than objects.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from outcrop.markdown.front_matter import (
    FrontMatter,
    read_front_matter,
    read_title,
)


class Kind(IntEnum):
    """What a block is."""

    HEADING = 0
    PARAGRAPH = 1
    DEFINITIONS = 2  # link definitions: the parser has no event for them
    RULE = 3
    FENCE = 4
    INDENTED_CODE = 5
    HTML = 6
    FRONT_MATTER = 7
    MATH = 8
    TABLE = 9


# Kinds from here on are atomic: never cut, whatever their size.
FIRST_ATOMIC = int(Kind.FENCE)

# A cut inside a paragraph, beside display math, ranks below every cut between blocks.
INLINE_RANK = 63

OPENS_ITEM = 1  # flag: the block starts with the marker of a list item
UNCLOSED = 2  # flag: a fence that runs to the end of its container
NESTED = 4  # flag: the block lies inside a list item, a quote or a footnote
IS_MATH = 8  # flag: a heading of nothing but display math, which is never cut
ALL_FLAGS = OPENS_ITEM | UNCLOSED | NESTED | IS_MATH

_NO_FRONT_MATTER = FrontMatter()
_FRONT_MATTER = bytes([Kind.FRONT_MATTER])

# Every chunk of a section repeats the titles above it, in its metadata, in the store and
# in what is searched; titles of unlimited length would make that grow with the square
# of the document.
MAX_TITLE_CHARS = 300
_ELLIPSIS = "…"


class Heading(NamedTuple):
    """A heading outside lists, quotes and footnotes.

    Attributes:
        block: Index of its block.
        start: Where its source starts, in code points.
        end: Where its source ends, without the line end.
        level: 1 to 6.
        title: The visible text.
        parent: Index of the heading of the enclosing section, or -1.
    """

    block: int
    start: int
    end: int
    level: int
    title: str
    parent: int


@dataclass(slots=True)
class Blocks:
    """The leaf blocks of a document as parallel arrays.

    Attributes:
        starts: Where each block begins: the start of its first line.
        kinds: A `Kind` each.
        ranks: How many list items, quotes and footnotes are open across the cut
            before the block; a cut of a lower rank disturbs less.
        flags: `OPENS_ITEM`, `UNCLOSED`, `NESTED`, `IS_MATH`.
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    kinds: bytearray = field(default_factory=bytearray)
    ranks: bytearray = field(default_factory=bytearray)
    flags: bytearray = field(default_factory=bytearray)

    def __len__(self) -> int:
        return len(self.starts)

    def insert_front_matter(self) -> None:
        """Put front matter, which the parser has not seen, before the first block."""
        self.starts.insert(0, 0)
        self.kinds.insert(0, int(Kind.FRONT_MATTER))
        self.ranks.insert(0, 0)
        self.flags.insert(0, 0)


@dataclass(frozen=True, eq=False)
class Document:
    """A text with its blocks and headings.

    Attributes:
        text: The source, untouched.
        blocks: Its leaf blocks, in order.
        headings: Its top-level headings, in order.
        is_plain: Whether the parser failed, so that there are only paragraphs.
    """

    text: str
    blocks: Blocks
    headings: list[Heading]
    is_plain: bool = False

    @cached_property
    def heading_blocks(self) -> list[int]:
        """Block index of each heading, ascending."""
        return [heading.block for heading in self.headings]

    @cached_property
    def titles(self) -> list[str]:
        """The title of each heading as paths hold it; a very long one is cut."""
        return [path_title(heading.title) for heading in self.headings]

    @property
    def has_front_matter(self) -> bool:
        """Whether the first block is front matter."""
        return self.blocks.kinds.startswith(_FRONT_MATTER)

    @cached_property
    def front_matter(self) -> FrontMatter:
        """The fields of the front matter, empty without front matter."""
        return (
            read_front_matter(self.text) if self.has_front_matter else _NO_FRONT_MATTER
        )

    @cached_property
    def title(self) -> str:
        """The title in the front matter of a document without an H1, or empty.

        Such a title stands above all headings, as an H1 would.
        """
        if any(heading.level == 1 for heading in self.headings):
            return ""
        return path_title(read_title(self.text)) if self.has_front_matter else ""

    def section_of(self, block: int) -> int:
        """Index of the heading whose section holds `block`, or -1 before the first."""
        return bisect_right(self.heading_blocks, block) - 1

    def block_end(self, block: int) -> int:
        """Where `block` ends: the start of the next, or the end of the text."""
        following = block + 1
        starts = self.blocks.starts
        return starts[following] if following < len(starts) else len(self.text)

    def is_atomic(self, block: int) -> bool:
        """Whether `block` is of a kind that is never cut."""
        return self.blocks.kinds[block] >= FIRST_ATOMIC

    def is_unbreakable(self, block: int) -> bool:
        """Whether `block` is atomic, or a heading of nothing but display math."""
        return self.is_atomic(block) or bool(self.blocks.flags[block] & IS_MATH)

    def path(self, section: int) -> list[str]:
        """Titles from the document's or the outermost heading's down to `section`."""
        titles: list[str] = []
        while section >= 0:
            titles.append(self.titles[section])
            section = self.headings[section].parent
        if self.title:
            titles.append(self.title)
        titles.reverse()
        return titles


def path_title(title: str) -> str:
    """Return a title unchanged, or cut to `MAX_TITLE_CHARS` with an ellipsis."""
    if len(title) <= MAX_TITLE_CHARS:
        return title
    return title[: MAX_TITLE_CHARS - len(_ELLIPSIS)].rstrip() + _ELLIPSIS
