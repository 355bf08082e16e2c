"""From text to a document: blocks with offsets in code points.

pulldown-cmark counts bytes of UTF-8 where Python counts code points. Block starts rise,
so they are converted in one go, each from the one before. A byte order mark would hide
a heading after it, so the parser starts after the mark; other characters that it reads
wrongly are replaced, one for one. Offsets count from the untouched text either way.
TOML and JSON front matter, which the parser does not know, is skipped like the mark and
added as a block.

Two kinds of text need a second look: link definitions, which the parser has no event
for, and display math, which it treats as part of a paragraph and we never cut.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from outcrop.markdown.document import (
    INLINE_RANK,
    IS_MATH,
    NESTED,
    Blocks,
    Document,
    Heading,
    Kind,
)
from outcrop.markdown.embedded import hide
from outcrop.markdown.front_matter import front_matter_length
from outcrop.markdown.native import load_scanner, read_natively
from outcrop.markdown.parser import parseable, read_events
from outcrop.markdown.scan import UNKNOWN, RawBlocks, scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.markdown.embedded import Span
    from outcrop.markdown.native import Scanner

BYTE_ORDER_MARK = "\ufeff"

SCANNER = load_scanner()

_CONTAINER_MARKS = b"> \t\r\n"
_MARKS_BEFORE_MATH = re.compile(rb"(?:[> \t\r\n]|[-*+](?=\s)|\d+[.)](?=\s))*")
_TEXT = re.compile(rb"[^> \t\r\n]")
_HEADING = int(Kind.HEADING)
# White space for Python that CommonMark takes for text. A block of nothing else is no
# block: there is one meaning of "blank" from here on, that of `str.isspace`.
_ASCII_SPACES = b"\x0b\x0c\x1c\x1d\x1e\x1f"
# The others, by their first byte, which is looked for first.
_OTHER_SPACES = {
    0xC2: rb"\xc2[\x85\xa0]",
    0xE1: rb"\xe1\x9a\x80",
    0xE2: rb"\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)",
    0xE3: rb"\xe3\x80\x80",
}
_SPACES_BY_BYTE = {byte: re.compile(space) for byte, space in _OTHER_SPACES.items()}
_SPACE_AT_LINE_START = re.compile(
    rb"\n[ \t]*(?:%b)" % b"|".join(_OTHER_SPACES.values())
)


def parse(
    text: str, embedded: Sequence[Span] = (), *, scanner: Scanner | None = SCANNER
) -> Document:
    """Parse Markdown into blocks with exact offsets.

    Args:
        text: Any string; lone surrogates, NUL and mixed line ends included.
        embedded: Spans in another language, which are parsed as HTML blocks.
        scanner: Reads blocks where it is sure of them; None reads them from the events
            of pulldown-cmark, with the same result.

    Returns:
        The document; it has no blocks where the text is blank.
    """
    mark = 1 if text.startswith(BYTE_ORDER_MARK) else 0
    front_matter = front_matter_length(text[mark:] if mark else text)
    skipped = mark + front_matter
    shown = hide(text, embedded) if embedded else text
    source = shown[skipped:] if skipped else shown
    is_plain = False
    found = scanner and read_natively(scanner, source, mark, front_matter)
    if found:
        blocks, headings = found
    else:
        blocks, titles, is_plain = _read_blocks(source, mark, front_matter)
        headings = _link_headings(text, blocks, titles)
    if skipped:
        blocks.starts[0] = 0  # the mark belongs to the first block
    return Document(text, blocks, headings, is_plain=is_plain)


def _read_blocks(
    shown: str, mark: int, front_matter: int
) -> tuple[Blocks, list[tuple[int, str]], bool]:
    """Read blocks, and level and title of each heading, from the parser's events."""
    source, data = parseable(shown)
    raw, is_plain = read_events(source, partial(scan, data=data))
    if b"$$" in data:
        raw = _part_math(source, data, raw)
    raw = _fill_gaps(data, raw)
    if _may_have_blank_blocks(data):
        raw = _drop_blank_blocks(data, raw)
    if mark and not front_matter and not raw.starts:  # nothing visible but the mark
        raw.add(0, UNKNOWN, int(Kind.DEFINITIONS), 0, 0)
    starts = raw.starts if data.isascii() else _to_code_points(data, raw.starts)
    if mark or front_matter:
        skipped = mark + front_matter
        starts = array("q", [start + skipped for start in starts])
    blocks = Blocks(starts, raw.kinds, raw.ranks, raw.flags)
    if front_matter:
        blocks.insert_front_matter()
    return blocks, raw.headings, is_plain


def _to_code_points(data: bytes, rising: array[int]) -> array[int]:
    """Convert rising byte offsets, each from the one before."""
    edges = [0, *rising]
    pieces = map(data.__getitem__, map(slice, edges, rising))
    return array("q", accumulate(map(len, map(bytes.decode, pieces))))


def _display_math(
    events: Iterator[tuple[Any, dict[str, int]]],
) -> list[tuple[int, int, str]]:
    return [
        (span["start"], span["end"], event["DisplayMath"])
        for event, span in events
        if event.__class__ is not str and "DisplayMath" in event
    ]


