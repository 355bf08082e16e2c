"""The opening words of a section, for a node that stands for all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.markdown.document import Kind
from outcrop.text.boundaries import find_cut
from outcrop.text.whitespace import first_visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.markdown.document import Document

SUMMARY_CHARS = 500

_HEADING = int(Kind.HEADING)
# What a reader would not call an opening: front matter, comments, badges, rules.
_NO_OPENING = frozenset(
    int(kind) for kind in (Kind.FRONT_MATTER, Kind.HTML, Kind.DEFINITIONS, Kind.RULE)
)


def opening_text(document: Document, section: int) -> str:
    """The first text of a section or, for -1, of the document.

    Args:
        document: The parsed document.
        section: Index of its heading, or -1.

    Returns:
        At most 500 characters, cut at a line or a sentence; empty where the section
        holds headings alone.
    """
    stop = _last_block(document, section)
    first = document.headings[section].block if section >= 0 else 0
    start = _first_opening(document, first, stop)
    if start is None:
        return ""
    text = document.text
    begin = document.blocks.starts[start]
    end = _run_end(document, start, stop)
    if end - begin > SUMMARY_CHARS:
        floor = begin + SUMMARY_CHARS // 2
        end, _ = find_cut(text, begin, begin + SUMMARY_CHARS, floor, by_line=True)
    return text[first_visible(text, begin, end) : end].rstrip()


def _last_block(document: Document, section: int) -> int:
    headings = document.headings
    if section < 0:
        return len(document.blocks)
    following = section + 1
    while following < len(headings):
        if headings[following].level <= headings[section].level:
            return headings[following].block
        following += 1
    return len(document.blocks)


def _first_opening(document: Document, first: int, stop: int) -> int | None:
    """The first block with words in it; failing that, the first that is no heading."""
    fallback = None
    for block in _bodies(document, first, stop):
        if document.blocks.kinds[block] not in _NO_OPENING:
            return block
        if fallback is None:
            fallback = block
    return fallback


def _bodies(document: Document, first: int, stop: int) -> Iterator[int]:
    kinds = document.blocks.kinds
    return (block for block in range(first, stop) if kinds[block] != _HEADING)


def _run_end(document: Document, start: int, stop: int) -> int:
    """Where the text that starts with a block is interrupted by a heading."""
    starts, kinds = document.blocks.starts, document.blocks.kinds
    block = start
    while block < stop and kinds[block] != _HEADING:
        block += 1
        if document.block_end(block - 1) - starts[start] > SUMMARY_CHARS:
            break
    return document.block_end(block - 1)
