"""The sections of a document: which hold text, and the opening words of each."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.markdown.document import Kind
from outcrop.text.boundaries import find_cut
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout
    from outcrop.markdown.document import Document

MAX_SUMMARY_CHARS = 500

_HEADING = int(Kind.HEADING)
# What a reader would not call an opening: front matter, comments, definitions, rules.
_NO_OPENING = frozenset(
    int(kind) for kind in (Kind.FRONT_MATTER, Kind.HTML, Kind.DEFINITIONS, Kind.RULE)
)
_PARAGRAPH = int(Kind.PARAGRAPH)
# Images, the targets of links, and tags: a badge without them has no words.
_NO_WORDS = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|\]\([^)]*\)|<[^>]*>")
_WORD = re.compile(r"\w")


class SectionRoles:
    """Looks at every section of a document once.

    Attributes:
        has_text: Whether a section, its subsections included, is more than headings.
        is_node: Whether it is an inner node of the tree: it has subsections, and some
            text. The first H1, where it has no text of its own, is the document's
            title: the root stands for it.
        has_title: Whether there is such a title.
    """

    def __init__(self, document: Document, *, is_start: bool = True) -> None:
        """Look at a document, or at a part of one that `is_start` or not."""
        headings = document.headings
        blocks = [*document.heading_blocks, len(document.blocks)]
        own_text = [following - block > 1 for block, following in pairwise(blocks)]
        self.has_text = own_text.copy()
        self.is_node = [False] * len(headings)
        for section in range(len(headings) - 1, -1, -1):
            self.is_node[section] = self.is_node[section] and self.has_text[section]
            parent = headings[section].parent
            if parent >= 0:
                self.is_node[parent] = True
                self.has_text[parent] = self.has_text[parent] or self.has_text[section]
        opens_with_title = bool(headings) and headings[0].level == 1
        self.has_title = is_start and opens_with_title and not own_text[0]
        if self.has_title:
            self.is_node[0] = False


def separate_empty_headings(document: Document, glued: bytearray) -> None:
    """Allow a cut after every heading of a section without any text.

    Such a heading has no body to stay with: in a tree it is a separate leaf.
    """
    has_text = SectionRoles(document).has_text
    for heading, some in zip(document.headings, has_text, strict=True):
        if not some:
            glued[heading.block + 1] = 0


def part_front_matter(drafts: list[Draft], layout: Layout) -> list[Draft]:
    """Give front matter a draft of its own where text follows in the same draft.

    Its text is not searched for, unlike the text after it.
    """
    first = drafts[0]
    kinds = layout.document.blocks.kinds
    if first.stop == 1 or kinds[0] != Kind.FRONT_MATTER:
        return drafts
    end = layout.start_of(1)
    rest = replace(first, first=1, start=end, rule="after_front_matter")
    return [replace(first, stop=1, end=end), rest, *drafts[1:]]


class Openings:
    """Finds the first words of the sections of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._known: dict[int, str] = {}

    def of(self, section: int) -> str:
        """The first text of a section or, for -1, of the document.

        Returns:
            At most 500 characters, cut at a line or a sentence; empty where the section
            holds headings alone.
        """
        first = self.document.headings[section].block if section >= 0 else 0
        block = self._first_opening(first, self._stop(section))
        if block is None:
            return ""
        # Sections that open with one another open with the same words.
        known = self._known.get(block)
        if known is None:
            known = self._known[block] = self._cut(block)
        return known

    def _stop(self, section: int) -> int:
        headings = self.document.headings
        if section < 0:
            return len(self.document.blocks)
        following = section + 1
        while following < len(headings):
            if headings[following].level <= headings[section].level:
                return headings[following].block
            following += 1
        return len(self.document.blocks)

    def _first_opening(self, first: int, stop: int) -> int | None:
        """The first block with words; failing that, the first that is not a heading."""
        opening = self.first_with_words(first, stop)
        if opening is not None:
            return opening
        kinds = self.document.blocks.kinds
        others = (block for block in range(first, stop) if kinds[block] != _HEADING)
        return next(others, None)

    def first_with_words(self, first: int, stop: int) -> int | None:
        """The first of some blocks that a section can open with, or None."""
        kinds = self.document.blocks.kinds
        for block in range(first, stop):
            kind = kinds[block]
            if kind == _HEADING or kind in _NO_OPENING:
                continue
            if self._has_words(block):
                return block
        return None

    def _has_words(self, block: int) -> bool:
        document = self.document
        if document.blocks.kinds[block] != _PARAGRAPH:
            return True
        start = document.blocks.starts[block]
        end = min(document.block_end(block), start + 2 * MAX_SUMMARY_CHARS)
        source = document.text[start:end]
        if "](" not in source and "<" not in source and "![" not in source:
            return True
        return _WORD.search(_NO_WORDS.sub("", source)) is not None

    def _cut(self, block: int) -> str:
        text, begin = self.document.text, self.document.blocks.starts[block]
        end = self._run_end(block)
        if end - begin > MAX_SUMMARY_CHARS:
            floor = begin + MAX_SUMMARY_CHARS // 2
            end, _ = find_cut(
                text, floor, begin + MAX_SUMMARY_CHARS, floor, by_line=True
            )
        return text[first_visible(text, begin, end) : end].rstrip()

    def _run_end(self, first: int) -> int:
        """The end of the text that starts with a block: the next heading or code."""
        document = self.document
        begin = document.blocks.starts[first]
        block = first
        while document.block_end(block) - begin <= MAX_SUMMARY_CHARS:
            following = block + 1
            if following >= len(document.blocks) or (
                document.blocks.kinds[following] == _HEADING
                or document.is_atomic(following)
            ):
                break
            block = following
        return document.block_end(block)