def _part_math(source: str, data: bytes, raw: RawBlocks) -> RawBlocks:
    """Give display math, and the text after it, blocks of their own."""
    parted = RawBlocks(headings=raw.headings)
    done = 0
    in_headings: dict[int, str] = {}
    formulas, _ = read_events(source, _display_math)
    for start, end, formula in formulas:
        block = bisect_right(raw.starts, start) - 1
        if raw.kinds[block] == _HEADING:
            in_headings[block] = in_headings.get(block, "") + formula
        if raw.kinds[block] != Kind.PARAGRAPH:
            continue
        _copy(raw, parted, done, block + 1)
        done = max(done, block + 1)
        if not _MARKS_BEFORE_MATH.fullmatch(data, parted.starts[-1], start):
            parted.ends[-1] = UNKNOWN
            parted.add(start, end, int(Kind.MATH), INLINE_RANK, 0)
        else:
            parted.kinds[-1] = int(Kind.MATH)
            parted.ends[-1] = end
        limit = raw.starts[done] if done < len(raw.starts) else len(data)
        if _TEXT.search(data, end, limit):
            parted.add(end, UNKNOWN, int(Kind.PARAGRAPH), INLINE_RANK, 0)
    _copy(raw, parted, done, len(raw.starts))
    if in_headings:
        _mark_formulas(parted, raw.kinds, in_headings)
    return parted


def _mark_formulas(
    parted: RawBlocks, kinds: bytearray, in_headings: dict[int, str]
) -> None:
    """Mark headings whose title is display math: a formula over a rule reads as one.

    Args:
        parted: The blocks to mark.
        kinds: The blocks before display math was parted from them.
        in_headings: The formulas in each heading, by its block in `kinds`.
    """
    block = at = -1
    for _, title in parted.headings:
        block = kinds.find(_HEADING, block + 1)
        at = parted.kinds.find(_HEADING, at + 1)
        formula = in_headings.get(block)
        if formula is not None and "".join(title.split()) == "".join(formula.split()):
            parted.flags[at] |= IS_MATH


def _fill_gaps(data: bytes, raw: RawBlocks) -> RawBlocks:
    """Make blocks of the text that no event covers."""
    starts, ends = raw.starts, raw.ends
    gaps: list[tuple[int, int]] = []  # the block after the gap, where its text starts
    first = starts[0] if starts else len(data)
    if data[:first].strip():
        gaps.append((0, first - len(data[:first].lstrip())))
    following = starts[1:]
    following.append(len(data) + 1)  # the last character may be a bare list marker
    for block, (end, start) in enumerate(zip(ends, following, strict=False)):
        if UNKNOWN < end < start - 1:
            between = data[end:start]
            if between.isspace():
                continue
            # Inside a container its marks may follow a block; elsewhere they are text.
            if not raw.flags[block] & NESTED or between.strip(_CONTAINER_MARKS):
                gaps.append((block + 1, end + len(between) - len(between.lstrip())))
    if not gaps:
        return raw
    filled = RawBlocks(headings=raw.headings)
    done = 0
    for block, at in gaps:
        _copy(raw, filled, done, block)
        floor = ends[block - 1] if block else 0
        line = data.rfind(b"\n", floor, at) + 1
        rank = raw.ranks[block - 1] if block else 0
        flags = raw.flags[block - 1] & NESTED if block else 0
        filled.add(line or floor, UNKNOWN, int(Kind.DEFINITIONS), rank, flags)
        done = block
    _copy(raw, filled, done, len(starts))
    return filled


def _may_have_blank_blocks(data: bytes) -> bool:
    if any(space in data for space in _ASCII_SPACES):
        return True
    return (
        not data.isascii()
        and any(
            b in data and space.search(data) for b, space in _SPACES_BY_BYTE.items()
        )
        and _SPACE_AT_LINE_START.search(b"\n" + data) is not None
    )


def _drop_blank_blocks(data: bytes, raw: RawBlocks) -> RawBlocks:
    """Let white space that the parser takes for text go with the block before it."""
    edges = [*raw.starts, len(data)]
    visible = [
        block
        for block, (start, end) in enumerate(pairwise(edges))
        if not data[start:end].decode().isspace()
    ]
    if len(visible) == len(raw.starts):
        return raw
    kept = RawBlocks(headings=raw.headings)
    for block in visible:
        _copy(raw, kept, block, block + 1)
    return kept


def _copy(source: RawBlocks, target: RawBlocks, first: int, stop: int) -> None:
    target.starts.extend(source.starts[first:stop])
    target.ends.extend(source.ends[first:stop])
    target.kinds.extend(source.kinds[first:stop])
    target.ranks.extend(source.ranks[first:stop])
    target.flags.extend(source.flags[first:stop])


def _link_headings(
    text: str, blocks: Blocks, found: list[tuple[int, str]]
) -> list[Heading]:
    """Give every heading its block, its place and its parent."""
    headings: list[Heading] = []
    open_sections: list[int] = []
    edges = [*blocks.starts, len(text)]
    block = -1
    for index, (level, title) in enumerate(found):
        block = blocks.kinds.find(_HEADING, block + 1)
        source = text[edges[block] : edges[block + 1]].rstrip()
        end = edges[block] + len(source)
        start = end - len(source.lstrip(" \t"))
        while open_sections and headings[open_sections[-1]].level >= level:
            open_sections.pop()
        parent = open_sections[-1] if open_sections else -1
        open_sections.append(index)
        headings.append(Heading(block, start, end, level, title, parent))
    return headings
